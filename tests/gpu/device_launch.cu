// rafter-device-launch has a kernel that launches kernels of known work from
// the device. A program of its own, since it needs relocatable device code.
// Prints a truth like rafter-cases'.
#include <cstdio>
#include <string>

#include "tests/gpu/arithmetic_kernel.cuh"
#include "tests/gpu/cuda_check.h"
#include "tests/gpu/options.h"
#include "tests/gpu/tally.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-device-launch [options]\n"
    "  --instances N    passes through each region (default 20)\n"
    "  --truth FILE     writes the truth there instead of to standard output\n";
constexpr int kChildren = 3;
constexpr int kRounds = 32;

RAFTER_ARITHMETIC_KERNEL(launched_ffma, float,
                         asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                                      : "+f"(value[chain])
                                      : "f"(operand), "f"(addend)))

__global__ void launching_kernel(float* out, int children, int blocks, float one, float addend,
                                 int rounds) {
  for (int child = 0; child < children; ++child) {
    launched_ffma_kernel<<<blocks, kThreadsPerBlock>>>(out, one, one, addend, rounds);
  }
}

int Main(int argc, char** argv) {
  unsigned long long instances = 20;
  std::string truth_file;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--instances")) {
      instances = options.Number();
    } else if (options.Is("--truth")) {
      truth_file = options.Value();
    } else {
      options.Unknown();
    }
  }
  const cudaDeviceProp device = RequireDevice();
  if (device.major != 9) {
    std::fprintf(stderr, "%s is not of the one architecture that this is built for, sm_90\n",
                 device.name);
    return kExitNoDevice;
  }
  float* out = nullptr;
  Check(cudaMalloc(&out, ArithmeticBytes(kTallyBlocks)), "allocating");
  Tally tally;
  tally.Prepare();
  for (unsigned long long i = 0; i < instances; ++i) {
    tally.Open("device launch");
    tally.DoNotClaimFp16();
    // Launches of the device are seen by nobody on the host; whether patching
    // reaches the kernels is CUPTI's affair. A number must be the true one.
    tally.Claim(FlopClaim::kHonest, "");
    tally.DoNotClaimLaunches();
    launching_kernel<<<1, 1>>>(out, kChildren, kTallyBlocks, 1, 1e-6f, kRounds);
    Check(cudaGetLastError(), "launching the launching kernel");
    for (int child = 0; child < kChildren; ++child) tally.Note(Tally::Arithmetic(kFfma, kRounds));
    tally.Close();
    tally.Open("host launch");
    tally.Claim(FlopClaim::kHonest, "");
    tally.Launch(kFmul, 16);
    tally.Close();
    Check(cudaDeviceSynchronize(), "waiting for a pass");
  }
  WriteText(tally.ToJson("rafter-device-launch", device, ""), truth_file);
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
