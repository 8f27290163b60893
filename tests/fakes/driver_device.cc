// The fake libcuda.so.1: start-up and devices.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fakes/driver.h"

namespace rafter::fakes {
namespace {

uint64_t GiveUpNs() {
  const char* value = std::getenv("RAFTER_FAKE_GIVE_UP_MS");
  return value == nullptr ? 0 : std::strtoull(value, nullptr, 10) * 1'000'000;
}

void ReadSettings(FakeDriver& driver) {
  const char* devices = std::getenv("RAFTER_FAKE_DEVICES");
  driver.devices = devices == nullptr ? 1 : std::atoi(devices);
  driver.primaries.assign(static_cast<size_t>(std::max(0, driver.devices)), {});
  driver.timeline = std::make_unique<GpuTimeline>(GiveUpNs());
}

// As the real driver: once, inside cuInit, and a library that cannot be loaded
// is passed over.
void LoadInjection() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == '\0') return;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  auto* entry = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (entry != nullptr) entry();
}

struct Attribute {
  CUdevice_attribute attribute;
  int value;
};

// Of an H200, where it matters.
constexpr Attribute kAttributes[] = {
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1'980'000},  // kHz
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3'201'000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 62'914'560},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0},
    {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0},
};

bool IsDevice(CUdevice device) { return device >= 0 && device < Driver().devices; }

// Different for each device, the same in every process.
constexpr int kFirstPciBus = 0x3b;

}  // namespace

FakeDriver::FakeDriver()
    : answers("RAFTER_FAKE_CUDA_FAIL", "RAFTER_FAKE_CUDA_DELAY_US", "RAFTER_FAKE_CUDA_LOG") {
  ReadSettings(*this);
}

FakeDriver& Driver() {
  static FakeDriver* const driver = new FakeDriver;
  return *driver;
}

CUresult Ready() {
  return Driver().initialised_in == getpid() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

}  // namespace rafter::fakes

using namespace rafter::fakes;  // NOLINT(google-build-using-namespace): C entry points only

extern "C" {

void fakecuda_connect(const FakeCudaLink* link) { Driver().link = link; }

int fakecuda_initialised() { return Ready() == CUDA_SUCCESS; }

int fakecuda_device_count() { return Driver().devices; }

void fakecuda_uuid(int device, unsigned char uuid[16]) {
  std::memcpy(uuid, "FAKE-GPU-RAFTER-", 16);
  uuid[15] = static_cast<unsigned char>('0' + device);
}

void fakecuda_reset() {
  FakeDriver& driver = Driver();
  const std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  driver.answers.Reload();
  driver.initialised_in = 0;
  ++driver.generation;
  for (auto& context : driver.contexts) context->alive = false;
  ReadSettings(driver);
}

CUresult cuInit(unsigned int flags) {
  FakeDriver& driver = Driver();
  return Answered<CUresult>(driver.answers, "cuInit", [&] {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const std::lock_guard<std::recursive_mutex> lock(driver.mutex);
    if (driver.initialised_in == getpid()) return CUDA_SUCCESS;
    if (driver.initialised_in != 0) return CUDA_ERROR_NOT_INITIALIZED;  // a forked child
    driver.initialised_in = getpid();  // the injected library may call us already
    LoadInjection();
    if (driver.devices > 0) return CUDA_SUCCESS;
    driver.initialised_in = 0;
    return CUDA_ERROR_NO_DEVICE;
  });
}

CUresult cuDriverGetVersion(int* version) {
  return Answered<CUresult>(Driver().answers, "cuDriverGetVersion", [&] {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = 13000;
    return CUDA_SUCCESS;
  });
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == CUDA_SUCCESS ? "no error" : "an error of the fake driver";
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** text) {
  *text = error == CUDA_SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR_OF_THE_FAKE";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  return Call("cuDeviceGetCount", [&] {
    *count = Driver().devices;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return Call("cuDeviceGet", [&] {
    if (!IsDevice(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return Call("cuDeviceGetName", [&] {
    if (!IsDevice(device) || length <= 0) return CUDA_ERROR_INVALID_DEVICE;
    std::snprintf(name, static_cast<size_t>(length), "Fake H200");
    return CUDA_SUCCESS;
  });
}

static CUresult Uuid(const char* function, CUuuid* uuid, CUdevice device) {
  return Call(function, [&] {
    if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
    fakecuda_uuid(device, reinterpret_cast<unsigned char*>(uuid->bytes));
    return CUDA_SUCCESS;
  });
}

#undef cuDeviceGetUuid
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return Uuid("cuDeviceGetUuid", uuid, device);
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return Uuid("cuDeviceGetUuid_v2", uuid, device);
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  return Call("cuDeviceTotalMem_v2", [&] {
    if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
    *bytes = size_t{141} << 30;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return Call("cuDeviceGetAttribute", [&] {
    if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
    *value = 0;
    if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) *value = kFirstPciBus + device;
    for (const Attribute& known : kAttributes) {
      if (known.attribute == attribute) *value = known.value;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return Call("cuDeviceGetPCIBusId", [&] {
    if (!IsDevice(device) || length < 13) return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(text, static_cast<size_t>(length), "0000:%02X:00.0", kFirstPciBus + device);
    return CUDA_SUCCESS;
  });
}

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int, cuuint64_t,
                             CUdriverProcAddressQueryResult* status) {
  // The newest form of a function first, as the real one does.
  Dl_info own;
  dladdr(reinterpret_cast<void*>(&cuInit), &own);
  void* library = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  *function = nullptr;
  for (const char* suffix : {"_v4", "_v2", ""}) {
    if (*function == nullptr) *function = dlsym(library, (std::string(symbol) + suffix).c_str());
  }
  if (library != nullptr) dlclose(library);
  if (status != nullptr) {
    *status =
        *function == nullptr ? CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND : CU_GET_PROC_ADDRESS_SUCCESS;
  }
  return *function == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

CUresult cuProfilerStart() {
  return Call("cuProfilerStart", [] { return CUDA_SUCCESS; });
}
CUresult cuProfilerStop() {
  return Call("cuProfilerStop", [] { return CUDA_SUCCESS; });
}

}  // extern "C"
