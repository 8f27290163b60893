// Programs that use the GPU in ways that matter to a profiler.
#include <cupti_callbacks.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/survival/programs/gpu.h"
#include "tests/survival/programs/story.h"

namespace rafter::survival {
namespace {

void Pause(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// Long enough for counters to be set up and for several epochs.
SURVIVAL_STORY(counts_for_a_while) {
  OpenGpu();
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(300)) {
    RunRegion("copy", "copy:dram_read=1000,dram_write=1000,ns=100000", 5);
    RunRegion("compute", "saxpy:ffma=5000,ns=100000,sass_ns=400000", 5);
  }
  WriteMaps();
  std::puts("counted");
  return 0;
}

SURVIVAL_STORY(marks_nothing) {
  OpenGpu();
  Launch("saxpy:ffma=5000,ns=100000");
  cuCtxSynchronize();
  return 0;
}

SURVIVAL_STORY(marks_before_cuda) {
  nvtxRangePushA("before cuInit");
  Prologue();
  nvtxRangePop();
  Pause(50);
  Work();
  return 0;
}

SURVIVAL_STORY(destroys_its_context_inside_a_region) {
  Prologue();
  CUcontext context = nullptr;
  cuCtxCreate_v4(&context, nullptr, 0, 0);
  nvtxRangePushA("around");
  RunRegion("inside", "k:ns=100000", 100);
  std::printf("destroy %d\n", cuCtxDestroy_v2(context));
  nvtxRangePop();
  OpenGpu();
  RunRegion("after", "k:ns=100000", 10);
  return 0;
}

SURVIVAL_STORY(resets_its_device) {
  Prologue();
  for (int i = 0; i < 5; ++i) {
    std::printf("reset %d\n", cuDevicePrimaryCtxReset_v2(0));
    OpenGpu();
    RunRegion("after reset", "k:ns=100000", 20);
    Pause(20);
  }
  return 0;
}

SURVIVAL_STORY(uses_many_contexts) {
  Prologue();
  for (int i = 0; i < 20; ++i) {
    CUcontext context = nullptr;
    cuCtxCreate_v4(&context, nullptr, 0, 0);
    RunRegion("short life", "k:ns=10000", 5);
    cuCtxDestroy_v2(context);
  }
  std::puts("twenty contexts");
  return 0;
}

SURVIVAL_STORY(uses_two_devices) {
  OpenGpu(0);
  RunRegion("on the first", "k:ffma=1,ns=100000", 50);
  CUcontext second = nullptr;
  cuDevicePrimaryCtxRetain(&second, 1);
  cuCtxSetCurrent(second);
  RunRegion("on the second", "k:ffma=1,ns=100000", 50);
  WriteMaps();
  std::puts("two devices");
  return 0;
}

SURVIVAL_STORY(launches_from_many_threads) {
  CUcontext context = OpenGpu();
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([context] {
      cuCtxSetCurrent(context);
      for (int j = 0; j < 20; ++j) {
        nvtxRangePushA("shared");
        Launch("k:ffma=1,ns=10000");
        nvtxRangePop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  cuCtxSynchronize();
  WriteMaps();
  std::puts("sixteen threads");
  return 0;
}

// Kernels that wait for each other, said in advance by a stream operation:
// the patched set must be left out, or this hangs.
SURVIVAL_STORY(lets_kernels_wait_for_each_other) {
  OpenGpu();
  CUstream a = nullptr, b = nullptr;
  CUdeviceptr word = 0;
  cuStreamCreate(&a, 0);
  cuStreamCreate(&b, 0);
  cuMemAlloc_v2(&word, 4);
  cuStreamWriteValue32_v2(a, word, 1, 0);
  cuStreamWaitValue32_v2(b, word, 1, 0);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; std::chrono::steady_clock::now() - start < std::chrono::milliseconds(700); ++i) {
    char waits[64], sets[64];
    std::snprintf(waits, sizeof waits, "waiter:wait=flag%d,ns=1000", i);
    std::snprintf(sets, sizeof sets, "setter:set=flag%d,ns=1000", i);
    nvtxRangePushA("pair");
    Launch(waits, a);
    Launch(sets, b);
    nvtxRangePop();
    cuCtxSynchronize();
    cuStreamWriteValue32_v2(a, word, 1, 0);
  }
  WriteMaps();
  std::puts("met");
  return 0;
}

// Without any sign in advance. The waiting kernel gives up by itself after
// RAFTER_FAKE_GIVE_UP_MS.
SURVIVAL_STORY(lets_kernels_wait_without_warning) {
  OpenGpu();
  RunRegion("first", "k:ffma=1,ns=100000", 3);
  CUstream a = nullptr, b = nullptr;
  cuStreamCreate(&a, 0);
  cuStreamCreate(&b, 0);
  WriteMaps();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1500); ++i) {
    char waits[64], sets[64];
    std::snprintf(waits, sizeof waits, "the_waiting_kernel:wait=flag%d,ns=1000", i);
    std::snprintf(sets, sizeof sets, "setter:set=flag%d,ns=1000", i);
    nvtxRangePushA("pair");
    Launch(waits, a);
    Launch(sets, b);
    nvtxRangePop();
    cuCtxSynchronize();
  }
  std::puts("met or gave up");
  return 0;
}

SURVIVAL_STORY(launches_that_fail) {
  Prologue();
  for (int i = 0; i < 50; ++i) {
    nvtxRangePushA("fails");
    cuCtxSetCurrent(nullptr);
    const CUresult launched = Launch("k:ns=1000");
    if (i == 0) std::printf("launch %d\n", launched);
    OpenGpu();
    nvtxRangePop();
  }
  return 0;
}

void Nothing(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

// The program has a profiler of its own, which wants CUPTI's one subscription
// after a while.
SURVIVAL_STORY(subscribes_late) {
  OpenGpu();
  for (int i = 0; i < 100; ++i) RunRegion("work", "k:ffma=1,ns=100000", 10);
  WriteMaps();
  void* cupti = dlopen(std::getenv("SURVIVAL_CUPTI"), RTLD_NOW | RTLD_LOCAL);
  if (cupti == nullptr) return 1;
  auto* subscribe = reinterpret_cast<decltype(&cuptiSubscribe)>(dlsym(cupti, "cuptiSubscribe"));
  auto* unsubscribe =
      reinterpret_cast<decltype(&cuptiUnsubscribe)>(dlsym(cupti, "cuptiUnsubscribe"));
  CUpti_SubscriberHandle handle = nullptr;
  // Counting rests by now, or will: on a busy machine it may take some calls more.
  CUptiResult subscribed = subscribe(&handle, Nothing, nullptr);
  for (int i = 0; i < 500 && subscribed != CUPTI_SUCCESS; ++i) {
    RunRegion("work", "k:ffma=1,ns=100000", 1);
    usleep(10'000);
    subscribed = subscribe(&handle, Nothing, nullptr);
  }
  std::printf("subscribe %d\n", subscribed);
  RunRegion("work", "k:ffma=1,ns=100000", 20);
  std::printf("unsubscribe %d\n", unsubscribe(handle));
  return 0;
}

SURVIVAL_STORY(subscribes_first) {
  cuInit(0);
  void* cupti = dlopen(std::getenv("SURVIVAL_CUPTI"), RTLD_NOW | RTLD_LOCAL);
  if (cupti == nullptr) return 1;
  auto* subscribe = reinterpret_cast<decltype(&cuptiSubscribe)>(dlsym(cupti, "cuptiSubscribe"));
  CUpti_SubscriberHandle handle = nullptr;
  std::printf("subscribe %d\n", subscribe(&handle, Nothing, nullptr));
  Prologue();
  for (int i = 0; i < 20; ++i) RunRegion("work", "k:ffma=1,ns=100000", 10);
  return 0;
}

}  // namespace
}  // namespace rafter::survival
