// FakeCupti holds what the functions of the fake libcupti.so.13 share.
//
//   Threads   any; `mutex` guards the ranges.
//   Blocking  as the answers do.
//   Memory    objects are kept for ever, so that stale handles are recognised.
//   Lifetime  one for each process, never destroyed.
#pragma once

#include <cupti_callbacks.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "tests/fakes/answers.h"
#include "tests/fakes/link.h"

namespace rafter::fakes {

// The functions that the fake driver exports beside CUDA's.
struct FakeCudaFunctions {
  decltype(&fakecuda_connect) connect = nullptr;
  decltype(&fakecuda_initialised) initialised = nullptr;
  decltype(&fakecuda_device_of) device_of = nullptr;
  decltype(&fakecuda_context_uid) context_uid = nullptr;
  decltype(&fakecuda_uuid) uuid = nullptr;
  decltype(&fakecuda_device_count) device_count = nullptr;
};

AnswerBook& Answers();

// The fake driver of this process, if it is there and has been initialised.
const FakeCudaFunctions* InitialisedDriver();

// The link that is given to the driver; entries are in cupti_callbacks.cc and
// cupti_ranges.cc.
extern const FakeCudaLink kLink;
void OnApi(bool exit, uint32_t cbid, const char* function, const void* params, CUresult* result,
           const char* symbol, CUcontext context, uint64_t correlation);
void OnContextCreated(CUcontext context);
void OnContextDestroying(CUcontext context);
LaunchCharge OnLaunch(CUcontext context, const KernelWork& work, Launched what);

void ResetRanges();
void ResetCallbacks();
bool ProfilerIsInitialised();
// Whether a range session is open on the context.
bool SessionIsOpen(CUcontext context);

// What the real library does where the fake would only refuse: with
// RAFTER_FAKE_CRASH set, crashes as it does.
inline CUptiResult CrashOr(CUptiResult answer) {
  if (std::getenv("RAFTER_FAKE_CRASH") != nullptr) {
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
  }
  return answer;
}

// One entry point: counted, logged, and refused where the parameters are
// absent or their structSize is not exactly `bytes`.
template <typename Params, typename Body>
CUptiResult Entry(const char* function, Params* params, size_t bytes, Body&& body) {
  return Answered<CUptiResult>(Answers(), function, [&]() -> CUptiResult {
    if (params == nullptr || params->structSize != bytes) return CUPTI_ERROR_INVALID_PARAMETER;
    return body();
  });
}

}  // namespace rafter::fakes
