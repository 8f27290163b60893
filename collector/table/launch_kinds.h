// LaunchKinds numbers the kinds of launch of one process and fills the kernel
// columns of their rows, named as Nsight Compute names them.
//
//   Threads   const after construction.
//   Blocking  never.
//   Memory    a copy of each kind.
//   Lifetime  plain value.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "collector/store/run.h"
#include "collector/table/table.h"

namespace rafter {

// What rows of launches have of the kernel, named like metrics.
struct LaunchAttribute {
  const char* metric;
  const char* unit;
  const char* meaning;
};
inline constexpr LaunchAttribute kRegisters = {"launch__registers_per_thread", "register/thread",
                                               "Registers of a thread."};
inline constexpr LaunchAttribute kStaticShared = {
    "launch__shared_mem_per_block_static", "Byte/block", "Shared memory that the kernel declares."};
inline constexpr LaunchAttribute kDynamicShared = {"launch__shared_mem_per_block_dynamic",
                                                   "Byte/block",
                                                   "Shared memory that the launch asks for."};
inline constexpr LaunchAttribute kLaunchAttributes[] = {kRegisters, kStaticShared, kDynamicShared};

class LaunchKinds {
 public:
  explicit LaunchKinds(const RunProcess& process);

  // Kernel ID, Kernel, Kernel Signature, sizes, registers and shared memory.
  void Fill(const LaunchKind& kind, Row& row) const;

 private:
  std::map<LaunchKind, uint64_t> numbers_;  // from 0, in the order of first appearance
};

// "stencil"; "CUDA graph" for one.
std::string LaunchName(const LaunchKind& kind);

// "(132, 1, 1)", as Nsight Compute prints it.
std::string SizeText(const uint32_t (&size)[3]);

}  // namespace rafter
