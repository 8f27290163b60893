"""Tests of check_cases.py: it accepts what is right and names what is not."""

import copy
import csv
import io
import json
import os
import tempfile
import unittest

import check_cases
from check_truth import KINDS, count_metric


def counts(**given):
    each = {kind: given.get(kind, 0) for kind in KINDS}
    each["flop_fp32"] = each["fadd"] + each["fmul"] + 2 * each["ffma"]
    each["flop_fp64"] = each["dadd"] + each["dmul"] + 2 * each["dfma"]
    each["flop_fp16"] = 2 * (each["hadd"] + each["hmul"]) + 4 * each["hfma"]
    return each


def region(name, inclusive, exclusive=None, **other):
    entry = {"region": name, "device_uuid": "", "instances": 20, "flop": "exact",
             "flop_reason": "", "launches": 40, "fp16_claimed": True, "least_s": 0, "most_s": 0,
             "inclusive": inclusive, "exclusive": exclusive or inclusive,
             "dram_bytes": {"read": None, "write": None}}
    entry.update(other)
    return entry


def row_of(entry, pid="7"):
    """The row that a perfect measurement gives."""
    bytes_ = {"dram__bytes_read.sum": entry["dram_bytes"]["read"] or 64,
              "dram__bytes_write.sum": entry["dram_bytes"]["write"] or 64}
    bytes_["dram__bytes.sum"] = sum(bytes_.values())
    metrics = {count_metric(kind): entry["inclusive"][kind] for kind in KINDS}
    metrics.update(bytes_)
    metrics["sm__warps_active.avg.pct_of_peak_sustained_active"] = 20.5
    row = {"region": entry["region"], "device_uuid": entry["device_uuid"] or "GPU-1",
           "process": pid, "calls": entry["instances"], "launches": entry["launches"],
           "precision": "fp32", "validity": "extrapolated", "reason": "counted of 20 calls: time 8",
           "duration_s": 0.02, "exclusive_flop": entry["exclusive"]["flop_fp32"],
           "metrics": {name: {"value": value, "unit": ""} for name, value in metrics.items()}}
    for key in ("flop_fp32", "flop_fp64", "flop_fp16"):
        row[key] = entry["inclusive"][key]
    return row


TRUTH = {"pid": 7, "counts_checked": True, "regions": [
    region("a", counts(ffma=100, fmul=10), counts(ffma=60)),
    region("a/b", counts(ffma=40, fmul=10)),
    region("copy", counts(), dram_bytes={"read": 1 << 30, "write": 1 << 30}),
]}


class CheckCases(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.truth = copy.deepcopy(TRUTH)
        self.rows = [row_of(entry) for entry in self.truth["regions"]]

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, value):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(value, file)
        return path

    def check(self, *options):
        out = io.StringIO()
        status = check_cases.run([self.write("truth.json", self.truth),
                                  self.write("report.json", {"rows": self.rows}), *options], out)
        return status, out.getvalue()

    def drop_flop(self, row, reason):
        row["flop_fp32"], row["reason"] = None, reason

    def test_accepts_a_perfect_report(self):
        status, text = self.check("--sets", "time,memory,sm,flop")
        self.assertEqual(status, 0, text)

    def test_names_an_inclusive_and_an_exclusive_count_off_by_one(self):
        self.rows[0]["metrics"][count_metric("ffma")]["value"] += 1
        self.rows[1]["exclusive_flop"] -= 1
        status, text = self.check()
        self.assertEqual(status, 1)
        self.assertRegex(text, r"a +\| ffma +\| +100 \| +101 \| +1 \| WRONG")
        self.assertRegex(text, r"a/b +\| exclusive FP32 +\| +90 \| +89")
        self.assertIn("2 wrong", text)

    def test_names_a_missing_and_a_foreign_row(self):
        self.rows[1]["region"] = "b"
        status, text = self.check()
        self.assertEqual(status, 1)
        self.assertRegex(text, r"a/b +\| rows +\| +1 \| +0")
        self.assertRegex(text, r"\nb +\| rows +\| +none \| +1")

    def test_takes_the_rows_of_the_truth_s_process(self):
        self.rows += [row_of(region("a", counts(ffma=5)), pid="8")]
        self.assertEqual(self.check()[0], 0)
        for row in self.rows:
            row["process"] = "9"
        with self.assertRaisesRegex(check_cases.BadInput, "process 7"):
            self.check()

    def test_keeps_devices_apart(self):
        self.truth["regions"] = [region("both", counts(ffma=1), device_uuid="GPU-1"),
                                 region("both", counts(ffma=2), device_uuid="GPU-2")]
        self.rows = [row_of(entry) for entry in self.truth["regions"]]
        self.assertEqual(self.check()[0], 0)
        self.rows[1]["device_uuid"] = "GPU-1"
        self.assertEqual(self.check()[0], 1)

    def test_wants_missing_flop_to_be_missing_with_its_reason(self):
        self.truth["regions"][2].update(flop="missing", flop_reason="graph")
        self.assertEqual(self.check()[0], 1)
        self.drop_flop(self.rows[2], "flop is left out")
        self.assertEqual(self.check()[0], 1)
        self.drop_flop(self.rows[2], "flop is left out: the program launches CUDA graphs")
        self.assertEqual(self.check()[0], 0)

    def test_honest_is_exact_or_absent_with_a_reason_or_a_part(self):
        self.truth["regions"][0]["flop"] = "honest"
        self.assertEqual(self.check()[0], 0)
        self.rows[0]["flop_fp32"] -= 2
        self.assertEqual(self.check()[0], 1)
        self.rows[0]["validity"] = "partial"
        self.assertEqual(self.check()[0], 0)
        self.rows[0]["flop_fp32"] += 4
        self.assertEqual(self.check()[0], 1)
        self.drop_flop(self.rows[0], "")
        self.assertEqual(self.check()[0], 1)
        self.drop_flop(self.rows[0], "sets changed while it was open")
        status, text = self.check()
        self.assertEqual(status, 0)
        self.assertIn("1 missing with a reason", text)

    def test_accepts_traffic_within_one_percent_and_refuses_more(self):
        read = self.rows[2]["metrics"]["dram__bytes_read.sum"]
        read["value"] *= 1.009
        self.assertEqual(self.check()[0], 0)
        read["value"] *= 1.009
        self.assertEqual(self.check()[0], 1)

    def test_holds_the_time_of_a_call_between_its_bounds(self):
        self.truth["regions"][0].update(least_s=0.0005, most_s=0.002)
        self.assertEqual(self.check()[0], 0)
        self.rows[0]["duration_s"] = 0.2
        self.assertEqual(self.check()[0], 1)
        self.rows[0]["duration_s"] = None
        self.assertEqual(self.check()[0], 1)

    def test_names_a_set_that_gave_nothing(self):
        self.rows[0]["metrics"]["dram__bytes.sum"]["value"] = None
        self.assertEqual(self.check("--sets", "time")[0], 0)
        status, text = self.check("--sets", "time,memory")
        self.assertEqual(status, 1)
        self.assertIn("set memory", text)

    def test_wants_shared_rows_to_say_so(self):
        self.assertEqual(self.check("--shared")[0], 1)
        for row in self.rows:
            row["validity"] = "shared device"
        self.assertEqual(self.check("--shared")[0], 0)

    def test_asks_nothing_of_flop_that_was_not_wanted(self):
        for row in self.rows:
            row["flop_fp32"] = None
        self.assertEqual(self.check()[0], 1)
        self.assertEqual(self.check("--without-flop")[0], 0)

    def overlapped(self):
        self.truth["overlaps"] = True
        for entry in self.truth["regions"]:
            entry["flop"] = "honest"
        del self.truth["regions"][1:]
        self.truth["regions"][0]["exclusive"] = self.truth["regions"][0]["inclusive"]
        both = dict(self.rows[1], region="a | c", validity="overlapped", reason="open at once")
        self.rows = [dict(self.rows[0], validity="overlapped", exclusive_flop=150), both]
        self.rows[0]["flop_fp32"] = 150
        both["exclusive_flop"] = 60

    def test_accepts_overlaps_that_add_up(self):
        self.overlapped()
        status, text = self.check()
        self.assertEqual(status, 0, text)

    def test_refuses_overlaps_that_lack_a_part_without_a_word_or_have_too_much(self):
        self.overlapped()
        self.rows[1]["exclusive_flop"] = 50
        for row in self.rows:
            row["reason"] = "open at once"
        self.assertEqual(self.check()[0], 1)
        self.rows[1]["reason"] = "2 calls not counted: a pause"
        self.assertEqual(self.check()[0], 0)
        self.rows[1]["exclusive_flop"] = 70
        self.assertEqual(self.check()[0], 1)

    def test_refuses_an_overlap_that_is_not_called_one(self):
        self.overlapped()
        self.rows[1]["validity"] = "measured"
        self.assertEqual(self.check()[0], 1)

    def test_refuses_memory_that_grows(self):
        self.truth.update(resident_kib_at_10000=300000, resident_kib_at_end=310000)
        self.assertEqual(self.check()[0], 0)
        self.truth["resident_kib_at_end"] = 400000
        self.assertEqual(self.check()[0], 1)

    def kernel_table(self, **changed):
        row = {"Region": "ffma", "Kernel": "rafter::ffma_kernel", "Kernel Signature":
               "rafter::ffma_kernel(float*, int)", "Grid Size [blocks]": "(264, 1, 1)",
               "Block Size [threads/block]": "(256, 1, 1)",
               "launch__registers_per_thread": "16", "FLOP FP32 [FLOP]": "40",
               "FLOP FP64 [FLOP]": "0", "FLOP FP16 [FLOP]": "0"}
        row.update(changed)
        path = os.path.join(self.folder.name, "table.csv")
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            writer.writeheader()
            writer.writerow(row)
        truth = {"counts_checked": True, "regions": [
            {"region": "ffma", "instances": 20, "per_instance": counts(ffma=1),
             "kernel": {"name": "ffma_kernel", "grid": "(264, 1, 1)", "block": "(256, 1, 1)",
                        "registers": 16}}]}
        out = io.StringIO()
        return check_cases.run(["--kernels", self.write("fixture.json", truth), path], out)

    def test_checks_rows_of_kernels(self):
        self.assertEqual(self.kernel_table(), 0)
        for column, wrong in (("Kernel", "other"), ("Kernel Signature", ""),
                              ("Grid Size [blocks]", "(1, 1, 1)"),
                              ("Block Size [threads/block]", ""),
                              ("launch__registers_per_thread", "17"),
                              ("launch__registers_per_thread", ""), ("FLOP FP32 [FLOP]", "41")):
            self.assertEqual(self.kernel_table(**{column: wrong}), 1, column)


if __name__ == "__main__":
    unittest.main()
