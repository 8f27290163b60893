"""Tests of check_batch.py: it accepts what is right and names what is not."""

import csv
import io
import os
import tempfile
import unittest

import check_batch


def row(executable, paradigm, flop, **more):
    return {"Benchmark Problem": "MatrixMultiplication", "Paradigm": paradigm, "Precision": "FP32",
            "Executable": executable, "Region": "MatrixMultiplication-Tiled/64",
            "FLOP FP32 [FLOP]": flop, "Calls": "3", "Validity": "measured", "Reason": "", **more}


class CheckBatch(unittest.TestCase):
    def setUp(self):
        self.rows = [row("rafter-matmul-cuda", "Cuda", str(3 * 2 * 64**3)),
                     row("rafter-matmul-cublas", "Cublas", str(3 * 2 * 64**3 + 1000)),
                     row("rafter-fixture", "", "1")]

    def check(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "six.csv")
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, self.rows[0].keys())
                writer.writeheader()
                writer.writerows(self.rows)
            out = io.StringIO()
            return check_batch.run([path], out), out.getvalue()

    def test_accepts_what_is_right(self):
        status, text = self.check()
        self.assertEqual(status, 0, text)

    def test_names_flop_that_are_off(self):
        self.rows[0]["FLOP FP32 [FLOP]"] = str(3 * 2 * 64**3 + 2)
        status, text = self.check()
        self.assertEqual(status, 1)
        self.assertIn("rafter-matmul-cuda MatrixMultiplication-Tiled/64: FLOP FP32 is +0.000 % off"
                      .replace(" %", "%"), text)

    def test_names_what_the_report_should_have_given(self):
        self.rows[1]["Paradigm"] = ""
        self.assertIn('Paradigm is "", not Cublas', self.check()[1])

    def test_names_flop_and_programs_that_are_missing(self):
        self.rows[0]["FLOP FP32 [FLOP]"] = ""
        del self.rows[1]
        status, text = self.check()
        self.assertEqual(status, 1)
        self.assertIn("no FLOP FP32 (validity measured: )", text)
        self.assertIn("rafter-matmul-cublas: no row of it", text)


if __name__ == "__main__":
    unittest.main()
