// The fake libcupti.so.13: one subscriber, driver and resource callbacks.
#include <atomic>
#include <bitset>
#include <mutex>

#include "tests/fakes/cupti_fake.h"

struct CUpti_Subscriber_st {
  CUpti_CallbackFunc callback = nullptr;
  void* userdata = nullptr;
};

namespace rafter::fakes {
namespace {

constexpr size_t kCallbackIds = 2048;  // more than the driver API has

struct Subscription {
  std::mutex mutex;
  std::atomic<CUpti_SubscriberHandle> subscriber = nullptr;
  std::bitset<kCallbackIds> driver;
  std::bitset<kCallbackIds> resource;
};

Subscription& TheSubscription() {
  static Subscription* const subscription = new Subscription;
  return *subscription;
}

std::bitset<kCallbackIds>* IdsOf(CUpti_CallbackDomain domain) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) return &TheSubscription().driver;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) return &TheSubscription().resource;
  return nullptr;
}

// The subscriber, if it wants this callback.
CUpti_SubscriberHandle Wanted(CUpti_CallbackDomain domain, uint32_t cbid) {
  const std::lock_guard<std::mutex> lock(TheSubscription().mutex);
  return IdsOf(domain)->test(cbid) ? TheSubscription().subscriber.load() : nullptr;
}

void Resource(CUpti_CallbackId cbid, CUcontext context) {
  const CUpti_SubscriberHandle subscriber = Wanted(CUPTI_CB_DOMAIN_RESOURCE, cbid);
  if (subscriber == nullptr) return;
  CUpti_ResourceData data = {};
  data.context = context;
  subscriber->callback(subscriber->userdata, CUPTI_CB_DOMAIN_RESOURCE, cbid, &data);
}

bool IsCurrent(CUpti_SubscriberHandle subscriber) {
  return subscriber != nullptr && subscriber == TheSubscription().subscriber;
}

}  // namespace

void OnApi(bool exit, uint32_t cbid, const char* function, const void* params, CUresult* result,
           const char* symbol, CUcontext context, uint64_t correlation) {
  // One word that the subscriber keeps from entry to exit; calls do not nest.
  static thread_local uint64_t correlation_data;
  if (!exit) correlation_data = 0;
  const CUpti_SubscriberHandle subscriber = Wanted(CUPTI_CB_DOMAIN_DRIVER_API, cbid);
  if (subscriber == nullptr) return;
  const FakeCudaFunctions* driver = InitialisedDriver();
  CUpti_CallbackData data = {};
  data.callbackSite = exit ? CUPTI_API_EXIT : CUPTI_API_ENTER;
  data.functionName = function;
  data.functionParams = params;
  data.functionReturnValue = result;
  data.symbolName = symbol;
  data.context = context;
  data.contextUid = driver == nullptr ? 0 : driver->context_uid(context);
  data.correlationData = &correlation_data;
  data.correlationId = static_cast<uint32_t>(correlation);
  subscriber->callback(subscriber->userdata, CUPTI_CB_DOMAIN_DRIVER_API, cbid, &data);
}

void OnContextCreated(CUcontext context) { Resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, context); }

void ResetCallbacks() {
  Subscription& subscription = TheSubscription();
  const std::lock_guard<std::mutex> lock(subscription.mutex);
  subscription.subscriber = nullptr;
  subscription.driver.reset();
  subscription.resource.reset();
}

// The rest of a context's end is in cupti_ranges.cc.
void CallDestroying(CUcontext context) {
  Resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, context);
}

}  // namespace rafter::fakes

using namespace rafter::fakes;  // NOLINT(google-build-using-namespace): C entry points only

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                           void* userdata) {
  return Answered<CUptiResult>(Answers(), "cuptiSubscribe", [&] {
    if (subscriber == nullptr || callback == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    if (InitialisedDriver() == nullptr) return CUPTI_ERROR_UNKNOWN;
    const std::lock_guard<std::mutex> lock(TheSubscription().mutex);
    if (TheSubscription().subscriber != nullptr) {
      return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    // Never freed: a callback may be under way when it is given back.
    *subscriber = new CUpti_Subscriber_st{callback, userdata};
    TheSubscription().subscriber = *subscriber;
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  return Answered<CUptiResult>(Answers(), "cuptiUnsubscribe", [&] {
    if (!IsCurrent(subscriber)) return CUPTI_ERROR_INVALID_PARAMETER;
    ResetCallbacks();
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  return Answered<CUptiResult>(Answers(), "cuptiEnableCallback", [&] {
    if (!IsCurrent(subscriber) || cbid >= kCallbackIds) return CUPTI_ERROR_INVALID_PARAMETER;
    const std::lock_guard<std::mutex> lock(TheSubscription().mutex);
    if (IdsOf(domain) != nullptr) IdsOf(domain)->set(cbid, enable != 0);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber,
                              CUpti_CallbackDomain domain) {
  return Answered<CUptiResult>(Answers(), "cuptiEnableDomain", [&] {
    if (!IsCurrent(subscriber)) return CUPTI_ERROR_INVALID_PARAMETER;
    const std::lock_guard<std::mutex> lock(TheSubscription().mutex);
    if (IdsOf(domain) != nullptr) enable != 0 ? IdsOf(domain)->set() : IdsOf(domain)->reset();
    return CUPTI_SUCCESS;
  });
}

}  // extern "C"
