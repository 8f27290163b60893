// rafter-waiter has a kernel that waits for a later one: A spins on a flag that
// B, launched afterwards on another stream, sets. A tool that makes each launch
// block until its kernel is done would hang it for ever, so A gives up after
// --limit seconds and the program says so. Exit status 0 if they met, 1 if not.
#include <chrono>
#include <cstdio>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-waiter [options]\n"
    "  --limit S      seconds after which the waiter gives up (default 3)\n"
    "  --rounds N     meetings, each in a region `meeting` (default 1)\n";

struct Meeting {
  unsigned flag;  // raised by B
  unsigned met;   // set by A when it saw the flag
};

__global__ void WaitForFlag(volatile Meeting* meeting, unsigned long long limit_ns) {
  unsigned long long start = 0;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    if (meeting->flag != 0) {
      meeting->met = 1;
      return;
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < limit_ns);
}

__global__ void RaiseFlag(volatile Meeting* meeting) {
  meeting->flag = 1;
  __threadfence();
}

// One meeting. Returns whether it happened before the limit.
bool Meet(Meeting* meeting, cudaStream_t waiting, cudaStream_t raising,
          unsigned long long limit_ns) {
  Check(cudaMemset(meeting, 0, sizeof(Meeting)), "clearing the flag");
  Check(cudaDeviceSynchronize(), "waiting for the flag to be cleared");
  {
    Region region("meeting");
    WaitForFlag<<<1, 1, 0, waiting>>>(meeting, limit_ns);
    Check(cudaGetLastError(), "launching the waiter");
    RaiseFlag<<<1, 1, 0, raising>>>(meeting);
    Check(cudaGetLastError(), "launching the raiser");
    Check(cudaDeviceSynchronize(), "waiting for both");
  }
  Meeting result{};
  Check(cudaMemcpy(&result, meeting, sizeof(result), cudaMemcpyDeviceToHost), "reading the flag");
  return result.met != 0;
}

int Main(int argc, char** argv) {
  unsigned long long limit_s = 3;
  unsigned long long rounds = 1;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--limit")) {
      limit_s = options.Number();
    } else if (options.Is("--rounds")) {
      rounds = options.Number();
    } else {
      options.Unknown();
    }
  }
  RequireDevice();
  Meeting* meeting = nullptr;
  cudaStream_t waiting = nullptr;
  cudaStream_t raising = nullptr;
  Check(cudaMalloc(&meeting, sizeof(Meeting)), "allocating the flag");
  Check(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking), "creating a stream");
  Check(cudaStreamCreateWithFlags(&raising, cudaStreamNonBlocking), "creating a stream");
  // Kernels are loaded at their first launch, which may wait for running ones.
  RaiseFlag<<<1, 1, 0, raising>>>(meeting);
  Check(cudaDeviceSynchronize(), "warming up");
  WaitForFlag<<<1, 1, 0, waiting>>>(meeting, 1000);
  Check(cudaDeviceSynchronize(), "warming up");

  unsigned long long met = 0;
  const auto start = std::chrono::steady_clock::now();
  for (unsigned long long round = 0; round < rounds; ++round) {
    met += Meet(meeting, waiting, raising, limit_s * 1000000000ull) ? 1 : 0;
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("met %llu of %llu times in %.3f s\n", met, rounds, seconds);
  if (met != rounds) std::printf("the waiter gave up after %llu s\n", limit_s);
  return met == rounds ? 0 : 1;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
