// Gpu is what the stories need of CUDA.
//
//   Threads   any.
//   Blocking  Run waits for the kernel.
//   Memory    functions are looked up at each call.
//   Lifetime  the context is never destroyed unless a story does.
#pragma once

#include <cuda.h>

namespace rafter::survival {

// cuInit and the device's primary context, current on the calling thread.
CUcontext OpenGpu(int device = 0);

// Launches a scripted kernel (tests/fakes/work.h).
CUresult Launch(const char* script, CUstream stream = nullptr);

// A region with a kernel in it, `times` over.
void RunRegion(const char* name, const char* script, int times);

}  // namespace rafter::survival
