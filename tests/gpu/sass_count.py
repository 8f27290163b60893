#!/usr/bin/env python3
"""Counts floating-point SASS instructions of each kernel in a CUDA program.

    sass_count.py PROGRAM [--check] [--cuobjdump TOOL]

The truth that rafter-fixture prints is what its kernels were written to do; this
checks that the assembler did not do something else (an addition made into a
multiply-add, a constant made with HFMA2). Reads the machine code for sm_70 and
newer (16-byte instructions, operation in the low nine bits) out of the file
itself, so it needs no CUDA tools. With --cuobjdump it asks that program too and
fails where the two differ.
"""

import argparse
import collections
import re
import struct
import subprocess
import sys

# Low nine bits of an instruction -> kind. The three bits above say where the
# operands come from.
OPERATIONS = {
    0x020: "fmul", 0x021: "fadd", 0x023: "ffma",
    0x028: "dmul", 0x029: "dadd", 0x02B: "dfma",
    0x030: "hadd", 0x031: "hfma", 0x032: "hmul", 0x035: "hfma",
}
MNEMONICS = {
    "FMUL": "fmul", "FADD": "fadd", "FFMA": "ffma", "DMUL": "dmul", "DADD": "dadd",
    "DFMA": "dfma", "HADD2": "hadd", "HFMA2": "hfma", "HMUL2": "hmul",
}
KINDS = ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma")
# kOperationsPerRound of known_work.h: unrolled in the loop, once.
PER_ROUND = 64
MACHINE_CUDA = 190
# FFMA of kernels that only some programs have. They may make constants with
# HFMA2, so their programs claim nothing of FP16 there.
OTHER_KERNELS = {"lazy_ffma_kernel": PER_ROUND, "cooperative_ffma_kernel": 2 * PER_ROUND,
                 "launched_ffma_kernel": PER_ROUND}


def sections(elf):
    """Yields (name, bytes) of the sections of a 64-bit little-endian ELF image."""
    offset, = struct.unpack_from("<Q", elf, 40)
    size, count, names_index = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, offset + i * size) for i in range(count)]
    names = headers[names_index]
    text = elf[names[4]:names[4] + names[5]]
    for header in headers:
        end = text.index(b"\0", header[0])
        content = b"" if header[1] == 8 else elf[header[4]:header[4] + header[5]]
        yield text[header[0]:end].decode(), content


def cubins(data):
    """Yields every CUDA ELF image inside `data`."""
    start = data.find(b"\x7fELF")
    while start >= 0:
        image = data[start:]
        if len(image) > 64 and image[4] == 2 and struct.unpack_from("<H", image, 18)[0] == MACHINE_CUDA:
            yield image
        start = data.find(b"\x7fELF", start + 4)


def short_name(symbol):
    """fadd_kernel of _ZN6rafter11fadd_kernelEPfffi."""
    match = re.search(r"\d+([a-z_]+_kernel)E", symbol) or re.search(r"([a-z_]+_kernel)", symbol)
    return match.group(1) if match else symbol


def count(data):
    """Returns {kernel: Counter of kinds}."""
    kernels = {}
    for image in cubins(data):
        for name, content in sections(image):
            if not name.startswith(".text."):
                continue
            kinds = collections.Counter()
            for at in range(0, len(content) - 15, 16):
                kind = OPERATIONS.get(struct.unpack_from("<Q", content, at)[0] & 0x1FF)
                if kind:
                    kinds[kind] += 1
            kernels[short_name(name[len(".text."):])] = kinds
    return kernels


def count_with(tool, program):
    """The same from the text that cuobjdump --dump-sass prints."""
    text = subprocess.run([tool, "--dump-sass", program], check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout
    kernels, current = {}, None
    for line in text.splitlines():
        function = re.match(r"\s*Function : (\S+)", line)
        if function:
            current = kernels.setdefault(short_name(function.group(1)), collections.Counter())
            continue
        instruction = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z0-9]+)", line)
        if instruction and current is not None and instruction.group(1) in MNEMONICS:
            current[MNEMONICS[instruction.group(1)]] += 1
    return kernels


def faults(kernels):
    """Returns what is wrong with the kernels of rafter-fixture, a line each."""
    wrong = []
    for kind in KINDS:
        name = kind + "_kernel"
        if name not in kernels:
            wrong.append(f"{name} is not in the program")
        elif kernels[name] != {kind: PER_ROUND}:
            wrong.append(f"{name} should hold {PER_ROUND} {kind} and nothing else, "
                         f"but holds {dict(kernels[name])}")
    for name in ("read_kernel", "write_kernel", "copy_kernel", "spin_kernel"):
        if kernels.get(name):
            wrong.append(f"{name} should hold no floating point, but holds {dict(kernels[name])}")
    for name in ("saxpy_kernel", "mixed_kernel"):
        if set(kernels.get(name, {})) - {"ffma"}:
            wrong.append(f"{name} should hold ffma only, but holds {dict(kernels[name])}")
    for name, ffma in OTHER_KERNELS.items():
        kinds = {kind: n for kind, n in kernels.get(name, {}).items() if kind != "hfma"}
        if name in kernels and kinds != {"ffma": ffma}:
            wrong.append(f"{name} should hold {ffma} ffma, but holds {dict(kernels[name])}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="a CUDA program or a cubin")
    parser.add_argument("--check", action="store_true", help="fail unless it is as rafter-fixture's")
    parser.add_argument("--cuobjdump", help="compare with this disassembler")
    options = parser.parse_args()
    with open(options.program, "rb") as file:
        kernels = count(file.read())
    if not kernels:
        print(f"{options.program}: no CUDA machine code inside; was it built with nvcc "
              "-gencode arch=compute_90,code=sm_90?", file=sys.stderr)
        return 1
    for name in sorted(kernels):
        print(f"{name:14} " + (" ".join(f"{kind}={n}" for kind, n in sorted(kernels[name].items()))
                               or "no floating point"))
    wrong = faults(kernels) if options.check else []
    if options.cuobjdump:
        other = count_with(options.cuobjdump, options.program)
        wrong += [f"{name}: {dict(kernels[name])} here, {dict(other.get(name, {}))} by "
                  f"{options.cuobjdump}" for name in kernels if kernels[name] != other.get(name)]
    for line in wrong:
        print("WRONG " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
