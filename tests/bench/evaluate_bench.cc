// What the collector pays to make values of a counter-data image from an H200,
// with CUPTI's host half: once for a chip, and for every range.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cupti/host.h"

namespace rafter {
namespace {

constexpr const char* kChip = "GH100";
const std::vector<std::string>& Metrics() {
  static const std::vector<std::string>* const metrics = new std::vector<std::string>{
      "dram__bytes.sum",    "gpu__time_duration.sum", "lts__t_bytes.sum",
      "l1tex__t_bytes.sum", "sm__cycles_elapsed.max", "dram__bytes.sum.peak_sustained"};
  return *metrics;
}

CuptiSearch Search() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  return {.override_path = variable("RAFTER_CUPTI_PATH"), .cuda_home = variable("CUDA_HOME")};
}

std::vector<uint8_t> Image() {
  std::ifstream file(RAFTER_SHARED_DIR "/data/h200/image.cdi", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The host object and the image, or the reason in `state`.
std::unique_ptr<CuptiHost> Prepare(benchmark::State& state, std::vector<uint8_t>& image) {
  Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(Search());
  image = Image();
  if (!host.ok()) {
    state.SkipWithError(host.status().message().c_str());
    return nullptr;
  }
  if (image.empty()) {
    state.SkipWithError(RAFTER_SHARED_DIR "/data/h200/image.cdi is not there");
    return nullptr;
  }
  return std::move(*host);
}

// The value is known: data/h200/README.md.
constexpr double kCopyBytes = 1072917248;

void EvaluateRange(benchmark::State& state) {
  std::vector<uint8_t> image;
  const std::unique_ptr<CuptiHost> host = Prepare(state, image);
  if (host == nullptr) return;
  for (auto _ : state) {
    const auto values = host->Evaluate(kChip, {}, "", image, 0, Metrics());
    if (!values.ok() || values->front() != kCopyBytes) {
      state.SkipWithError(values.ok() ? "CUPTI gives another value than is known"
                                      : values.status().message().c_str());
      break;
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(EvaluateRange)->Unit(benchmark::kMicrosecond);

void NameRanges(benchmark::State& state) {
  std::vector<uint8_t> image;
  const std::unique_ptr<CuptiHost> host = Prepare(state, image);
  if (host == nullptr) return;
  for (auto _ : state) {
    const auto names = host->RangeNames(image);
    if (!names.ok() || names->size() != 2) {
      state.SkipWithError("the image does not hold its two ranges");
      break;
    }
  }
}
BENCHMARK(NameRanges)->Unit(benchmark::kMicrosecond);

// A configuration image for these metrics, on a host object that knows the chip.
void PlanOneSet(benchmark::State& state) {
  std::vector<uint8_t> image;
  const std::unique_ptr<CuptiHost> host = Prepare(state, image);
  if (host == nullptr) return;
  for (auto _ : state) {
    const auto plan = host->Plan(kChip, {}, {Metrics()});
    if (!plan.ok()) {
      state.SkipWithError(plan.status().message().c_str());
      break;
    }
  }
}
BENCHMARK(PlanOneSet)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace rafter

BENCHMARK_MAIN();
