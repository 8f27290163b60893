// Programs whose counts are known, on several devices, contexts and threads.
#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/survival/programs/gpu.h"
#include "tests/survival/programs/story.h"

namespace rafter::survival {
namespace {

using Clock = std::chrono::steady_clock;

long Setting(const char* name, long otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atol(value);
}

// Calls `body` again and again for so long, or SURVIVAL_MS.
template <typename Body>
void Repeat(long ms, Body&& body) {
  const auto end = Clock::now() + std::chrono::milliseconds(Setting("SURVIVAL_MS", ms));
  while (Clock::now() < end) body();
}

void Nap(int us) { std::this_thread::sleep_for(std::chrono::microseconds(us)); }

// A kernel's handle, looked up once: the fakes never free one.
CUfunction Kernel(const char* script) {
  CUfunction function = nullptr;
  cuModuleGetFunction(&function, nullptr, script);
  return function;
}

void Put(CUfunction kernel) {
  cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr);
}

void Region(const char* name, CUfunction kernel) {
  nvtxRangePushA(name);
  Put(kernel);
  nvtxRangePop();
}

int Said(const char* what) {
  WriteMaps();
  std::puts(what);
  return 0;
}

// NVTX's headers find their tool at the first call, by means that ThreadSanitizer
// takes for a race where two threads make it; with CUDA's variable alone not before
// cuInit.
void StartNvtx() {
  cuInit(0);
  nvtxMarkA("before the threads");
}

// --- devices --------------------------------------------------------------------

SURVIVAL_STORY(works_on_two_devices_by_thread) {
  const auto work = [](int device, const char* region, const char* script) {
    OpenGpu(device);
    CUfunction kernel = Kernel(script);
    Repeat(800, [&] {
      Region(region, kernel);
      Nap(50);
    });
  };
  StartNvtx();
  std::thread other(work, 1, "on the second", "k1:dram=3000,ffma=7,ns=2000");
  work(0, "on the first", "k0:dram=1000,ffma=5,ns=1000");
  other.join();
  return Said("two devices");
}

SURVIVAL_STORY(alternates_between_devices) {
  CUcontext contexts[2] = {OpenGpu(0), OpenGpu(1)};
  CUfunction kernels[2] = {Kernel("k0:dram=1000,ns=1000"), Kernel("k1:dram=3000,ns=2000")};
  Repeat(800, [&] {
    for (int i = 0; i < 2; ++i) {
      cuCtxSetCurrent(contexts[i]);
      Region("alternates", kernels[i]);
    }
    Nap(50);
  });
  return Said("alternated");
}

SURVIVAL_STORY(spans_two_devices) {
  CUcontext second = OpenGpu(1);
  CUcontext first = OpenGpu(0);
  CUfunction here = Kernel("k0:dram=1000,ns=1000");
  CUfunction there = Kernel("k1:dram=3000,ns=2000");
  Repeat(800, [&] {
    nvtxRangePushA("both");
    Put(here);
    cuCtxSetCurrent(second);
    Put(there);
    cuCtxSetCurrent(first);
    nvtxRangePop();
    Nap(50);
  });
  return Said("both");
}

// --- contexts of one device -------------------------------------------------------

SURVIVAL_STORY(takes_turns_on_two_contexts) {
  cuInit(0);
  const auto work = [](const char* region, const char* script) {
    CUcontext context = nullptr;
    cuCtxCreate_v4(&context, nullptr, 0, 0);
    CUfunction kernel = Kernel(script);
    Repeat(4000, [&] {
      Region(region, kernel);
      Nap(500);
    });
  };
  StartNvtx();
  std::thread other(work, "in the second", "k1:dram=3000,ffma=7,ns=2000");
  work("in the first", "k0:dram=1000,ffma=5,ns=1000");
  other.join();
  return Said("took turns");
}

SURVIVAL_STORY(launches_on_a_second_context) {
  OpenGpu(0);
  CUcontext second = nullptr;
  cuCtxCreate_v4(&second, nullptr, 0, 0);
  CUcontext first = OpenGpu(0);
  CUfunction here = Kernel("k0:dram=1000,ffma=5,ns=1000");
  CUfunction there = Kernel("k1:dram=3000,ffma=7,ns=2000");
  Repeat(1500, [&] {
    Region("alone", here);
    nvtxRangePushA("in both");
    Put(here);
    cuCtxSetCurrent(second);
    Put(there);
    cuCtxSetCurrent(first);
    nvtxRangePop();
    Nap(200);
  });
  return Said("launched");
}

SURVIVAL_STORY(makes_a_context_inside_a_region) {
  cuInit(0);
  nvtxRangePushA("around");
  CUcontext context = nullptr;
  cuCtxCreate_v4(&context, nullptr, 0, 0);
  CUfunction kernel = Kernel("k0:dram=1000,ffma=5,ns=1000");
  for (int i = 0; i < 200; ++i) {
    Region("inside", kernel);
    Nap(500);
  }
  nvtxRangePop();
  for (int i = 0; i < 200; ++i) {
    Region("after", kernel);
    Nap(500);
  }
  return Said("made inside");
}

// No context is current where the region begins and ends.
SURVIVAL_STORY(sets_its_context_inside_a_region) {
  CUcontext context = OpenGpu(0);
  CUfunction kernel = Kernel("k0:dram=1000,ffma=5,ns=1000");
  Repeat(800, [&] {
    Region("beside", kernel);
    cuCtxSetCurrent(nullptr);
    nvtxRangePushA("around");
    cuCtxSetCurrent(context);
    Put(kernel);
    cuCtxSetCurrent(nullptr);
    nvtxRangePop();
    cuCtxSetCurrent(context);
    Nap(200);
  });
  return Said("set inside");
}

// One after the other, each on the other GPU.
SURVIVAL_STORY(moves_from_gpu_to_gpu) {
  cuInit(0);
  CUfunction kernel = Kernel("k0:dram=1000,ffma=5,ns=1000");
  for (int device = 0; device < 2; ++device) {
    CUcontext context = nullptr;
    cuCtxCreate_v4(&context, nullptr, 0, device);
    for (int i = 0; i < 300; ++i) {
      Region(device == 0 ? "on the first" : "on the second", kernel);
      Nap(200);
    }
    cuCtxDestroy_v2(context);
  }
  return Said("moved");
}

// More than are counted at once, one after the other.
SURVIVAL_STORY(makes_contexts_one_after_the_other) {
  cuInit(0);
  CUfunction kernel = Kernel("k0:dram=1000,ffma=5,ns=1000");
  for (int i = 0; i < 40; ++i) {
    CUcontext context = nullptr;
    cuCtxCreate_v4(&context, nullptr, 0, 0);
    for (int call = 0; call < 20; ++call) Region("work", kernel);
    cuCtxDestroy_v2(context);
  }
  return Said("many contexts");
}

// No region begins with the second GPU's context.
SURVIVAL_STORY(launches_on_a_gpu_that_no_region_has_met) {
  CUcontext second = OpenGpu(1);
  CUcontext first = OpenGpu(0);
  CUfunction kernel = Kernel("k0:dram=1000,ns=1000");
  for (int i = 0; i < 200; ++i) {
    Region("here", kernel);
    cuCtxSetCurrent(nullptr);
    nvtxRangePushA("there");
    cuCtxSetCurrent(second);
    Put(kernel);
    cuCtxSetCurrent(nullptr);
    nvtxRangePop();
    cuCtxSetCurrent(first);
    Nap(200);
  }
  return Said("there");
}

// In line for the GPU, until it has no context any more.
SURVIVAL_STORY(leaves_cuda_while_in_line) {
  OpenGpu(0);
  CUfunction kernel = Kernel("k0:dram=1000,ns=1000");
  Repeat(200, [&] {
    Region("waits", kernel);
    Nap(200);
  });
  cuDevicePrimaryCtxReset_v2(0);
  Nap(150'000);
  std::ofstream("gone") << "yes";
  Nap(300'000);
  return Said("left");
}

SURVIVAL_STORY(resets_in_the_middle) {
  CUfunction kernel = nullptr;
  for (int life = 0; life < 2; ++life) {
    OpenGpu(0);
    kernel = Kernel("k0:dram=1000,ffma=5,ns=1000");
    Repeat(500, [&] {
      Region(life == 0 ? "before" : "after", kernel);
      Region("always", kernel);
      Nap(100);
    });
    if (life == 0) {
      nvtxRangePushA("open at the reset");
      std::printf("reset %d\n", cuDevicePrimaryCtxReset_v2(0));
      nvtxRangePop();
    }
  }
  return Said("reset");
}

// --- one context ----------------------------------------------------------------

SURVIVAL_STORY(counts_known_work) {
  OpenGpu(0);
  CUfunction copy = Kernel("copy:dram=1000,ns=1000");
  CUfunction compute = Kernel("saxpy:ffma=5000,ns=2000,sass_ns=4000");
  Repeat(1000, [&] {
    Region("copy", copy);
    nvtxRangePushA("outer");
    Region("compute", compute);
    Put(copy);
    nvtxRangePop();
    Nap(200);
  });
  return Said("counted");
}

SURVIVAL_STORY(is_killed_while_it_counts) {
  OpenGpu(0);
  CUfunction copy = Kernel("copy:dram=1000,ffma=5,ns=1000");
  WriteMaps();
  Repeat(600, [&] {
    Region("copy", copy);
    Nap(200);
  });
  std::raise(SIGKILL);
  return 1;
}

SURVIVAL_STORY(has_one_region_around_everything) {
  OpenGpu(0);
  CUfunction copy = Kernel("copy:dram=1000,ffma=5,ns=1000");
  nvtxRangePushA("program");
  Repeat(3500, [&] {
    nvtxRangePushA("step");
    Region("inner", copy);
    Put(copy);
    nvtxRangePop();
    Nap(300);
  });
  nvtxRangePop();
  return Said("around");
}

SURVIVAL_STORY(crosses_300_borders_in_a_call) {
  OpenGpu(0);
  CUfunction copy = Kernel("copy:dram=10,ffma=5,ns=100");
  for (int step = 0; step < 40; ++step) {
    nvtxRangePushA("step");
    for (int i = 0; i < 150; ++i) Region("inner", copy);
    nvtxRangePop();
    Nap(1000);
  }
  return Said("300 borders");
}

// Both outer regions are open whenever an inner one is.
SURVIVAL_STORY(lets_threads_overlap_for_long) {
  CUcontext context = OpenGpu(0);
  std::atomic<int> begun = 0;
  std::atomic<int> done = 0;
  const auto work = [&](const char* region, const char* script) {
    cuCtxSetCurrent(context);
    CUfunction kernel = Kernel(script);
    nvtxRangePushA(region);
    for (++begun; begun < 2;) Nap(100);
    Repeat(3500, [&] {
      Region("inner", kernel);
      Nap(500);
    });
    for (++done; done < 2;) Nap(100);
    nvtxRangePop();
  };
  StartNvtx();
  std::thread other(work, "second", "k1:dram=3000,ffma=7,ns=2000");
  work("first", "k0:dram=1000,ffma=5,ns=1000");
  other.join();
  CUfunction alone = Kernel("k2:dram=10,ffma=1,ns=500");
  for (int i = 0; i < 600; ++i) {
    Region("alone", alone);
    Nap(500);
  }
  return Said("overlapped");
}

SURVIVAL_STORY(launches_two_kinds) {
  OpenGpu(0);
  CUfunction a = Kernel("first_kind:dram=1000,ffma=5,ns=1000,regs=40,shared=512");
  CUfunction b = Kernel("second_kind:dram=3000,ffma=7,ns=2000,regs=41");
  Repeat(800, [&] {
    nvtxRangePushA("pair");
    Put(a);
    Put(b);
    Put(b);
    nvtxRangePop();
    Nap(200);
  });
  return Said("two kinds");
}

SURVIVAL_STORY(launches_on_two_threads) {
  CUcontext context = OpenGpu(0);
  const auto work = [&](const char* region, const char* script) {
    cuCtxSetCurrent(context);
    CUfunction kernel = Kernel(script);
    Repeat(400, [&] {
      Region(region, kernel);
      Nap(50);
    });
  };
  StartNvtx();
  std::thread other(work, "second", "k1:dram=3000,ns=2000");
  work("first", "k0:dram=1000,ns=1000");
  other.join();
  return Said("two threads");
}

CUgraphExec GraphOf(const char* script) {
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec ready = nullptr;
  CUDA_KERNEL_NODE_PARAMS kernel = {};
  kernel.func = Kernel(script);
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  cuGraphCreate(&graph, 0);
  cuGraphAddKernelNode(&node, graph, nullptr, 0, &kernel);
  cuGraphAddKernelNode(&node, graph, nullptr, 0, &kernel);
  cuGraphInstantiate(&ready, graph, 0);
  return ready;
}

SURVIVAL_STORY(launches_graphs) {
  OpenGpu(0);
  CUgraphExec graph = GraphOf("in_graph:dram=1000,ffma=5,ns=1000");
  CUfunction kernel = Kernel("alone:dram=10,ffma=7,ns=100");
  Repeat(800, [&] {
    nvtxRangePushA("graph");
    cuGraphLaunch(graph, nullptr);
    nvtxRangePop();
    Region("kernel", kernel);
    Nap(200);
  });
  return Said("graphs");
}

// Not more than a handful: each is to be told from the others.
SURVIVAL_STORY(calls_a_region_some_times) {
  OpenGpu(0);
  CUfunction copy = Kernel("copy:dram=1000,ffma=5,ns=1000");
  for (long i = Setting("SURVIVAL_TIMES", 300); i > 0; --i) {
    nvtxRangePushA("outer");
    Region("inner", copy);
    Region("inner", copy);
    nvtxRangePop();
  }
  return Said("called");
}

// --- memory -----------------------------------------------------------------------

// "VmHWM 12345 kB", to where the test looks for it.
void TellPeakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM")) WriteAside("SURVIVAL_ASIDE", line + "\n");
  }
}

// SURVIVAL_NAMES names, SURVIVAL_TIMES calls of each.
SURVIVAL_STORY(calls_many_regions) {
  OpenGpu(0);
  CUfunction copy = Kernel("copy:dram=1000,ffma=5");
  const long names = Setting("SURVIVAL_NAMES", 1);
  for (long i = Setting("SURVIVAL_TIMES", 1); i > 0; --i) {
    char name[32];
    for (long n = 0; n < names; ++n) {
      std::snprintf(name, sizeof name, "region %ld", n);
      Region(name, copy);
    }
  }
  TellPeakMemory();
  return Said("many");
}

}  // namespace
}  // namespace rafter::survival
