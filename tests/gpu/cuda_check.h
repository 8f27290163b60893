// Answers to CUDA's status codes for the test programs in this folder: an error
// is one line and exit status 1, a machine without a device is one line and
// exit status 77, which ctest and scripts/gpu-test read as "skipped".
//
//   Threads   any.
//   Blocking  RequireDevice starts CUDA, which takes a second or so.
//   Memory    none.
//   Lifetime  functions only.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace rafter {

inline constexpr int kExitNoDevice = 77;

// Exits with a message when `status` is not success.
inline void Check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s failed: %s (%s)\n", what, cudaGetErrorString(status),
               cudaGetErrorName(status));
  std::exit(1);
}

// Selects device 0 and returns what it is, or exits with kExitNoDevice.
inline cudaDeviceProp RequireDevice() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "no CUDA device: %s\n",
                 status == cudaSuccess ? "the driver lists none" : cudaGetErrorString(status));
    std::exit(kExitNoDevice);
  }
  cudaDeviceProp properties{};
  Check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  Check(cudaSetDevice(0), "cudaSetDevice");
  Check(cudaFree(nullptr), "starting CUDA on device 0");
  return properties;
}

}  // namespace rafter
