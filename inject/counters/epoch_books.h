// EpochBooks keep what each range name of the running epoch holds. CUPTI drops
// names beyond its slots, and ranges beyond its limit, without a word, so both are
// counted here (gpu-facts.md, section 4; decision 0004).
//
//   Threads   one at a time; the caller holds the lock of the borders.
//   Blocking  never.
//   Memory    fixed.
//   Lifetime  a member of the borders.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "inject/record/path_table.h"

namespace rafter {

// What one range of an epoch holds.
struct EpochSlot {
  PathId path = PathId::kNone;
  uint32_t call = 0;        // with a slot for each instance: of the outermost one
  uint64_t instances = 0;   // whole passes through the region that ended here
  uint64_t incomplete = 0;  // passes of which a part was not measured in this chain
  uint64_t segments = 0;
  uint64_t cut_segments = 0;  // of these: a change of passes began or ended them
  uint64_t counted_ns = 0;    // host time of the segments
  uint32_t range = 0;         // number that CUPTI names the range by, plus one; 0: ours
  uint64_t crossed =
      0;  // of the incomplete: what they did inside the regions around them is all here
};

// An epoch that has ended; its image is in the range session until the next
// Start.
struct EndedEpoch {
  uint32_t epoch = 0;
  uint32_t chain = 0;  // first epoch of the chain; 0: it stands alone
  uint32_t pass = 0;
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  std::vector<EpochSlot> slots;
};

class EpochBooks {
 public:
  static constexpr size_t kNoSlot = ~size_t{0};
  static constexpr size_t kMostSlots = 64;

  // How many names and ranges an epoch holds.
  void Size(size_t slots, size_t ranges) {
    slots_allowed_ = slots < kMostSlots ? slots : kMostSlots;
    ranges_allowed_ = ranges;
  }
  void Clear() {
    count_ = 0;
    ranges_ = 0;
  }

  // The slot of a name: an existing one, or a fresh one if there is room.
  size_t SlotFor(PathId path, uint32_t call) {
    const size_t held = Held(path, call);
    if (held != kNoSlot || count_ == slots_allowed_) return held;
    slots_[count_] = {};
    slots_[count_].path = path;
    slots_[count_].call = call;
    return count_++;
  }
  size_t Held(PathId path, uint32_t call) const {
    for (size_t i = 0; i < count_; ++i) {
      if (slots_[i].path == path && slots_[i].call == call) return i;
    }
    return kNoSlot;
  }
  EpochSlot& operator[](size_t slot) { return slots_[slot]; }
  const EpochSlot& operator[](size_t slot) const { return slots_[slot]; }

  // A range is opened.
  void AddRange() { ++ranges_; }
  bool HasRange() const { return ranges_ < ranges_allowed_; }
  size_t ranges_left() const { return ranges_allowed_ - ranges_; }
  size_t count() const { return count_; }  // of slots
  size_t slots_left() const { return slots_allowed_ - count_; }
  size_t ranges_allowed() const { return ranges_allowed_; }
  size_t slots_allowed() const { return slots_allowed_; }
  bool empty() const { return ranges_ == 0; }

  std::vector<EpochSlot> slots() const {
    return {slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(count_)};
  }

 private:
  std::array<EpochSlot, kMostSlots> slots_{};
  size_t slots_allowed_ = 0;
  size_t ranges_allowed_ = 0;
  size_t count_ = 0;
  size_t ranges_ = 0;
};

}  // namespace rafter
