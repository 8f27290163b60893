// DriverCalls are the functions of the CUDA driver that the test programs call
// by name, found through the runtime, so that nothing links libcuda.
//
//   Threads   any.
//   Blocking  never.
//   Memory    plain pointers.
//   Lifetime  as long as the process.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "tests/gpu/cuda_check.h"

namespace rafter {

struct DriverCalls {
  PFN_cuModuleLoadData_v2000 module_load = nullptr;
  PFN_cuModuleGetFunction_v2000 module_function = nullptr;
  PFN_cuModuleUnload_v2000 module_unload = nullptr;
  PFN_cuLaunchKernel_v4000 launch = nullptr;
  PFN_cuCtxCreate_v3020 context_create = nullptr;
  PFN_cuCtxSetCurrent_v4000 context_set = nullptr;
  PFN_cuCtxDestroy_v4000 context_destroy = nullptr;
};

inline void CheckDriver(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s failed: CUDA driver error %d\n", what, static_cast<int>(status));
  std::exit(1);
}

// `version`: the CUDA version that brought this form of the function, as in the
// name of its type.
template <typename Function>
void FindDriverCall(const char* name, unsigned version, Function& function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  Check(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result), name);
  if (result != cudaDriverEntryPointSuccess || found == nullptr) {
    std::fprintf(stderr, "the driver has no %s of CUDA %u\n", name, version);
    std::exit(1);
  }
  function = reinterpret_cast<Function>(found);
}

inline DriverCalls FindDriverCalls() {
  DriverCalls calls;
  FindDriverCall("cuModuleLoadData", 2000, calls.module_load);
  FindDriverCall("cuModuleGetFunction", 2000, calls.module_function);
  FindDriverCall("cuModuleUnload", 2000, calls.module_unload);
  FindDriverCall("cuLaunchKernel", 4000, calls.launch);
  FindDriverCall("cuCtxCreate", 3020, calls.context_create);
  FindDriverCall("cuCtxSetCurrent", 4000, calls.context_set);
  FindDriverCall("cuCtxDestroy", 4000, calls.context_destroy);
  return calls;
}

}  // namespace rafter
