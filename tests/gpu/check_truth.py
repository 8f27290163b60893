#!/usr/bin/env python3
"""Holds a Rafter table against what is known to be true.

    check_truth.py TRUTH.json TABLE.csv        the fixture's truth against its table; with
                                               --without-flop its calls, launches and bytes only
    check_truth.py --sum-of A.csv --single B.csv
                                               the sum over the regions of one run against
                                               the one region of another run of the same work
    check_truth.py --same A.csv B.csv          two tables of the same work

Instruction counts and FLOP must agree exactly, DRAM bytes within 1 %. Prints
region | metric | truth | measured | difference, and exits with 1 when a line is
wrong. Needs nothing but Python 3.
"""

import argparse
import csv
import json
import re
import sys

KINDS = ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma")
PRECISIONS = ("fp32", "fp64", "fp16")
TRAFFIC_TOLERANCE = 0.01
# Names of the same counter on different generations, newest last.
READ_METRICS = ("dram__bytes_read.sum", "dram__bytes_op_read.sum")
WRITE_METRICS = ("dram__bytes_write.sum", "dram__bytes_op_write.sum")
TOTAL_METRICS = ("dram__bytes.sum",)


def count_metric(kind):
    return f"sm__sass_thread_inst_executed_op_{kind}_pred_on.sum"


def flop_column(precision):
    return f"FLOP {precision.upper()}"


EXACT_COLUMNS = tuple(count_metric(kind) for kind in KINDS) + tuple(map(flop_column, PRECISIONS))


class BadInput(Exception):
    """A file that is not what it should be, with what to do about it."""


def without_unit(header):
    return re.sub(r"\s*\[[^\]]*\]$", "", header.strip())


def read_table(path):
    """Returns the rows of a Rafter CSV as dictionaries, headers without units."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            csv.field_size_limit(1 << 24)  # a region's name may have a MiB
            lines = list(csv.reader(file))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    if not lines:
        raise BadInput(f"{path}: empty; a table has at least a header")
    headers = [without_unit(header) for header in lines[0]]
    if "Region" not in headers:
        raise BadInput(f"{path}: no column Region; is this a table of `rafter report --format csv`?")
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(headers):
            raise BadInput(f"{path}: row {number} has {len(line)} cells, the header {len(headers)}")
    return [dict(zip(headers, line)) for line in lines[1:]]


def number(row, *columns):
    """The first of `columns` that the row has a value for, or None."""
    for column in columns:
        text = row.get(column, "")
        if text != "":
            try:
                return float(text)
            except ValueError as error:
                raise BadInput(f"region {row['Region']}, column {column}: "
                               f"\"{text}\" is not a number") from error
    return None


def show(value):
    if value is None:
        return "-"
    if float(value) == int(value):
        return str(int(value))
    return f"{value:.10g}"


class Report:
    """The lines of a comparison."""

    def __init__(self):
        self.lines = []
        self.wrong = 0

    def add(self, region, metric, truth, measured, difference, right):
        self.wrong += 0 if right else 1
        self.lines.append((region, metric, truth, measured, difference, "" if right else "WRONG"))

    def exact(self, region, metric, truth, measured):
        if measured is None:
            self.add(region, metric, show(truth), "missing", "-", False)
        else:
            self.add(region, metric, show(truth), show(measured), show(measured - truth),
                     measured == truth)

    def close(self, region, metric, truth, measured, tolerance=TRAFFIC_TOLERANCE):
        if measured is None:
            self.add(region, metric, show(truth), "missing", "-", False)
        elif truth == 0:
            self.add(region, metric, "0", show(measured), "-", measured == 0)
        else:
            share = measured / truth - 1
            self.add(region, metric, show(truth), show(measured), f"{100 * share:+.3f} %",
                     abs(share) <= tolerance)

    def wrong_line(self, region, metric, truth, measured):
        self.add(region, metric, truth, measured, "-", False)

    def print(self, out):
        header = ("region", "metric", "truth", "measured", "difference", "")
        rows = [header] + self.lines
        widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
        for row in rows:
            cells = [row[i].ljust(widths[i]) if i in (0, 1, 5) else row[i].rjust(widths[i])
                     for i in range(len(header))]
            print(" | ".join(cells).rstrip(" |"), file=out)
        print(f"{len(self.lines)} compared, {self.wrong} wrong", file=out)


def rows_by_region(rows, path):
    """{region: row}; a region with several rows is refused. Rows of single kinds of
    launch are passed over: check_cases.py --kernels looks at those."""
    regions = {}
    for row in rows:
        if row.get("Kernel ID"):
            continue
        if row["Region"] in regions:
            raise BadInput(f"{path}: several rows for region {row['Region']}; "
                           "give the table of one process on one device")
        regions[row["Region"]] = row
    return regions


def check_region(truth, row, counts_checked, report):
    region, calls, each = truth["region"], truth["instances"], truth["per_instance"]
    measured_calls = number(row, "Calls")
    if measured_calls is not None:
        report.exact(region, "Calls", calls, measured_calls)
    launches = number(row, "Launches")
    if launches is not None and each["launches"] is not None:
        report.exact(region, "Launches", calls * each["launches"], launches)
    if counts_checked:
        for kind in KINDS:
            report.exact(region, kind, calls * each[kind], number(row, count_metric(kind)))
        for precision in PRECISIONS:
            report.exact(region, flop_column(precision), calls * each["flop_" + precision],
                         number(row, flop_column(precision)))
    read, write = each["dram_bytes"]["read"], each["dram_bytes"]["write"]
    if read is not None:
        report.close(region, "DRAM read", calls * read, number(row, *READ_METRICS))
    if write is not None:
        report.close(region, "DRAM write", calls * write, number(row, *WRITE_METRICS))
    if read is not None and write is not None:
        report.close(region, "DRAM total", calls * (read + write), number(row, *TOTAL_METRICS))


def check_truth(truth, rows, path, report):
    """The fixture's truth against the rows of its table."""
    regions = rows_by_region(rows, path)
    for entry in truth["regions"]:
        row = regions.pop(entry["region"], None)
        if row is None:
            report.wrong_line(entry["region"], "row", "1", "none")
            continue
        check_region(entry, row, truth.get("counts_checked", True), report)
    for region in regions:
        report.wrong_line(region, "row", "none", "1")


def is_top(row):
    return "/" not in row["Region"]


def check_sum(parts, whole, parts_path, whole_path, report):
    """The sum over the top regions of `parts` against the one region of `whole`."""
    tops = [row for row in whole if is_top(row)]
    if len(tops) != 1:
        raise BadInput(f"{whole_path}: {len(tops)} top regions; the run with a single region has one")
    parts = [row for row in parts if is_top(row)]
    if not parts:
        raise BadInput(f"{parts_path}: no regions")

    def total(*columns):
        values = [number(row, *columns) for row in parts]
        return None if None in values else sum(values)

    name = f"sum of {len(parts)}"
    for column in EXACT_COLUMNS:
        truth = number(tops[0], column)
        if truth is None:
            report.wrong_line(name, column, "missing", show(total(column)))
        else:
            report.exact(name, column, truth, total(column))
    for columns in (TOTAL_METRICS, READ_METRICS, WRITE_METRICS):
        truth = number(tops[0], *columns)
        if truth is None:
            report.wrong_line(name, columns[0], "missing", show(total(*columns)))
        else:
            report.close(name, columns[0], truth, total(*columns))


def check_same(left, right, left_path, right_path, report):
    """Two tables: the same regions, calls, launches and FLOP."""
    left, right = rows_by_region(left, left_path), rows_by_region(right, right_path)
    for region, row in left.items():
        other = right.pop(region, None)
        if other is None:
            report.wrong_line(region, "row", "1", "none")
            continue
        for column in EXACT_COLUMNS + ("Calls", "Launches"):
            truth, measured = number(row, column), number(other, column)
            if truth is None and measured is None:
                continue
            if truth is None:
                report.wrong_line(region, column, "missing", show(measured))
            else:
                report.exact(region, column, truth, measured)
    for region in right:
        report.wrong_line(region, "row", "none", "1")


def read_truth(path):
    try:
        with open(path, encoding="utf-8") as file:
            truth = json.load(file)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{path}: not JSON ({error}); write it with rafter-fixture --truth") from error
    if "regions" not in truth:
        raise BadInput(f"{path}: no \"regions\"; write it with rafter-fixture --truth")
    return truth


def run(arguments, out):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("truth", nargs="?", help="TRUTH.json")
    parser.add_argument("table", nargs="?", help="TABLE.csv")
    parser.add_argument("--without-flop", action="store_true", help="set flop was not asked for")
    parser.add_argument("--sum-of", metavar="REGIONS.csv")
    parser.add_argument("--single", metavar="SINGLE.csv")
    parser.add_argument("--same", nargs=2, metavar=("A.csv", "B.csv"))
    options = parser.parse_args(arguments)
    if bool(options.sum_of) != bool(options.single):
        parser.error("--sum-of and --single go together")
    if bool(options.truth) != bool(options.table):
        parser.error("TRUTH.json and TABLE.csv go together")
    if not (options.truth or options.sum_of or options.same):
        parser.error("nothing to compare")

    report = Report()
    if options.truth:
        truth = read_truth(options.truth)
        if options.without_flop:
            truth["counts_checked"] = False
        check_truth(truth, read_table(options.table), options.table, report)
    if options.sum_of:
        check_sum(read_table(options.sum_of), read_table(options.single), options.sum_of,
                  options.single, report)
    if options.same:
        check_same(*map(read_table, options.same), *options.same, report)
    report.print(out)
    return 1 if report.wrong or not report.lines else 0


def main():
    try:
        return run(sys.argv[1:], sys.stdout)
    except BadInput as fault:
        print(f"check_truth: {fault}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
