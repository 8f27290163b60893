// A Google Benchmark program over the fake driver. Like newer versions of the library
// it starts itself anew before anything else; what it does beyond counting follows
// from its name, so that copies of it tell different stories.
#include <benchmark/benchmark.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "tests/survival/programs/gpu.h"

namespace rafter::survival {
namespace {

std::string PathOfProgram() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, size < 0 ? 0 : static_cast<size_t>(size));
}

bool IsCalled(std::string_view part) { return PathOfProgram().find(part) != std::string::npos; }

void Marked(const char* region, const char* kernel) {
  nvtxRangePushA(region);
  Launch(kernel);
  nvtxRangePop();
  cuCtxSynchronize();
}

void Copy(benchmark::State& state) {
  for (auto _ : state) Marked("Copy-Naive/64", "copy:dram_read=1000,dram_write=1000,ns=100000");
  state.counters["real_time"] = 1;
  state.counters["error_occurred"] = 1;
  state.counters["ratio"] = std::numeric_limits<double>::quiet_NaN();
  state.counters["name"] = std::numeric_limits<double>::infinity();
}

void MatMul(benchmark::State& state) {
  for (auto _ : state) Marked("evaluate", "saxpy:ffma=5000,ns=100000,sass_ns=400000");
  if (IsCalled("killed")) std::raise(SIGKILL);
}

void Failing(benchmark::State& state) {
  if (IsCalled("erring")) state.SkipWithError("the device has no \"fp8\"");
  for (auto _ : state) Marked("Copy-Other/1", "copy:dram_read=10,ns=1000");
}

void StartAnew(char** arguments) {
  constexpr char kDone[] = "RAN_ANEW";
  if (std::getenv(kDone) != nullptr) return;
  setenv(kDone, "1", 1);
  execv(PathOfProgram().c_str(), arguments);
  std::_Exit(97);
}

}  // namespace
}  // namespace rafter::survival

int main(int count, char** arguments) {
  using namespace rafter::survival;  // NOLINT(google-build-using-namespace): main only
  StartAnew(arguments);
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::AddCustomContext("paradigm", "Cuda");
  benchmark::AddCustomContext("float_type", "32");
  OpenGpu();
  benchmark::RegisterBenchmark("Copy-Naive/64", Copy)->Iterations(1);
  benchmark::RegisterBenchmark(IsCalled("mixed") ? "MatMul<-1>/16" : "Copy-MatMul", MatMul)
      ->Iterations(1);
  benchmark::RegisterBenchmark("Copy-Other/1", Failing)->Iterations(1);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
