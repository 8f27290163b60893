#include "inject/counters/range_borders.h"

#include <algorithm>
#include <charconv>

#include "inject/clock.h"
#include "inject/health.h"

namespace rafter {
namespace {

constexpr size_t kNoSlot = RangeBorders::kSlots;

}  // namespace

class RangeBorders::Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

RangeBorders::RangeBorders(PathTable& paths, Recorder& recorder)
    : paths_(paths), recorder_(recorder) {
  InitialiseLocks();
}

void RangeBorders::InitialiseLocks() { InitialiseWaiting(mutex_, changed_); }

bool RangeBorders::WaitWhile(State state, uint64_t deadline_ns) {
  const uint64_t start = NowNs();
  const uint64_t end = start + deadline_ns;
  const timespec until = TimespecOf(end);
  while (state_.load(std::memory_order_relaxed) == state) {
    if (pthread_cond_timedwait(&changed_, &mutex_, &until) != 0) break;
  }
  stalled_ns_.fetch_add(NowNs() - start, std::memory_order_relaxed);
  return state_.load(std::memory_order_relaxed) != state;
}

void RangeBorders::Begin(const void* owner, const OpenRegion* around, void* context,
                         OpenRegion& open) {
  Lock lock(mutex_);
  open.borders = false;
  open.aside = false;
  if (!Admit(around, context, open)) return StandAside(around, open);
  open.borders = true;
  open.epoch = epoch_;
  open.overlaps_at_start = overlaps_;
  open.gaps_at_start = gaps_;
  open.left_out_at_start = left_out_;
  open.foreign_at_start = foreign_.load(std::memory_order_relaxed);
  // Inside a call that is not counted (it began before there was a context, or
  // on one that has gone), this share would make the calls of that region that
  // are counted too large.
  if (around != nullptr && !CountedNow(*around)) MarkAncestorsIncomplete(open.path);
  if (!SetTop(owner, open.path)) {
    open.aside = true;
    aside_.fetch_add(1, std::memory_order_relaxed);
  }
  SwitchRange();
}

bool RangeBorders::CountedNow(const OpenRegion& open) const {
  return open.borders && open.epoch == epoch_;
}

PathId RangeBorders::Enclosing(const OpenRegion* around, const OpenRegion& open) {
  if (around == nullptr || !around->borders || around->epoch != open.epoch) return PathId::kNone;
  return around->path;
}

// A call that is left uncounted launches on the counted context all the same:
// what is counted on another stack meanwhile holds the work of both.
void RangeBorders::StandAside(const OpenRegion* around, OpenRegion& open) {
  if (state_ == State::kOff || open.uncounted == Uncounted::kNoContext ||
      open.uncounted == Uncounted::kOtherDevice) {
    return;
  }
  const bool stack_is_aside =
      around != nullptr && !around->borders && around->uncounted != Uncounted::kNoContext;
  if (stack_is_aside) return;
  open.aside = true;
  aside_.fetch_add(1, std::memory_order_relaxed);
  if (open_count_ > 0) ++overlaps_;
}

// Gives the recorder work; `state` is what regions see until it is done.
void RangeBorders::Ask(State state, const Request& request) {
  asked_in_ = state_;
  state_ = state;
  request_ = request;
  recorder_.Wake();
}

bool RangeBorders::Refused(const void* context) const {
  return std::find(refused_.begin(), refused_.end(), context) != refused_.end();
}

// Whether the region is counted, after whatever it has to wait for; else
// open.uncounted says why not.
bool RangeBorders::Admit(const OpenRegion* around, void* context, OpenRegion& open) {
  if (around != nullptr && !around->borders && around->uncounted != Uncounted::kNoContext) {
    open.uncounted = around->uncounted;
    return false;
  }
  if (state_ == State::kIdle) {
    if (context == nullptr) {
      open.uncounted = Uncounted::kNoContext;
      return false;
    }
    Ask(State::kArming, {Work::kArm, context, 0});
  }
  if (state_ == State::kArming && !arm_overdue_) {
    arm_overdue_ = !WaitWhile(State::kArming, kArmDeadlineNs);
  }
  if (state_ == State::kRotating) WaitWhile(State::kRotating, kRotationDeadlineNs);
  if (state_ == State::kPaused && context != nullptr && context != context_ && !Refused(context)) {
    refused_[next_refused_++ % kMaxRefusedContexts] = context;  // unless ours has gone
    Ask(State::kArming, {Work::kArm, context, 0});
    arm_overdue_ = !WaitWhile(State::kArming, kArmDeadlineNs);
  }
  const bool armed = state_ == State::kRunning || state_ == State::kPaused;
  if (armed && context != nullptr && context != context_) {
    open.uncounted = Uncounted::kOtherDevice;
    return false;
  }
  if (armed && open_count_ == 0 && (around == nullptr || !CountedNow(*around))) {
    const EpochSlot* held = HeldSlot(open.path);
    const size_t share = std::max<size_t>(4, kRangesPerEpoch / std::max(1u, paths_.count()));
    Scheduler::Situation now;
    now.pass = pass_;
    now.paused = state_ == State::kPaused;
    now.has_room = ranges_ < kRangesPerEpoch && (held != nullptr || slot_count_ < kSlots);
    now.has_share = held == nullptr || held->instances + held->incomplete < share;
    now.skips = skips_;
    now.age_ns = NowNs() - epoch_start_ns_;
    const Scheduler::Decision decision = scheduler_.AtBegin(open.path, now);
    if (decision.action != Scheduler::Action::kCount) ++skips_;
    if (decision.action == Scheduler::Action::kRotate ||
        decision.action == Scheduler::Action::kPause) {
      const bool pause = decision.action == Scheduler::Action::kPause;
      Ask(State::kRotating, {pause ? Work::kPause : Work::kRotate, nullptr, decision.pass});
      if (!pause) WaitWhile(State::kRotating, kRotationDeadlineNs);
    }
    if (decision.action == Scheduler::Action::kSkip ||
        decision.action == Scheduler::Action::kPause) {
      open.uncounted = scheduler_.given_up(0) ? Uncounted::kLeftOut : Uncounted::kResting;
      return false;
    }
  }
  switch (state_.load()) {
    case State::kRunning:
      return true;
    case State::kArming:
      open.uncounted = Uncounted::kNotArmed;
      return false;
    case State::kRotating:
      open.uncounted = Uncounted::kRotating;
      Health().Lost(Loss::kRotationTimeouts);
      return false;
    case State::kPaused:
      open.uncounted = Uncounted::kResting;
      return false;
    case State::kIdle:
      open.uncounted = Uncounted::kNoContext;
      return false;
    case State::kOff:
      open.uncounted = Uncounted::kCountersOff;
      return false;
  }
  return false;
}

// The places around `path` hold shares in this epoch that belong to no whole
// call.
void RangeBorders::MarkAncestorsIncomplete(PathId path) {
  const PathEntry* entry = paths_.Entry(path);
  while (entry != nullptr && entry->parent != PathId::kNone) {
    const size_t slot = SlotFor(entry->parent);
    if (slot != kNoSlot) ++slots_[slot].incomplete;
    entry = paths_.Entry(entry->parent);
  }
}

void RangeBorders::End(const void* owner, PathId enclosing, const OpenRegion& open,
                       FinishedRegion& finished, bool truncated) {
  finished.uncounted = open.uncounted;
  finished.epoch = 0;
  if (open.aside) aside_.fetch_sub(1, std::memory_order_relaxed);
  if (!open.borders) return;
  Lock lock(mutex_);
  if (state_ != State::kRunning || open.epoch != epoch_) {
    finished.uncounted = Uncounted::kCountersOff;
    return;
  }
  SetTop(owner, enclosing);
  const bool overlapped = overlaps_ != open.overlaps_at_start;
  const bool incomplete = gaps_ != open.gaps_at_start;
  SwitchRange();
  if (state_ != State::kRunning) {  // its last border was refused
    finished.uncounted = Uncounted::kRangeRefused;
    return;
  }
  const EpochSlot* held = HeldSlot(open.path);
  const size_t slot = held == nullptr ? kNoSlot : static_cast<size_t>(held - slots_.data());
  if (enclosing == PathId::kNone) scheduler_.Attempted(open.path, pass_);
  const bool left_out = left_out_ != open.left_out_at_start;
  const bool foreign = foreign_.load(std::memory_order_relaxed) != open.foreign_at_start;
  if (truncated || overlapped || incomplete || foreign || left_out || slot == kNoSlot) {
    finished.uncounted = truncated    ? Uncounted::kTruncated
                         : overlapped ? Uncounted::kOverlapped
                         : foreign    ? Uncounted::kOtherDevice
                         : left_out   ? Uncounted::kLeftOut
                                      : Uncounted::kNoSlot;
    if (slot != kNoSlot) ++slots_[slot].incomplete;
    return;
  }
  ++slots_[slot].instances;
  finished.epoch = epoch_;
}

bool RangeBorders::SetTop(const void* owner, PathId top) {
  for (size_t i = 0; i < open_count_; ++i) {
    if (open_[i].owner != owner) continue;
    if (top == PathId::kNone) {
      open_[i] = open_[--open_count_];
    } else {
      open_[i].top = top;
    }
    return true;
  }
  if (top == PathId::kNone) return true;
  if (open_count_ == kMaxOpenStacks) {
    ++overlaps_;  // it runs beside all the others and cannot be named with them
    return false;
  }
  open_[open_count_++] = {owner, top};
  return true;
}

PathId RangeBorders::Combined() {
  if (open_count_ == 0) return PathId::kNone;
  if (open_count_ == 1) return open_[0].top;
  std::array<PathId, kMaxOpenStacks> tops;
  for (size_t i = 0; i < open_count_; ++i) tops[i] = open_[i].top;
  std::sort(tops.begin(), tops.begin() + static_cast<std::ptrdiff_t>(open_count_));
  return paths_.FindOverlap({tops.data(), open_count_});
}

// The slot of a path in this epoch: an existing one, or a fresh one if there is
// room, or kNoSlot.
size_t RangeBorders::SlotFor(PathId path) {
  for (size_t i = 0; i < slot_count_; ++i) {
    if (slots_[i].path == path) return i;
  }
  if (slot_count_ == kSlots) return kNoSlot;
  slots_[slot_count_] = {path, 0, 0, 0};
  return slot_count_++;
}

// The slot of a path in this epoch, or null when it has none yet.
const EpochSlot* RangeBorders::HeldSlot(PathId path) const {
  for (size_t i = 0; i < slot_count_; ++i) {
    if (slots_[i].path == path) return &slots_[i];
  }
  return nullptr;
}

void RangeBorders::CloseRange() {
  if (range_ == PathId::kNone) return;
  const PathId closed = range_;
  range_ = PathId::kNone;
  flop_range_open_.store(false, std::memory_order_relaxed);
  const PathEntry* entry = paths_.Entry(closed);
  if (entry != nullptr && entry->member_count > 0) {
    FinishedRegion stretch;
    stretch.path = closed;
    stretch.start_ns = range_start_ns_;
    stretch.duration_ns = NowNs() - range_start_ns_;
    stretch.epoch = epoch_;
    recorder_.Overlapped(stretch);
  }
  if (!session_->Pop()) RefusedByCupti();
}

// Closes the open range and opens the one for what is open now.
void RangeBorders::SwitchRange() {
  const PathId wanted = Combined();
  innermost_.store(wanted, std::memory_order_relaxed);
  if (open_count_ > 1 || aside_.load(std::memory_order_relaxed) > 0) ++overlaps_;
  CloseRange();
  if (wanted == PathId::kNone || state_ != State::kRunning) return;
  if (scheduler_.given_up(pass_)) {
    ++left_out_;
    return;
  }
  const size_t slot = ranges_ < kRangesPerEpoch ? SlotFor(wanted) : kNoSlot;
  if (slot == kNoSlot) {
    ++gaps_;
    Health().Lost(Loss::kSlotsExceeded);
    return;
  }
  char name[12];
  *std::to_chars(name, name + sizeof name - 1, static_cast<uint32_t>(wanted)).ptr = '\0';
  if (!session_->Push(name)) {
    ++gaps_;
    RefusedByCupti();
    return;
  }
  range_ = wanted;
  ++ranges_;
  ++slots_[slot].segments;
  if (open_count_ > 1) {  // each stretch of an overlap counts as a call of it
    ++slots_[slot].instances;
    range_start_ns_ = NowNs();
  }
  flop_range_open_.store(pass_ >= flop_first_pass_ && pass_ < flop_first_pass_ + flop_passes_,
                         std::memory_order_relaxed);
}

// CUPTI refuses borders for good once it refuses one: another session has the
// hardware, or the context is gone.
void RangeBorders::RefusedByCupti() {
  ++gaps_;
  Health().Lost(Loss::kRangesRefused);
  if (state_ == State::kOff) return;
  state_ = State::kOff;  // before the sentence, which needs memory
  pthread_cond_broadcast(&changed_);
  recorder_.Wake();
  Health().AddNote(NoteSeverity::kFailure, "counters",
                   "counters off: CUPTI refused a range, answer " + session_->LastBorderError() +
                       "; another profiler may have taken the counters, run \"rafter doctor\"");
}

RangeBorders::Request RangeBorders::TakeRequest() {
  Lock lock(mutex_);
  const Request request = request_;
  request_ = {};
  return request;
}

void RangeBorders::Armed(RangeSession* session, std::vector<ScheduledPass> passes,
                         uint32_t flop_first_pass, uint32_t flop_passes) {
  Lock lock(mutex_);
  if (state_ == State::kOff) return;  // meanwhile: the context went while this took too long
  session_ = session;
  context_ = session->context();
  refused_.fill(nullptr);
  shared_context_.store(context_, std::memory_order_relaxed);
  scheduler_.Start(std::move(passes));
  flop_first_pass_ = flop_first_pass;
  flop_passes_ = flop_passes;
  pass_ = 0;
  epoch_ = next_epoch_++;
  epoch_start_ns_ = NowNs();
  skips_ = 0;
  slot_count_ = 0;
  ranges_ = 0;
  open_count_ = 0;
  range_ = PathId::kNone;
  state_ = State::kRunning;
  pthread_cond_broadcast(&changed_);
}

void RangeBorders::Off() {
  Lock lock(mutex_);
  state_ = State::kOff;
  pthread_cond_broadcast(&changed_);
}

EndedEpoch RangeBorders::CloseEpoch() {
  Lock lock(mutex_);
  EndedEpoch ended;
  ended.epoch = epoch_;
  ended.pass = static_cast<uint32_t>(pass_);
  ended.start_ns = epoch_start_ns_;
  ended.end_ns = NowNs();
  ended.slots.assign(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(slot_count_));
  slot_count_ = 0;
  ranges_ = 0;
  return ended;
}

void RangeBorders::Resume(size_t pass) {
  Lock lock(mutex_);
  if (state_ != State::kRotating) return;
  pass_ = pass;
  epoch_ = next_epoch_++;
  epoch_start_ns_ = NowNs();
  skips_ = 0;
  state_ = State::kRunning;
  pthread_cond_broadcast(&changed_);
}

void RangeBorders::Paused() {
  Lock lock(mutex_);
  if (state_ != State::kRotating && state_ != State::kArming) return;
  if (state_ == State::kRotating) {  // else the pause goes on: another context was refused
    epoch_start_ns_ = NowNs();
    skips_ = 0;
  }
  state_ = State::kPaused;
  pthread_cond_broadcast(&changed_);
}

bool RangeBorders::Retire(bool may_arm_again) {
  Lock lock(mutex_);
  if (request_.work != Work::kNone) {
    state_ = asked_in_;
    request_ = {};
  }
  const bool was_running = state_ == State::kRunning;
  if (was_running) {
    CloseRange();
    // What is open now ends without its second border: its share is in the
    // slots, so those are not whole.
    for (size_t i = 0; i < open_count_; ++i) {
      const size_t slot = SlotFor(open_[i].top);
      if (slot != kNoSlot) ++slots_[slot].incomplete;
      MarkAncestorsIncomplete(open_[i].top);
    }
    open_count_ = 0;
  }
  // A state that the recorder works in means that it ended there, by an exception.
  const bool known =
      state_ == State::kRunning || state_ == State::kPaused || state_ == State::kIdle;
  state_ = known && may_arm_again ? State::kIdle : State::kOff;
  innermost_.store(PathId::kNone, std::memory_order_relaxed);
  shared_context_.store(nullptr, std::memory_order_relaxed);
  pthread_cond_broadcast(&changed_);
  return was_running;
}

void RangeBorders::GiveUp(const std::string& set) {
  Lock lock(mutex_);
  scheduler_.GiveUp(set);
  if (state_ != State::kRunning || range_ == PathId::kNone || !scheduler_.given_up(pass_)) return;
  ++left_out_;
  if (open_count_ > 1) {  // a stretch of an overlap counts as whole when it begins
    const size_t slot = SlotFor(range_);
    if (slot != kNoSlot) ++slots_[slot].incomplete;
  }
  CloseRange();
}

bool RangeBorders::given_up(const std::string& set) {
  Lock lock(mutex_);
  for (const ScheduledPass& pass : scheduler_.passes()) {
    if (pass.set == set) return pass.given_up;
  }
  return true;
}

void RangeBorders::Forget() {
  InitialiseLocks();  // the parent may have held or waited for them
  aside_ = 0;
  state_ = State::kIdle;
  request_ = {};
  context_ = nullptr;
  session_ = nullptr;
  next_epoch_ = 1;
  epoch_ = 0;
  skips_ = 0;
  arm_overdue_ = false;
  slot_count_ = 0;
  ranges_ = 0;
  open_count_ = 0;
  range_ = PathId::kNone;
  innermost_.store(PathId::kNone, std::memory_order_relaxed);
}

}  // namespace rafter
