// InjectionSession's half that settles on which contexts a region works, and what its
// record says of each.
#include "inject/clock.h"
#include "inject/session.h"

namespace rafter {

// The region begins on one more context, which the regions around it may work on too.
void InjectionSession::BeginShare(const void* owner, CountedContext& context, OpenRegion& open) {
  if (open.share_count == OpenRegion::kMaxShares) return;
  RegionShare& share = open.shares[open.share_count];
  const OpenRegion* const around = OpenRegion::NearestOn(context.index, open.around);
  const RegionShare* share_around = around == nullptr ? nullptr : around->ShareOf(context.index);
  context.borders.Begin(owner, share_around, open.path, share);
  share.launches = static_cast<uint32_t>(context.launches.load(std::memory_order_acquire));
  ++open.share_count;
}

// Hot path. Without counters: a look-up, a clock read, some stores. A region takes
// part in the borders of the context that is current when it begins, and of those
// that its path has been seen to launch on.
void InjectionSession::BeginRegion(const void* owner, const OpenRegion* around, OpenRegion& open) {
  open.around = around;
  open.share_count = 0;
  open.elsewhere.store(0, std::memory_order_relaxed);
  const PathEntry* const entry = paths_.Entry(open.path);
  if (entry != nullptr && !entry->chosen) return BeginUnchosen(open);
  open.standing = OpenRegion::Standing::kOpen;
  void* const current = CurrentContext();
  CountedContext* home = current == nullptr ? nullptr : contexts_.Find(current);
  if (current != nullptr && home == nullptr) home = Meet(current);
  if (home != nullptr) {
    BeginShare(owner, *home, open);
    if (around != nullptr && around->ShareOf(home->index) == nullptr) Join(around->path, *home);
  } else {
    RegionShare& none = open.shares[open.share_count++];
    none = {};
    none.uncounted = current == nullptr ? Uncounted::kNoContext : Uncounted::kOtherDevice;
  }
  open.before_cuda = !cuda_initialised_.load(std::memory_order_relaxed);
  const uint32_t learned = entry == nullptr ? 0 : entry->contexts.load(std::memory_order_relaxed);
  for (uint32_t rest = learned; rest != 0; rest &= rest - 1) {
    CountedContext& other = *contexts_.At(static_cast<size_t>(__builtin_ctz(rest)));
    CountedContext* const there = OnSameGpu(open, other);
    if (there == nullptr) BeginShare(owner, other, open);
    // One context of a GPU counts at a time and sees its own work only; where
    // launches are not watched, what was learned must do.
    if (there != nullptr && there != &other && !watch_.watching()) there->borders.ForeignLaunch();
  }
  open.watch_generation = watch_.generation();
  open.launches_at_start = watch_.launches();
  open_regions_.fetch_add(1, std::memory_order_relaxed);
  if (current == nullptr && !open.before_cuda && contexts_.count() == 0) {
    WatchEarly();
    open.watch_generation = watch_.generation();
  }
  open.start_ns = NowNs();
}

// Whether the region met no context when it began, and the launch that has just been seen
// is the first since then, of any thread.
bool InjectionSession::StartsLate(const OpenRegion& open) const {
  if (open.share_count != 1 || open.shares[0].context != RegionShare::kNoContext ||
      open.shares[0].uncounted != Uncounted::kNoContext) {
    return false;
  }
  const uint32_t now = watch_.generation();
  const bool watched =
      now != 0 && (open.watch_generation == now || (open.before_cuda && early_generation_ == now));
  return watched && watch_.launches() == open.launches_at_start + 1;
}

// The first launch of a region that met no context: it begins on the launch's context here.
// Regions around it stay without, as they are when a region inside them meets one.
bool InjectionSession::BeginLate(OpenRegion& open, const void* owner, CountedContext& context) {
  if (!StartsLate(open)) return false;
  open.share_count = 0;
  BeginShare(owner, context, open);
  open.watch_generation = watch_.generation();
  open.shares[0].launches -= 1;  // it was seen before the region took part
  Join(open.path, context);
  return true;
}

// It is listed with its calls and host time; its work is that of what is around it.
void InjectionSession::BeginUnchosen(OpenRegion& open) {
  open.standing = OpenRegion::Standing::kUnchosen;
  RegionShare& none = open.shares[open.share_count++];
  none = {};
  none.uncounted = Uncounted::kNotChosen;
  open.watch_generation = 0;
  open_regions_.fetch_add(1, std::memory_order_relaxed);
  open.start_ns = NowNs();
}

// The context of the same GPU through which the region takes part already, or null.
CountedContext* InjectionSession::OnSameGpu(const OpenRegion& open, const CountedContext& context) {
  for (size_t i = 0; i < open.share_count; ++i) {
    if (open.shares[i].context == RegionShare::kNoContext) continue;
    CountedContext* const other = contexts_.At(open.shares[i].context);
    if (other->ordinal == context.ordinal) return other;
  }
  return nullptr;
}

// What is inside a region works on a context: the region takes part in it from its
// next call on, and so do those around it.
void InjectionSession::Join(PathId path, const CountedContext& context) {
  const uint32_t bit = 1u << context.index;
  for (PathEntry* entry = paths_.Entry(path); entry != nullptr;
       entry = paths_.Entry(entry->parent)) {
    if ((entry->contexts.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
  }
}

// The region ends on a context that it takes part in.
void InjectionSession::EndShare(const void* owner, const OpenRegion& open, const RegionShare& share,
                                bool truncated, FinishedRegion& finished) {
  CountedContext& context = *contexts_.At(share.context);
  const uint64_t launches = context.launches.load(std::memory_order_acquire);
  const bool watched = open.watch_generation != 0 && open.watch_generation == watch_.generation();
  finished.launches =
      watched ? static_cast<uint32_t>(launches) - share.launches : FinishedRegion::kNotWatched;
  context.borders.End(owner, open.path, finished.duration_ns, share, finished, truncated);
  finished.device = context.device.load(std::memory_order_relaxed);
  if (truncated) {
    finished.epoch = 0;
    finished.uncounted = Uncounted::kTruncated;
  }
  if (!share.borders && finished.uncounted == Uncounted::kCounted) {
    finished.epoch = context.replay.Count(open.path);
    if (finished.epoch == 0) finished.uncounted = Uncounted::kCountersOff;
  }
  // Launches of calls that ran beside others are not theirs alone.
  if (finished.uncounted == Uncounted::kOverlapped) {
    finished.launches = FinishedRegion::kNotWatched;
  }
}

// Hot path. One clock read, one copy for each GPU that the region works on, or one
// copy if there is none.
void InjectionSession::EndRegion(const void* owner, OpenRegion& open, uint32_t thread,
                                 bool truncated) {
  FinishedRegion finished;
  finished.duration_ns = NowNs() - open.start_ns;
  finished.start_ns = open.start_ns;
  finished.path = open.path;
  finished.thread = thread;
  finished.category = open.category;
  finished.payload = open.payload;
  bool recorded = false;
  for (size_t i = 0; i < open.share_count; ++i) {
    const RegionShare& share = open.shares[i];
    if (share.context == RegionShare::kNoContext) continue;
    EndShare(owner, open, share, truncated, finished);
    Record(finished);
    recorded = true;
  }
  finished.epoch = 0;
  finished.launches = FinishedRegion::kNotWatched;
  finished.uncounted = Uncounted::kOtherDevice;
  const RegionShare& home = open.shares[0];
  if (home.context == RegionShare::kNoContext) finished.uncounted = home.uncounted;
  if (truncated) finished.uncounted = Uncounted::kTruncated;
  if (open.elsewhere.load(std::memory_order_relaxed) != 0) {
    recorded = RecordElsewhere(open, finished) || recorded;
  }
  if (!recorded) {  // it met no GPU that is known
    finished.device = 0;
    Record(finished);
  }
  open_regions_.fetch_sub(1, std::memory_order_relaxed);
}

// The region launched on GPUs that it had no part in: a call there that was not
// counted. Whether there is one.
bool InjectionSession::RecordElsewhere(const OpenRegion& open, FinishedRegion finished) {
  uint64_t recorded = 0;  // ordinals, as bits
  for (uint32_t rest = open.elsewhere.load(std::memory_order_relaxed); rest != 0;
       rest &= rest - 1) {
    CountedContext& other = *contexts_.At(static_cast<size_t>(__builtin_ctz(rest)));
    const uint64_t bit = uint64_t{1} << (other.ordinal & 63);
    finished.device = other.device.load(std::memory_order_relaxed);
    if ((recorded & bit) != 0 || OnSameGpu(open, other) != nullptr) continue;
    recorded |= bit;
    if (finished.device != 0 || !KeepEarly(other, finished)) Record(finished);
  }
  return recorded != 0;
}

// A call on a GPU that has no number yet; false when it is not kept for that.
bool InjectionSession::KeepEarly(CountedContext& context, const FinishedRegion& call) {
  const std::lock_guard<std::mutex> lock(context.early_mutex);
  if (context.early.size() >= CountedContext::kMostEarly) return false;
  context.early.push_back(call);
  return true;
}

// Now that it has one, or never will.
void InjectionSession::RecordEarly(CountedContext& context) {
  std::vector<FinishedRegion> early;
  {
    const std::lock_guard<std::mutex> lock(context.early_mutex);
    early.swap(context.early);
  }
  for (FinishedRegion& call : early) {
    call.device = context.device.load(std::memory_order_relaxed);
    Record(call);
  }
}

void InjectionSession::Record(const FinishedRegion& finished) {
  if (!ring_.TryPush(finished)) {
    if (finished.is_mark) return Health().Lost(Loss::kMarksDropped);
    Health().Lost(Loss::kInstancesDropped);
    PathEntry* entry = paths_.Entry(finished.path);
    if (entry != nullptr) entry->dropped_instances.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (ring_.pushed() % (RegionRing::kCapacity / 4) == 0) Wake();
}

}  // namespace rafter
