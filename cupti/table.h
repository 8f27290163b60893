// CuptiTable holds every CUPTI function that Rafter calls, found once at run
// time. The only header of ours that includes NVIDIA's profiling headers.
//
//   Threads   filled once by LoadCupti, then read by any thread.
//   Blocking  LoadCupti opens files; never on a thread of the target's.
//   Memory    plain pointers; the library stays mapped.
//   Lifetime  as long as the process; nothing is ever dlclosed.
#pragma once

// In CUDA 13.0 cupti_profiler_host.h includes <string>, so it is C++ only.
#include <cupti_callbacks.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "cupti/library.h"
#include "cupti/status.h"

namespace rafter {

struct CuptiTable {
#define RAFTER_CUPTI_HOST(name) decltype(&::name) name = nullptr;
#define RAFTER_CUPTI_TARGET(name) decltype(&::name) name = nullptr;
#include "cupti/functions.inc"
#undef RAFTER_CUPTI_HOST
#undef RAFTER_CUPTI_TARGET
  std::string path;         // the file in use
  uint32_t version = 0;     // cuptiGetVersion
  bool was_mapped = false;  // the process had it before we asked
};

// The size a structure has in the running library, which accepts no other
// (gpu-facts.md, section 1): never taken from the headers at hand. Returns 0
// for a structure that is not in the table, which a unit test excludes.
size_t CuptiStructSize(uint32_t running_version, std::string_view structure);

// "26 (hardware busy: ...)": the number, and what it means to a person.
std::string CuptiErrorText(int code);

// A zeroed parameter structure whose size suits the running library. Later
// libraries have longer structures, so there is room behind ours.
#define RAFTER_CUPTI_PARAMS(table, type, variable) \
  struct variable##Padded : type {                 \
    unsigned char later_fields[64];                \
  } variable = {};                                 \
  variable.structSize = ::rafter::CuptiStructSize((table).version, #type)

}  // namespace rafter
