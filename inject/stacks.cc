// InjectionSession's half that keeps what is open on each thread, for all region
// sources: NVTX's domains, each a stack of its own, and NvMarker's names, which end in
// any order.
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/clock.h"
#include "inject/session.h"

namespace rafter {
namespace {

// As NVTX's headers say for "the level is not tracked".
constexpr int kNotTracked = -2;

constexpr int kStartedSerialShift = 16;

std::string_view View(NameBytes name) { return {name.data, name.size}; }

void Describe(const RegionEvent& event, OpenRegion& open) {
  open.category = event.category;
  open.payload = event.payload;
}

}  // namespace

// The calling thread's record, with the session started; null when it cannot be had.
ThreadRecord* InjectionSession::ReadyThread(const char* entry) {
  if (inert_.load(std::memory_order_relaxed)) return nullptr;
  if (!recording_.load(std::memory_order_acquire)) Start(entry, false);
  ThreadRecord* const mine = threads_.Mine();
  if (mine == nullptr) Health().Lost(Loss::kThreadsExceeded);
  return mine;
}

PathId InjectionSession::PathOf(const OpenRegion* around, uint32_t domain, std::string_view name,
                                uint64_t hash) {
  const PathId parent = around == nullptr ? PathId::kNone : around->path;
  if (!rules_.groups()) return paths_.Find(parent, domain, name);
  NameRules::Buffer buffer;
  return paths_.Find(parent, domain, rules_.Grouped(name, hash, buffer));
}

// Opens a region on the calling thread; false where it found no place.
bool InjectionSession::Open(ThreadRecord& mine, uint16_t source, const RegionEvent& event) {
  if (mine.in_launch) EndLaunch(mine, true);
  if (!mine.has_room()) {
    Health().Lost(Loss::kDepthExceeded);
    ++mine.deep;
    ++mine.deep_of[source];
    return false;
  }
  const OpenRegion* const around = mine.Innermost();
  OpenRegion& open = mine.open[mine.depth++];
  open.source = source;
  open.name_hash = HashName(View(event.name));
  Describe(event, open);
  // A program that marks through NVTX and NvMarker at once means one region.
  const bool other_source =
      around != nullptr && around->source != source &&
      (source == OpenRegion::kNvMarkerSource || around->source == OpenRegion::kNvMarkerSource);
  if (other_source && around->name_hash == open.name_hash) {
    open.standing = OpenRegion::Standing::kJoined;
    return true;
  }
  const uint32_t domain = source == OpenRegion::kNvMarkerSource ? 0 : source;
  open.path = PathOf(around, domain, View(event.name), open.name_hash);
  BeginRegion(&mine, around, open);
  return true;
}

// Closes the region at a place plus one. Those that began inside it and are still open
// lose their counters, and what they do from here on belongs to what is around them all.
void InjectionSession::Close(ThreadRecord& mine, uint32_t place) {
  OpenRegion& open = mine.open[place - 1];
  for (uint32_t above = mine.depth; above > place; --above) Cross(mine, mine.open[above - 1]);
  if (open.standing <= OpenRegion::Standing::kCrossed) EndRegion(&mine, open, mine.thread, false);
  open.standing = OpenRegion::Standing::kClosed;
  mine.DropClosed();
}

void InjectionSession::CloseDeep(ThreadRecord& mine, uint16_t source) {
  --mine.deep_of[source];
  --mine.deep;
}

// A region around this one has ended before it: its counters up to here are no whole
// call's, and from here on its work is not told from what is around it.
void InjectionSession::Cross(ThreadRecord& mine, OpenRegion& open) {
  if (open.standing == OpenRegion::Standing::kUnchosen) {
    open.standing = OpenRegion::Standing::kCrossed;
    return;
  }
  if (open.standing != OpenRegion::Standing::kOpen) return;
  open.standing = OpenRegion::Standing::kCrossed;
  for (size_t i = 0; i < open.share_count; ++i) {
    RegionShare& share = open.shares[i];
    if (share.context == RegionShare::kNoContext) continue;
    FinishedRegion unfinished;
    contexts_.At(share.context)
        ->borders.End(&mine, open.path, NowNs() - open.start_ns, share, unfinished, true, true);
    share.borders = share.aside = false;
    share.uncounted = Uncounted::kCrossed;
  }
}

int InjectionSession::Push(uint32_t domain, const RegionEvent& event) {
  ThreadRecord* const mine = ReadyThread("nvtx");
  if (mine == nullptr || domain >= PathTable::kMaxDomains) return kNotTracked;
  const uint32_t level = mine->levels[domain]++;
  if (Wants(domain)) Open(*mine, static_cast<uint16_t>(domain), event);
  return static_cast<int>(level);
}

int InjectionSession::Pop(uint32_t domain) {
  if (inert_.load(std::memory_order_relaxed)) return kNotTracked;
  ThreadRecord* const mine = threads_.Mine();
  if (mine == nullptr || domain >= PathTable::kMaxDomains) return kNotTracked;
  const bool wanted = Wants(domain);
  if (wanted && mine->in_launch) EndLaunch(*mine, true);
  if (mine->levels[domain] == 0) {
    if (wanted) Health().Lost(Loss::kUnmatchedPops);
    return -1;
  }
  const uint32_t level = --mine->levels[domain];
  if (!wanted) return static_cast<int>(level);
  if (mine->deep_of[domain] > 0) {
    CloseDeep(*mine, static_cast<uint16_t>(domain));
  } else if (const uint32_t place = mine->Find(static_cast<uint16_t>(domain), nullptr);
             place != 0) {
    Close(*mine, place);
  }
  return static_cast<int>(level);
}

bool InjectionSession::OpenNamed(std::string_view name) {
  ThreadRecord* const mine = ReadyThread("nvmarker");
  if (mine == nullptr || !options_.nvmarker) return true;
  const uint64_t hash = HashName(name);
  if (mine->Find(OpenRegion::kNvMarkerSource, &hash) != 0) return false;
  Open(*mine, OpenRegion::kNvMarkerSource, {{name.data(), name.size()}, 0, {}});
  return true;
}

bool InjectionSession::CloseNamed(std::string_view name) {
  ThreadRecord* const mine = ReadyThread("nvmarker");
  if (mine == nullptr || !options_.nvmarker) return true;
  if (mine->in_launch) EndLaunch(*mine, true);
  const uint64_t hash = HashName(name);
  const uint32_t place = mine->Find(OpenRegion::kNvMarkerSource, &hash);
  if (place != 0) {
    Close(*mine, place);
    return true;
  }
  if (mine->deep_of[OpenRegion::kNvMarkerSource] == 0) {
    Health().Lost(Loss::kUnmatchedPops);
    return false;
  }
  CloseDeep(*mine, OpenRegion::kNvMarkerSource);
  return true;
}

uint64_t InjectionSession::StartRange(uint32_t domain, const RegionEvent& event) {
  if (inert_.load(std::memory_order_relaxed)) return 0;
  if (!recording_.load(std::memory_order_acquire)) Start("nvtx", false);
  // The number of a range is a place and a serial that tells its uses apart.
  if (domain >= PathTable::kMaxDomains || !Wants(domain)) return ~uint64_t{0};
  for (size_t place = 0; place < kMaxStartedRanges; ++place) {
    StartedRange& range = started_ranges_[place];
    uint64_t free = range.state.load(std::memory_order_relaxed);
    const uint64_t serial = free / 4 + 1;
    if (free % 4 != 0 ||
        !range.state.compare_exchange_strong(free, serial * 4 + 1, std::memory_order_acquire)) {
      continue;
    }
    range.thread = static_cast<uint32_t>(syscall(SYS_gettid));
    Describe(event, range.open);
    range.open.path = PathOf(nullptr, domain, View(event.name), HashName(View(event.name)));
    const uint64_t number = serial << kStartedSerialShift | (place + 1);
    BeginRegion(&range, nullptr, range.open);
    range.state.store(serial * 4 + 2, std::memory_order_release);
    return number;
  }
  Health().Lost(Loss::kThreadsExceeded);
  return ~uint64_t{0};
}

void InjectionSession::EndRange(uint64_t number) {
  if (inert_.load(std::memory_order_relaxed) || number == ~uint64_t{0}) return;
  const uint64_t place = number & ((1u << kStartedSerialShift) - 1);
  if (place == 0 || place > kMaxStartedRanges) {
    Health().Lost(Loss::kUnmatchedPops);
    return;
  }
  StartedRange& range = started_ranges_[place - 1];
  const uint64_t serial = number >> kStartedSerialShift;
  uint64_t open = serial * 4 + 2;
  if (!range.state.compare_exchange_strong(open, serial * 4 + 1, std::memory_order_acquire)) {
    Health().Lost(Loss::kUnmatchedPops);
    return;
  }
  EndRegion(&range, range.open, range.thread, false);
  range.state.store(serial * 4, std::memory_order_release);
}

// Hot path. One clock read, one copy.
void InjectionSession::Mark(uint32_t domain, const RegionEvent& event) {
  ThreadRecord* const mine = ReadyThread("nvtx");
  if (mine == nullptr || domain >= PathTable::kMaxDomains || !Wants(domain)) return;
  const OpenRegion* const around = mine->Innermost();
  const PathId parent = around == nullptr ? PathId::kNone : around->path;
  FinishedRegion mark;
  mark.is_mark = true;
  mark.start_ns = NowNs();
  if (rules_.groups()) {
    NameRules::Buffer buffer;
    const std::string_view name = View(event.name);
    mark.path = paths_.FindMark(parent, domain, rules_.Grouped(name, HashName(name), buffer));
  } else {
    mark.path = paths_.FindMark(parent, domain, View(event.name));
  }
  mark.thread = mine->thread;
  mark.category = event.category;
  mark.payload = event.payload;
  Record(mark);
}

}  // namespace rafter
