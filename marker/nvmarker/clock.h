// MarkerNowNs reads the clock that regions are timed with.
//
//   Threads   any.
//   Blocking  never.
//   Memory    none.
//   Lifetime  plain function.
#pragma once

#include <time.h>

#include <cstdint>

namespace rafter {

// CLOCK_MONOTONIC [ns].
inline uint64_t MarkerNowNs() {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace rafter
