// Programs that mark their work through several domains, or not at all.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <thread>

#include "tests/survival/programs/gpu.h"
#include "tests/survival/programs/story.h"

namespace rafter::survival {
namespace {

constexpr int kPasses = 400;

void Launch(CUfunction kernel) {
  cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr);
}

CUfunction Kernel(const char* script) {
  CUfunction function = nullptr;
  cuModuleGetFunction(&function, nullptr, script);
  return function;
}

void PushIn(nvtxDomainHandle_t domain, const char* name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(domain, &attributes);
}

int Said(const char* what) {
  WriteMaps();
  std::puts(what);
  return 0;
}

// A region of a domain ends after the region of the default domain that it began in.
SURVIVAL_STORY(crosses_domains) {
  OpenGpu(0);
  CUfunction one = Kernel("k1:dram=1,ffma=1,ns=100");
  CUfunction ten = Kernel("k10:dram=10,ffma=10,ns=100");
  CUfunction hundred = Kernel("k100:dram=100,ffma=100,ns=100");
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
  for (int i = 0; i < kPasses; ++i) {
    nvtxRangePushA("around");
    nvtxRangePushA("first");
    Launch(one);
    PushIn(domain, "late");
    Launch(ten);
    nvtxRangePop();
    Launch(hundred);
    nvtxDomainRangePop(domain);
    nvtxRangePop();
    nvtxRangePushA("alone");
    Launch(one);
    nvtxRangePop();
  }
  return Said("crossed");
}

// Three deep; what is counted of it is the user's choice.
SURVIVAL_STORY(nests_three_regions) {
  OpenGpu(0);
  CUfunction one = Kernel("k1:dram=1,ffma=1,ns=100");
  CUfunction ten = Kernel("k10:dram=10,ffma=10,ns=100");
  CUfunction hundred = Kernel("k100:dram=100,ffma=100,ns=100");
  for (int i = 0; i < kPasses; ++i) {
    nvtxRangePushA("outer");
    Launch(one);
    nvtxRangePushA("middle");
    Launch(ten);
    nvtxRangePushA("inner");
    Launch(hundred);
    nvtxRangePop();
    nvtxRangePop();
    nvtxRangePop();
  }
  return Said("nested");
}

// One region, begun before CUDA is started, does all the work; or a thread that has no
// context yet does it, in a region of its own.
SURVIVAL_STORY(begins_a_region_before_cuda) {
  nvtxRangePushA("main");
  OpenGpu(0);
  CUfunction ten = Kernel("k10:dram=10,ffma=10,ns=100");
  for (int i = 0; i < 5; ++i) Launch(ten);
  nvtxRangePop();
  return Said("began early");
}

SURVIVAL_STORY(works_on_a_thread_without_a_context) {
  OpenGpu(0);
  CUfunction ten = Kernel("k10:dram=10,ffma=10,ns=100");
  nvtxRangePushA("before");
  Launch(ten);
  nvtxRangePop();
  std::thread([&] {
    nvtxRangePushA("outer");
    nvtxRangePushA("on the thread");
    OpenGpu(0);
    for (int i = 0; i < 5; ++i) Launch(ten);
    nvtxRangePop();
    Launch(ten);
    nvtxRangePop();
  }).join();
  return Said("on a thread");
}

// Two kernels, one of them on two threads, and no region at all.
SURVIVAL_STORY(marks_no_region) {
  OpenGpu(0);
  CUfunction one = Kernel("k1:dram=1,ffma=1,ns=100");
  CUfunction ten = Kernel("k10:dram=10,ffma=10,ns=100");
  for (int i = 0; i < kPasses; ++i) {
    Launch(one);
    Launch(ten);
  }
  std::thread([&] {
    OpenGpu(0);
    for (int i = 0; i < kPasses; ++i) Launch(ten);
  }).join();
  return Said("unmarked");
}

}  // namespace
}  // namespace rafter::survival
