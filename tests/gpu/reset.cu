// rafter-reset marks regions and then calls cudaDeviceReset, which destroys the
// context under whatever counts on it. With --again it goes on after that.
#include <cstdio>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/known_work.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-reset [options]\n"
    "  --instances N    regions before the reset (default 20)\n"
    "  --open           resets while a region is open\n"
    "  --again          as many regions in a new context afterwards\n";
constexpr int kBlocks = 132;
constexpr int kRounds = 64;

void Regions(const char* name, unsigned long long instances) {
  void* scratch = nullptr;
  Check(cudaMalloc(&scratch, ArithmeticBytes(kBlocks)), "allocating");
  for (unsigned long long i = 0; i < instances; ++i) {
    Region region(name);
    LaunchArithmetic(kFfma, scratch, kBlocks, kRounds, nullptr);
  }
  Check(cudaDeviceSynchronize(), "waiting for the regions");
}

int Main(int argc, char** argv) {
  unsigned long long instances = 20;
  bool open = false;
  bool again = false;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--instances")) {
      instances = options.Number();
    } else if (options.Is("--open")) {
      open = true;
    } else if (options.Is("--again")) {
      again = true;
    } else {
      options.Unknown();
    }
  }
  RequireDevice();
  Regions("before", instances);
  if (open) nvtxRangePushA("open");
  Check(cudaDeviceReset(), "cudaDeviceReset");
  if (open) nvtxRangePop();
  if (again) Regions("after", instances);
  std::printf("reset done\n");
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
