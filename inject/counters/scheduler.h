// Scheduler decides which pass of the configuration a region is measured in,
// and when an epoch ends. A pure class: it calls nothing and knows no clock.
//
//   Threads   one at a time; the caller holds the lock of the borders.
//   Blocking  never.
//   Memory    one byte per path and pass, inside the object.
//   Lifetime  a member of the borders.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "inject/record/path_table.h"

namespace rafter {

// One pass of the fixed cycle.
struct ScheduledPass {
  std::string set;        // "memory"
  uint8_t quota = 1;      // instances of each region that are wanted
  bool given_up = false;  // never chosen again; passed through when the cycle demands it
};

// The plain policy, asked when a top-level region begins:
//  1. While that region lacks instances in the present pass, it is counted.
//  2. Else the next pass in the cycle in which it lacks some begins. Choosing for
//     the region at hand keeps two regions that alternate from always meeting the
//     same passes.
//  3. Every region gets one instance in every pass before it gets a second in any.
//  4. A region that lacks nothing is counted only in the first pass, the
//     cheapest, and there no more than its share of an epoch, which holds a
//     bounded number of borders. Then counting pauses: the profiler is stopped,
//     its hardware and CUPTI's subscription are free for others, and a killed
//     program loses nothing. A fresh epoch of the first pass begins now and then.
class Scheduler {
 public:
  // A configuration of the named sets has four passes; one of every tensor
  // format beside them a dozen.
  static constexpr size_t kMaxPasses = 16;

  // A pause ends after this. One round through the cycle costs 40 ms on an H200
  // (gpu-facts.md, section 3): 2 % of it.
  static constexpr uint64_t kPauseNs = 2'000'000'000;

  // Regions that went uncounted in an epoch before it ends: it waits for others
  // that may never come.
  static constexpr uint32_t kSkipsBeforeEnd = 32;

  // Instances wanted in each set: eight of time, since the first of a process is
  // slower than all others; three spreads for traffic; two so that unlike FLOP
  // counts show. Time goes on for as long as the program does.
  static uint8_t QuotaOf(const std::string& set);

  // Begins afresh, on a new context too; what was given up stays so, since the
  // reason lies in the program.
  void Start(std::vector<ScheduledPass> passes);

  enum class Action {
    kCount,   // in the present epoch
    kRotate,  // end the epoch, begin the pass of the decision, count there
    kPause,   // end the epoch and let this region run uncounted
    kSkip,    // let this region run uncounted
  };
  struct Decision {
    Action action = Action::kCount;
    size_t pass = 0;
    bool operator==(const Decision&) const = default;
  };
  // What the present epoch is like for the region that begins.
  struct Situation {
    size_t pass = 0;  // the present one; while paused, the last one
    bool paused = false;
    bool has_room = true;   // the epoch can hold the region
    bool has_share = true;  // it holds fewer instances of it than its share
    uint32_t skips = 0;     // regions that went uncounted in this epoch
    uint64_t age_ns = 0;    // of the epoch or the pause
  };
  Decision AtBegin(PathId path, const Situation& now) const;

  // An instance of a top-level region was open in this pass, whole or not.
  void Attempted(PathId path, size_t pass);

  // Never choose a set's passes again.
  void GiveUp(const std::string& set);

  bool given_up(size_t pass) const { return passes_[pass].given_up; }
  const std::vector<ScheduledPass>& passes() const { return passes_; }
  uint8_t attempts(PathId path, size_t pass) const {
    return attempts_[static_cast<uint32_t>(path)][pass];
  }

 private:
  bool Lacks(PathId path, size_t pass) const;

  std::vector<ScheduledPass> passes_;
  std::array<std::array<uint8_t, kMaxPasses>, PathTable::kMaxPaths + 1> attempts_{};
};

}  // namespace rafter
