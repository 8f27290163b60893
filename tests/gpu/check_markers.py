#!/usr/bin/env python3
"""Holds a Rafter report against what rafter-nvmarkers or rafter-nvtx-flavours did.

    check_markers.py TRUTH.json REPORT.json [--likwid] [--plain] [--within PERCENT]

REPORT.json is of `rafter report --format json --precision fp32`. FADD, FMUL and
FFMA of each region must agree exactly, nested regions included, and its DRAM bytes
within 1 % (--within); where a region did nothing both are 0, or DRAM noise. A row
is found by the last part of its region's path. --likwid: regions of other threads
have no numbers, since LIKWID does not see them. --plain: LIKWID's own file, times
two: prints what it is off by and is never wrong. Exits with 1 when a line is wrong.
Needs nothing but Python 3.
"""

import argparse
import json
import sys

KINDS = ("fadd", "fmul", "ffma")
# DRAM traffic of a region that launches nothing: what the counters themselves cause.
NOISE_BYTES = 1 << 20


def metric(row, name):
    return row["metrics"].get(name, {}).get("value")


def count_of(row, kind):
    for unit in ("smsp__sass_thread_inst_executed_op_", "sm__sass_thread_inst_executed_op_"):
        value = metric(row, f"{unit}{kind}_pred_on.sum")
        if value is not None:
            return value
    return None


def close(true, value, percent):
    if true == 0:
        return value <= NOISE_BYTES
    return abs(value - true) <= true * percent / 100


class Lines:
    def __init__(self):
        self.wrong = 0

    def add(self, region, what, true, value, right, note=""):
        self.wrong += not right
        shown = "missing" if value is None else f"{value:.10g}"
        ratio = f"{value / true:.4f}" if value is not None and true else "-"
        print(f"{'ok   ' if right else 'WRONG'} {region:28} {what:11} true {true:<14.10g} "
              f"read {shown:14} ratio {ratio:7} {note}")


def check_region(truth, row, options, lines):
    region = truth["region"]
    lines.add(region, "calls", truth["calls"], row["calls"],
              options.plain or row["calls"] == truth["calls"])
    for kind in KINDS:
        value = count_of(row, kind)
        lines.add(region, kind, truth[kind], value, options.plain or value == truth[kind],
                  "" if value is not None else row["reason"][:60])
    value = metric(row, "dram__bytes.sum")
    right = value is not None and close(truth["dram_bytes"], value, options.within)
    lines.add(region, "DRAM bytes", truth["dram_bytes"], value, options.plain or right,
              "" if value is not None else row["reason"][:60])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("truth")
    parser.add_argument("report")
    parser.add_argument("--likwid", action="store_true")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--within", type=float, default=1.0)
    options = parser.parse_args()
    with open(options.truth, encoding="utf-8") as file:
        truth = json.load(file)
    with open(options.report, encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    lines = Lines()
    for region in truth["regions"]:
        name = region["region"]
        found = [row for row in rows if row["region"].split("/")[-1] == name]
        if options.likwid and region["other_thread"]:
            # LIKWID does not see it; a row says so, and has no number.
            silent = any(not row["reason"] or metric(row, "dram__bytes.sum") is not None or
                         any(count_of(row, kind) is not None for kind in KINDS) for row in found)
            lines.add(name, "other thread", 0, len(found), not silent)
            continue
        if len(found) != 1:
            lines.add(name, "rows", 1, len(found), False)
            continue
        check_region(region, found[0], options, lines)
    if not truth["regions"]:
        print("WRONG the truth has no regions")
        return 1
    print(f"{lines.wrong} wrong")
    return 1 if lines.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
