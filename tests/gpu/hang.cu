// rafter-hang marks regions and then never ends: its last kernel spins until
// somebody ends the program. After --limit seconds it gives up, with status 1.
#include <cstdio>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/known_work.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-hang [options]\n"
    "  --limit S      seconds after which the kernel gives up (default 120)\n";
constexpr int kBlocks = 132;
constexpr int kRounds = 64;
constexpr int kInstances = 20;
constexpr unsigned long long kNsPerSecond = 1'000'000'000;

__global__ void Spin(unsigned long long limit_ns) {
  unsigned long long start = 0;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < limit_ns);
}

int Main(int argc, char** argv) {
  unsigned long long limit_s = 120;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--limit")) {
      limit_s = options.Number();
    } else {
      options.Unknown();
    }
  }
  RequireDevice();
  void* scratch = nullptr;
  Check(cudaMalloc(&scratch, ArithmeticBytes(kBlocks)), "allocating");
  for (int i = 0; i < kInstances; ++i) {
    const Region region("counted");
    LaunchArithmetic(kFfma, scratch, kBlocks, kRounds, nullptr);
  }
  const Region region("hanging");
  Spin<<<1, 1>>>(limit_s * kNsPerSecond);
  Check(cudaDeviceSynchronize(), "waiting for the kernel that spins");
  std::fprintf(stderr, "nobody ended this program within %llu s\n", limit_s);
  return 1;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
