// Scheduler decides which pass of the configuration a region is measured in,
// when an epoch ends and when counting rests: by coverage first, then by what
// may be spent. A pure class: it calls nothing and knows no clock.
//
//   Threads   one at a time; the caller holds the lock of the borders.
//   Blocking  never.
//   Memory    about 10 bytes per path and pass, taken by Start.
//   Lifetime  a member of the borders.
#pragma once

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
  bool patches = false;   // launches block and kernels are slower while it counts
};

// What the user asks for.
struct SchedulerPolicy {
  // Share of the run that counting may add, in millionths: whole numbers, since
  // floating point would leave marks on the program's threads.
  uint64_t overhead_ppm = 50'000;
  bool exact = false;  // every instance is counted, whatever it costs
  uint32_t skip = 0;   // first instances of each region that are not counted
};

// The policy, asked when a region begins that is inside no region which is being
// measured as a whole:
//  1. Every region (of the first kMostMandatory) gets one instance in every pass,
//     whatever it costs, and then a second one in the first pass: the first instance
//     of a process is slower than all others.
//  2. Further ones, up to the quota, only while all that counting has added stays
//     within the budget: `overhead` of the time since it began. A dear set no longer
//     fits long before a cheap one does, so dear sets are given up first. What costs
//     less than kFreeNs needs no budget.
//  3. While the region lacks instances in the present pass it is counted there,
//     else in the next pass of the cycle in which it lacks some. Choosing for the
//     region at hand keeps regions that alternate from always meeting the same passes.
//  4. A region that lacks nothing is counted only in the first pass, the cheapest,
//     and there no more than its share of an epoch, which holds a bounded number of
//     borders. Then counting pauses: the profiler is stopped, its hardware and CUPTI's
//     subscription are free for others, and a killed program loses nothing. A fresh
//     epoch begins when the budget has room for one.
//  5. Quotas grow with the run, one for each kRefreshNs, so that work that changes is
//     seen.
class Scheduler {
 public:
  // CUPTI's dearest sets together; each pass that is passed through takes 6 to 18 ms.
  static constexpr size_t kMaxPasses = 64;

  // Shortest pause, so that a generous budget does not turn into a storm of changes.
  static constexpr uint64_t kLeastPauseNs = 500'000'000;

  // Another instance in each set is wanted this often.
  static constexpr uint64_t kRefreshNs = 10'000'000'000;

  // Regions that went uncounted in an epoch before it ends: it waits for others
  // that may never come.
  static constexpr uint32_t kSkipsBeforeEnd = 32;

  // A region that is counted in the pass that runs anyway: its borders in a cheap set.
  static constexpr uint64_t kFreeNs = 100'000;

  // Instances that something spoils before a region is taken as it is.
  static constexpr uint8_t kMostSpoiled = 3;

  // Regions that get their first instance in each set whatever it costs. A change of
  // passes for each few names would make a program with a name for every step many
  // times slower; later regions get theirs within the budget.
  static constexpr uint32_t kMostMandatory = 256;

  // Until a change of passes has been measured it is taken for this: one round
  // through four sets on an H200 (gpu-facts.md, section 3).
  static constexpr uint64_t kUnknownChangeNs = 20'000'000;

  // Instances wanted in each set: eight of time, since the first of a process is
  // slower than all others; three spreads for traffic; two so that unlike FLOP
  // counts show. Time goes on for as long as the program does.
  static uint8_t QuotaOf(const std::string& set);

  Scheduler() : seen_(PathTable::kMaxPaths + 1, 0) {}

  // Begins afresh, on a new context too; what was given up stays so, since the
  // reason lies in the program.
  void Start(std::vector<ScheduledPass> passes, const SchedulerPolicy& policy, uint64_t now_ns);

  enum class Action {
    kCount,    // in the present epoch
    kRotate,   // end the epoch, begin the pass of the decision, count there
    kPause,    // end the epoch and let this region run uncounted
    kSkip,     // let this region run uncounted
    kSkipped,  // likewise: it is one of the first instances
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
    uint64_t now_ns = 0;
  };
  Decision AtBegin(PathId path, const Situation& now) const;

  // A region begins, counted or not.
  void Seen(PathId path, uint64_t now_ns);

  // A region cannot be measured as a whole: it lacks nothing from now on.
  void Excuse(PathId path);

  // An instance was open for `host_ns`, all of it in this pass or not, which tells how
  // long it takes there. Where something spoiled it, so that it is not `useful`, it
  // counts as an attempt only after kMostSpoiled of its kind: it may never be better.
  void Attempted(PathId path, size_t pass, uint64_t host_ns, bool in_one_pass, bool useful);

  // The same for one that is inside no other: what it took beyond the longest of late
  // in pass 0 is what the pass has added, without `charged_ns` of it, which is accounted
  // for already. A region whose calls differ in length by themselves is not charged.
  void Slowed(PathId path, size_t pass, uint64_t host_ns, uint64_t charged_ns);

  // What things cost, measured: the Start and the Stop of a pass, a push and pop in
  // it, and time for which counting held the program up.
  void PassTook(size_t pass, uint64_t start_and_stop_ns);
  void BorderTook(size_t pass, uint64_t ns);
  void Spent(uint64_t ns) { spent_ns_ += ns; }

  // Never choose a set's passes again.
  void GiveUp(const std::string& set);

  // When a region was last seen that lacks its first instance in some pass; 0: never.
  uint64_t last_lacking_ns() const { return last_lacking_ns_; }
  bool LacksFirst(PathId path) const;

  bool given_up(size_t pass) const { return passes_[pass].given_up; }
  const std::vector<ScheduledPass>& passes() const { return passes_; }
  uint8_t attempts(PathId path, size_t pass) const { return attempts_[Place(path, pass)]; }
  uint64_t spent_ns() const { return spent_ns_; }
  uint64_t slowed_ns() const { return slowed_ns_; }
  uint64_t border_ns() const { return border_ns_; }
  uint64_t AllowedNs(uint64_t now_ns) const;
  // What a change from one pass to another is expected to take.
  uint64_t ChangeNs(size_t from, size_t to) const;

  // "memory: 1 of 3 instances of it; spent 0.412 s of 0.660 s; ...".
  std::string Explain(PathId path, const Situation& now, const Decision& decision) const;

 private:
  size_t Place(PathId path, size_t pass) const {
    return static_cast<size_t>(path) * passes_.size() + pass;
  }
  bool Lacks(PathId path, size_t pass, const Situation& now) const;
  bool Affordable(PathId path, size_t pass, const Situation& now) const;
  Decision Exact(const Situation& now) const;
  Decision Rest(const Situation& now) const;

  std::vector<ScheduledPass> passes_;
  SchedulerPolicy policy_;
  uint64_t start_ns_ = 0;
  bool started_ = false;
  uint64_t spent_ns_ = 0;
  uint64_t slowed_ns_ = 0;  // of these: instances that ran longer than in pass 0
  uint64_t border_ns_ = 0;  // of these: at borders
  uint64_t last_lacking_ns_ = 0;
  std::vector<uint8_t> attempts_;     // by path and pass
  std::vector<uint64_t> mean_ns_;     // likewise: host time of instances in one pass
  std::vector<uint64_t> longest_ns_;  // by path: of late, in pass 0
  std::vector<uint8_t> spoiled_;      // likewise: instances of no use
  std::vector<uint32_t> seen_;        // by path, from the start
  std::vector<bool> mandatory_;       // by path
  uint32_t mandatory_count_ = 0;
  std::vector<uint64_t> pass_ns_;         // by pass; 0: not measured
  std::vector<uint64_t> border_mean_ns_;  // by pass
};

}  // namespace rafter
