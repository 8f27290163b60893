#!/usr/bin/env python3
"""Holds the table of a batch over the matrix products against 2 N^3.

    check_batch.py TABLE.csv

Rows of rafter-matmul-cuda (regions FAMILY/N) must have exactly 2 N^3 FP32 FLOP a
call; those of rafter-matmul-cublas at least that and at most 2 % more, since a tile
may reach over the edge. Both must have what Google Benchmark reported: problem,
paradigm, precision. Exits with 1 when a line is wrong, or when a program has no row
that was checked. Needs nothing but Python 3.
"""

import sys

from check_truth import BadInput, number, read_table

PADDING_TOLERANCE = 0.02
PROBLEM = "MatrixMultiplication"
# Executable -> paradigm, how much more than 2 N^3 is right.
PROGRAMS = {"rafter-matmul-cuda": ("Cuda", 0), "rafter-matmul-cublas": ("Cublas", PADDING_TOLERANCE)}


def wrongs_of(row, paradigm, tolerance):
    """What is wrong with a row, a line each."""
    wrongs = []
    for column, want in (("Benchmark Problem", PROBLEM), ("Paradigm", paradigm),
                         ("Precision", "FP32")):
        if row.get(column) != want:
            wrongs.append(f"{column} is \"{row.get(column)}\", not {want}")
    flop, calls = number(row, "FLOP FP32"), number(row, "Calls")
    if flop is None or not calls:
        wrongs.append(f"no FLOP FP32 (validity {row.get('Validity')}: {row.get('Reason')})")
        return wrongs
    size = int(row["Region"].rsplit("/", 1)[1])
    excess = flop / (calls * 2 * size**3) - 1
    if not 0 <= excess <= tolerance:
        wrongs.append(f"FLOP FP32 is {excess:+.3%} off 2 x {size}^3 a call")
    return wrongs


def run(arguments, out):
    if len(arguments) != 1:
        raise BadInput("usage: check_batch.py TABLE.csv")
    status = 0
    seen = set()
    for row in read_table(arguments[0]):
        if row.get("Executable") not in PROGRAMS:
            continue
        seen.add(row["Executable"])
        wrongs = wrongs_of(row, *PROGRAMS[row["Executable"]])
        print(f"{row['Executable']} {row['Region']}: {'; '.join(wrongs) or 'right'}", file=out)
        status = 1 if wrongs else status
    for name in sorted(PROGRAMS.keys() - seen):
        print(f"{name}: no row of it", file=out)
        status = 1
    return status


if __name__ == "__main__":
    try:
        sys.exit(run(sys.argv[1:], sys.stdout))
    except BadInput as error:
        print(f"check_batch: {error}", file=sys.stderr)
        sys.exit(2)
