// RegionTimes keeps how often each region was called and for how long, for
// programs that ask with GetRegion. What is reported comes from elsewhere.
//
//   Threads   any at once, in signal handlers and after a fork too: no lock.
//   Blocking  never.
//   Memory    all inside the object; no call allocates.
//   Lifetime  a member of SinkForm, which is never destroyed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rafter {

class RegionTimes {
 public:
  struct Sum {
    uint64_t calls = 0;
    uint64_t time_ns = 0;  // CLOCK_MONOTONIC, summed over threads
  };

  // 24 KiB: programs with more names than that mark calls, not regions.
  static constexpr size_t kMaxNames = 1024;
  // 64 KiB: regions open at once, over all threads.
  static constexpr size_t kMaxOpen = 4096;

  // The region was opened on this thread. Without room its calls are not kept.
  void Opened(std::string_view name, uint64_t now_ns) noexcept;
  // It was closed on this thread.
  void Closed(std::string_view name, uint64_t now_ns) noexcept;
  void Reset(std::string_view name) noexcept;
  Sum Of(std::string_view name) const noexcept;

 private:
  // Names are told apart by a 64-bit hash: two of 1,024 are alike once in 10^13 programs.
  struct Name {
    std::atomic<uint64_t> hash = 0;  // 0: free
    std::atomic<uint64_t> calls = 0;
    std::atomic<uint64_t> time_ns = 0;
  };
  struct Open {
    std::atomic<uint64_t> key = 0;  // thread and name; 0: free
    std::atomic<uint64_t> since_ns = 0;
  };

  // The place of a name, kMaxNames when it has none.
  size_t Find(uint64_t hash) const noexcept;
  size_t FindOrTake(uint64_t hash) noexcept;
  Open* FindOpen(uint64_t key) noexcept;

  std::array<Name, kMaxNames> names_;
  std::array<Open, kMaxOpen> open_;
};

}  // namespace rafter
