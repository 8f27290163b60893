// RangeBorders turns the borders of regions, on any thread, into the one range
// stack that a CUDA context has: at every border the open range is closed and one
// named by what is open now is opened. It decides when epochs end and keeps what
// each slot of an epoch holds. There is one for each counted context.
//
//   Threads   Begin, End: any. The calls of the recorder: one thread. All order
//             themselves by one lock; CUPTI's slow calls run outside it.
//   Blocking  Begin waits for set-up at most kArmDeadlineNs and for a rotation
//             at most kRotationDeadlineNs; End never waits for the recorder.
//   Memory    fixed, but for the scheduler's table.
//   Lifetime  kept by the session, which is never destroyed.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "inject/counters/epoch_books.h"
#include "inject/counters/scheduler.h"
#include "inject/cupti/range_session.h"
#include "inject/record/path_table.h"
#include "inject/record/thread_table.h"

namespace rafter {

class RangeBorders {
 public:
  // Distinct stacks in one epoch. The counter-data image takes 250 KB a slot
  // with every set.
  static constexpr size_t kSlots = 16;

  // Ranges in one epoch. CUPTI holds no more in a pass than it was told to: in a
  // hardware set it drops what comes later without a word, and with too few tree
  // nodes it crashes at Stop (docs/measurements/2026-11-30-ranges-per-pass.md).
  // The first Start of a process takes 0.20 s for 16, 0.23 s for 64, 0.9 s for
  // 1024.
  static constexpr size_t kRangesPerEpoch = 64;

  // Where every instance is counted, an epoch of 64 would spend more time in changes
  // than in the program.
  static constexpr size_t kExactRanges = 512;

  // Regions open at once on different threads; more are named by these.
  static constexpr size_t kMaxOpenStacks = 64;

  // Epochs that one instance may go through in one pass and still be measured as a
  // whole. Each costs a round through the cycle, 40 ms with four sets.
  static constexpr uint32_t kMaxChain = 8;

  // A region that stays open for longer has sets changed inside it.
  static constexpr uint64_t kOpenBoundNs = 2'000'000'000;

  // How long a set is kept inside a region that shows no border.
  static constexpr uint64_t kInsideNs = 500'000'000;

  // An epoch in which nothing happens for so long is read and ended: what it holds
  // is then safe, and others may have the hardware.
  static constexpr uint64_t kIdleNs = 1'000'000'000;

  // Set-up takes about half a second (CUPTI's start-up 0.1 s, planning 0.1 s,
  // the first Start 0.2 s); a program whose set-up hangs waits no longer.
  static constexpr uint64_t kArmDeadlineNs = 5'000'000'000;

  // The longest rotation seen took 45 ms.
  static constexpr uint64_t kRotationDeadlineNs = 1'000'000'000;

  // Whom to wake, and who takes what an epoch holds.
  class Recorder {
   public:
    virtual void Wake() noexcept = 0;
    // A stretch in which regions of several threads were open has ended.
    virtual void Overlapped(const FinishedRegion& stretch) noexcept = 0;
    // A decision of the scheduler in words; only when they are wanted.
    virtual void Decided(PathId, const std::string&) {}

   protected:
    ~Recorder() = default;
  };

  RangeBorders(PathTable& paths, Recorder& recorder, uint8_t context_index = 0);

  // --- the target's threads -------------------------------------------------

  // A region begins: `owner` is the stack it lies on (a thread's record or a
  // start/end range), `around` this context's share of the nearest region around it
  // there that has one, or null. Fills `share`.
  void Begin(const void* owner, const RegionShare* around, PathId path, RegionShare& share);

  // A region ends that has been open for `host_ns`. `truncated`: its thread or the
  // process ended inside it; `crossed`: likewise, because a region around it ends. Fills what the
  // record says of counters.
  void End(const void* owner, PathId path, uint64_t host_ns, const RegionShare& share,
           FinishedRegion& finished, bool truncated = false, bool crossed = false);

  // Path of the innermost open region, for launches.
  PathId InnermostPath() const { return innermost_.load(std::memory_order_relaxed); }
  bool AnythingOpen() const { return InnermostPath() != PathId::kNone; }

  // A launch went to another context of the same GPU: what is open now is not alone
  // there. Hot path. One atomic add.
  void ForeignLaunch() noexcept { foreign_.fetch_add(1, std::memory_order_relaxed); }

  // Whether a range is open now in which launches block, since kernels are patched.
  bool BlockingRangeOpen() const { return blocking_range_open_.load(std::memory_order_relaxed); }

  // --- the recorder ---------------------------------------------------------

  enum class Work { kNone, kArm, kRotate, kPause };
  struct Request {
    Work work = Work::kNone;
    size_t target_pass = 0;  // kRotate
  };
  Request TakeRequest();

  struct Setup {
    std::vector<ScheduledPass> passes;
    SchedulerPolicy policy;
    uint16_t device = 0;  // number of the context's device plus one
    size_t slots = kSlots;
    size_t ranges = kRangesPerEpoch;
    bool slot_for_each_call = false;
    bool verbose = false;
  };
  // The recorder has set counting up: `session` runs pass 0. What was measured
  // before is remembered when the passes are the same.
  void Armed(RangeSession* session, const Setup& setup, uint32_t epoch);
  // CUPTI repeats launches: regions are counted by what is launched inside them.
  void Replaying();
  // Somebody else has the GPU's counters: regions go on without, and nobody waits.
  void NotOurTurn();
  // Counting is off for good.
  void Off();

  // Time passes: ends an epoch that is idle or, when somebody waits for the GPU
  // (`wanted`), one that may end; changes passes inside a region that has been
  // open for long. What is to be done comes with TakeRequest.
  void Tick(uint64_t now_ns, bool wanted);

  // Ends the epoch's books. The recorder owns the range session until Resume.
  EndedEpoch CloseEpoch();
  void Resume(size_t pass, uint32_t epoch);
  // The epoch is closed and none runs until a region asks for one.
  void Paused();

  // Takes counting away for good or until a new context is armed: at exit, or
  // when the context goes. The caller owns the range session, so that the
  // recorder is not at work; what was asked of it and not begun is withdrawn.
  // Returns whether an epoch was running, whose range is closed and which
  // CloseEpoch then ends.
  bool Retire(bool may_arm_again);

  // The context has gone, and its range with it: nothing is asked of CUPTI. Another
  // context may come in its place.
  void Abandon();

  enum class State : uint8_t {
    kIdle,       // no region has met the context yet
    kArming,     // the recorder sets up
    kRunning,    // an epoch is open
    kRotating,   // the recorder changes the pass, or pauses
    kPaused,     // armed, and no epoch is open
    kWaiting,    // somebody else has the GPU's counters
    kReplaying,  // CUPTI repeats each launch; borders are not its ranges
    kOff,        // for good
  };
  State state() const { return state_.load(std::memory_order_relaxed); }
  bool off() const { return state() == State::kOff; }
  // Whether another context may take the place of this one, which has gone.
  bool MayMove() const {
    const State now = state();
    return now == State::kIdle || now == State::kPaused || now == State::kWaiting;
  }

  // Leaves the sets out that patch kernels from now on; a range of them that is open
  // is closed at once. Returns their names, empty when there was none to leave out.
  std::vector<std::string> GiveUpPatching();

  // Measured by the recorder.
  void PassTook(size_t pass, uint64_t start_and_stop_ns);

  // Whether a region began so recently that lacks its first instance in some set.
  bool LackedWithin(uint64_t ns);

  struct Costs {
    uint64_t set_up_ns = 0;    // regions waited for set-up
    uint64_t rotation_ns = 0;  // regions waited for changes of passes
    uint64_t border_ns = 0;
    uint64_t slowed_ns = 0;
  };
  Costs costs();

  void Forget();  // in a forked child

 private:
  struct OpenStack {
    const void* owner = nullptr;
    PathId top = PathId::kNone;
  };
  class Lock {
   public:
    explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    ~Lock() { pthread_mutex_unlock(&mutex_); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    pthread_mutex_t& mutex_;
  };

  void InitialiseLocks();
  bool WaitWhile(State state, uint64_t deadline_ns, uint64_t& spent_ns);
  void ChargeWait(uint64_t& spent_ns);
  bool InThisLife(const RegionShare& share) const { return share.armings == armings_; }
  // What is inside is in no range, since that of the call around it goes on behind.
  bool IsSuspended(const RegionShare& share) const { return share.suspends && InThisLife(share); }
  void Ask(State state, const Request& request);
  void Note(RegionShare& share) const;
  void StandAside(bool inside, RegionShare& share);
  void Suspend(RegionShare& share);
  size_t StackOf(const void* owner) const;
  PathId TopOf(const void* owner) const;
  bool SetTop(const void* owner, PathId top);  // false: no room to name the stack
  void SwitchRange();
  bool HasRoom(PathId path) const;
  bool HoldsPartOf(PathId path) const;
  bool CanHoldWhole(PathId path) const;
  uint32_t CallNow() const;
  uint32_t CallOfOpen() const { return setup_.slot_for_each_call ? call_ : 0; }
  PathId Combined();
  void CloseRange();
  void OpenRange(PathId wanted);
  void RefusedByCupti();
  bool Admit(const RegionShare* around, PathId path, RegionShare& share);
  bool AdmitWhileArmed(PathId path, RegionShare& share);
  bool Decide(PathId path, RegionShare& share);
  bool GoOnInChain(PathId path);
  void ChangePass(size_t pass, bool keep_chain);
  void LeaveEpoch(bool keep_chain, bool cut);
  bool MayEndForOthers(uint64_t now_ns) const;
  void StepInside(uint64_t now_ns);
  void Loosen();
  void EndFromBefore(const RegionShare& share);
  void NotPinned(PathId path, uint64_t host_ns, const RegionShare& share);
  void MarkIncomplete(PathId path);
  void MarkOpenIncomplete();
  void MarkAncestorsIncomplete(PathId path);
  Uncounted WhyNotWhole(const RegionShare& share, bool truncated) const;
  static Uncounted Why(State state);

  PathTable& paths_;
  Recorder& recorder_;
  const uint8_t context_index_;
  pthread_mutex_t mutex_;
  pthread_cond_t changed_;

  std::atomic<State> state_{State::kIdle};
  Request request_;
  State asked_in_ = State::kIdle;  // the state that request_ was made in
  RangeSession* session_ = nullptr;
  Setup setup_;
  Scheduler scheduler_;
  EpochBooks books_;

  uint32_t armings_ = 0;  // times that counting began on this context
  uint32_t epoch_ = 0;    // the running one
  uint32_t first_of_chain_ = 0;
  uint32_t chained_ = 0;     // epochs in the chain before this one
  bool keep_chain_ = false;  // the rotation under way continues the chain
  bool reopen_ = false;      // the rotation under way cut a range
  bool cut_ = false;         // the next range continues one that was cut
  size_t pass_ = 0;
  size_t steps_inside_ = 0;      // changes of passes since the last border
  uint64_t epoch_start_ns_ = 0;  // of the running one, or of the pause
  uint64_t border_ns_ = 0;       // time of the last border
  uint32_t skips_ = 0;           // regions that went uncounted in it
  bool arm_overdue_ = false;     // set-up has outlasted its deadline: nobody waits again

  std::array<OpenStack, kMaxOpenStacks> open_{};
  size_t open_count_ = 0;
  size_t levels_ = 0;  // open regions that take part in the borders
  size_t pinned_ = 0;  // of these: being measured as a whole
  uint32_t pins_ = 1;  // raised when what is pinned is given up
  uint64_t pinned_since_ns_ = 0;
  uint64_t pinned_spent_ns_ = 0;  // what counting had cost then
  uint32_t call_ = 0;             // number of the outermost pinned instance in this chain
  PathId range_ = PathId::kNone;  // of the open range
  uint32_t range_call_ = 0;
  bool range_cut_ = false;  // it continues one that was cut
  uint64_t range_start_ns_ = 0;
  uint32_t overlaps_ = 0;             // stretches with several stacks open, ever
  std::atomic<uint32_t> aside_{0};    // stacks open now that no range is named by
  uint32_t begins_ = 0;               // regions begun, counted or not, ever
  uint32_t waiting_ = 0;              // threads in WaitWhile
  uint64_t charged_until_ns_ = 0;     // their time up to here is in the costs
  uint32_t gaps_ = 0;                 // stretches that no range covered, ever
  uint32_t left_out_ = 0;             // likewise, because their set was left out
  std::atomic<uint32_t> foreign_{0};  // launches on other contexts of the GPU, ever
  std::atomic<PathId> innermost_{PathId::kNone};
  std::atomic<bool> blocking_range_open_{false};
  uint64_t set_up_ns_ = 0;
  uint64_t rotation_ns_ = 0;
};

}  // namespace rafter
