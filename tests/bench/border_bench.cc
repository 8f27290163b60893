// Cost of a region border on the calling thread: an NVTX push and pop that
// nobody listens to, one that Rafter records without counters, and one that it
// counts, up to the hand-over to CUPTI (whose functions are empty here).
//
//   rafter_bench_border --benchmark_repetitions=5
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "inject/counters/range_borders.h"
#include "inject/record/path_table.h"
#include "inject/record/region_ring.h"
#include "tests/fakes/opening_cupti.h"

namespace rafter {
namespace {

// Each module has NVTX tables of its own, filled at its first call; so the same
// source is built twice, and called once without and once with a tool named.
using PushPop = void (*)(const char*);

// Libraries lie in ../lib beside this program, in a build and in a bundle.
std::string Library(const char* name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / ".." / "lib" / name;
}

PushPop LoadModule(const char* name, bool with_tool) {
  if (with_tool) {
    setenv("NVTX_INJECTION64_PATH", Library("libinject.so").c_str(), 1);
  } else {
    unsetenv("NVTX_INJECTION64_PATH");
  }
  void* module = dlopen(Library(name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return nullptr;
  auto push_pop = reinterpret_cast<PushPop>(dlsym(module, "PushPop"));
  if (push_pop != nullptr) push_pop("first");
  return push_pop;
}

void RunModule(benchmark::State& state, const char* name, bool with_tool) {
  static PushPop loaded[2] = {nullptr, nullptr};
  PushPop& push_pop = loaded[with_tool ? 1 : 0];
  if (push_pop == nullptr) push_pop = LoadModule(name, with_tool);
  if (push_pop == nullptr) {
    state.SkipWithError("the module with the NVTX calls cannot be loaded");
    return;
  }
  for (auto _ : state) push_pop("region of a usual name");
}

void BM_NvtxWithoutATool(benchmark::State& state) {
  RunModule(state, "librafter_nvtx_plain.so", false);
}
BENCHMARK(BM_NvtxWithoutATool);

void BM_NvtxRecordedWithoutCounters(benchmark::State& state) {
  RunModule(state, "librafter_nvtx_tool.so", true);
}
BENCHMARK(BM_NvtxRecordedWithoutCounters);

class NoRecorder final : public RangeBorders::Recorder {
 public:
  void Wake() noexcept override {}
  void Overlapped(const FinishedRegion&) noexcept override {}
};

// A CUPTI that takes every border and does nothing.
CuptiTable EmptyCupti() {
  CuptiTable table = OpeningCupti();
  table.cuptiRangeProfilerPushRange = [](CUpti_RangeProfiler_PushRange_Params*) {
    return CUPTI_SUCCESS;
  };
  table.cuptiRangeProfilerPopRange = [](CUpti_RangeProfiler_PopRange_Params*) {
    return CUPTI_SUCCESS;
  };
  return table;
}

void BM_CountedUpToTheHandOver(benchmark::State& state) {
  static const CuptiTable cupti = EmptyCupti();
  auto paths = std::make_unique<PathTable>();
  auto ring = std::make_unique<RegionRing>();
  NoRecorder recorder;
  auto borders = std::make_unique<RangeBorders>(*paths, recorder);
  RangeSession session;
  DeviceFacts facts;
  int context = 0;
  if (!session.Open(&cupti, &context, facts).ok()) {
    state.SkipWithError("the empty CUPTI is not taken");
    return;
  }
  RangeBorders::Setup setup;
  setup.passes = {{"time", 255}};
  borders->Armed(&session, setup, 1);
  FinishedRegion finished;
  int owner = 0;
  int64_t in_epoch = 0;
  for (auto _ : state) {
    RegionShare share;
    const PathId path = paths->Find(PathId::kNone, 0, "region of a usual name");
    borders->Begin(&owner, nullptr, path, share);
    borders->End(&owner, path, 0, share, finished);
    ring->TryPush(finished);
    ring->TryPop(finished);
    if (++in_epoch == static_cast<int64_t>(RangeBorders::kRangesPerEpoch)) {
      in_epoch = 0;
      borders->CloseEpoch();  // 64 ranges are all that an epoch takes
    }
  }
}
BENCHMARK(BM_CountedUpToTheHandOver);

}  // namespace
}  // namespace rafter

// Removes what the library recorded here: it is of no use afterwards.
void RemoveSpool() {
  const std::string own = "." + std::to_string(getpid()) + ".";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(".", ignored)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".spool") && name.find(own) != std::string::npos) {
      std::filesystem::remove(entry.path(), ignored);
    }
  }
}

int main(int argc, char** argv) {
  setenv("RAFTER_QUIET", "1", 1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  RemoveSpool();
  return 0;
}
