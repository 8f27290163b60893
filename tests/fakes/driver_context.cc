// The fake libcuda.so.1: contexts.
#include <cstdlib>

#include "tests/fakes/driver.h"

namespace rafter::fakes {
namespace {

std::vector<CUcontext>& Stack() {
  // Never destroyed: handlers of exit, which run later than a thread's destructors,
  // call the driver.
  static thread_local auto* const stack = new std::vector<CUcontext>;
  return *stack;
}

// A dead context's place, where the settings want addresses to be used again.
CUcontext FreePlace(FakeDriver& driver) {
  if (std::getenv("RAFTER_FAKE_REUSE") == nullptr) return nullptr;
  for (const auto& known : driver.contexts) {
    if (!known->alive && !known->primary && known->generation == driver.generation) {
      ++driver.revivals;
      return known.get();
    }
  }
  return nullptr;
}

CUcontext NewContext(int device, unsigned int flags, bool primary) {
  FakeDriver& driver = Driver();
  const std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  CUcontext context = FreePlace(driver);
  if (context == nullptr) {
    driver.contexts.push_back(std::make_unique<CUctx_st>());
    context = driver.contexts.back().get();
  }
  context->device = device;
  context->flags = flags;
  context->primary = primary;
  context->uid = static_cast<uint32_t>(driver.contexts.size() + driver.revivals);
  context->generation = driver.generation;
  context->alive = true;
  return context;
}

void Announce(CUcontext context) {
  const FakeCudaLink* link = Driver().link.load();
  if (link != nullptr) link->on_context_created(context);
}

void Destroy(CUcontext context) {
  Driver().timeline->WaitForAll();
  const FakeCudaLink* link = Driver().link.load();
  if (link != nullptr) link->on_context_destroying(context);
  context->alive = false;
}

CUresult Create(const char* function, CUcontext* context, unsigned int flags, CUdevice device) {
  return Call(function, [&] {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device < 0 || device >= Driver().devices) return CUDA_ERROR_INVALID_DEVICE;
    *context = NewContext(device, flags, false);
    Stack().push_back(*context);
    Announce(*context);
    return CUDA_SUCCESS;
  });
}

// A primary context keeps its address when it is retained anew.
CUcontext Revived(int device) {
  FakeDriver& driver = Driver();
  for (const auto& known : driver.contexts) {
    if (!known->primary || known->device != device || known->generation != driver.generation) {
      continue;
    }
    known->alive = true;
    known->uid = static_cast<uint32_t>(driver.contexts.size() + ++driver.revivals);
    return known.get();
  }
  return NewContext(device, 0, true);
}

// A primary context is released by the last of its owners.
CUresult Release(const char* function, CUdevice device, bool all) {
  return Call(function, [&] {
    CUcontext doomed = nullptr;
    {
      const std::lock_guard<std::recursive_mutex> lock(Driver().mutex);
      if (device < 0 || device >= Driver().devices) return CUDA_ERROR_INVALID_DEVICE;
      PrimaryContext& primary = Driver().primaries[static_cast<size_t>(device)];
      if (primary.context == nullptr) return all ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
      if (!all && --primary.references > 0) return CUDA_SUCCESS;
      doomed = primary.context;
      primary = {};
    }
    Destroy(doomed);
    return CUDA_SUCCESS;
  });
}

}  // namespace

bool IsAlive(CUcontext context) {
  const std::lock_guard<std::recursive_mutex> lock(Driver().mutex);
  for (const auto& known : Driver().contexts) {
    if (known.get() == context) return known->alive;
  }
  return false;
}

CUcontext CurrentContext() { return Stack().empty() ? nullptr : Stack().back(); }

}  // namespace rafter::fakes

using namespace rafter::fakes;  // NOLINT(google-build-using-namespace): C entry points only

extern "C" {

int fakecuda_device_of(CUcontext context) { return IsAlive(context) ? context->device : -1; }
uint32_t fakecuda_context_uid(CUcontext context) { return IsAlive(context) ? context->uid : 0; }

CUresult cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device) {
  return Create("cuCtxCreate_v2", context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams*, unsigned int flags,
                        CUdevice device) {
  return Create("cuCtxCreate_v4", context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  return Call("cuCtxDestroy_v2", [&] {
    if (!IsAlive(context)) return CUDA_ERROR_INVALID_CONTEXT;
    Destroy(context);
    if (!Stack().empty() && Stack().back() == context) Stack().pop_back();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return Call("cuCtxGetCurrent", [&] {
    *context = CurrentContext();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return Call("cuCtxSetCurrent", [&] {
    if (context != nullptr && !IsAlive(context)) return CUDA_ERROR_INVALID_CONTEXT;
    if (!Stack().empty()) Stack().pop_back();
    if (context != nullptr) Stack().push_back(context);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return Call("cuCtxPushCurrent_v2", [&] {
    if (!IsAlive(context)) return CUDA_ERROR_INVALID_CONTEXT;
    Stack().push_back(context);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  return Call("cuCtxPopCurrent_v2", [&] {
    if (Stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr) *context = Stack().back();
    Stack().pop_back();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return Call("cuCtxGetDevice", [&] {
    if (!IsAlive(CurrentContext())) return CUDA_ERROR_INVALID_CONTEXT;
    *device = CurrentContext()->device;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  return Call("cuCtxGetFlags", [&] {
    if (!IsAlive(CurrentContext())) return CUDA_ERROR_INVALID_CONTEXT;
    *flags = CurrentContext()->flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int* version) {
  return Call("cuCtxGetApiVersion", [&] {
    if (!IsAlive(context)) return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return Call("cuCtxGetId", [&] {
    if (!IsAlive(context)) return CUDA_ERROR_INVALID_CONTEXT;
    *id = context->uid;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize() {
  return Call("cuCtxSynchronize", [] {
    if (!IsAlive(CurrentContext())) return CUDA_ERROR_INVALID_CONTEXT;
    Driver().timeline->WaitForAll();
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return Call("cuDevicePrimaryCtxRetain", [&] {
    if (device < 0 || device >= Driver().devices) return CUDA_ERROR_INVALID_DEVICE;
    bool is_new = false;
    {
      const std::lock_guard<std::recursive_mutex> lock(Driver().mutex);
      PrimaryContext& primary = Driver().primaries[static_cast<size_t>(device)];
      is_new = primary.context == nullptr;
      if (is_new) primary.context = Revived(device);
      ++primary.references;
      *context = primary.context;
    }
    if (is_new) Announce(*context);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return Release("cuDevicePrimaryCtxRelease_v2", device, false);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return Release("cuDevicePrimaryCtxReset_v2", device, true);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  return Call("cuDevicePrimaryCtxGetState", [&] {
    const std::lock_guard<std::recursive_mutex> lock(Driver().mutex);
    if (device < 0 || device >= Driver().devices) return CUDA_ERROR_INVALID_DEVICE;
    *flags = 0;
    *active = Driver().primaries[static_cast<size_t>(device)].context != nullptr;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
