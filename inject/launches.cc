// InjectionSession's half that sees launches: what may hang, where they belong, and
// launches as regions of their own.
#include <string.h>

#include "inject/clock.h"
#include "inject/session.h"

namespace rafter {
namespace {

// Launches inside a range that patches kernels block until the kernel is done; where
// kernels may wait for a later launch, that would hang the program.
constexpr const char* kMayHang =
    "kernels may then wait for each other, and launches inside a flop range block until their "
    "kernel is done";

// Kernels of libraries that let GPUs, or streams, wait for each other.
constexpr const char* kWaitingKernels[] = {"nccl", "nvshmem", "mscclpp"};

bool IsCollective(const char* symbol) {
  for (const char* part : kWaitingKernels) {
    if (symbol != nullptr && strstr(symbol, part) != nullptr) return true;
  }
  return false;
}

}  // namespace

void InjectionSession::OnLaunch(const SeenLaunch& launch) {
  if (forked_.load(std::memory_order_relaxed)) return;
  LookForDanger(launch);
  CountedContext* counted = contexts_.Find(launch.context);
  if (counted == nullptr && early_generation_ != 0) counted = Meet(launch.context);
  if (counted != nullptr) counted->launches.fetch_add(1, std::memory_order_acq_rel);
  PlaceLaunch(launch, counted);
  if (counted == nullptr) return;
  const PathId path = counted->borders.InnermostPath();
  if (path != PathId::kNone) {
    kernels_.Count(path, counted->device.load(std::memory_order_relaxed), launch);
  }
  ThreadRecord* const mine = threads_.Mine();
  if (mine != nullptr && mine->in_launch) EndLaunch(*mine, true);
  const bool in_region =
      mine != nullptr && mine->has_room() && (options_.no_regions || mine->Innermost() != nullptr);
  const bool each = options_.granularity == Options::Granularity::kKernel;
  if (in_region && (each || options_.replay_kernels)) BeginLaunch(*mine, launch);
  if (options_.replay_kernels) BeginReplay(mine, *counted, launch);
}

// CUPTI is about to repeat the launch. It makes no range of a graph.
void InjectionSession::BeginReplay(ThreadRecord* mine, CountedContext& counted,
                                   const SeenLaunch& launch) {
  if (counted.borders.state() != RangeBorders::State::kReplaying || launch.symbol == nullptr) {
    return;
  }
  if (mine == nullptr) return counted.replay.Stray();
  if (mine->replayed_context != 0) EndReplay(*mine, false);
  counted.replay.Begin(mine->in_launch ? mine->open[mine->depth - 1].path : PathId::kNone);
  mine->replayed_context = static_cast<uint8_t>(counted.index + 1);
}

void InjectionSession::LookForDanger(const SeenLaunch& launch) {
  if (launch.symbol == nullptr && options_.replay_kernels) {
    Health().AddNote(NoteSeverity::kWarning, "counters",
                     "CUPTI does not repeat CUDA graphs, so what they do is in no number; count "
                     "the program without --replay kernel");
  } else if (launch.symbol == nullptr) {
    LeavePatchingOut(
        "the program launches CUDA graphs, whose kernels it counts as 0 or in the next region",
        "graphs are counted in the other sets");
  }
  if (!IsCollective(launch.symbol)) {
    compute_stream_.store(launch.stream, std::memory_order_relaxed);
  } else if (launch.stream != compute_stream_.load(std::memory_order_relaxed)) {
    LeavePatchingOut("collective kernels (NCCL and the like) run on a stream of their own",
                     kMayHang);
  }
}

void InjectionSession::LeaveSeveralDevices() {
  LeavePatchingOut("the program uses more than one GPU", kMayHang);
}

// A launch on a context that the regions around it have no part in: they take part
// from their next call on. One on another context of a GPU disturbs what is being
// counted there.
void InjectionSession::PlaceLaunch(const SeenLaunch& launch, CountedContext* counted) {
  ThreadRecord* const mine = threads_.Mine();
  const uint32_t depth = mine == nullptr ? 0 : mine->depth;
  if (counted == nullptr && launch.context != nullptr) counted = Meet(launch.context);
  if (counted == nullptr) return;
  ForEachContext([&](CountedContext& other) {
    if (&other != counted && other.ordinal == counted->ordinal && other.borders.AnythingOpen()) {
      other.borders.ForeignLaunch();
    }
  });
  OpenRegion* const innermost = depth == 0 ? nullptr : mine->Innermost();
  if (innermost != nullptr && BeginLate(*innermost, mine, *counted)) return;
  for (uint32_t level = depth; level > 0; --level) {
    OpenRegion& open = mine->open[level - 1];
    if (open.standing != OpenRegion::Standing::kOpen) continue;
    if (open.ShareOf(counted->index) != nullptr) return;
    open.elsewhere.fetch_or(1u << counted->index, std::memory_order_relaxed);
    Join(open.path, *counted);
  }
  if (depth > 0 || counted->borders.AnythingOpen() || open_regions_.load() == 0) return;
  // A thread without a region: where one context alone has something open, that is
  // what the launch is inside of.
  PathId around = PathId::kNone;
  ForEachContext([&](CountedContext& other) {
    const PathId open = other.borders.InnermostPath();
    if (open == PathId::kNone) return;
    around = around == PathId::kNone ? open : static_cast<PathId>(~0u);
  });
  if (paths_.Entry(around) != nullptr) Join(around, *counted);
}

// --- launches as regions --------------------------------------------------------

PathId InjectionSession::LaunchPath(PathId parent, const SeenLaunch& launch) {
  LaunchKind kind;
  std::copy(launch.grid, launch.grid + 3, kind.grid);
  std::copy(launch.block, launch.block + 3, kind.block);
  kind.dynamic_shared_bytes = launch.shared_bytes;
  if (launch.function != nullptr) {
    driver_.KernelFacts(launch.function, kind.registers, kind.static_shared_bytes);
  }
  const char* const symbol = launch.symbol == nullptr ? "" : launch.symbol;
  return paths_.FindLaunch(parent, {symbol, strnlen(symbol, PathTable::kMaxSymbolBytes)}, kind);
}

void InjectionSession::BeginLaunch(ThreadRecord& mine, const SeenLaunch& launch) {
  const OpenRegion* const around = mine.Innermost();
  OpenRegion& open = mine.open[mine.depth++];
  open.source = OpenRegion::kLaunchSource;
  open.category = 0;
  open.payload = {};
  open.path = LaunchPath(around == nullptr ? PathId::kNone : around->path, launch);
  mine.in_launch = true;
  BeginRegion(&mine, around, open);
}

void InjectionSession::OnLaunched(bool failed) {
  ThreadRecord* const mine = threads_.Mine();
  if (mine == nullptr || forked_.load(std::memory_order_relaxed)) return;
  if (mine->in_launch) EndLaunch(*mine, failed);
  if (mine->replayed_context != 0) EndReplay(*mine, failed);
}

void InjectionSession::EndReplay(ThreadRecord& mine, bool failed) {
  CountedContext& counted = *contexts_.At(mine.replayed_context - 1u);
  mine.replayed_context = 0;
  if (!counted.replay.End(failed)) return;
  const std::unique_lock<std::mutex> own = OwnCounting();
  if (own.owns_lock() && counted.epoch_running) return FlushReplay(counted, true);
  counted.replay.Resume();  // the next launch tries again
}

// `truncated`: its return to the program was not seen, since the watch had ended, or it
// failed.
void InjectionSession::EndLaunch(ThreadRecord& mine, bool truncated) {
  mine.in_launch = false;
  OpenRegion& open = mine.open[--mine.depth];
  EndRegion(&mine, open, mine.thread, truncated);
}

// --- signs ----------------------------------------------------------------------

void InjectionSession::OnSign(const char* what) {
  if (!forked_.load(std::memory_order_relaxed)) LeavePatchingOut(what, kMayHang);
}

void InjectionSession::LeavePatchingOut(const char* reason, const char* what_then) {
  if (patching_left_out_.exchange(true)) return;
  patching_reason_ = std::string(reason) + "; " + what_then;
  patching_known_.store(true, std::memory_order_release);
  ForEachContext([&](CountedContext& counted) { GiveUpPatching(counted); });
}

void InjectionSession::GiveUpPatching(CountedContext& counted) {
  if (!patching_known_.load(std::memory_order_acquire)) return;
  for (const std::string& set : counted.borders.GiveUpPatching()) {
    Health().AddNote(NoteSeverity::kWarning, set, set + " is left out: " + patching_reason_);
  }
}

void InjectionSession::OnContextGoing(void* context) {
  if (forked_.load(std::memory_order_relaxed)) return;
  CountedContext* const counted = contexts_.Find(context);
  if (counted == nullptr) return;
  EndCounting(*counted, true);
  if (counted->borders.MayMove()) counted->context.store(nullptr, std::memory_order_relaxed);
  Wake();
}

}  // namespace rafter
