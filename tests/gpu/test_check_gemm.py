"""Tests of check_gemm.py: it accepts what is right and names what is not."""

import io
import json
import os
import tempfile
import unittest

import check_gemm


def row(region, flop_tensor, metrics, flop_fp32=0):
    return {"region": region, "process": "7", "reason": "", "flop_tensor": flop_tensor,
            "flop_fp32": flop_fp32,
            "metrics": {name: {"value": value, "unit": ""} for name, value in metrics.items()}}


BF16 = "sm__ops_path_tensor_src_bf16_dst_fp32.sum"
FP16 = "sm__ops_path_tensor_src_fp16.sum"
INT8 = "sm__ops_path_tensor_src_int8.sum"


class CheckGemm(unittest.TestCase):
    def setUp(self):
        self.truth = {"pid": 7, "formats": [
            {"format": "bf16", "instances": 10, "operations": 100},
            {"format": "int8", "instances": 10, "operations": 100}]}
        self.rows = [row("bf16", 1000, {BF16: 1000, FP16: 0, INT8: 0}),
                     row("int8", 0, {BF16: 0, FP16: 0, INT8: 1000})]

    def check(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, value in (("truth", self.truth), ("report", {"rows": self.rows})):
                paths.append(os.path.join(folder, name))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    json.dump(value, file)
            out = io.StringIO()
            return check_gemm.run(paths, out), out.getvalue()

    def test_reads_the_formats_of_a_metric(self):
        self.assertEqual(check_gemm.source_formats(BF16)[0], {"bf16"})
        self.assertEqual(
            check_gemm.source_formats("sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum")[0],
            {"fp16", "bf16", "tf32"})
        for name in ("sm__ops_path_tensor_src_fp16_sparsity_on.sum",
                     "sm__ops_path_tensor_src_fp16_realtime.sum", "dram__bytes.sum"):
            self.assertEqual(check_gemm.source_formats(name)[0], set(), name)
        part = "sm__ops_path_tensor_op_imma_src_int8_sparsity_off.sum"
        self.assertEqual(check_gemm.source_formats(part), ({"int8"}, True))

    def test_adds_up_the_parts_of_a_format_that_no_total_counts(self):
        row = {"metrics": {
            "sm__ops_path_tensor_op_hgmma_src_fp16.sum": {"value": 5.0},
            "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp16.sum": {"value": 2.0},
            BF16: {"value": 3.0}}}
        self.assertEqual(check_gemm.operations(row, "fp16"), (7.0, 3.0))

    def test_accepts_what_is_right(self):
        status, text = self.check()
        self.assertEqual(status, 0, text)

    def test_prints_padding_and_refuses_too_much_or_too_little(self):
        def with_operations(count):
            self.rows[0] = row("bf16", count, {BF16: count, FP16: 0, INT8: 0})
            return self.check()
        status, text = with_operations(1015)
        self.assertEqual(status, 0)
        self.assertIn("padding +1.500 %", text)
        self.assertEqual(with_operations(1030)[0], 1)
        self.assertEqual(with_operations(999)[0], 1)

    def test_refuses_operations_of_another_format(self):
        self.rows[0]["metrics"][FP16]["value"] = 5
        self.assertEqual(self.check()[0], 1)

    def test_refuses_a_missing_value_and_a_missing_row(self):
        self.rows[0]["metrics"][BF16]["value"] = None
        self.assertEqual(self.check()[0], 1)
        del self.rows[0]
        self.assertEqual(self.check()[0], 1)

    def test_refuses_integers_among_flop(self):
        self.rows[1]["flop_tensor"] = 1000
        self.assertEqual(self.check()[0], 1)

    def test_holds_a_training_step_to_one_percent(self):
        self.truth = {"pid": 7, "profiler_kernels": 12,
                      "fp32_regions": [{"region": "forward", "instances": 10, "flop": 1000}]}
        self.rows = [row("forward", None, {}, flop_fp32=10050)]
        self.assertEqual(self.check()[0], 0)
        self.rows[0]["flop_fp32"] = 10200
        self.assertEqual(self.check()[0], 1)
        self.rows[0]["flop_fp32"] = None
        self.assertEqual(self.check()[0], 1)
        self.rows[0]["flop_fp32"] = 10050
        self.truth["profiler_kernels"] = 0
        self.assertEqual(self.check()[0], 1)


if __name__ == "__main__":
    unittest.main()
