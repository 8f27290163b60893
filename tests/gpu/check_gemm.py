#!/usr/bin/env python3
"""Holds the operations of matrix products in a Rafter report against 2MNK.

    check_gemm.py TRUTH.json REPORT.json

TRUTH.json is of rafter-gemm ("formats": tensor operations, by format; a tile
that reaches over the edge of a matrix may add up to 2 %, which is printed), or
of train.py ("fp32_regions": FP32 FLOP within 1 %, since a training step computes
a little besides its products). REPORT.json is of `rafter report --format json`.
Exits with 1 when a line is wrong. Needs nothing but Python 3.
"""

import json
import re
import sys

from check_cases import metric, read_report, short
from check_truth import BadInput, Report, show

TOTAL = re.compile(r"sm__ops_path_tensor_src_(.+)\.sum")
# A format that no single pass holds is counted by its instructions (decision 0009).
PART = re.compile(r"sm__ops_path_tensor_op_[a-z0-9]+_src_(.+)\.sum")
# Metrics that split or repeat totals.
NOT_TOTALS = ("sparsity", "_realtime")
PADDING_TOLERANCE = 0.02
STEP_TOLERANCE = 0.01


def source_formats(name):
    """({"bf16"}, False) of sm__ops_path_tensor_src_bf16_dst_fp32.sum; the second: it is a part of
    a format only. An empty set: neither."""
    total, part = TOTAL.fullmatch(name), PART.fullmatch(name)
    if part is None and (total is None or any(word in name for word in NOT_TOTALS)):
        return set(), False
    formats = (total or part).group(1).split("_dst_")[0].split("_sparsity_")[0]
    return set(formats.split("_")), part is not None


def operations(row, wanted):
    """(in the format, in all others); the first is None where nothing counted it."""
    totals, parts, others = None, None, 0
    for name in row["metrics"]:
        formats, is_part = source_formats(name)
        value = metric(row, name)
        if not formats or value is None:
            continue
        if wanted not in formats:
            others += value
        elif is_part:
            parts = (parts or 0) + value
        else:
            totals = (totals or 0) + value
    return (parts if totals is None else totals), others


def rows_of(rows, truth, region):
    found = [row for row in rows
             if row["region"] == region and row["process"] == str(truth["pid"])]
    return found[0] if len(found) == 1 else None


def check_format(entry, row, report):
    name, want = entry["format"], entry["instances"] * entry["operations"]
    own, others = operations(row, name)
    if own is None:
        report.wrong_line(name, "operations", show(want), "missing: " + short(row["reason"]))
        return
    padding = own / want - 1
    report.add(name, "operations", show(want), show(own), f"padding {100 * padding:+.3f} %",
               0 <= padding <= PADDING_TOLERANCE)
    report.exact(name, "in other formats", 0, others)
    # Operations on integers are not floating point.
    report.exact(name, "FLOP Tensor", 0 if name.startswith("int") else own, row["flop_tensor"])


def check(truth, rows, report):
    for entry in truth.get("formats", []):
        row = rows_of(rows, truth, entry["format"])
        if row is None:
            report.wrong_line(entry["format"], "row", "1", "none or several")
        else:
            check_format(entry, row, report)
    for entry in truth.get("fp32_regions", []):
        row = rows_of(rows, truth, entry["region"])
        if row is None:
            report.wrong_line(entry["region"], "row", "1", "none or several")
        elif row["flop_fp32"] is None:
            report.wrong_line(entry["region"], "FP32", show(entry["flop"]),
                              "missing: " + short(row["reason"]))
        else:
            report.close(entry["region"], "FP32", entry["instances"] * entry["flop"],
                         row["flop_fp32"], STEP_TOLERANCE)
    if "profiler_kernels" in truth:
        report.add("program", "kernels its own profiler saw", "more than 0",
                   show(truth["profiler_kernels"]), "-", truth["profiler_kernels"] > 0)


def run(arguments, out):
    if len(arguments) != 2:
        raise BadInput("give TRUTH.json and REPORT.json")
    try:
        with open(arguments[0], encoding="utf-8") as file:
            truth = json.load(file)
    except (OSError, ValueError) as error:
        raise BadInput(f"{arguments[0]}: {error}; write it with rafter-gemm or train.py") from error
    report = Report()
    check(truth, read_report(arguments[1]), report)
    report.print(out)
    return 1 if report.wrong or not report.lines else 0


def main():
    try:
        return run(sys.argv[1:], sys.stdout)
    except BadInput as fault:
        print(f"check_gemm: {fault}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
