// Clocks of the target: regions are placed on CLOCK_MONOTONIC, and waits end on
// it.
//
//   Threads   any.
//   Blocking  never; the vDSO answers without a system call.
//   Memory    none.
//   Lifetime  plain functions.
#pragma once

#include <pthread.h>
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

// A moment of CLOCK_MONOTONIC, for waits that end at it.
inline timespec TimespecOf(uint64_t at_ns) noexcept {
  return {static_cast<time_t>(at_ns / 1000000000), static_cast<long>(at_ns % 1000000000)};
}

// Makes a lock and a condition whose timed waits end on CLOCK_MONOTONIC, also
// anew in a forked child, where they may have been in use.
inline void InitialiseWaiting(pthread_mutex_t& mutex, pthread_cond_t& condition) noexcept {
  pthread_mutex_init(&mutex, nullptr);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

}  // namespace rafter
