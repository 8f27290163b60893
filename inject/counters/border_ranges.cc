// The half of RangeBorders that ends regions, and opens and closes ranges.
#include <algorithm>
#include <charconv>

#include "inject/clock.h"
#include "inject/counters/range_borders.h"
#include "inject/health.h"

namespace rafter {

// --- a region ends --------------------------------------------------------------

Uncounted RangeBorders::WhyNotWhole(const RegionShare& share, bool truncated) const {
  if (truncated) return Uncounted::kTruncated;
  if (overlaps_ != share.overlaps) return Uncounted::kOverlapped;
  if (foreign_.load(std::memory_order_relaxed) != share.foreign) return Uncounted::kOtherDevice;
  if (left_out_ != share.left_out) return Uncounted::kLeftOut;
  if (!share.pinned || share.pins != pins_ || state_ != State::kRunning) {
    return Uncounted::kPartial;
  }
  return gaps_ != share.gaps ? Uncounted::kNoSlot : Uncounted::kCounted;
}

void RangeBorders::End(const void* owner, PathId path, uint64_t host_ns, const RegionShare& share,
                       FinishedRegion& finished, bool truncated, bool crossed) {
  finished.uncounted = share.uncounted;
  finished.epoch = 0;
  if (share.aside) aside_.fetch_sub(1, std::memory_order_relaxed);
  if (!share.borders) return;
  Lock lock(mutex_);
  if (!InThisLife(share)) {
    finished.uncounted = truncated ? Uncounted::kTruncated : Uncounted::kPartial;
    return EndFromBefore(share);
  }
  SetTop(owner, share.below);
  const Uncounted before = WhyNotWhole(share, truncated);
  const uint64_t charged_ns = scheduler_.spent_ns() - pinned_spent_ns_;
  const uint32_t call = CallOfOpen();
  --levels_;
  if (share.aside_below) aside_.fetch_add(1, std::memory_order_relaxed);
  SwitchRange();
  const bool in_one_pass = share.pinned && share.pins == pins_ && pinned_ > 0;
  if (in_one_pass) --pinned_;
  if (state_ == State::kOff) {  // its last border was refused
    finished.uncounted = Uncounted::kRangeRefused;
    return;
  }
  const size_t slot = books_.Held(path, call);
  const bool whole = before == Uncounted::kCounted && slot != EpochBooks::kNoSlot;
  if (!share.pinned) {
    NotPinned(path, host_ns, share);
  } else if (state_ == State::kRunning) {
    scheduler_.Attempted(path, pass_, host_ns, in_one_pass && !truncated, whole);
    if (in_one_pass && pinned_ == 0) scheduler_.Slowed(path, pass_, host_ns, charged_ns);
  }
  if (whole) {
    ++books_[slot].instances;
    finished.epoch = epoch_;
    return;
  }
  finished.uncounted = before == Uncounted::kCounted ? Uncounted::kNoSlot : before;
  if (slot == EpochBooks::kNoSlot) return;
  ++books_[slot].incomplete;
  // Of those around it nothing is missing, unless something else spoilt it as well.
  if (crossed && WhyNotWhole(share, false) == Uncounted::kCounted) ++books_[slot].crossed;
}

// One of an earlier life of the context has ended: since then its stack stood aside,
// and what is around it still does.
void RangeBorders::EndFromBefore(const RegionShare& share) {
  const bool outermost = share.below == PathId::kNone;
  if (outermost && !share.aside) aside_.fetch_sub(1, std::memory_order_relaxed);
  if (share.aside_below) aside_.fetch_add(1, std::memory_order_relaxed);
}

// A region that was taken for one that cannot be measured as a whole has ended.
void RangeBorders::NotPinned(PathId path, uint64_t host_ns, const RegionShare& share) {
  const uint32_t inside = begins_ - share.begins;  // each takes a range, and one after it
  const bool fits = host_ns < kOpenBoundNs && inside < kMaxChain * books_.ranges_allowed() / 4;
  if (!fits) return scheduler_.Excuse(path);
  PathEntry* entry = paths_.Entry(path);
  if (entry != nullptr) entry->outgrown.store(false, std::memory_order_relaxed);
}

// Where in open_ the stack is, or open_count_.
size_t RangeBorders::StackOf(const void* owner) const {
  size_t stack = 0;
  while (stack < open_count_ && open_[stack].owner != owner) ++stack;
  return stack;
}

PathId RangeBorders::TopOf(const void* owner) const {
  const size_t stack = StackOf(owner);
  return stack < open_count_ ? open_[stack].top : PathId::kNone;
}

bool RangeBorders::SetTop(const void* owner, PathId top) {
  const size_t stack = StackOf(owner);
  if (top == PathId::kNone) {
    if (stack < open_count_) open_[stack] = open_[--open_count_];
    return true;
  }
  if (stack == kMaxOpenStacks) {
    ++overlaps_;  // it runs beside all the others and cannot be named with them
    return false;
  }
  if (stack == open_count_) ++open_count_;
  open_[stack] = {owner, top};
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

// --- ranges ---------------------------------------------------------------------

void RangeBorders::CloseRange() {
  if (range_ == PathId::kNone) return;
  const PathId closed = range_;
  range_ = PathId::kNone;
  blocking_range_open_.store(false, std::memory_order_relaxed);
  const uint64_t now = NowNs();
  const size_t slot = books_.Held(closed, range_call_);
  if (slot != EpochBooks::kNoSlot) books_[slot].counted_ns += now - range_start_ns_;
  const PathEntry* entry = paths_.Entry(closed);
  if (entry != nullptr && entry->member_count > 0) {
    FinishedRegion stretch;
    stretch.path = closed;
    stretch.start_ns = range_start_ns_;
    stretch.duration_ns = now - range_start_ns_;
    stretch.epoch = epoch_;
    stretch.device = setup_.device;
    recorder_.Overlapped(stretch);
  }
  if (!session_->Pop()) RefusedByCupti();
  scheduler_.BorderTook(pass_, NowNs() - now);
}

// Closes the open range and opens the one for what is open now.
void RangeBorders::SwitchRange() {
  const PathId wanted = Combined();
  innermost_.store(wanted, std::memory_order_relaxed);
  border_ns_ = NowNs();
  if (open_count_ > 1 || (open_count_ == 1 && aside_.load(std::memory_order_relaxed) > 0)) {
    ++overlaps_;
  }
  steps_inside_ = 0;
  CloseRange();
  if (wanted == PathId::kNone || state_ != State::kRunning) return;
  if (scheduler_.given_up(pass_)) {
    ++left_out_;
    return;
  }
  OpenRange(wanted);
}

void RangeBorders::OpenRange(PathId wanted) {
  const uint32_t call = CallOfOpen();
  const size_t slot = books_.HasRange() ? books_.SlotFor(wanted, call) : EpochBooks::kNoSlot;
  if (slot == EpochBooks::kNoSlot) {
    ++gaps_;
    Health().Lost(Loss::kSlotsExceeded);
    return;
  }
  char name[24];
  char* end = std::to_chars(name, name + 11, static_cast<uint32_t>(wanted)).ptr;
  if (call != 0) {
    *end++ = '.';
    end = std::to_chars(end, name + sizeof name - 1, call).ptr;
  }
  *end = '\0';
  const uint64_t before = NowNs();
  if (!session_->Push(name)) {
    ++gaps_;
    RefusedByCupti();
    return;
  }
  range_start_ns_ = NowNs();
  scheduler_.BorderTook(pass_, range_start_ns_ - before);
  range_ = wanted;
  range_call_ = call;
  books_.AddRange();
  ++books_[slot].segments;
  if (cut_) ++books_[slot].cut_segments;
  range_cut_ = cut_;
  cut_ = false;
  if (open_count_ > 1) {  // each stretch of an overlap is a call of it
    const PathEntry* entry = paths_.Entry(wanted);
    const bool named = entry != nullptr && entry->member_count > 0;  // there was room for a path
    ++(named ? books_[slot].instances : books_[slot].incomplete);
  }
  blocking_range_open_.store(scheduler_.passes()[pass_].patches, std::memory_order_relaxed);
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

std::vector<std::string> RangeBorders::GiveUpPatching() {
  Lock lock(mutex_);
  std::vector<std::string> sets;
  for (const ScheduledPass& pass : scheduler_.passes()) {
    const bool known = std::find(sets.begin(), sets.end(), pass.set) != sets.end();
    if (pass.patches && !pass.given_up && !known) sets.push_back(pass.set);
  }
  for (const std::string& set : sets) scheduler_.GiveUp(set);
  if (state_ != State::kRunning || range_ == PathId::kNone || !scheduler_.given_up(pass_)) {
    return sets;
  }
  ++left_out_;
  if (open_count_ > 1) {  // a stretch of an overlap counts as whole when it begins
    const size_t slot = books_.Held(range_, range_call_);
    if (slot != EpochBooks::kNoSlot) ++books_[slot].incomplete;
  }
  CloseRange();
  return sets;
}

}  // namespace rafter
