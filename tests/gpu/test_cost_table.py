"""Tests of cost_table.py: its arithmetic, and what it refuses."""

import io
import json
import os
import tempfile
import unittest

import cost_table


def line(label, regions, loop_s, total_s, region_us=1000):
    return {"label": label, "regions": regions, "region_us": region_us, "loop_s": loop_s,
            "total_s": total_s}


class CostTable(unittest.TestCase):
    def table(self, kind, runs):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "runs.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                for run in runs:
                    file.write(json.dumps(run) + "\n")
            out = io.StringIO()
            cost_table.run([kind, path], out)
            return out.getvalue()

    def test_gives_the_time_that_a_set_adds_to_a_region(self):
        text = self.table("matrix", [line("uncounted", 100, 0.099, 1.099),
                                     line("uncounted", 100, 0.101, 1.101),
                                     line("memory", 100, 0.105, 1.605)])
        self.assertIn("| 1000 us | 100 | memory | 100.00 ms | 2.0 % | 105.00 ms | +50.00 us | "
                      "1.050 | +0.50 s |", text)

    def test_refuses_a_counted_run_without_an_uncounted_one_like_it(self):
        with self.assertRaisesRegex(cost_table.BadInput, "no uncounted run of 10 regions"):
            self.table("matrix", [line("uncounted", 100, 0.1, 1), line("time", 10, 0.1, 1)])

    def test_extrapolates_shorter_runs_and_says_so(self):
        text = self.table("overhead", [line("uncounted", 1000, 1.0, 2.0),
                                       dict(line("default", 1000, 1.05, 2.5), wall_s=3.0, passes=4),
                                       line("ncu", 10, 5.01, 9.0)])
        self.assertIn("| default | 1.05 s | 1.050 | 2.50 s | 1.250 | 3.00 s | measured, the "
                      "program run 4 times |", text)
        self.assertIn("| ncu | 501 s | 501.0 | | | | extrapolated from 10 regions, 500.00 ms added "
                      "to each |", text)

    def test_refuses_uncounted_runs_of_unlike_length_and_foreign_lines(self):
        with self.assertRaisesRegex(cost_table.BadInput, r"uncounted runs of \[10, 1000\]"):
            self.table("overhead", [line("uncounted", 1000, 1.0, 2.0),
                                    line("uncounted", 10, 1.0, 2.0), line("exact", 10, 1.0, 2.0)])
        with self.assertRaisesRegex(cost_table.BadInput, "has no label"):
            self.table("matrix", [{"regions": 1, "region_us": 1, "loop_s": 1, "total_s": 1}])
        with self.assertRaisesRegex(cost_table.BadInput, "no runs"):
            self.table("matrix", [])


if __name__ == "__main__":
    unittest.main()
