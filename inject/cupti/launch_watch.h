// LaunchWatch sees kernel launches through CUPTI's one subscription: how many,
// of what, on which context, and whether one is blocked. It also hears when a
// context is about to go. Free of NVIDIA's headers.
//
//   Threads   Subscribe, Watch, Unsubscribe: one at a time. Events come on
//             whichever thread of the target launches.
//   Blocking  an event costs the target two clock reads and some atomics.
//   Memory    fixed: kMaxInFlight launches.
//   Lifetime  one for the process, never destroyed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "cupti/status.h"

namespace rafter {

struct CuptiTable;

// One launch as the driver sees it.
struct SeenLaunch {
  const char* symbol = nullptr;  // mangled; null for a graph
  void* function = nullptr;      // CUfunction or CUkernel; null for a graph
  uint32_t grid[3] = {0, 0, 0};
  uint32_t block[3] = {0, 0, 0};
  uint32_t shared_bytes = 0;
  void* context = nullptr;
  void* stream = nullptr;
};

// Who is told. Called on threads of the target, inside the fence.
class LaunchListener {
 public:
  virtual void OnLaunch(const SeenLaunch& launch) = 0;
  // It has returned to the program, on the same thread. `failed`: nothing was launched.
  virtual void OnLaunched(bool failed) = 0;
  // The program does something after which kernels may wait for each other.
  virtual void OnSign(const char* what) = 0;
  virtual void OnContextGoing(void* context) = 0;

 protected:
  ~LaunchListener() = default;
};

class LaunchWatch {
 public:
  // Launches that can be under way at once and still be watched for blocking.
  static constexpr size_t kMaxInFlight = 64;
  static constexpr size_t kMaxSymbol = 256;

  // Takes CUPTI's subscription, or says who probably holds it.
  Status Subscribe(const CuptiTable* cupti, LaunchListener* listener);
  void Unsubscribe();
  bool subscribed() const { return subscriber_ != nullptr; }

  // Launch events on or off. Context events come as long as we subscribe.
  void Watch(bool launches);
  bool watching() const { return generation() != 0; }
  // A number of its own for each time that launches are watched, and 0 while they
  // are not: a count taken across a change is no count. One word says both, so
  // that nobody sees a fresh number with an old answer.
  uint32_t generation() const {
    const uint32_t changes = changes_.load(std::memory_order_acquire);
    return changes % 2 == 0 ? 0 : changes;
  }

  // Launches of any thread since the start, on any context.
  uint64_t launches() const { return launches_.load(std::memory_order_acquire); }

  // The launch that has been blocked longest, if it began before `before_ns`:
  // its symbol and start.
  struct Blocked {
    std::string symbol;
    uint64_t since_ns = 0;
  };
  bool LongestBlocked(uint64_t before_ns, Blocked& blocked) const;

  // Called by CUPTI.
  void OnDriverCall(uint32_t callback, const void* data);
  void OnResource(uint32_t callback, const void* data);

 private:
  static constexpr uint64_t kBeingNamed = UINT64_MAX;
  struct InFlight {
    std::atomic<uint64_t> since_ns{0};  // 0: free; kBeingNamed: its symbol is being written
    char symbol[kMaxSymbol] = {};
  };

  LaunchListener& listener() const { return *listener_.load(std::memory_order_acquire); }

  const CuptiTable* cupti_ = nullptr;
  // Read in callbacks that were under way when the last subscription ended.
  std::atomic<LaunchListener*> listener_{nullptr};
  void* subscriber_ = nullptr;
  std::atomic<uint32_t> changes_{0};  // odd: launches are watched
  std::atomic<uint64_t> launches_{0};
  std::array<InFlight, kMaxInFlight> in_flight_;
};

}  // namespace rafter
