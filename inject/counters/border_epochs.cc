// The recorder's half of RangeBorders: epochs begin, end and rest.
#include <algorithm>

#include "inject/clock.h"
#include "inject/counters/range_borders.h"
#include "inject/health.h"

namespace rafter {

RangeBorders::Request RangeBorders::TakeRequest() {
  Lock lock(mutex_);
  const Request request = request_;
  request_ = {};
  return request;
}

void RangeBorders::Armed(RangeSession* session, const Setup& setup, uint32_t epoch) {
  Lock lock(mutex_);
  if (state_ == State::kOff) return;  // meanwhile: the context went while this took too long
  session_ = session;
  setup_ = setup;
  scheduler_.Start(setup.passes, setup.policy, NowNs());
  books_.Size(setup.slots, setup.ranges);
  books_.Clear();
  ++armings_;
  pass_ = 0;
  epoch_ = epoch;
  first_of_chain_ = epoch;
  chained_ = 0;
  keep_chain_ = reopen_ = cut_ = false;
  epoch_start_ns_ = border_ns_ = NowNs();
  skips_ = 0;
  // What is open had no borders in this life of the context, but may work on it.
  aside_.fetch_add(static_cast<uint32_t>(open_count_), std::memory_order_relaxed);
  innermost_.store(PathId::kNone, std::memory_order_relaxed);
  open_count_ = 0;
  levels_ = 0;
  pinned_ = 0;
  ++pins_;
  call_ = 0;
  range_ = PathId::kNone;
  state_ = State::kRunning;
  pthread_cond_broadcast(&changed_);
}

void RangeBorders::NotOurTurn() {
  Lock lock(mutex_);
  if (state_ == State::kOff) return;
  state_ = State::kWaiting;
  pthread_cond_broadcast(&changed_);
}

void RangeBorders::Replaying() {
  Lock lock(mutex_);
  if (state_ == State::kOff) return;
  state_ = State::kReplaying;
  pthread_cond_broadcast(&changed_);
}

void RangeBorders::Off() {
  Lock lock(mutex_);
  state_ = State::kOff;
  pthread_cond_broadcast(&changed_);
}

// Without cutting anything, or after the bound in spite of it.
bool RangeBorders::MayEndForOthers(uint64_t now_ns) const {
  return open_count_ == 0 || pinned_ == 0 || now_ns - pinned_since_ns_ > kOpenBoundNs;
}

void RangeBorders::Tick(uint64_t now_ns, bool wanted) {
  Lock lock(mutex_);
  if (state_ != State::kRunning || now_ns <= border_ns_) return;
  const bool idle =
      open_count_ == 0 && now_ns - border_ns_ > kIdleNs && now_ns - epoch_start_ns_ > kIdleNs;
  if (idle || (wanted && MayEndForOthers(now_ns))) {
    LeaveEpoch(false, true);
    if (state_ != State::kOff) Ask(State::kRotating, {Work::kPause});
    return;
  }
  StepInside(now_ns);
}

// A region has been open for long and shows no border: each set gets a part of it,
// then the first one the rest.
void RangeBorders::StepInside(uint64_t now_ns) {
  const size_t passes = scheduler_.passes().size();
  if (range_ == PathId::kNone || setup_.policy.exact || steps_inside_ >= passes || passes < 2)
    return;
  const uint64_t bound = steps_inside_ == 0 ? kOpenBoundNs : kInsideNs;
  if (now_ns - std::max(border_ns_, epoch_start_ns_) <= bound) return;
  if (steps_inside_ == 0 && !scheduler_.LacksFirst(open_[0].top)) return;
  ++steps_inside_;
  size_t pass = (pass_ + 1) % passes;
  while (scheduler_.given_up(pass) && pass != pass_) pass = (pass + 1) % passes;
  if (pass == pass_) return;
  if (setup_.verbose) {
    recorder_.Decided(open_[0].top, "set " + scheduler_.passes()[pass].set +
                                        " next, inside the region: it is open for long");
  }
  LeaveEpoch(false, true);
  if (state_ != State::kOff) Ask(State::kRotating, {Work::kRotate, pass});
}

EndedEpoch RangeBorders::CloseEpoch() {
  Lock lock(mutex_);
  EndedEpoch ended;
  ended.epoch = epoch_;
  ended.chain = chained_ > 0 || keep_chain_ ? first_of_chain_ : 0;
  ended.pass = static_cast<uint32_t>(pass_);
  ended.start_ns = epoch_start_ns_;
  ended.end_ns = NowNs();
  ended.slots = books_.slots();
  books_.Clear();
  return ended;
}

void RangeBorders::Resume(size_t pass, uint32_t epoch) {
  Lock lock(mutex_);
  if (state_ != State::kRotating) return;
  pass_ = pass;
  epoch_ = epoch;
  if (keep_chain_) {
    ++chained_;
  } else {
    first_of_chain_ = epoch;
    chained_ = 0;
    call_ = 0;
  }
  keep_chain_ = false;
  epoch_start_ns_ = NowNs();
  skips_ = 0;
  state_ = State::kRunning;
  if (reopen_ && open_count_ > 0) {
    reopen_ = false;
    cut_ = true;
    const size_t steps = steps_inside_;  // this is no border of the program's
    SwitchRange();
    steps_inside_ = steps;
  }
  pthread_cond_broadcast(&changed_);
}

void RangeBorders::Paused() {
  Lock lock(mutex_);
  if (state_ != State::kRotating) return;
  epoch_start_ns_ = NowNs();
  skips_ = 0;
  reopen_ = false;
  state_ = State::kPaused;
  pthread_cond_broadcast(&changed_);
}

bool RangeBorders::Retire(bool may_arm_again) {
  Lock lock(mutex_);
  if (request_.work != Work::kNone) {
    // A change of passes has closed its range already; the epoch is whole without it.
    state_ = asked_in_;
    request_ = {};
  }
  const bool was_running = state_ == State::kRunning;
  if (was_running) {
    // What is open now ends without its second border: its share is in the
    // slots, so those are not whole.
    LeaveEpoch(false, false);
  }
  // A state that the recorder works in means that it ended there, by an exception.
  const bool known = state_ == State::kRunning || state_ == State::kPaused ||
                     state_ == State::kIdle || state_ == State::kWaiting ||
                     state_ == State::kReplaying;
  state_ = known && may_arm_again ? State::kIdle : State::kOff;
  innermost_.store(PathId::kNone, std::memory_order_relaxed);
  pthread_cond_broadcast(&changed_);
  return was_running;
}

void RangeBorders::Abandon() {
  Lock lock(mutex_);
  request_ = {};
  range_ = PathId::kNone;
  blocking_range_open_.store(false, std::memory_order_relaxed);
  books_.Clear();
  pinned_ = 0;
  ++pins_;
  if (state_ != State::kOff) state_ = State::kIdle;
  innermost_.store(PathId::kNone, std::memory_order_relaxed);
  pthread_cond_broadcast(&changed_);
}

void RangeBorders::PassTook(size_t pass, uint64_t start_and_stop_ns) {
  Lock lock(mutex_);
  scheduler_.PassTook(pass, start_and_stop_ns);
}

// The clock is read inside the lock, after whoever noted the time.
bool RangeBorders::LackedWithin(uint64_t ns) {
  Lock lock(mutex_);
  return NowNs() - scheduler_.last_lacking_ns() < ns;
}

RangeBorders::Costs RangeBorders::costs() {
  Lock lock(mutex_);
  return {set_up_ns_, rotation_ns_, scheduler_.border_ns(), scheduler_.slowed_ns()};
}

void RangeBorders::Forget() {
  InitialiseLocks();  // the parent may have held or waited for them
  aside_ = 0;
  state_ = State::kIdle;
  request_ = {};
  session_ = nullptr;
  arm_overdue_ = false;
  books_.Clear();
  open_count_ = 0;
  levels_ = 0;
  pinned_ = 0;
  waiting_ = 0;
  range_ = PathId::kNone;
  innermost_.store(PathId::kNone, std::memory_order_relaxed);
}

}  // namespace rafter
