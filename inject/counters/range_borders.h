// RangeBorders turns the borders of regions, on any thread, into the one range
// stack that a GPU has: at every border the open range is closed and one named
// by what is open now is opened. It decides when epochs end and keeps what
// each slot of an epoch holds.
//
//   Threads   Begin, End: any. The calls of the recorder: one thread. All order
//             themselves by one lock; CUPTI's slow calls run outside it.
//   Blocking  Begin waits for set-up at most kArmDeadlineNs and for a rotation
//             at most kRotationDeadlineNs; End never waits for the recorder.
//   Memory    fixed.
//   Lifetime  a member of the session, which is never destroyed.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "inject/counters/scheduler.h"
#include "inject/cupti/range_session.h"
#include "inject/record/path_table.h"
#include "inject/record/thread_table.h"

namespace rafter {

// What one range of an epoch holds.
struct EpochSlot {
  PathId path = PathId::kNone;
  uint64_t instances = 0;   // whole passes through the region
  uint64_t incomplete = 0;  // passes of which a part was not measured
  uint64_t segments = 0;
};

// An epoch that has ended; its image is in the range session until the next
// Start.
struct EndedEpoch {
  uint32_t epoch = 0;
  uint32_t pass = 0;
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  std::vector<EpochSlot> slots;
};

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

  // Regions open at once on different threads; more are named by these.
  static constexpr size_t kMaxOpenStacks = 64;

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

   protected:
    ~Recorder() = default;
  };

  RangeBorders(PathTable& paths, Recorder& recorder);

  // --- the target's threads -------------------------------------------------

  // A region begins: `owner` is the stack it lies on (a thread's record or a
  // start/end range), `around` the open region below it there, or null. Fills
  // `open`.
  void Begin(const void* owner, const OpenRegion* around, void* context, OpenRegion& open);

  // A region ends; `enclosing` is what Enclosing says. `truncated`: its thread or
  // the process ended inside it. Fills what the record says of counters.
  void End(const void* owner, PathId enclosing, const OpenRegion& open, FinishedRegion& finished,
           bool truncated = false);

  // Path of the region around `open` on the same stack if both take part in the
  // borders of one epoch, else kNone: one that was open when a context went has
  // no borders in the epochs after it.
  static PathId Enclosing(const OpenRegion* around, const OpenRegion& open);

  // Path of the innermost open region, for launches.
  PathId InnermostPath() const { return innermost_.load(std::memory_order_relaxed); }

  // A launch went to another context than the counted one: what is open now
  // has work that is not counted. Hot path. One atomic add.
  void ForeignLaunch() noexcept { foreign_.fetch_add(1, std::memory_order_relaxed); }

  // The counted context, or null.
  void* context() const { return shared_context_.load(std::memory_order_relaxed); }

  // Whether a `flop` range is open now, in which launches block.
  bool FlopRangeOpen() const { return flop_range_open_.load(std::memory_order_relaxed); }

  // --- the recorder ---------------------------------------------------------

  enum class Work { kNone, kArm, kRotate, kPause };
  struct Request {
    Work work = Work::kNone;
    void* context = nullptr;  // kArm
    size_t target_pass = 0;   // kRotate
  };
  Request TakeRequest();

  // The recorder has set counting up (`session` runs pass 0), or it has failed:
  // then regions go on without counters.
  void Armed(RangeSession* session, std::vector<ScheduledPass> passes, uint32_t flop_first_pass,
             uint32_t flop_passes);
  void Off();

  // Ends the epoch's books. The recorder owns the range session until Resume.
  EndedEpoch CloseEpoch();
  void Resume(size_t pass);
  // The epoch is closed and none runs until a region asks for one.
  void Paused();

  // Takes counting away for good or until a new context is armed: at exit, or
  // when the context goes. The caller owns the range session, so that the
  // recorder is not at work; what was asked of it and not begun is withdrawn.
  // Returns whether an epoch was running, whose range is closed and which
  // CloseEpoch then ends.
  bool Retire(bool may_arm_again);

  // Whether counting is off for good.
  bool off() const { return state_.load(std::memory_order_relaxed) == State::kOff; }

  // Leaves a set out from now on; a range of it that is open is closed at once.
  void GiveUp(const std::string& set);

  bool given_up(const std::string& set);

  // Sum of the time for which rotations and set-up held regions up.
  uint64_t stalled_ns() const { return stalled_ns_.load(std::memory_order_relaxed); }
  uint64_t epochs() const { return next_epoch_ - 1; }

  void Forget();  // in a forked child

 private:
  enum class State : uint8_t {
    kIdle,      // no context seen yet
    kArming,    // the recorder sets up
    kRunning,   // an epoch is open
    kRotating,  // the recorder changes the pass, or pauses
    kPaused,    // armed, and no epoch is open
    kOff,       // for good
  };
  struct OpenStack {
    const void* owner = nullptr;
    PathId top = PathId::kNone;
  };
  class Lock;

  static constexpr size_t kMaxRefusedContexts = 16;  // GPUs of a large node

  void InitialiseLocks();
  bool WaitWhile(State state, uint64_t deadline_ns);  // false: the deadline passed
  void Ask(State state, const Request& request);
  bool Refused(const void* context) const;
  bool CountedNow(const OpenRegion& open) const;
  void StandAside(const OpenRegion* around, OpenRegion& open);
  bool SetTop(const void* owner, PathId top);  // false: no room to name the stack
  void SwitchRange();
  size_t SlotFor(PathId path);
  const EpochSlot* HeldSlot(PathId path) const;
  PathId Combined();
  void CloseRange();
  void RefusedByCupti();
  bool Admit(const OpenRegion* around, void* context, OpenRegion& open);
  void MarkAncestorsIncomplete(PathId path);

  PathTable& paths_;
  Recorder& recorder_;
  pthread_mutex_t mutex_;
  pthread_cond_t changed_;

  std::atomic<State> state_{State::kIdle};
  Request request_;
  State asked_in_ = State::kIdle;  // the state that request_ was made in
  void* context_ = nullptr;
  std::array<void*, kMaxRefusedContexts> refused_{};  // came while paused, not replacing ours
  size_t next_refused_ = 0;
  RangeSession* session_ = nullptr;
  Scheduler scheduler_;

  uint32_t next_epoch_ = 1;
  uint32_t epoch_ = 0;  // of the running one
  size_t pass_ = 0;
  uint64_t epoch_start_ns_ = 0;  // of the running one, or of the pause
  uint32_t skips_ = 0;           // regions that went uncounted in it
  bool arm_overdue_ = false;     // set-up has outlasted its deadline: nobody waits again
  size_t flop_first_pass_ = 0;
  size_t flop_passes_ = 0;

  std::array<EpochSlot, kSlots> slots_{};
  size_t slot_count_ = 0;
  size_t ranges_ = 0;  // pushed in this epoch
  std::array<OpenStack, kMaxOpenStacks> open_{};
  size_t open_count_ = 0;
  PathId range_ = PathId::kNone;      // of the open range
  uint64_t range_start_ns_ = 0;       // kept for overlaps only
  uint32_t overlaps_ = 0;             // stretches with several stacks open, ever
  std::atomic<uint32_t> aside_{0};    // stacks open now that no range is named by
  uint32_t gaps_ = 0;                 // stretches that no range covered, ever
  uint32_t left_out_ = 0;             // likewise, because their set was left out
  std::atomic<uint32_t> foreign_{0};  // launches on other contexts, ever
  std::atomic<void*> shared_context_{nullptr};
  std::atomic<PathId> innermost_{PathId::kNone};
  std::atomic<bool> flop_range_open_{false};
  std::atomic<uint64_t> stalled_ns_{0};
};

}  // namespace rafter
