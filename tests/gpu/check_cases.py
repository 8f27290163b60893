#!/usr/bin/env python3
"""Holds a Rafter report against what rafter-cases and its kin did.

    check_cases.py TRUTH.json REPORT.json [--sets time,memory,...] [--shared] [--any-process]
    check_cases.py --kernels FIXTURE_TRUTH.json TABLE.csv

REPORT.json is of `rafter report --format json --precision fp32`. Counts and FLOP
must agree exactly, with and without nested regions, DRAM bytes within 1 %. What
a region does not claim exactly must be the true number, or absent with a reason,
or a part that the row calls partial or overlapped. --sets: these sets must have
given every region that did work a value. --shared: rows must say that the device
was shared. --any-process: rows of whatever process. Exits with 1 when a line is
wrong. Needs nothing but Python 3.
"""

import argparse
import collections
import json
import re
import sys

from check_truth import (KINDS, PRECISIONS, READ_METRICS, TOTAL_METRICS, WRITE_METRICS, BadInput,
                         Report, count_metric, read_table, read_truth, show)

# A value that is there when the set gave the row something.
SET_MARKS = {
    "time": lambda row: row["duration_s"],
    "memory": lambda row: metric(row, *TOTAL_METRICS),
    "sm": lambda row: metric(row, "sm__warps_active.avg.pct_of_peak_sustained_active"),
    "flop": lambda row: row["flop_fp32"],
}
# Ways of a reason to say that something is not in the numbers.
NAMES_A_GAP = re.compile(r"not counted|no call was counted|counted of|cut short|left out|"
                         r"not here but in|part of it|partial")
PARTS = ("partial", "overlapped")
# What the program may grow by between 10^4 and 10^6 passes through a region.
GROWTH_KIB = 16 * 1024
# More lines than that are shown only where they are wrong.
MANY_LINES = 1000


def metric(row, *names):
    """The first of the metrics that the row has a value for, or None."""
    for name in names:
        value = row["metrics"].get(name, {}).get("value")
        if value is not None:
            return value
    return None


def read_report(path):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{path}: not JSON ({error}); write it with rafter report --format json") \
            from error
    if "rows" not in report:
        raise BadInput(f"{path}: no \"rows\"; write it with rafter report --format json")
    return report["rows"]


def short(text, most=60):
    return text if len(text) <= most else text[:most] + "..."


def check_exact_flop(truth, row, report):
    region = truth["region"]
    for kind in KINDS:
        if truth["fp16_claimed"] or not kind.startswith("h"):
            report.exact(region, kind, truth["inclusive"][kind], metric(row, count_metric(kind)))
    for precision in PRECISIONS:
        if truth["fp16_claimed"] or precision != "fp16":
            key = "flop_" + precision
            report.exact(region, key, truth["inclusive"][key], row[key])
    if row["precision"] == "fp32":
        report.exact(region, "exclusive FP32", truth["exclusive"]["flop_fp32"],
                     row["exclusive_flop"])


def check_missing_flop(truth, row, report):
    region, why = truth["region"], truth["flop_reason"]
    right = row["flop_fp32"] is None and why in row["reason"]
    report.add(region, "flop_fp32", f"missing: {why}", show(row["flop_fp32"]),
               short(row["reason"]), right)


def check_honest_flop(truth, row, report, tally):
    """The true number, or none and a reason, or a part that is called one."""
    region, true = truth["region"], truth["inclusive"]["flop_fp32"]
    value = row["flop_fp32"]
    if value is None:
        tally["missing with a reason"] += 1
        report.add(region, "flop_fp32", show(true), "missing", short(row["reason"]),
                   bool(row["reason"]))
    elif value == true:
        tally["exact"] += 1
        report.exact(region, "flop_fp32", true, value)
    else:
        tally["a part"] += 1
        report.add(region, "flop_fp32", show(true), show(value), row["validity"],
                   row["validity"] in PARTS and value < true)


def check_traffic(truth, row, report):
    region, calls = truth["region"], truth["instances"]
    read, write = truth["dram_bytes"]["read"], truth["dram_bytes"]["write"]
    if calls == 0:
        return
    if read is not None:
        report.close(region, "DRAM read", read, metric(row, *READ_METRICS))
    if write is not None:
        report.close(region, "DRAM write", write, metric(row, *WRITE_METRICS))
    if read is not None and write is not None:
        report.close(region, "DRAM total", read + write, metric(row, *TOTAL_METRICS))


def check_seconds(truth, row, report):
    if truth["most_s"] == 0:
        return
    wanted = f"{truth['least_s']} to {truth['most_s']} s"
    if row["duration_s"] is None or not row["calls"]:
        report.wrong_line(truth["region"], "time of a call", wanted, "missing")
        return
    call_s = row["duration_s"] / row["calls"]
    report.add(truth["region"], "time of a call", wanted, f"{call_s:.6f} s", "-",
               truth["least_s"] <= call_s <= truth["most_s"])


def check_sets(truth, row, sets, report):
    if truth["launches"] == 0:
        return
    for name in sets:
        if SET_MARKS[name](row) is None:
            report.wrong_line(truth["region"], f"set {name}", "counted",
                              "missing: " + short(row["reason"]))


def check_region(truth, row, options, counts_checked, report, tally):
    region = truth["region"]
    report.exact(region, "calls", truth["instances"], row["calls"])
    if truth["launches"] is not None and row["launches"] is not None:
        report.exact(region, "launches", truth["launches"], row["launches"])
    # Without set flop nothing is asked of FLOP, and nothing may be told.
    if counts_checked and "flop" in options.wanted:
        if truth["flop"] == "exact":
            check_exact_flop(truth, row, report)
        elif truth["flop"] == "missing":
            check_missing_flop(truth, row, report)
        else:
            check_honest_flop(truth, row, report, tally)
    check_traffic(truth, row, report)
    check_seconds(truth, row, report)
    check_sets(truth, row, options.sets, report)
    if options.shared and row["metrics"] and metric(row, *TOTAL_METRICS) is not None:
        said = row["validity"] + "; " + row["reason"]
        report.add(region, "says shared device", "yes", short(said), "-", "shared device" in said)


def check_overlaps(truth, rows, report):
    """All rows together: the whole truth, or less and the gap named."""
    total = sum(region["exclusive"]["flop_fp32"] for region in truth["regions"])
    counted = [row["exclusive_flop"] for row in rows if row["exclusive_flop"] is not None]
    named = any(NAMES_A_GAP.search(row["reason"]) for row in rows)
    got = sum(counted)
    report.add("all rows", "exclusive FP32", show(total), show(got),
               "the gap is named" if got < total and named else show(got - total),
               got == total or (got < total and named))
    for row in rows:
        if " | " in row["region"]:
            report.add(row["region"], "validity", "overlapped", row["validity"], "-",
                       row["validity"] == "overlapped")


def check_growth(truth, report):
    early, end = truth.get("resident_kib_at_10000"), truth.get("resident_kib_at_end")
    if early is None:
        return
    report.add("program", "resident KiB", f"{early} + at most {GROWTH_KIB}", show(end),
               show(end - early), end - early <= GROWTH_KIB)


def check_cases(truth, rows, options, report):
    pid = str(truth.get("pid", ""))
    if not options.any_process:
        rows = [row for row in rows if row["process"] == pid]
        if not rows:
            raise BadInput(f"no row is of process {pid}; is this the report of that run?")
    by_region = collections.defaultdict(list)
    for row in rows:
        by_region[row["region"]].append(row)
    tally = collections.Counter()
    known = set()
    for region in truth["regions"]:
        known.add(region["region"])
        uuid = region["device_uuid"]
        found = [row for row in by_region[region["region"]]
                 if not uuid or row["device_uuid"].lower() == uuid.lower()]
        if len(found) != 1:
            report.wrong_line(region["region"] + (" on " + uuid if uuid else ""), "rows", "1",
                              str(len(found)))
            continue
        check_region(region, found[0], options, truth.get("counts_checked", True), report, tally)
    overlaps = truth.get("overlaps", False)
    for name in by_region:
        if by_region[name] and name not in known and not (overlaps and " | " in name):
            report.wrong_line(name, "rows", "none", str(len(by_region[name])))
    if overlaps and truth.get("counts_checked", True):
        check_overlaps(truth, rows, report)
    check_growth(truth, report)
    return tally


def registers_of(row):
    """What a row says of registers, in whatever column that names them."""
    for column, text in row.items():
        if "register" in column.lower() and text != "":
            return float(text)
    return None


def is_row_of(row, region, kernel):
    inside = row["Region"] == region or row["Region"].startswith(region + "/")
    return inside and kernel in row.get("Kernel", "")


def check_kernels(truth, rows, report):
    """--granularity kernel: each kind of launch has its row."""
    for entry in truth["regions"]:
        kernel = entry.get("kernel")
        if kernel is None:
            continue
        region = entry["region"]
        found = [row for row in rows if is_row_of(row, region, kernel["name"])]
        exact = [row for row in found if registers_of(row) is not None] or found
        if not exact:
            report.wrong_line(region, "row of its kernel", kernel["name"], "none")
            continue
        row = exact[0]
        report.add(region, "grid", kernel["grid"], row.get("Grid Size", ""), "-",
                   row.get("Grid Size") == kernel["grid"])
        report.add(region, "block", kernel["block"], row.get("Block Size", ""), "-",
                   row.get("Block Size") == kernel["block"])
        signature = row.get("Kernel Signature", "")
        report.add(region, "signature", f"{kernel['name']}(...)", short(signature), "-",
                   f"{kernel['name']}(" in signature)
        report.exact(region, "registers", kernel["registers"], registers_of(row))
        if truth.get("counts_checked", True):
            for precision in PRECISIONS:
                want = entry["instances"] * entry["per_instance"]["flop_" + precision]
                text = row.get("FLOP " + precision.upper(), "")
                report.exact(region, "FLOP " + precision, want, float(text) if text else None)


def run(arguments, out):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("truth", help="TRUTH.json")
    parser.add_argument("report", help="REPORT.json, or TABLE.csv with --kernels")
    parser.add_argument("--sets", default="", help="sets that must have counted every region")
    parser.add_argument("--without-flop", action="store_true", help="set flop was not asked for")
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("--any-process", action="store_true")
    parser.add_argument("--kernels", action="store_true")
    options = parser.parse_args(arguments)
    options.sets = [name for name in options.sets.split(",") if name]
    for name in options.sets:
        if name not in SET_MARKS:
            parser.error(f"--sets: \"{name}\" is none of {', '.join(SET_MARKS)}")
    options.wanted = [] if options.without_flop else ["flop"]
    truth = read_truth(options.truth)
    report = Report()
    tally = collections.Counter()
    if options.kernels:
        check_kernels(truth, read_table(options.report), report)
    else:
        tally = check_cases(truth, read_report(options.report), options, report)
    if len(report.lines) > MANY_LINES:
        wrong = Report()
        wrong.lines = [line for line in report.lines if line[-1]]
        wrong.print(out)
        print(f"{len(report.lines)} compared, {report.wrong} wrong", file=out)
    else:
        report.print(out)
    if tally:
        print("FLOP not claimed exactly: " +
              ", ".join(f"{count} {what}" for what, count in sorted(tally.items())), file=out)
    return 1 if report.wrong or not report.lines else 0


def main():
    try:
        return run(sys.argv[1:], sys.stdout)
    except BadInput as fault:
        print(f"check_cases: {fault}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
