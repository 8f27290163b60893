// RegionRing hands finished regions from the target's threads to the one
// recorder thread. It is the only place where the two meet.
//
//   Threads   TryPush: any. TryPop: the recorder only.
//   Blocking  never; a full ring refuses the region.
//   Memory    all inside the object; no call allocates.
//   Lifetime  a member of the session, which is never destroyed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/record/path_table.h"
#include "marker/region_sink.h"

namespace rafter {

// Why an instance has no counters; the numbers of wire.Uncounted.
enum class Uncounted : uint8_t {
  kCounted = 0,
  kNoContext = 1,
  kCountersOff = 2,
  kRotating = 3,
  kNoSlot = 4,
  kOtherDevice = 5,
  kNotArmed = 6,
  kOverlapped = 7,
  kTruncated = 8,
  kRangeRefused = 9,
  kResting = 10,
  kLeftOut = 11,
  kPartial = 12,
  kNotOurTurn = 13,
  kSkipped = 14,
  kCrossed = 15,
  kNotChosen = 16,
};

// One pass through a region, as it leaves the calling thread; or a mark.
struct FinishedRegion {
  static constexpr uint32_t kNotWatched = 0xffffffff;

  uint64_t start_ns = 0;
  uint64_t duration_ns = 0;
  PathId path = PathId::kNone;
  uint32_t thread = 0;  // operating-system thread id
  uint32_t epoch = 0;   // 0: not counted
  uint32_t launches = kNotWatched;
  uint16_t device = 0;  // number of the device plus one; 0: none
  Uncounted uncounted = Uncounted::kCounted;
  bool is_mark = false;   // a moment, not a region: start, path, thread and what follows
  uint32_t category = 0;  // 0: none
  Payload payload = {};
};

class RegionRing {
 public:
  // 1.1 MiB. Rides out a recorder that is stalled for 40 ms, the longest
  // rotation measured, at 400,000 regions per second.
  static constexpr size_t kCapacity = 16384;

  RegionRing() { Clear(); }

  // Hot path. Copies `region` in and returns true, or returns false when there
  // is no room; the caller counts it. One compare-exchange and one copy.
  bool TryPush(const FinishedRegion& region) noexcept {
    uint64_t position = tail_.load(std::memory_order_relaxed);
    while (true) {
      Cell& cell = cells_[position % kCapacity];
      const uint64_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == position) {
        if (tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
          cell.region = region;
          cell.turn.store(position + 1, std::memory_order_release);
          return true;
        }
      } else if (turn < position) {
        return false;
      } else {
        position = tail_.load(std::memory_order_relaxed);
      }
    }
  }

  // Takes the oldest region, or returns false.
  bool TryPop(FinishedRegion& region) noexcept {
    Cell& cell = cells_[head_ % kCapacity];
    if (cell.turn.load(std::memory_order_acquire) != head_ + 1) return false;
    region = cell.region;
    cell.turn.store(head_ + kCapacity, std::memory_order_release);
    ++head_;
    return true;
  }

  // Regions pushed so far; a hint for waking the recorder.
  uint64_t pushed() const noexcept { return tail_.load(std::memory_order_relaxed); }

  // Only while no other thread uses the ring (construction, forked child).
  void Clear() noexcept {
    for (size_t i = 0; i < kCapacity; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
    tail_.store(0, std::memory_order_relaxed);
    head_ = 0;
  }

 private:
  struct Cell {
    std::atomic<uint64_t> turn{0};
    FinishedRegion region;
  };
  std::array<Cell, kCapacity> cells_;
  alignas(64) std::atomic<uint64_t> tail_{0};
  alignas(64) uint64_t head_ = 0;
};

}  // namespace rafter
