// rafter-nccl sums a buffer over two GPUs with NCCL on streams of its own while
// kernels of known work run beside it. libnccl is opened at run time.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/known_work.h"
#include "tests/gpu/library_function.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-nccl [options]\n"
    "  --steps N      sums, each in a region `step` (default 20)\n";
constexpr int kDevices = 2;
constexpr size_t kFloats = size_t{16} << 20;
constexpr int kBlocks = 132;
constexpr int kRounds = 256;

// From nccl.h, which a machine that builds this need not have.
using Communicator = void*;
constexpr int kNcclFloat = 7;
constexpr int kNcclSum = 0;

struct Nccl {
  int (*init_all)(Communicator*, int, const int*) = nullptr;
  int (*all_reduce)(const void*, void*, size_t, int, int, Communicator, cudaStream_t) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*destroy)(Communicator) = nullptr;
  const char* (*error_text)(int) = nullptr;

  void CheckCall(int status, const char* what) const {
    if (status == 0) return;
    std::fprintf(stderr, "%s failed: %s\n", what, error_text(status));
    std::exit(1);
  }
};

// Exits with 77 where there is no NCCL.
Nccl OpenNccl() {
  void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "no NCCL: %s\n", dlerror());
    std::exit(kExitNoDevice);
  }
  Nccl nccl;
  FindFunction(library, "libnccl.so.2", "ncclCommInitAll", nccl.init_all);
  FindFunction(library, "libnccl.so.2", "ncclAllReduce", nccl.all_reduce);
  FindFunction(library, "libnccl.so.2", "ncclGroupStart", nccl.group_start);
  FindFunction(library, "libnccl.so.2", "ncclGroupEnd", nccl.group_end);
  FindFunction(library, "libnccl.so.2", "ncclCommDestroy", nccl.destroy);
  FindFunction(library, "libnccl.so.2", "ncclGetErrorString", nccl.error_text);
  return nccl;
}

// One device's part.
struct Rank {
  cudaStream_t compute = nullptr;
  cudaStream_t exchange = nullptr;
  float* values = nullptr;
  void* scratch = nullptr;
};

Rank MakeRank(int device) {
  Rank rank;
  Check(cudaSetDevice(device), "cudaSetDevice");
  Check(cudaStreamCreateWithFlags(&rank.compute, cudaStreamNonBlocking), "creating a stream");
  Check(cudaStreamCreateWithFlags(&rank.exchange, cudaStreamNonBlocking), "creating a stream");
  Check(cudaMalloc(&rank.values, kFloats * sizeof(float)), "allocating values");
  Check(cudaMalloc(&rank.scratch, ArithmeticBytes(kBlocks)), "allocating");
  // 1.0f in every place.
  LaunchWrite(rank.values, kFloats * sizeof(float), kBlocks, rank.exchange);
  Check(cudaStreamSynchronize(rank.exchange), "filling the values");
  return rank;
}

void Step(const Nccl& nccl, const Rank* ranks, const Communicator* communicators) {
  Region region("step");
  for (int i = 0; i < kDevices; ++i) {
    Check(cudaSetDevice(i), "cudaSetDevice");
    LaunchArithmetic(kFfma, ranks[i].scratch, kBlocks, kRounds, ranks[i].compute);
  }
  nccl.CheckCall(nccl.group_start(), "ncclGroupStart");
  for (int i = 0; i < kDevices; ++i) {
    nccl.CheckCall(nccl.all_reduce(ranks[i].values, ranks[i].values, kFloats, kNcclFloat, kNcclSum,
                                   communicators[i], ranks[i].exchange),
                   "ncclAllReduce");
  }
  nccl.CheckCall(nccl.group_end(), "ncclGroupEnd");
  for (int i = 0; i < kDevices; ++i) {
    Check(cudaSetDevice(i), "cudaSetDevice");
    LaunchArithmetic(kFfma, ranks[i].scratch, kBlocks, kRounds, ranks[i].compute);
  }
}

int Main(int argc, char** argv) {
  unsigned long long steps = 20;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--steps")) {
      steps = options.Number();
    } else {
      options.Unknown();
    }
  }
  RequireDevice();
  int devices = 0;
  Check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  if (devices < kDevices) {
    std::fprintf(stderr, "one CUDA device; rafter-nccl needs two\n");
    return kExitNoDevice;
  }
  const Nccl nccl = OpenNccl();
  Rank ranks[kDevices];
  Communicator communicators[kDevices] = {};
  for (int i = 0; i < kDevices; ++i) ranks[i] = MakeRank(i);
  const int ordinals[kDevices] = {0, 1};
  nccl.CheckCall(nccl.init_all(communicators, kDevices, ordinals), "ncclCommInitAll");
  for (unsigned long long step = 0; step < steps; ++step) {
    Step(nccl, ranks, communicators);
    for (int i = 0; i < kDevices; ++i) {
      Check(cudaSetDevice(i), "cudaSetDevice");
      Check(cudaDeviceSynchronize(), "waiting for a device");
    }
  }
  // The sum of equal values doubles with every step.
  float expected = 1;
  for (unsigned long long step = 0; step < steps; ++step) expected *= kDevices;
  for (int i = 0; i < kDevices; ++i) {
    float value = 0;
    Check(cudaSetDevice(i), "cudaSetDevice");
    Check(cudaMemcpy(&value, ranks[i].values + kFloats - 1, sizeof(value), cudaMemcpyDeviceToHost),
          "reading a sum");
    if (value != expected) {
      std::printf("device %d has %g instead of %g\n", i, static_cast<double>(value),
                  static_cast<double>(expected));
      return 1;
    }
    nccl.CheckCall(nccl.destroy(communicators[i]), "ncclCommDestroy");
  }
  std::printf("%llu sums over %d devices are right\n", steps, kDevices);
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
