// FakeCudaLink is how the fake driver tells the fake CUPTI what happens, in
// place of the private interface of the real pair. The fake CUPTI finds
// fakecuda_connect in the libcuda.so.1 of the process.
//
//   Threads   callbacks come on the thread that made the driver call.
//   Blocking  as the callback does.
//   Memory    plain pointers to static objects.
//   Lifetime  connected until another link is.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "tests/fakes/work.h"

namespace rafter::fakes {

// What a driver call puts on the GPU.
enum class Launched {
  kKernel,
  kCopy,
  kGraphKernel,  // inside a graph: never patched, so it has no `_sass_` counts
};

// What a launch costs while counters count.
struct LaunchCharge {
  bool blocks = false;  // it must not return before its end
  uint64_t ns = 0;      // how long it takes on the GPU
};

// Set by the fake CUPTI, called by the fake driver. Every entry is filled.
struct FakeCudaLink {
  // A driver function that CUPTI knows is entered (exit = false) or left.
  void (*on_api)(bool exit, uint32_t cbid, const char* function, const void* params,
                 CUresult* result, const char* symbol, CUcontext context, uint64_t correlation);
  void (*on_context_created)(CUcontext context);
  void (*on_context_destroying)(CUcontext context);
  // Charges the work to the range open on the context, or to one of its own.
  LaunchCharge (*on_launch)(CUcontext context, const KernelWork& work, Launched what);
};

}  // namespace rafter::fakes

extern "C" {
void fakecuda_connect(const rafter::fakes::FakeCudaLink* link);
// Whether cuInit has been called in this process (not only in its parent).
int fakecuda_initialised();
// Device of a live context, or -1.
int fakecuda_device_of(CUcontext context);
// Unique number of a live context from 1, or 0.
uint32_t fakecuda_context_uid(CUcontext context);
// 16 bytes for each device, different for each.
void fakecuda_uuid(int device, unsigned char uuid[16]);
int fakecuda_device_count();
// Forgets everything and reads the environment again. For unit tests.
void fakecuda_reset();
// The same for the fake CUPTI.
void fakecupti_reset();
}
