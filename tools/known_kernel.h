// KnownKernel is the text of kernels whose work is known on paper, and the
// account of what rafter-known-kernel does with them.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  static text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rafter {

// One unit of work: each arithmetic kernel once, and a part of the large buffer
// read once.
inline constexpr uint32_t kThreadsPerBlock = 256;
inline constexpr uint32_t kArithmeticBlocks = 64;
inline constexpr uint32_t kArithmeticRounds = 16;
inline constexpr uint32_t kOperationsPerRound = 64;  // written out in the loop
inline constexpr uint32_t kReadBlocks = 512;

// More than the L2 of any GPU (126 MB of a B200), and a part is read again only
// after the three others, so that nothing of it is left there.
inline constexpr uint64_t kPartBytes = 256ull << 20;
inline constexpr uint32_t kParts = 4;

// A kernel of one kind of operation: parameters are an array of one element for
// each thread, the number of rounds, and two operands.
struct ArithmeticKernel {
  const char* name;   // "fadd_kernel"
  const char* event;  // LIKWID's name of what it counts
};
const std::vector<ArithmeticKernel>& ArithmeticKernels();

// Reads a part: parameters are the part, 16-byte words in it, an array of 4 bytes
// for each thread.
inline constexpr const char* kReadKernel = "read_kernel";
inline constexpr const char* kReadEvent = "DRAM_BYTES_SUM";

// PTX of all of them, for compute capability 7.0 and newer. To be assembled
// without optimisation: from -O1 on ptxas makes HADD2 into HFMA2, to keep both
// pipes busy. Kernels of HFMA2 are not among them, since ptxas makes constants with
// that instruction too, on sm_120 in every kernel.
std::string KnownKernelPtx();

// What is done in one region, over all of its calls, regions inside it included.
struct KnownRegion {
  const char* name;
  uint32_t units;
};
const std::vector<KnownRegion>& KnownRegions();

// Lines "work REGION EVENT AMOUNT", a line each (scale_proof.h).
std::string KnownAccount();

}  // namespace rafter
