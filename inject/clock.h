// Clocks of the target: regions are placed on CLOCK_MONOTONIC.
//
//   Threads   any.
//   Blocking  never; the vDSO answers without a system call.
//   Memory    none.
//   Lifetime  plain functions.
#pragma once

#include <time.h>

#include <cstdint>

namespace rafter {

inline uint64_t ClockNs(clockid_t clock) noexcept {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000ull + static_cast<uint64_t>(now.tv_nsec);
}

// Hot path. About 20 ns.
inline uint64_t NowNs() noexcept { return ClockNs(CLOCK_MONOTONIC); }

}  // namespace rafter
