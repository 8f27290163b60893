// SchedulerSimulator runs a program of regions, one after the other, through Scheduler
// as RangeBorders and the recorder do, on a clock of its own, with the costs measured
// on an H200, and keeps what that added to the program.
//
//   Threads   one.
//   Blocking  never; its time is a number.
//   Memory    about 200 bytes a region.
//   Lifetime  of one test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "inject/counters/epoch_books.h"
#include "inject/counters/range_borders.h"
#include "inject/counters/scheduler.h"

namespace rafter {

// What one set costs (gpu-facts.md, section 3).
struct SimulatedSet {
  std::string set;
  uint64_t start_ns = 0;
  uint64_t stop_ns = 0;
  uint64_t border_ns = 0;  // a push and a pop
  double slow_down = 1;    // of kernels that do arithmetic
};

inline std::vector<SimulatedSet> SetsOfH200() {
  return {{"time", 3'000, 100'000, 3'000},
          {"memory", 18'000'000, 6'400'000, 55'000},
          {"sm", 7'700'000, 6'600'000, 1'000'000},
          {"flop", 3'000, 1'500'000, 3'000, 44}};
}

struct SimulatedRegion {
  uint32_t path = 1;
  uint64_t duration_ns = 1'000'000;
  double arithmetic = 1;  // share of its time that flop slows
};

class SchedulerSimulator {
 public:
  static constexpr uint64_t kFirstStartNs = 200'000'000;

  explicit SchedulerSimulator(const SchedulerPolicy& policy = {},
                              std::vector<SimulatedSet> sets = SetsOfH200())
      : sets_(std::move(sets)), scheduler_(std::make_unique<Scheduler>()) {
    std::vector<ScheduledPass> passes;
    for (const SimulatedSet& set : sets_) {
      passes.push_back({set.set, Scheduler::QuotaOf(set.set), false, set.set == "flop"});
    }
    scheduler_->Start(std::move(passes), policy, now_ns_);
    start_took_ns_ = kFirstStartNs;
    books_.Size(RangeBorders::kSlots, RangeBorders::kRangesPerEpoch);
  }

  // Returns the set in which the region was counted, or -1.
  int Run(const SimulatedRegion& region) {
    const PathId path{region.path};
    known_ = std::max(known_, region.path);
    scheduler_->Seen(path, now_ns_);
    const Scheduler::Situation now = SituationOf(path);
    const Scheduler::Decision decision = scheduler_->AtBegin(path, now);
    using Action = Scheduler::Action;
    const uint64_t before_ns = added_ns_;
    const bool must = Must(path, decision.pass);
    if (decision.action != Action::kCount) ++skips_;
    if (decision.action == Action::kRotate) Rotate(decision.pass);
    if (decision.action == Action::kPause) Pause();
    const bool counted = decision.action == Action::kCount || decision.action == Action::kRotate;
    if (counted) {
      Count(path, region);
    } else {
      now_ns_ += region.duration_ns;
    }
    program_ns_ += region.duration_ns;
    if (counted && must) mandatory_ns_ += added_ns_ - before_ns;
    return counted ? static_cast<int>(pass_) : -1;
  }
  void Idle(uint64_t ns) {
    now_ns_ += ns;
    program_ns_ += ns;
  }

  // Called when a change of passes is charged, to make it dearer.
  std::function<uint64_t(uint64_t)> dearer = [](uint64_t ns) { return ns; };

  uint64_t program_ns() const { return program_ns_; }
  uint64_t added_ns() const { return added_ns_; }          // by counting, all in all
  uint64_t mandatory_ns() const { return mandatory_ns_; }  // of these: by first instances
  double Overhead() const {
    return static_cast<double>(added_ns_ - mandatory_ns_) / static_cast<double>(now_ns_);
  }
  uint64_t now_ns() const { return now_ns_; }
  bool paused() const { return paused_; }
  size_t pass() const { return pass_; }
  int changes() const { return changes_; }
  uint64_t Instances(uint32_t path, size_t pass) { return counted_[{path, pass}]; }
  uint64_t Instances(size_t pass) {
    uint64_t sum = 0;
    for (const auto& [place, count] : counted_) sum += place.second == pass ? count : 0;
    return sum;
  }
  uint64_t Counted() const { return instances_; }
  Scheduler& scheduler() { return *scheduler_; }

 private:
  bool Must(PathId path, size_t pass) const {
    const uint8_t attempts = scheduler_->attempts(path, pass);
    return attempts == 0 || (pass == 0 && attempts == 1);
  }

  Scheduler::Situation SituationOf(PathId path) {
    const size_t held = books_.Held(path, 0);
    const size_t mine = std::max<size_t>(4, books_.ranges_allowed() / known_);
    Scheduler::Situation now;
    now.pass = pass_;
    now.paused = paused_;
    now.has_room = books_.HasRange() && (held != EpochBooks::kNoSlot || books_.slots_left() > 0);
    now.has_share = held == EpochBooks::kNoSlot || books_[held].instances < mine;
    now.skips = skips_;
    now.age_ns = now_ns_ - epoch_start_ns_;
    now.now_ns = now_ns_;
    return now;
  }

  uint64_t Stop() {
    if (paused_) return 0;
    const uint64_t took = dearer(sets_[pass_].stop_ns);
    scheduler_->PassTook(pass_, start_took_ns_ + took);
    pass_ = (pass_ + 1) % sets_.size();
    return took;
  }

  void Rotate(size_t target) {
    const size_t last = pass_;
    uint64_t took = Stop();
    if (paused_) pass_ = (last + 1) % sets_.size();
    while (pass_ != target) {
      const uint64_t through = dearer(sets_[pass_].start_ns + sets_[pass_].stop_ns);
      scheduler_->PassTook(pass_, through);
      took += through;
      pass_ = (pass_ + 1) % sets_.size();
    }
    start_took_ns_ = dearer(sets_[pass_].start_ns);
    took += start_took_ns_;
    scheduler_->Spent(took);
    added_ns_ += took;
    now_ns_ += took;
    paused_ = false;
    ++changes_;
    Fresh();
  }

  // The region that meets a pause does not wait for it, but its launches do.
  void Pause() {
    const size_t last = pass_;
    const uint64_t took = Stop();
    pass_ = last;  // as the borders see it
    added_ns_ += took;
    now_ns_ += took;
    paused_ = true;
    Fresh();
  }

  void Fresh() {
    books_.Clear();
    skips_ = 0;
    epoch_start_ns_ = now_ns_;
  }

  void Count(PathId path, const SimulatedRegion& region) {
    const SimulatedSet& set = sets_[pass_];
    const auto length = static_cast<double>(region.duration_ns);
    const auto host_ns =
        static_cast<uint64_t>(length * (1 - region.arithmetic + region.arithmetic * set.slow_down));
    scheduler_->BorderTook(pass_, set.border_ns / 2);
    now_ns_ += set.border_ns + host_ns;
    added_ns_ += set.border_ns + host_ns - region.duration_ns;
    scheduler_->BorderTook(pass_, set.border_ns / 2);
    scheduler_->Attempted(path, pass_, host_ns, true, true);
    scheduler_->Slowed(path, pass_, host_ns, 0);
    books_.AddRange();
    ++books_[books_.SlotFor(path, 0)].instances;
    ++counted_[{static_cast<uint32_t>(path), pass_}];
    ++instances_;
  }

  std::vector<SimulatedSet> sets_;
  std::unique_ptr<Scheduler> scheduler_;
  EpochBooks books_;
  std::map<std::pair<uint32_t, size_t>, uint64_t> counted_;
  uint64_t instances_ = 0;
  uint64_t now_ns_ = 1'000'000'000;  // of the clock; not the program's begin
  uint64_t program_ns_ = 0;
  uint64_t added_ns_ = 0;
  uint64_t mandatory_ns_ = 0;
  uint64_t epoch_start_ns_ = 1'000'000'000;
  uint64_t start_took_ns_ = 0;
  size_t pass_ = 0;
  bool paused_ = false;
  uint32_t skips_ = 0;
  uint32_t known_ = 1;
  int changes_ = 0;
};

}  // namespace rafter
