"""Tests of side_by_side.py: it accepts what agrees and names what does not."""

import csv
import io
import json
import os
import tempfile
import unittest

import side_by_side
from check_truth import KINDS, BadInput, count_metric

NVTX = "1:Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"


class SideBySide(unittest.TestCase):
    def setUp(self):
        counts = {kind: 0 for kind in KINDS}
        none = {"read": None, "write": None}
        self.truth = {"regions": [
            {"region": "ffma", "per_instance": dict(counts, launches=1, ffma=50, dram_bytes=none)},
            {"region": "copy", "per_instance": dict(counts, launches=1,
                                                    dram_bytes={"read": 500, "write": 500})},
            {"region": "large", "per_instance": dict(counts, launches=2, ffma=20,
                                                     dram_bytes=none)}]}
        self.table = [self.row("ffma", 1000, 64), self.row("copy", 0, 20000),
                      self.row("large", 400, 64)]
        self.kernels = [self.kernel("ffma", 50, "0.1"), self.kernel("copy", 0, "1"),
                        self.kernel("large", 10, "0"), self.kernel("large", 10, "0")]

    def row(self, region, ffma, total):
        row = {"Region": region, "Calls": 20, "dram__bytes.sum [Byte]": total}
        for kind in KINDS:
            row[count_metric(kind) + " [instruction]"] = ffma if kind == "ffma" else 0
        return row

    def kernel(self, region, ffma, kbyte):
        kernel = {"ID": "0", "Kernel Name": "k", NVTX: f"<default domain>:{region}:none:ascii",
                  "dram__bytes.sum": kbyte}
        for kind in KINDS:
            kernel[count_metric(kind)] = ffma if kind == "ffma" else 0
        return kernel

    def ncu_text(self):
        out = io.StringIO()
        out.write("==PROF== Connected to process 7\n")
        writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
        headers = list(self.kernels[0])
        writer.writerow(headers)
        units = {"dram__bytes.sum": "Kbyte", **{count_metric(kind): "inst" for kind in KINDS}}
        writer.writerow([units.get(header, "") for header in headers])
        writer.writerows([[kernel[header] for header in headers] for kernel in self.kernels])
        return out.getvalue()

    def compare(self, ncu=None):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("t.json", "t.csv", "n.csv")]
            with open(paths[0], "w", encoding="utf-8") as file:
                json.dump(self.truth, file)
            with open(paths[1], "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(self.table[0]))
                writer.writeheader()
                writer.writerows(self.table)
            with open(paths[2], "w", encoding="utf-8") as file:
                file.write(self.ncu_text() if ncu is None else ncu)
            out = io.StringIO()
            return side_by_side.run(paths, out), out.getvalue()

    def test_accepts_what_agrees(self):
        status, text = self.compare()
        self.assertEqual(status, 0, text)
        self.assertIn("| large | 40 | 40 |  |", text)

    def test_names_flop_that_differ(self):
        self.kernels[2][count_metric("ffma")] = 11
        status, text = self.compare()
        self.assertEqual(status, 1)
        self.assertIn("| large | 40 | 42 | WRONG |", text)

    def test_holds_claimed_bytes_to_two_percent(self):
        self.kernels[1]["dram__bytes.sum"] = "0.985"
        self.assertEqual(self.compare()[0], 0)
        self.kernels[1]["dram__bytes.sum"] = "0.97"
        status, text = self.compare()
        self.assertEqual(status, 1)
        self.assertIn("+3.09 % | WRONG", text)

    def test_names_missing_flop_and_a_missing_row(self):
        self.table[0][count_metric("fadd") + " [instruction]"] = ""
        self.assertEqual(self.compare()[0], 1)
        del self.table[0]
        self.assertIn("| ffma | no row", self.compare()[1])

    def test_refuses_kernels_in_another_order_and_in_another_number(self):
        self.kernels[0], self.kernels[1] = self.kernels[1], self.kernels[0]
        with self.assertRaisesRegex(BadInput, "should be of region ffma"):
            self.compare()
        self.setUp()
        self.kernels.pop()
        with self.assertRaisesRegex(BadInput, "saw 3 kernels"):
            self.compare()
        self.setUp()
        self.kernels.append(self.kernels[-1])
        with self.assertRaisesRegex(BadInput, "the regions have 4"):
            self.compare()

    def test_refuses_output_without_a_table_and_unknown_units(self):
        with self.assertRaisesRegex(BadInput, "no table of Nsight Compute"):
            self.compare("==ERROR== no permission\n")
        with self.assertRaisesRegex(BadInput, "unit \"parsec\""):
            self.compare(self.ncu_text().replace("Kbyte", "parsec"))


if __name__ == "__main__":
    unittest.main()
