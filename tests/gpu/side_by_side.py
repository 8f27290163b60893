#!/usr/bin/env python3
"""Puts Rafter's table beside Nsight Compute's, region by region.

    side_by_side.py TRUTH.json TABLE.csv NCU.csv

TRUTH.json and TABLE.csv are of rafter-fixture, which launches the kernels of its
regions in the order of the truth; NCU.csv is of the same regions, one pass through
each without warm-up, by `ncu --nvtx --csv --page raw --metrics ...`. Prints a
Markdown table of a call's FLOP and DRAM bytes. FLOP must be equal, bytes of
regions that claim any within 2 %. Exits with 1 when they are not.
"""

import csv
import io
import sys

from check_truth import (KINDS, TOTAL_METRICS, BadInput, count_metric, number, read_table,
                         read_truth, show)

BYTES_TOLERANCE = 0.02
WEIGHTS = {"fadd": 1, "fmul": 1, "ffma": 2, "dadd": 1, "dmul": 1, "dfma": 2, "hadd": 2, "hmul": 2,
           "hfma": 4}
UNITS = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12,
         "inst": 1, "Kinst": 1e3, "Minst": 1e6, "Ginst": 1e9, "": 1}


def read_ncu(path):
    """Rows of `--page raw`, one for each kernel, numbers in base units."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    # ncu's own lines ("==PROF== ...") and the program's come before the table.
    start = text.find('"ID"')
    if start < 0:
        raise BadInput(f"{path}: no table of Nsight Compute inside; its output begins with: "
                       f"{text[:200]!r}")
    lines = [line for line in csv.reader(io.StringIO(text[start:])) if line]
    if len(lines) < 3:
        raise BadInput(f"{path}: Nsight Compute saw no kernel")
    headers, units = lines[0], lines[1]
    rows = []
    for line in lines[2:]:
        if len(line) != len(headers):
            continue  # what the program or ncu printed after the table
        rows.append({header: (cell, unit) for header, cell, unit in zip(headers, line, units)})
    return rows


def ncu_number(row, metric):
    if metric not in row:
        raise BadInput(f"Nsight Compute's table has no {metric}; add it to --metrics")
    cell, unit = row[metric]
    if unit not in UNITS:
        raise BadInput(f"{metric}: unit \"{unit}\" is not known here")
    return float(cell.replace(",", "")) * UNITS[unit]


def nvtx_cells(row):
    return [cell for header, (cell, _) in row.items()
            if ("Push/Pop" in header or "NVTX" in header.upper()) and cell]


def by_region(truth, rows):
    """{region: its kernels}; by the order of launches, which NVTX must confirm."""
    regions, place = {}, 0
    for entry in truth["regions"]:
        launches = entry["per_instance"]["launches"]
        kernels = rows[place:place + launches]
        if len(kernels) < launches:
            raise BadInput(f"Nsight Compute saw {len(rows)} kernels; region {entry['region']} "
                           f"needs {place + launches}")
        for kernel in kernels:
            cells = nvtx_cells(kernel)
            if cells and not any(entry["region"] in cell for cell in cells):
                raise BadInput(f"kernel {place + 1} should be of region {entry['region']}, but "
                               f"Nsight Compute has it in {cells}")
        regions[entry["region"]] = kernels
        place += launches
    if place != len(rows):
        raise BadInput(f"Nsight Compute saw {len(rows)} kernels, the regions have {place}")
    return regions


def flop(counts):
    return sum(WEIGHTS[kind] * counts[kind] for kind in KINDS)


def table_counts(row, calls):
    """Counts of one call, or None where one is missing."""
    counts = {kind: number(row, count_metric(kind)) for kind in KINDS}
    if None in counts.values():
        return None
    return {kind: count / calls for kind, count in counts.items()}


def compare(truth, table, ncu_rows, out):
    ours = {row["Region"]: row for row in table}
    theirs = by_region(truth, ncu_rows)
    wrong = 0
    print("| region | FLOP, Rafter | FLOP, ncu | | DRAM bytes, Rafter | DRAM bytes, ncu | "
          "difference | |\n|---|---|---|---|---|---|---|---|", file=out)
    for entry in truth["regions"]:
        region = entry["region"]
        row = ours.get(region)
        if row is None:
            wrong += 1
            print(f"| {region} | no row | | WRONG | | | | |", file=out)
            continue
        calls = number(row, "Calls")
        mine = table_counts(row, calls)
        their_counts = {kind: sum(ncu_number(kernel, count_metric(kind))
                                  for kernel in theirs[region]) for kind in KINDS}
        equal = mine == their_counts
        total = number(row, *TOTAL_METRICS)
        their_bytes = sum(ncu_number(kernel, TOTAL_METRICS[0]) for kernel in theirs[region])
        claims = entry["per_instance"]["dram_bytes"]
        claimed = claims["read"] is not None and claims["write"] is not None
        cells = ["missing", "-"]
        close = not claimed
        if total is not None:
            cells = [show(round(total / calls)), "-"]
            if their_bytes > 0:
                share = total / calls / their_bytes - 1
                cells[1] = f"{100 * share:+.2f} %"
                close = close or abs(share) <= BYTES_TOLERANCE
        wrong += (not equal) + (not close)
        print("| " + " | ".join([
            region, "missing" if mine is None else show(flop(mine)), show(flop(their_counts)),
            "" if equal else "WRONG", cells[0], show(round(their_bytes)), cells[1],
            "" if close else "WRONG"]) + " |", file=out)
    print(f"{len(truth['regions'])} regions, {wrong} wrong", file=out)
    return wrong


def run(arguments, out):
    if len(arguments) != 3:
        raise BadInput("give TRUTH.json, TABLE.csv and NCU.csv")
    wrong = compare(read_truth(arguments[0]), read_table(arguments[1]), read_ncu(arguments[2]), out)
    return 1 if wrong else 0


def main():
    try:
        return run(sys.argv[1:], sys.stdout)
    except BadInput as fault:
        print(f"side_by_side: {fault}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
