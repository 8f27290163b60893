#include "inject/cupti/launch_watch.h"

// The driver's header gives the types that the parameter structures name only
// under its own switch.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cupti_driver_cbid.h>
#include <generated_cuda_meta.h>

#include <cstring>

#include "cupti/table.h"
#include "inject/clock.h"
#include "inject/fence.h"

namespace rafter {
namespace {

// Launches of one kernel or one graph.
constexpr CUpti_driver_api_trace_cbid kLaunchCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
};

// Calls after which work on one stream can wait for work launched later.
struct SignCall {
  CUpti_driver_api_trace_cbid call;
  const char* what;
};
constexpr const char* kStreamWait =
    "the program lets streams wait for memory values "
    "(cuStreamWaitValue, cuStreamWriteValue)";
constexpr SignCall kSignCalls[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue32, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue32_ptsz, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue64, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue64_ptsz, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue32, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue32_ptsz, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue64, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue64_ptsz, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBatchMemOp, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBatchMemOp_ptsz, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue32_v2, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue32_v2_ptsz, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue64_v2, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue64_v2_ptsz, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue32_v2, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue32_v2_ptsz, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue64_v2, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue64_v2_ptsz, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBatchMemOp_v2, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBatchMemOp_v2_ptsz, kStreamWait},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
     "the program launches cooperative kernels on several devices"},
};

const char* SignOf(uint32_t call) {
  for (const SignCall& sign : kSignCalls) {
    if (sign.call == call) return sign.what;
  }
  return nullptr;
}

void Copy(uint32_t to[3], unsigned x, unsigned y, unsigned z) {
  to[0] = x;
  to[1] = y;
  to[2] = z;
}

// Reads what the driver call says of the launch.
bool ReadLaunch(uint32_t call, const CUpti_CallbackData& data, SeenLaunch& launch) {
  launch.symbol = data.symbolName;
  launch.context = data.context;
  switch (call) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: {
      const auto* call_params = static_cast<const cuLaunchKernel_params*>(data.functionParams);
      Copy(launch.grid, call_params->gridDimX, call_params->gridDimY, call_params->gridDimZ);
      Copy(launch.block, call_params->blockDimX, call_params->blockDimY, call_params->blockDimZ);
      launch.shared_bytes = call_params->sharedMemBytes;
      launch.stream = call_params->hStream;
      launch.function = call_params->f;
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const CUlaunchConfig* config =
          static_cast<const cuLaunchKernelEx_params*>(data.functionParams)->config;
      if (config == nullptr) return false;  // the call will fail by itself
      Copy(launch.grid, config->gridDimX, config->gridDimY, config->gridDimZ);
      Copy(launch.block, config->blockDimX, config->blockDimY, config->blockDimZ);
      launch.shared_bytes = config->sharedMemBytes;
      launch.stream = config->hStream;
      launch.function = static_cast<const cuLaunchKernelEx_params*>(data.functionParams)->f;
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto* call_params =
          static_cast<const cuLaunchCooperativeKernel_params*>(data.functionParams);
      Copy(launch.grid, call_params->gridDimX, call_params->gridDimY, call_params->gridDimZ);
      Copy(launch.block, call_params->blockDimX, call_params->blockDimY, call_params->blockDimZ);
      launch.shared_bytes = call_params->sharedMemBytes;
      launch.stream = call_params->hStream;
      launch.function = call_params->f;
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
      launch.symbol = nullptr;
      launch.stream = static_cast<const cuGraphLaunch_params*>(data.functionParams)->hStream;
      return true;
    default:
      return false;
  }
}

void CUPTIAPI OnCallback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                         const void* data) {
  if (t_inside_library) return;  // the profiler's own launches are not the program's
  auto* watch = static_cast<LaunchWatch*>(self);
  Guarded([&] {
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API) watch->OnDriverCall(id, data);
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) watch->OnResource(id, data);
  });
}

}  // namespace

Status LaunchWatch::Subscribe(const CuptiTable* cupti, LaunchListener* listener) {
  cupti_ = cupti;
  listener_.store(listener, std::memory_order_release);
  CUpti_SubscriberHandle subscriber = nullptr;
  const CUptiResult code = cupti->cuptiSubscribe(&subscriber, OnCallback, this);
  if (code != CUPTI_SUCCESS) {
    return Status::Failed("launches cannot be watched: CUPTI cuptiSubscribe answered " +
                          CuptiErrorText(code));
  }
  subscriber_ = subscriber;
  cupti->cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                             CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  return Status::Ok();
}

void LaunchWatch::Unsubscribe() {
  if (subscriber_ == nullptr) return;
  if (watching()) changes_.fetch_add(1, std::memory_order_acq_rel);
  cupti_->cuptiUnsubscribe(static_cast<CUpti_SubscriberHandle>(subscriber_));
  subscriber_ = nullptr;
}

void LaunchWatch::Watch(bool launches) {
  if (subscriber_ == nullptr || watching() == launches) return;
  const auto set = [&](CUpti_driver_api_trace_cbid call) {
    cupti_->cuptiEnableCallback(launches ? 1 : 0, static_cast<CUpti_SubscriberHandle>(subscriber_),
                                CUPTI_CB_DOMAIN_DRIVER_API, call);
  };
  if (!launches) changes_.fetch_add(1, std::memory_order_acq_rel);
  for (const CUpti_driver_api_trace_cbid call : kLaunchCalls) set(call);
  for (const SignCall& sign : kSignCalls) set(sign.call);
  if (launches) {
    changes_.fetch_add(1, std::memory_order_acq_rel);
    return;
  }
  for (InFlight& launch : in_flight_) launch.since_ns.store(0, std::memory_order_relaxed);
}

void LaunchWatch::OnDriverCall(uint32_t call, const void* raw) {
  const auto& data = *static_cast<const CUpti_CallbackData*>(raw);
  if (data.callbackSite == CUPTI_API_EXIT) {
    const uint64_t place = data.correlationData == nullptr ? 0 : *data.correlationData;
    if (place > 0 && place <= kMaxInFlight) {
      in_flight_[place - 1].since_ns.store(0, std::memory_order_release);
    }
    const auto* answer = static_cast<const CUresult*>(data.functionReturnValue);
    if (SignOf(call) == nullptr)
      listener().OnLaunched(answer != nullptr && *answer != CUDA_SUCCESS);
    return;
  }
  if (const char* const sign = SignOf(call); sign != nullptr) return listener().OnSign(sign);
  SeenLaunch launch;
  if (!ReadLaunch(call, data, launch)) return;
  launches_.fetch_add(1, std::memory_order_acq_rel);
  listener().OnLaunch(launch);
  if (data.correlationData == nullptr) return;
  *data.correlationData = 0;
  for (size_t i = 0; i < kMaxInFlight; ++i) {
    uint64_t free = 0;
    if (in_flight_[i].since_ns.load(std::memory_order_relaxed) == 0 &&
        in_flight_[i].since_ns.compare_exchange_strong(free, kBeingNamed,
                                                       std::memory_order_acq_rel)) {
      const char* symbol = launch.symbol == nullptr ? "a CUDA graph" : launch.symbol;
      std::strncpy(in_flight_[i].symbol, symbol, kMaxSymbol - 1);
      in_flight_[i].since_ns.store(NowNs(), std::memory_order_release);
      *data.correlationData = i + 1;
      return;
    }
  }
}

void LaunchWatch::OnResource(uint32_t id, const void* raw) {
  if (id != CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) return;
  listener().OnContextGoing(static_cast<const CUpti_ResourceData*>(raw)->context);
}

bool LaunchWatch::LongestBlocked(uint64_t before_ns, Blocked& blocked) const {
  const InFlight* oldest = nullptr;
  uint64_t since = before_ns;
  for (const InFlight& launch : in_flight_) {
    const uint64_t start = launch.since_ns.load(std::memory_order_acquire);
    if (start != 0 && start < since) {
      oldest = &launch;
      since = start;
    }
  }
  if (oldest == nullptr) return false;
  blocked.symbol.assign(oldest->symbol, strnlen(oldest->symbol, kMaxSymbol));
  blocked.since_ns = since;
  return true;
}

}  // namespace rafter
