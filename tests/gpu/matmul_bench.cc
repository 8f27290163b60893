#include "tests/gpu/matmul_bench.h"

#include <benchmark/benchmark.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cstdio>

#include "tests/gpu/region.h"

namespace rafter {
namespace {

constexpr int kSizes[] = {256, 1024, 2048};
constexpr char kFloatBits[] = "32";

// Returns where randomisation is off already, or cannot be turned off.
void StartWithoutRandomisation(char** argv) {
  constexpr unsigned long kAsk = 0xffffffff;
  const int now = personality(kAsk);
  if (now == -1 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1) return;
  execv("/proc/self/exe", argv);
  std::perror("starting anew without address randomisation");
}

void Multiply(benchmark::State& state, Multiplier& multiplier, const std::string& name, int size) {
  multiplier.Prepare(size);
  for (auto _ : state) {
    {
      const Region region(name.c_str());
      multiplier.Multiply();
    }
    multiplier.Wait();  // else the time is that of launching
  }
  const float expected = kElementOfA * kElementOfB * static_cast<float>(size);
  if (multiplier.Last() != expected) state.SkipWithError("the product is wrong");
}

}  // namespace

int RunMatmulBench(int argc, char** argv, const std::string& paradigm,
                   const std::vector<MatmulFamily>& families) {
  StartWithoutRandomisation(argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("paradigm", paradigm);
  benchmark::AddCustomContext("float_type", kFloatBits);
  for (const MatmulFamily& family : families) {
    for (const int size : kSizes) {
      const std::string name = family.name + "/" + std::to_string(size);
      benchmark::RegisterBenchmark(name.c_str(), [family, name, size](benchmark::State& state) {
        Multiply(state, *family.multiplier, name, size);
      })->UseRealTime();
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace rafter
