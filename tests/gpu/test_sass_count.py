"""Tests of sass_count.py on machine code made by hand."""

import struct
import subprocess
import unittest
from unittest import mock

import sass_count

FADD, FFMA, HFMA2_MMA, IMAD = 0x7221, 0x7223, 0x7235, 0x7A24


def cubin(kernels, machine=sass_count.MACHINE_CUDA):
    """A minimal CUDA ELF image: {symbol: [operation, ...]}."""
    names, contents = b"\0", []
    for symbol, operations in kernels.items():
        code = b"".join(struct.pack("<QQ", operation, 0) for operation in operations)
        contents.append((len(names), code))
        names += b".text." + symbol.encode() + b"\0"
    names_at = len(names)
    names += b".shstrtab\0"
    image, headers = b"\0" * 64, [struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)]
    for name, code in contents + [(names_at, names)]:
        headers.append(struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, len(image), len(code), 0, 0, 1, 0))
        image += code
    start = struct.pack("<4sBBBB8xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 2, machine, 1, 0, 0,
                        len(image), 0, 64, 0, 0, 64, len(headers), len(headers) - 1)
    return start + image[64:] + b"".join(headers)


class SassCount(unittest.TestCase):
    def test_counts_each_kind_of_each_kernel(self):
        data = b"host code" + cubin({"_ZN6rafter11fadd_kernelEPfffi": [FADD, IMAD, FADD],
                                     "other": [HFMA2_MMA]})
        self.assertEqual(sass_count.count(data),
                         {"fadd_kernel": {"fadd": 2}, "other": {"hfma": 1}})

    def test_passes_over_host_elf_images(self):
        self.assertEqual(sass_count.count(cubin({"x": [FADD]}, machine=62)), {})

    def right(self):
        kernels = {kind + "_kernel": {kind: sass_count.PER_ROUND} for kind in sass_count.KINDS}
        kernels.update(read_kernel={}, saxpy_kernel={"ffma": 16})
        return kernels

    def test_accepts_what_was_written(self):
        self.assertEqual(sass_count.faults(self.right()), [])

    def test_names_additions_made_into_multiply_adds(self):
        kernels = self.right()
        kernels["hadd_kernel"] = {"hadd": 32, "hfma": 32}
        kernels["copy_kernel"] = {"hfma": 1}
        del kernels["dmul_kernel"]
        faults = "\n".join(sass_count.faults(kernels))
        self.assertIn("hadd_kernel should hold 64 hadd", faults)
        self.assertIn("copy_kernel should hold no floating point", faults)
        self.assertIn("dmul_kernel is not in the program", faults)

    def test_names_a_wrong_kernel_that_only_some_programs_have(self):
        kernels = self.right()
        kernels["lazy_ffma_kernel"] = {"ffma": sass_count.PER_ROUND, "hfma": 1}
        self.assertEqual(sass_count.faults(kernels), [])
        kernels["lazy_ffma_kernel"] = {"ffma": sass_count.PER_ROUND - 1}
        self.assertIn("lazy_ffma_kernel should hold 64 ffma", sass_count.faults(kernels)[0])

    def test_reads_a_disassembler(self):
        text = ("\t\tFunction : _ZN6rafter11ffma_kernelEPfffi\n"
                "        /*0000*/                   LDC R1, c[0x0][0x28] ;   /* 0x00 */\n"
                "        /*0010*/                   FFMA R2, R2, R3, R4 ;    /* 0x00 */\n"
                "        /*0020*/              @!P0 HFMA2.MMA R2, -RZ, RZ, 0, 0 ; /* 0x00 */\n")
        done = mock.Mock(stdout=text)
        with mock.patch.object(subprocess, "run", return_value=done):
            self.assertEqual(sass_count.count_with("cuobjdump", "x"),
                             {"ffma_kernel": {"ffma": 1, "hfma": 1}})


if __name__ == "__main__":
    unittest.main()
