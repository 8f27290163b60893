#include "inject/counters/range_borders.h"

#include <algorithm>

#include "inject/clock.h"
#include "inject/health.h"

namespace rafter {

RangeBorders::RangeBorders(PathTable& paths, Recorder& recorder, uint8_t context_index)
    : paths_(paths), recorder_(recorder), context_index_(context_index) {
  InitialiseLocks();
}

void RangeBorders::InitialiseLocks() { InitialiseWaiting(mutex_, changed_); }

// --- a region begins ------------------------------------------------------------

bool RangeBorders::WaitWhile(State state, uint64_t deadline_ns, uint64_t& spent_ns) {
  const uint64_t start = NowNs();
  const timespec until = TimespecOf(start + deadline_ns);
  if (waiting_++ == 0) charged_until_ns_ = start;
  while (state_.load(std::memory_order_relaxed) == state) {
    if (pthread_cond_timedwait(&changed_, &mutex_, &until) != 0) break;
  }
  ChargeWait(spent_ns);
  --waiting_;
  return state_.load(std::memory_order_relaxed) != state;
}

// Threads that wait at once hold the program up once.
void RangeBorders::ChargeWait(uint64_t& spent_ns) {
  const uint64_t now = NowNs();
  spent_ns += now - charged_until_ns_;
  scheduler_.Spent(now - charged_until_ns_);
  charged_until_ns_ = now;
}

void RangeBorders::Begin(const void* owner, const RegionShare* around, PathId path,
                         RegionShare& share) {
  Lock lock(mutex_);
  share = {};
  share.context = context_index_;
  share.begins = ++begins_;
  scheduler_.Seen(path, NowNs());
  const bool admitted = Admit(around, path, share);
  share.armings = armings_;
  const bool inside = around != nullptr && around->borders && InThisLife(*around);
  const bool suspended = around != nullptr && IsSuspended(*around);
  if (around != nullptr && !inside) {
    share.aside_below =
        around->borders || around->aside || around->aside_below || (around->suspends && !suspended);
  }
  if (!admitted) return StandAside(inside || suspended, share);
  share.borders = true;
  Note(share);
  // What is aside on this very stack does not run beside the region but around it.
  if (share.aside_below) aside_.fetch_sub(1, std::memory_order_relaxed);
  const bool outermost = share.pinned && pinned_++ == 0;
  if (outermost) {
    pinned_since_ns_ = NowNs();
    ++call_;
  }
  ++levels_;
  share.below = TopOf(owner);
  if (!SetTop(owner, path)) {
    share.aside = true;
    aside_.fetch_add(1, std::memory_order_relaxed);
  }
  SwitchRange();
  if (outermost) pinned_spent_ns_ = scheduler_.spent_ns();
  // Inside a call that is not counted this share would make the calls around it
  // that are counted too large. After the range, whose name must not find the last
  // slot taken: where there is none for them, no call of them is counted either.
  if (!inside) MarkAncestorsIncomplete(path);
}

// The counters of what spoils a call, as they are when it begins.
void RangeBorders::Note(RegionShare& share) const {
  share.pins = pins_;
  share.overlaps = overlaps_;
  share.gaps = gaps_;
  share.left_out = left_out_;
  share.foreign = foreign_.load(std::memory_order_relaxed);
}

// A call that is left uncounted launches on the context all the same: what is
// counted on another stack meanwhile holds the work of both.
void RangeBorders::StandAside(bool inside, RegionShare& share) {
  const State state = state_.load();
  if (state == State::kOff || state == State::kReplaying) return;
  if (inside) return Suspend(share);
  if (share.aside_below) return;
  share.aside = true;
  aside_.fetch_add(1, std::memory_order_relaxed);
  if (open_count_ > 0) ++overlaps_;
}

// What is not counted inside a region that is must not be in its range: the stretch
// ends here, and the next begins behind a region that is counted again.
void RangeBorders::Suspend(RegionShare& share) {
  share.suspends = true;
  if (open_count_ > 1) {
    ++overlaps_;
  } else if (state_ == State::kRunning) {
    CloseRange();
  }
}

// Gives the recorder work; `state` is what regions see until it is done.
void RangeBorders::Ask(State state, const Request& request) {
  asked_in_ = state_;
  state_ = state;
  request_ = request;
  recorder_.Wake();
}

// Whether the region is counted, after whatever it has to wait for; else
// share.uncounted says why not.
bool RangeBorders::Admit(const RegionShare* around, PathId path, RegionShare& share) {
  if (around != nullptr && IsSuspended(*around)) {
    share.uncounted = around->uncounted;
    return false;
  }
  if (state_ == State::kIdle) Ask(State::kArming, {Work::kArm});
  if (state_ == State::kArming && !arm_overdue_) {
    arm_overdue_ = !WaitWhile(State::kArming, kArmDeadlineNs, set_up_ns_);
  }
  if (state_ == State::kRotating) WaitWhile(State::kRotating, kRotationDeadlineNs, rotation_ns_);
  const State state = state_.load();
  if (state == State::kRunning || state == State::kPaused) return AdmitWhileArmed(path, share);
  share.uncounted = Why(state);
  if (state == State::kRotating) Health().Lost(Loss::kRotationTimeouts);
  return false;
}

Uncounted RangeBorders::Why(State state) {
  switch (state) {
    case State::kIdle:  // its context went meanwhile, and another may come
    case State::kArming:
      return Uncounted::kNotArmed;
    case State::kRotating:
      return Uncounted::kRotating;
    case State::kWaiting:
      return Uncounted::kNotOurTurn;
    case State::kPaused:
      return Uncounted::kResting;
    case State::kReplaying:
      return Uncounted::kCounted;
    default:
      return Uncounted::kCountersOff;
  }
}

bool RangeBorders::AdmitWhileArmed(PathId path, RegionShare& share) {
  const uint64_t now = NowNs();
  const bool running = state_ == State::kRunning;
  if (running && pinned_ > 0 && now - pinned_since_ns_ > kOpenBoundNs && !setup_.policy.exact) {
    Loosen();
  }
  if (running && pinned_ > 0) {
    if (HasRoom(path) || GoOnInChain(path)) {
      share.pinned = true;
      return true;
    }
    if (state_ != State::kRunning) {
      share.uncounted = Why(state_);
      return false;
    }
    Loosen();  // longer than a chain may be
  }
  const PathEntry* entry = paths_.Entry(path);
  if (entry != nullptr && entry->outgrown.load(std::memory_order_relaxed) && !setup_.policy.exact) {
    return true;  // as what is around others: in whatever set runs
  }
  return Decide(path, share);
}

// What was being measured as a whole is so no longer; the outermost region of each
// stack that is still taken for one that can be is not taken for it again.
void RangeBorders::Loosen() {
  pinned_ = 0;
  ++pins_;
  for (size_t i = 0; i < open_count_; ++i) {
    PathEntry* outermost = nullptr;
    for (PathEntry* entry = paths_.Entry(open_[i].top); entry != nullptr;
         entry = paths_.Entry(entry->parent)) {
      if (!entry->outgrown.load(std::memory_order_relaxed)) outermost = entry;
    }
    if (outermost != nullptr) outermost->outgrown.store(true, std::memory_order_relaxed);
    MarkIncomplete(open_[i].top);
  }
}

// Asks the scheduler, and does what it says.
bool RangeBorders::Decide(PathId path, RegionShare& share) {
  const uint32_t known = std::max(1u, paths_.count());
  const size_t mine = std::max<size_t>(4, books_.ranges_allowed() / known);
  const size_t held = books_.Held(path, CallNow());
  Scheduler::Situation now;
  now.now_ns = NowNs();
  now.pass = pass_;
  now.paused = state_ == State::kPaused;
  now.has_room = CanHoldWhole(path);
  now.has_share =
      held == EpochBooks::kNoSlot || books_[held].instances + books_[held].incomplete < mine;
  now.skips = skips_;
  now.age_ns = now.now_ns - epoch_start_ns_;
  const Scheduler::Decision decision = scheduler_.AtBegin(path, now);
  using Action = Scheduler::Action;
  const bool changes = decision.action == Action::kRotate || decision.action == Action::kPause;
  if (changes && setup_.verbose) {
    recorder_.Decided(path, scheduler_.Explain(path, now, decision));
  }
  if (decision.action != Action::kCount) ++skips_;
  if (decision.action == Action::kRotate) {
    ChangePass(decision.pass, false);
    WaitWhile(State::kRotating, kRotationDeadlineNs, rotation_ns_);
  }
  if (decision.action == Action::kPause) {
    LeaveEpoch(false, false);
    if (state_ != State::kOff) Ask(State::kRotating, {Work::kPause});
  }
  if (decision.action == Action::kCount || decision.action == Action::kRotate) {
    if (state_ != State::kRunning) {
      share.uncounted = Why(state_);
      if (state_ == State::kRotating) Health().Lost(Loss::kRotationTimeouts);
      return false;
    }
    share.pinned = HasRoom(path);
    if (share.pinned) return true;
    share.uncounted = Uncounted::kNoSlot;  // deeper than an epoch holds
    Health().Lost(Loss::kSlotsExceeded);
    return false;
  }
  share.uncounted = decision.action == Action::kSkipped ? Uncounted::kSkipped
                    : scheduler_.given_up(0)            ? Uncounted::kLeftOut
                                                        : Uncounted::kResting;
  return false;
}

// The epoch is full while instances are being measured: the same pass again.
bool RangeBorders::GoOnInChain(PathId path) {
  if (chained_ + 1 >= kMaxChain && !setup_.policy.exact) return false;
  ChangePass(pass_, true);
  WaitWhile(State::kRotating, kRotationDeadlineNs, rotation_ns_);
  if (state_ == State::kRotating) {  // the program goes on while no range is open
    ++gaps_;
    MarkOpenIncomplete();
  }
  return state_ == State::kRunning && HasRoom(path);
}

// The last range of an epoch is closed, at a border or, with `cut`, inside a
// region. What was pinned goes on in the next epoch of the chain, or not at all.
void RangeBorders::LeaveEpoch(bool keep_chain, bool cut) {
  if (state_ != State::kRunning) return;  // while counting pauses nothing is in the books
  reopen_ = cut && range_ != PathId::kNone;
  if (reopen_) {
    const size_t slot = books_.Held(range_, range_call_);
    if (slot != EpochBooks::kNoSlot && !range_cut_) ++books_[slot].cut_segments;
  }
  // Others launch on while the passes change; at a border of the only stack nothing
  // is lost.
  if (reopen_ || open_count_ > 1) ++gaps_;
  CloseRange();
  keep_chain_ = keep_chain;
  if (keep_chain) {
    // None of several stacks is whole any longer, and one may end before the next epoch.
    if (open_count_ > 1) MarkOpenIncomplete();
    return;
  }
  pinned_ = 0;
  ++pins_;
  MarkOpenIncomplete();
}

void RangeBorders::ChangePass(size_t pass, bool keep_chain) {
  LeaveEpoch(keep_chain, false);
  if (state_ != State::kOff) Ask(State::kRotating, {Work::kRotate, pass});
}

// Whether an instance that is inside no other can begin in this epoch. Later ones of a
// chain are for what began before: else each instance would leave less of the chain to
// the next. An empty epoch holds no less than a fresh one.
bool RangeBorders::CanHoldWhole(PathId path) const {
  if (books_.empty()) return true;
  if (!HasRoom(path) || chained_ > 0) return false;
  return setup_.policy.exact || !HoldsPartOf(path);
}

// Whether the epoch holds a part of an instance of the region, or of one inside it:
// a whole one cannot be told from that any more.
bool RangeBorders::HoldsPartOf(PathId path) const {
  for (size_t slot = 0; slot < books_.count(); ++slot) {
    const EpochSlot& held = books_[slot];
    if (held.incomplete == 0 || held.call != CallNow()) continue;
    if (held.path == path) return true;
    if (held.incomplete == held.crossed) continue;
    for (const PathEntry* entry = paths_.Entry(held.path); entry != nullptr;
         entry = paths_.Entry(entry->parent)) {
      if (entry->id == path) return true;
    }
  }
  return false;
}

// Whether the epoch can hold the region whole: a range for it, one more for each
// region that is open and goes on when it ends, and names for all of them.
bool RangeBorders::HasRoom(PathId path) const {
  if (books_.ranges_left() < levels_ + 1) return false;
  const uint32_t call = CallNow();
  size_t names = books_.Held(path, call) == EpochBooks::kNoSlot ? 1 : 0;
  for (size_t i = 0; i < open_count_; ++i) {
    const PathEntry* entry = paths_.Entry(open_[i].top);
    for (; entry != nullptr; entry = paths_.Entry(entry->parent)) {
      if (books_.Held(entry->id, call) == EpochBooks::kNoSlot) ++names;
    }
  }
  return books_.slots_left() >= names;
}

// With a slot for each call, the number of the outermost instance.
uint32_t RangeBorders::CallNow() const {
  if (!setup_.slot_for_each_call) return 0;
  return pinned_ == 0 ? call_ + 1 : call_;
}

// Its share, and those of the places around it, belong to no whole call.
void RangeBorders::MarkIncomplete(PathId path) {
  for (const PathEntry* entry = paths_.Entry(path); entry != nullptr;
       entry = paths_.Entry(entry->parent)) {
    const size_t slot = books_.SlotFor(entry->id, CallOfOpen());
    if (slot != EpochBooks::kNoSlot) ++books_[slot].incomplete;
  }
}

void RangeBorders::MarkOpenIncomplete() {
  for (size_t i = 0; i < open_count_; ++i) MarkIncomplete(open_[i].top);
}

void RangeBorders::MarkAncestorsIncomplete(PathId path) {
  const PathEntry* entry = paths_.Entry(path);
  if (entry != nullptr && entry->parent != PathId::kNone) MarkIncomplete(entry->parent);
}

}  // namespace rafter
