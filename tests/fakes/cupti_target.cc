// The fake libcupti.so.13: version, start-up, devices.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <sstream>

#include "tests/fakes/chips.h"
#include "tests/fakes/cupti_fake.h"
#include "tests/fakes/gpu_lock.h"
#include "tests/fakes/images.h"

namespace rafter::fakes {
namespace {

bool g_profiler_initialised = false;

const FakeCudaFunctions* Driver() {
  static FakeCudaFunctions functions;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (functions.connect != nullptr) return &functions;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  if (!find(functions.initialised, "fakecuda_initialised") ||
      !find(functions.device_of, "fakecuda_device_of") ||
      !find(functions.context_uid, "fakecuda_context_uid") ||
      !find(functions.uuid, "fakecuda_uuid") ||
      !find(functions.device_count, "fakecuda_device_count") ||
      !find(functions.connect, "fakecuda_connect")) {
    return nullptr;  // a real driver: the fake cannot work with it
  }
  functions.connect(&kLink);
  return &functions;
}

// The chip that all fake devices are.
const char* ChipName() {
  const char* chip = std::getenv("RAFTER_FAKE_CHIP");
  return chip == nullptr ? "GH100" : chip;
}

}  // namespace

const FakeCudaLink kLink = {OnApi, OnContextCreated, OnContextDestroying, OnLaunch};

AnswerBook& Answers() {
  static AnswerBook* const book = new AnswerBook(
      "RAFTER_FAKE_CUPTI_FAIL", "RAFTER_FAKE_CUPTI_DELAY_US", "RAFTER_FAKE_CUPTI_LOG");
  return *book;
}

const FakeCudaFunctions* InitialisedDriver() {
  const FakeCudaFunctions* driver = Driver();
  return driver != nullptr && driver->initialised() ? driver : nullptr;
}

bool ProfilerIsInitialised() { return g_profiler_initialised; }

}  // namespace rafter::fakes

using namespace rafter::fakes;  // NOLINT(google-build-using-namespace): C entry points only

extern "C" {

void fakecupti_reset() {
  Answers().Reload();
  g_profiler_initialised = false;
  ResetRanges();
  ResetCallbacks();
}

CUptiResult cuptiGetVersion(uint32_t* version) {
  return Answered<CUptiResult>(Answers(), "cuptiGetVersion", [&] {
    const char* value = std::getenv("RAFTER_FAKE_CUPTI_VERSION");
    *version = value == nullptr ? 130001 : static_cast<uint32_t>(std::atoi(value));
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* params) {
  return Entry("cuptiProfilerInitialize", params, 16, [] {
    if (InitialisedDriver() == nullptr) return CUPTI_ERROR_UNKNOWN;
    g_profiler_initialised = true;
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params* params) {
  return Entry("cuptiProfilerDeInitialize", params, 16, [] {
    g_profiler_initialised = false;
    return CUPTI_SUCCESS;
  });
}

// RAFTER_FAKE_SUPPORT="sli=1,vgpu=2" sets the level of single flags.
CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* params) {
  return Entry("cuptiProfilerDeviceSupported", params, 52, [&] {
    const FakeCudaFunctions* driver = InitialisedDriver();
    if (driver == nullptr) return CUPTI_ERROR_UNKNOWN;
    if (params->cuDevice < 0 || params->cuDevice >= driver->device_count()) {
      return CUPTI_ERROR_INVALID_DEVICE;
    }
    auto levels = ReadAnswers("RAFTER_FAKE_SUPPORT");
    params->isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    const auto set = [&](CUpti_Profiler_Support_Level& level, const char* name) {
      level = levels.contains(name) ? static_cast<CUpti_Profiler_Support_Level>(levels[name].value)
                                    : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
      if (level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
        params->isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
      }
    };
    set(params->architecture, "architecture");
    set(params->sli, "sli");
    set(params->vGpu, "vgpu");
    set(params->confidentialCompute, "cc");
    set(params->cmp, "cmp");
    set(params->wsl, "wsl");
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerGetCounterAvailability(
    CUpti_Profiler_GetCounterAvailability_Params* params) {
  return Entry("cuptiProfilerGetCounterAvailability", params, 40, [&] {
    const FakeCudaFunctions* driver = InitialisedDriver();
    if (driver == nullptr) return CrashOr(CUPTI_ERROR_NOT_INITIALIZED);
    if (driver->device_of(params->ctx) < 0) return CUPTI_ERROR_INVALID_CONTEXT;
    if (SessionIsOpen(params->ctx)) return CUPTI_ERROR_INVALID_OPERATION;
    // Another context of this process does not disturb it, another process does.
    if (AnotherProcessHasGpu(driver->device_of(params->ctx))) return CUPTI_ERROR_HARDWARE_BUSY;
    AvailabilityImage image = {};
    std::memcpy(image.magic, kAvailabilityMagic, sizeof image.magic);
    std::snprintf(image.chip, sizeof image.chip, "%s", ChipName());
    if (params->pCounterAvailabilityImage != nullptr) {
      if (params->counterAvailabilityImageSize < sizeof image) return CUPTI_ERROR_INVALID_PARAMETER;
      std::memcpy(params->pCounterAvailabilityImage, &image, sizeof image);
    }
    params->counterAvailabilityImageSize = sizeof image;
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  return Entry("cuptiDeviceGetChipName", params, 32, [&] {
    const FakeCudaFunctions* driver = InitialisedDriver();
    if (driver == nullptr) return CrashOr(CUPTI_ERROR_NOT_INITIALIZED);
    if (params->deviceIndex >= static_cast<size_t>(driver->device_count())) {
      return CUPTI_ERROR_INVALID_DEVICE;
    }
    params->pChipName = ChipName();
    return CUPTI_SUCCESS;
  });
}

}  // extern "C"
