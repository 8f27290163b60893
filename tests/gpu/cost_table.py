#!/usr/bin/env python3
"""Tables of what counting costs, from the lines that rafter-paced prints.

    cost_table.py matrix RUNS.jsonl     added time by length and number of regions, by set
    cost_table.py overhead RUNS.jsonl   whole runs against the uncounted ones

A run's label is what it was counted with: "uncounted" (several; their spread is
printed), a set, "default", "exact", "ncu". In `overhead` a run of fewer regions
than the uncounted ones is extrapolated, and labelled so. Prints Markdown. Needs
nothing but Python 3.
"""

import collections
import json
import sys

UNCOUNTED = "uncounted"


class BadInput(Exception):
    """A file that is not what it should be, with what to do about it."""


def read_runs(path):
    runs = []
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    run = json.loads(line)
                    missing = {"label", "regions", "region_us", "loop_s", "total_s"} - set(run)
                    if missing:
                        raise BadInput(f"{path}: line {number} has no {sorted(missing)[0]}")
                    runs.append(run)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{path}: line {number} is not JSON ({error})") from error
    if not runs:
        raise BadInput(f"{path}: no runs")
    return runs


def mean(values):
    return sum(values) / len(values)


def spread(values):
    return (max(values) - min(values)) / mean(values)


def wall_s(run):
    """Of the whole command, start and end of the tools included."""
    return run.get("wall_s", run["total_s"])


def baselines(runs):
    """{(region_us, regions): uncounted runs}."""
    groups = collections.defaultdict(list)
    for run in runs:
        if run["label"] == UNCOUNTED:
            groups[run["region_us"], run["regions"]].append(run)
    return groups


def matrix(runs):
    lines = ["| region | regions | counted with | loop uncounted | spread | loop | "
             "added a region | ratio | before and after the loop |", "|---|---|---|---|---|---|---|---|---|"]
    base = baselines(runs)
    for run in sorted(runs, key=lambda run: (run["region_us"], run["regions"])):
        if run["label"] == UNCOUNTED:
            continue
        key = run["region_us"], run["regions"]
        if key not in base:
            raise BadInput(f"no uncounted run of {key[1]} regions of {key[0]} us to compare with")
        loops = [each["loop_s"] for each in base[key]]
        rest = mean([each["total_s"] - each["loop_s"] for each in base[key]])
        added_us = 1e6 * (run["loop_s"] - mean(loops)) / run["regions"]
        lines.append(f"| {key[0]} us | {key[1]} | {run['label']} | {1000 * mean(loops):.2f} ms | "
                     f"{100 * spread(loops):.1f} % | {1000 * run['loop_s']:.2f} ms | "
                     f"{added_us:+.2f} us | {run['loop_s'] / mean(loops):.3f} | "
                     f"{run['total_s'] - run['loop_s'] - rest:+.2f} s |")
    return lines


def overhead(runs):
    base = [run for run in runs if run["label"] == UNCOUNTED]
    lengths = sorted({run["regions"] for run in base})
    if len(lengths) != 1:
        raise BadInput(f"uncounted runs of {lengths} regions; give runs of one length")
    regions = lengths[0]
    loop_s, total_s = mean([r["loop_s"] for r in base]), mean([r["total_s"] for r in base])
    lines = [f"{regions} regions of {base[0]['region_us']} us; {len(base)} uncounted runs, spread "
             f"{100 * spread([r['loop_s'] for r in base]):.1f} %", "",
             "| counted with | loop | ratio | whole program | ratio | whole command | |",
             "|---|---|---|---|---|---|---|",
             f"| uncounted | {loop_s:.2f} s | 1 | {total_s:.2f} s | 1 | "
             f"{mean([wall_s(r) for r in base]):.2f} s | measured |"]
    for run in runs:
        if run["label"] == UNCOUNTED:
            continue
        passes = run.get("passes", 1)
        times = "" if passes == 1 else f", the program run {passes} times"
        if run["regions"] == regions:
            lines.append(f"| {run['label']} | {run['loop_s']:.2f} s | "
                         f"{run['loop_s'] / loop_s:.3f} | {run['total_s']:.2f} s | "
                         f"{run['total_s'] / total_s:.3f} | {wall_s(run):.2f} s | measured{times} |")
            continue
        # The few regions of this run would have taken this long uncounted.
        plain_s = run["regions"] * loop_s / regions
        added_s = (run["loop_s"] - plain_s) / run["regions"]
        whole_s = loop_s + added_s * regions
        lines.append(f"| {run['label']} | {whole_s:.0f} s | {whole_s / loop_s:.1f} | | | | "
                     f"extrapolated from {run['regions']} regions, {1000 * added_s:.2f} ms added "
                     f"to each{times} |")
    return lines


def run(arguments, out):
    if len(arguments) != 2 or arguments[0] not in ("matrix", "overhead"):
        raise BadInput("give matrix or overhead, and RUNS.jsonl")
    runs = read_runs(arguments[1])
    for line in (matrix if arguments[0] == "matrix" else overhead)(runs):
        print(line, file=out)


def main():
    try:
        run(sys.argv[1:], sys.stdout)
        return 0
    except BadInput as fault:
        print(f"cost_table: {fault}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
