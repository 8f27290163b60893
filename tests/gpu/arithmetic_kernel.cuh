// RAFTER_ARITHMETIC_KERNEL makes one kernel of known arithmetic.
//
//   Threads   device code.
//   Blocking  no kernel waits for another.
//   Memory    stores kChains values a thread at `out`, so that nothing is left out.
//   Lifetime  a macro.
#pragma once

#include "tests/gpu/known_work.h"

// Every thread runs `rounds` rounds of kChains x kSteps times STATEMENT.
// Operands come from parameters, never from constants: the assembler would make
// those with HFMA2, which is an instruction that we count. `.rn` in the
// statement keeps it from contracting; `volatile` keeps every one of them.
#define RAFTER_ARITHMETIC_KERNEL(NAME, TYPE, STATEMENT)                                        \
  __global__ void __launch_bounds__(rafter::kThreadsPerBlock)                                  \
      NAME##_kernel(TYPE* out, TYPE start, TYPE operand, TYPE addend, int rounds) {            \
    TYPE value[rafter::kChains];                                                               \
    _Pragma("unroll") for (int chain = 0; chain < rafter::kChains; ++chain) {                  \
      value[chain] = start;                                                                    \
    }                                                                                          \
    _Pragma("unroll 1") for (int round = 0; round < rounds; ++round) {                         \
      _Pragma("unroll") for (int step = 0; step < rafter::kSteps; ++step) {                    \
        _Pragma("unroll") for (int chain = 0; chain < rafter::kChains; ++chain) { STATEMENT; } \
      }                                                                                        \
    }                                                                                          \
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;                             \
    _Pragma("unroll") for (int chain = 0; chain < rafter::kChains; ++chain) {                  \
      out[thread * rafter::kChains + chain] = value[chain];                                    \
    }                                                                                          \
  }
