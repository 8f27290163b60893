"""What check_markers.py must find."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

import check_markers

UNIT = {"fadd": 524288, "fmul": 262144, "ffma": 1048576, "dram_bytes": 67108864}


def truth_of(name, units, calls=1, other_thread=False):
    return {"region": name, "calls": calls, "units": units, "other_thread": other_thread,
            **{key: units * value for key, value in UNIT.items()}}


def row_of(name, units, calls=1, **changed):
    values = {f"smsp__sass_thread_inst_executed_op_{kind}_pred_on.sum": {"value": units * UNIT[kind]}
              for kind in check_markers.KINDS}
    values["dram__bytes.sum"] = {"value": units * UNIT["dram_bytes"]}
    for key, value in changed.items():
        name_of = "dram__bytes.sum" if key == "dram" else \
            f"smsp__sass_thread_inst_executed_op_{key}_pred_on.sum"
        values[name_of] = {"value": value}
    return {"region": name, "calls": calls, "metrics": values, "reason": "because"}


class CheckMarkers(unittest.TestCase):
    def run_checker(self, truths, rows, *options):
        with tempfile.TemporaryDirectory() as folder:
            truth = pathlib.Path(folder, "truth.json")
            report = pathlib.Path(folder, "report.json")
            truth.write_text(json.dumps({"regions": truths}), encoding="utf-8")
            report.write_text(json.dumps({"rows": rows}), encoding="utf-8")
            argv, sys.argv = sys.argv, ["check_markers.py", str(truth), str(report), *options]
            output = io.StringIO()
            try:
                with contextlib.redirect_stdout(output):
                    status = check_markers.main()
            finally:
                sys.argv = argv
        return status, output.getvalue()

    def test_what_agrees_is_right(self):
        status, _ = self.run_checker([truth_of("a", 3), truth_of("b", 2)],
                                     [row_of("a", 3), row_of("a/b", 2)])
        self.assertEqual(status, 0)

    def test_one_instruction_too_many_is_wrong(self):
        status, text = self.run_checker([truth_of("a", 3)],
                                        [row_of("a", 3, ffma=3 * UNIT["ffma"] + 1)])
        self.assertEqual(status, 1)
        self.assertIn("WRONG a", text)

    def test_a_missing_value_is_wrong(self):
        status, text = self.run_checker([truth_of("a", 3)], [row_of("a", 3, fmul=None)])
        self.assertEqual(status, 1)
        self.assertIn("missing", text)

    def test_dram_may_be_off_by_a_hundredth(self):
        true = 3 * UNIT["dram_bytes"]
        self.assertEqual(self.run_checker([truth_of("a", 3)],
                                          [row_of("a", 3, dram=true * 1.009)])[0], 0)
        self.assertEqual(self.run_checker([truth_of("a", 3)],
                                          [row_of("a", 3, dram=true * 1.011)])[0], 1)

    def test_an_empty_region_must_read_nothing(self):
        self.assertEqual(self.run_checker([truth_of("e", 0)], [row_of("e", 0, dram=256)])[0], 0)
        self.assertEqual(self.run_checker([truth_of("e", 0)], [row_of("e", 0, ffma=1)])[0], 1)

    def test_calls_and_rows_must_be_there(self):
        self.assertEqual(self.run_checker([truth_of("a", 1, calls=2)], [row_of("a", 1)])[0], 1)
        self.assertEqual(self.run_checker([truth_of("a", 1)], [])[0], 1)
        self.assertEqual(self.run_checker([truth_of("a", 1)], [row_of("a", 1)] * 2)[0], 1)

    def test_likwid_has_no_row_of_another_thread(self):
        other = [truth_of("t", 1, other_thread=True)]
        self.assertEqual(self.run_checker(other, [], "--likwid")[0], 0)
        self.assertEqual(self.run_checker(other, [row_of("t", 1)], "--likwid")[0], 1)
        nothing = row_of("t", 0, fadd=None, fmul=None, ffma=None, dram=None)
        self.assertEqual(self.run_checker(other, [nothing], "--likwid")[0], 0)
        self.assertEqual(self.run_checker(other, [{**nothing, "reason": ""}], "--likwid")[0], 1)

    def test_the_plain_file_is_shown_and_never_wrong(self):
        status, text = self.run_checker([truth_of("a", 3)], [row_of("a", 2)], "--plain")
        self.assertEqual(status, 0)
        self.assertIn("ratio 0.6667", text)


if __name__ == "__main__":
    unittest.main()
