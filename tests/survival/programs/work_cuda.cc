// A program that launches kernels inside regions.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

#include "tests/survival/programs/gpu.h"
#include "tests/survival/programs/story.h"

namespace rafter::survival {

CUcontext OpenGpu(int device) {
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  return context;
}

CUresult Launch(const char* script, CUstream stream) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUresult result = cuModuleLoadData(&module, "");
  if (result == CUDA_SUCCESS) result = cuModuleGetFunction(&function, module, script);
  if (result != CUDA_SUCCESS) return result;
  return cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, stream, nullptr, nullptr);
}

void RunRegion(const char* name, const char* script, int times) {
  for (int i = 0; i < times; ++i) {
    nvtxRangePushA(name);
    const CUresult launched = Launch(script);
    static bool said = false;
    if (launched != CUDA_SUCCESS && !said) std::printf("a launch answered %d\n", launched);
    said |= launched != CUDA_SUCCESS;
    nvtxRangePop();
  }
  cuCtxSynchronize();
}

void Work() {
  OpenGpu();
  nvtxRangePushA("outer");
  RunRegion("copy", "copy:dram_read=1000,dram_write=1000,ns=100000", 10);
  RunRegion("compute", "saxpy:ffma=5000,ns=100000,sass_ns=400000", 10);
  nvtxRangePop();
}

}  // namespace rafter::survival
