// Identity says which process this is, so that streams of a process that died
// and of another that got its number are told apart.
//
//   Threads   ReadIdentity: the recorder thread.
//   Blocking  reads /proc/self.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rafter {

struct Identity {
  std::string host;
  uint32_t pid = 0;
  uint64_t start_ticks = 0;  // clock ticks since boot
  std::string boot_id;
  std::string executable;
  std::vector<std::string> arguments;
  uint64_t monotonic_ns = 0;  // both clocks read together
  uint64_t realtime_ns = 0;
};

Identity ReadIdentity();

}  // namespace rafter
