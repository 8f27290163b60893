// KernelWork is what one scripted kernel of the fake driver does. A kernel's
// name is its script: "saxpy:ffma=1000,dram_read=4096,ns=50000".
//
//   Threads   plain values, pure functions.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rafter::fakes {

// What the fake hardware counts. The order is part of the fake image formats.
enum RawCounter : size_t {
  kFadd,
  kFmul,
  kFfma,
  kDadd,
  kDmul,
  kDfma,
  kHadd,
  kHmul,
  kHfma,
  kDramReadBytes,
  kDramWriteBytes,
  kL2Bytes,
  kL1Bytes,
  kTensorInstructions,
  kWarpPercentNs,  // warps active [percent] x time [ns]
  kCtas,
  kTimeNs,     // what gpu__time_duration reads
  kElapsedNs,  // of the same pass, behind every rate and clock
  kRawCounters
};

using RawCounts = std::array<uint64_t, kRawCounters>;

struct KernelWork {
  std::string name;         // before the colon; the whole script without one
  RawCounts counts = {};    // per launch, whatever the grid
  uint64_t ns = 0;          // time on the GPU
  uint64_t patched_ns = 0;  // sass_ns: time inside a `_sass_` range; ns where not given
  std::string waits_for;    // wait=FLAG: does not begin before a kernel with set=FLAG began
  std::string sets;         // set=FLAG
  int registers = 32;       // regs=: of a thread
  int shared_bytes = 0;     // shared=: of a block, static
};

// Reads a script. Keys: fadd fmul ffma dadd dmul dfma hadd hmul hfma, dram
// (= dram_read), dram_read, dram_write, l2, l1, tensor, warps [percent], ns,
// sass_ns, wait, set, regs, shared. A name without '=' does nothing. Returns false for an
// unknown key or a number that is none.
bool ParseKernelScript(std::string_view script, KernelWork& work);

}  // namespace rafter::fakes
