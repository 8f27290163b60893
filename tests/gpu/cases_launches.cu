// Cases of work that reaches the device in unusual ways.
#include <cooperative_groups.h>
#include <cudaTypedefs.h>

#include "tests/gpu/cases.h"
#include "tests/gpu/cuda_check.h"
#include "tests/gpu/driver_calls.h"
#include "tests/gpu/lazy_module.h"

namespace rafter {
namespace {

constexpr int kCooperativeBlocks = 66;  // resident together on any device with 66 processors
constexpr int kCooperativeRounds = 64;

// Two halves of FFMA with a meeting of all blocks between them. 2 x 64 FFMA in
// the code, which sass_count.py checks.
__global__ void __launch_bounds__(kThreadsPerBlock)
    cooperative_ffma_kernel(float* out, float start, float operand, float addend, int rounds) {
  float value[kChains];
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) value[chain] = start;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
#pragma unroll
        for (int chain = 0; chain < kChains; ++chain) {
          asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                       : "+f"(value[chain])
                       : "f"(operand), "f"(addend));
        }
      }
    }
    cooperative_groups::this_grid().sync();
  }
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) out[thread * kChains + chain] = value[chain];
}

std::string Cooperative(const CaseSettings& settings, Tally& tally) {
  float* out = nullptr;
  Check(cudaMalloc(&out, ArithmeticBytes(kCooperativeBlocks)), "allocating");
  float start = 1;
  float operand = 1;
  float addend = 1e-6f;
  int rounds = kCooperativeRounds;
  void* arguments[] = {&out, &start, &operand, &addend, &rounds};
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    tally.Open("cooperative");
    tally.DoNotClaimFp16();
    Check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(cooperative_ffma_kernel),
                                      dim3(kCooperativeBlocks), dim3(kThreadsPerBlock), arguments),
          "launching a cooperative kernel");
    tally.Note(Tally::Arithmetic(kFfma, 2 * kCooperativeRounds, kCooperativeBlocks));
    tally.Close();
  }
  return "";
}

// The module comes and goes with each pass, so its code is new to the driver
// and to CUPTI every time.
std::string LazyModule(const CaseSettings& settings, Tally& tally) {
  void* scratch = nullptr;
  Check(cudaMalloc(&scratch, ArithmeticBytes(kTallyBlocks)), "allocating");
  const DriverCalls driver = FindDriverCalls();
  float start = 1;
  float operand = 1;
  float addend = 1e-6f;
  int rounds = 48;
  void* arguments[] = {&scratch, &start, &operand, &addend, &rounds};
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    tally.Open("lazy");
    CheckDriver(driver.module_load(&module, g_lazy_module), "cuModuleLoadData");
    CheckDriver(driver.module_function(&function, module, "lazy_ffma_kernel"),
                "cuModuleGetFunction");
    CheckDriver(driver.launch(function, kTallyBlocks, 1, 1, kThreadsPerBlock, 1, 1, 0, nullptr,
                              arguments, nullptr),
                "cuLaunchKernel");
    tally.Note(Tally::Arithmetic(kFfma, rounds));
    tally.Close();
    Check(cudaDeviceSynchronize(), "waiting for the module's kernel");
    CheckDriver(driver.module_unload(module), "cuModuleUnload");
  }
  return "";
}

// `late` is closed on the host while its kernel has 20 ms to go; what `next`
// does on another stream must not wait for it, nor be charged to it.
std::string Asynchronous(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  cudaStream_t slow = nullptr;
  cudaStream_t quick = nullptr;
  Check(cudaStreamCreateWithFlags(&slow, cudaStreamNonBlocking), "creating a stream");
  Check(cudaStreamCreateWithFlags(&quick, cudaStreamNonBlocking), "creating a stream");
  Truth spin;
  spin.launches = 1;
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    tally.Open("late");
    tally.ClaimSeconds(0.0195, 0.030);
    LaunchSpin(20000000, slow);
    tally.Note(spin);
    tally.Close();
    tally.Open("next");
    tally.ClaimSeconds(0, 0.005);
    tally.Launch(kFfma, 32, quick);
    tally.Close();
    Check(cudaDeviceSynchronize(), "waiting for both streams");
  }
  return "";
}

std::string EmptyAfterBusy(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    tally.Open("busy");
    for (int launch = 0; launch < 4; ++launch) tally.Launch(kFfma, 256);
    tally.Close();
    tally.Open("nothing");
    tally.Close();
  }
  return "";
}

// Kernels of about 2 us.
std::string Short(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    tally.Open("one");
    tally.Launch(kFfma, 1);
    tally.Close();
    tally.Open("ten");
    for (int launch = 0; launch < 10; ++launch) tally.Launch(kFmul, 1);
    tally.Close();
  }
  return "";
}

}  // namespace

std::vector<Case> LaunchCases() {
  return {
      {"cooperative", "a cooperative launch whose blocks meet", Cooperative},
      {"lazy", "a module loaded, used and unloaded with each pass", LazyModule},
      {"asynchronous", "a 20 ms kernel whose region is closed at once", Asynchronous},
      {"empty", "an empty region after a busy one", EmptyAfterBusy},
      {"short", "kernels of about 2 us", Short},
  };
}

}  // namespace rafter
