"""Tests of check_truth.py: it accepts what is right and names what is not."""

import csv
import io
import json
import os
import tempfile
import unittest

import check_truth


def instance(launches=1, read=None, write=None, **counts):
    each = {kind: counts.get(kind, 0) for kind in check_truth.KINDS}
    each["launches"] = launches
    each["flop_fp32"] = each["fadd"] + each["fmul"] + 2 * each["ffma"]
    each["flop_fp64"] = each["dadd"] + each["dmul"] + 2 * each["dfma"]
    each["flop_fp16"] = 2 * (each["hadd"] + each["hmul"]) + 4 * each["hfma"]
    each["dram_bytes"] = {"read": read, "write": write}
    return each


TRUTH = {"counts_checked": True, "regions": [
    {"region": "ffma", "instances": 20, "per_instance": instance(ffma=1107296256)},
    {"region": "hfma", "instances": 20, "per_instance": instance(hfma=64)},
    {"region": "copy", "instances": 20, "per_instance": instance(read=6 << 30, write=6 << 30)},
    {"region": "empty", "instances": 20, "per_instance": instance(launches=0)},
]}


def row_of(entry):
    """The row that a perfect measurement gives."""
    calls, each = entry["instances"], entry["per_instance"]
    row = {"Region": entry["region"], "Calls": calls, "Launches": calls * each["launches"]}
    for kind in check_truth.KINDS:
        row[check_truth.count_metric(kind)] = calls * each[kind]
    for precision in check_truth.PRECISIONS:
        row[check_truth.flop_column(precision)] = calls * each["flop_" + precision]
    read, write = each["dram_bytes"]["read"] or 128, each["dram_bytes"]["write"] or 128
    row["dram__bytes_read.sum"] = calls * read
    row["dram__bytes_write.sum"] = calls * write
    row["dram__bytes.sum"] = calls * (read + write)
    return row


class CheckTruth(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.rows = [row_of(entry) for entry in TRUTH["regions"]]

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write_truth(self, truth):
        with open(self.path("truth.json"), "w", encoding="utf-8") as file:
            json.dump(truth, file)
        return self.path("truth.json")

    def write_table(self, rows, name="table.csv", unit=" [inst]"):
        headers = list(rows[0])
        with open(self.path(name), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([h + unit if "__" in h else h for h in headers])
            writer.writerows([[row[h] for h in headers] for row in rows])
        return self.path(name)

    def compare(self, *arguments):
        out = io.StringIO()
        status = check_truth.run(list(arguments), out)
        return status, out.getvalue()

    def against_truth(self):
        return self.compare(self.write_truth(TRUTH), self.write_table(self.rows))

    def test_accepts_a_perfect_table(self):
        status, text = self.against_truth()
        self.assertEqual(status, 0, text)
        self.assertIn("0 wrong", text)

    def test_accepts_headers_without_units_and_scientific_numbers(self):
        column = check_truth.count_metric("ffma")
        self.rows[0][column] = "2.214592512e10"
        status, text = self.compare(self.write_truth(TRUTH), self.write_table(self.rows, unit=""))
        self.assertEqual(status, 0, text)

    def test_names_a_count_that_is_off_by_one(self):
        self.rows[0][check_truth.count_metric("ffma")] += 1
        status, text = self.against_truth()
        self.assertEqual(status, 1)
        self.assertRegex(text, r"ffma +\| ffma +\| +22145925120 \| +22145925121 \| +1 \| WRONG")

    def test_names_a_missing_value(self):
        self.rows[1][check_truth.count_metric("hfma")] = ""
        status, text = self.against_truth()
        self.assertEqual(status, 1)
        self.assertRegex(text, r"hfma +\| hfma +\| +1280 \| +missing")

    def test_accepts_traffic_within_one_percent_and_refuses_more(self):
        self.rows[2]["dram__bytes_read.sum"] = int(20 * (6 << 30) * 0.992)
        self.assertEqual(self.against_truth()[0], 0)
        self.rows[2]["dram__bytes_read.sum"] = int(20 * (6 << 30) * 0.985)
        status, text = self.against_truth()
        self.assertEqual(status, 1)
        self.assertIn("-1.500 %", text)

    def test_takes_the_other_generations_metric_names(self):
        for row in self.rows:
            row["dram__bytes_op_read.sum"] = row.pop("dram__bytes_read.sum")
        self.assertEqual(self.against_truth()[0], 0)

    def test_refuses_launches_in_an_empty_region(self):
        self.rows[3]["Launches"] = 1
        self.assertEqual(self.against_truth()[0], 1)

    def test_refuses_work_in_an_empty_region(self):
        self.rows[3]["FLOP FP32"] = 2
        self.assertEqual(self.against_truth()[0], 1)

    def test_does_not_ask_for_launches_that_are_not_there(self):
        for row in self.rows:
            row["Launches"] = ""
        self.assertEqual(self.against_truth()[0], 0)

    def test_names_a_missing_and_a_foreign_region(self):
        self.rows[0]["Region"] = "fmma"
        status, text = self.against_truth()
        self.assertEqual(status, 1)
        self.assertRegex(text, r"ffma +\| row +\| +1 \| +none")
        self.assertRegex(text, r"fmma +\| row +\| +none \| +1 ")

    def test_leaves_counts_alone_where_the_instructions_are_unknown(self):
        self.rows[0][check_truth.count_metric("ffma")] = 5
        truth = dict(TRUTH, counts_checked=False)
        status, _ = self.compare(self.write_truth(truth), self.write_table(self.rows))
        self.assertEqual(status, 0)

    def test_asks_nothing_of_flop_that_was_not_wanted(self):
        for row in self.rows:
            row["FLOP FP32"] = ""
        paths = self.write_truth(TRUTH), self.write_table(self.rows)
        self.assertEqual(self.compare(*paths)[0], 1)
        self.assertEqual(self.compare(*paths, "--without-flop")[0], 0)
        self.rows[2]["dram__bytes_read.sum"] *= 1.1
        self.assertEqual(
            self.compare(paths[0], self.write_table(self.rows), "--without-flop")[0], 1)

    def test_refuses_two_rows_of_one_region(self):
        self.rows.append(dict(self.rows[0]))
        with self.assertRaisesRegex(check_truth.BadInput, "several rows for region ffma"):
            self.against_truth()

    def test_refuses_a_foreign_file_and_a_short_row(self):
        with open(self.path("foreign.csv"), "w", encoding="utf-8") as file:
            file.write("a,b\n1,2\n")
        with self.assertRaisesRegex(check_truth.BadInput, "no column Region"):
            check_truth.read_table(self.path("foreign.csv"))
        with open(self.path("short.csv"), "w", encoding="utf-8") as file:
            file.write("Region,Calls\nx\n")
        with self.assertRaisesRegex(check_truth.BadInput, "row 2 has 1 cells"):
            check_truth.read_table(self.path("short.csv"))

    def whole(self):
        row = {"Region": "all"}
        for column in self.rows[0]:
            if column != "Region":
                row[column] = sum(r[column] for r in self.rows)
        return row

    def sum_against(self, whole):
        return self.compare("--sum-of", self.write_table(self.rows), "--single",
                            self.write_table([whole], "single.csv"))

    def test_accepts_a_sum_equal_to_the_single_region(self):
        status, text = self.sum_against(self.whole())
        self.assertEqual(status, 0, text)

    def test_leaves_nested_regions_out_of_the_sum(self):
        whole = self.whole()
        self.rows.append(dict(self.rows[0], Region="ffma/inner"))
        self.assertEqual(self.sum_against(whole)[0], 0)

    def test_refuses_a_sum_that_differs(self):
        whole = self.whole()
        whole["FLOP FP32"] += 2
        self.assertEqual(self.sum_against(whole)[0], 1)
        whole = self.whole()
        whole["dram__bytes.sum"] *= 1.02
        self.assertEqual(self.sum_against(whole)[0], 1)

    def test_compares_two_tables(self):
        left = self.write_table(self.rows, "left.csv")
        self.assertEqual(self.compare("--same", left, self.write_table(self.rows, "r.csv"))[0], 0)
        self.rows[1]["FLOP FP16"] += 1
        self.assertEqual(self.compare("--same", left, self.write_table(self.rows, "r.csv"))[0], 1)
        self.assertEqual(
            self.compare("--same", left, self.write_table(self.rows[1:], "r.csv"))[0], 1)


if __name__ == "__main__":
    unittest.main()
