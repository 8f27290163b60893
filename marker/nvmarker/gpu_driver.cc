#include "marker/nvmarker/gpu_driver.h"

#include <dlfcn.h>

#include <type_traits>

namespace rafter {
namespace {

constexpr const char* kSoname = "libcuda.so.1";

// Numbers of CUdevice_attribute, fixed by the driver's interface.
constexpr int kClockKhz = 13;
constexpr int kSmCount = 16;
constexpr int kMajor = 75;
constexpr int kMinor = 76;

}  // namespace

bool GpuDriver::Load() {
  void* library = dlopen(kSoname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) library = dlopen(kSoname, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  bool complete = true;
  const auto take = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    complete = complete && function != nullptr;
  };
  take(init_, "cuInit");
  take(device_, "cuDeviceGet");
  take(name_, "cuDeviceGetName");
  take(uuid_, "cuDeviceGetUuid");
  take(memory_, "cuDeviceTotalMem_v2");
  take(pci_, "cuDeviceGetPCIBusId");
  take(attribute_, "cuDeviceGetAttribute");
  take(current_, "cuCtxGetCurrent");
  take(current_device_, "cuCtxGetDevice");
  take(push_, "cuCtxPushCurrent_v2");
  take(pop_, "cuCtxPopCurrent_v2");
  take(synchronize_, "cuCtxSynchronize");
  take(retain_, "cuDevicePrimaryCtxRetain");
  ready_ = complete && init_(0) == 0;
  return ready_;
}

bool GpuDriver::Enter(int ordinal) {
  int wanted = 0;
  if (!ready_ || device_(&wanted, ordinal) != 0) return false;
  Context context = nullptr;
  int present = 0;
  if (current_(&context) == 0 && context != nullptr && current_device_(&present) == 0 &&
      present == wanted) {
    return false;
  }
  return retain_(&context, wanted) == 0 && push_(context) == 0;
}

void GpuDriver::Leave() {
  Context context = nullptr;
  pop_(&context);
}

void GpuDriver::Hold(const std::vector<int>& ordinals) {
  for (const int ordinal : ordinals) {
    int device = 0;
    Context context = nullptr;
    if (ready_ && device_(&device, ordinal) == 0 && retain_(&context, device) == 0) {
      held_.push_back(context);
    }
  }
}

void GpuDriver::Settle() {
  if (!ready_) return;
  Context current = nullptr;
  if (current_(&current) == 0 && current != nullptr) synchronize_();
  for (const Context context : held_) {
    if (context == current || push_(context) != 0) continue;
    synchronize_();
    Context popped = nullptr;
    pop_(&popped);
  }
}

GpuDriver::Gpu GpuDriver::Describe(int ordinal) const {
  Gpu gpu;
  gpu.ordinal = ordinal;
  int device = 0;
  if (!ready_ || device_(&device, ordinal) != 0) return gpu;
  char text[256] = {};
  if (name_(text, sizeof text - 1, device) == 0) gpu.name = text;
  if (pci_(text, sizeof text - 1, device) == 0) gpu.pci = text;
  Uuid uuid;
  if (uuid_(&uuid, device) == 0) {
    for (const unsigned char byte : uuid.bytes) {
      constexpr char kDigits[] = "0123456789abcdef";
      gpu.uuid += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  size_t bytes = 0;
  if (memory_(&bytes, device) == 0) gpu.memory_bytes = bytes;
  const auto attribute = [&](int number) {
    int value = 0;
    return attribute_(&value, number, device) == 0 && value > 0 ? value : 0;
  };
  gpu.sm_count = static_cast<uint64_t>(attribute(kSmCount));
  gpu.major = attribute(kMajor);
  gpu.minor = attribute(kMinor);
  gpu.sm_clock_hz = static_cast<uint64_t>(attribute(kClockKhz)) * 1000;
  return gpu;
}

}  // namespace rafter
