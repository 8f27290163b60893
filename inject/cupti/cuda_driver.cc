#include "inject/cupti/cuda_driver.h"

#include <cuda.h>
#include <dlfcn.h>

#include <cstring>

namespace rafter {

struct CudaDriver::Table {
  decltype(&::cuCtxGetCurrent) cuCtxGetCurrent = nullptr;
  decltype(&::cuCtxSetCurrent) cuCtxSetCurrent = nullptr;
  decltype(&::cuCtxGetDevice) cuCtxGetDevice = nullptr;
  decltype(&::cuCtxGetApiVersion) cuCtxGetApiVersion = nullptr;
  decltype(&::cuCtxGetId) cuCtxGetId = nullptr;  // CUDA 12 and newer
  decltype(&::cuDriverGetVersion) cuDriverGetVersion = nullptr;
  decltype(&::cuDeviceGetName) cuDeviceGetName = nullptr;
  decltype(&::cuDeviceGetUuid_v2) cuDeviceGetUuid = nullptr;
  decltype(&::cuDeviceGetPCIBusId) cuDeviceGetPCIBusId = nullptr;
  decltype(&::cuDeviceTotalMem_v2) cuDeviceTotalMem = nullptr;
  decltype(&::cuDeviceGetAttribute) cuDeviceGetAttribute = nullptr;
};

bool CudaDriver::Find() noexcept {
  if (found()) return true;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) {
    dlerror();  // our failure must not be taken for one of the program's
    return false;
  }
  static Table table;
  bool complete = true;
  const auto take = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    complete = complete && function != nullptr;
  };
  take(table.cuCtxGetCurrent, "cuCtxGetCurrent");
  take(table.cuCtxSetCurrent, "cuCtxSetCurrent");
  take(table.cuCtxGetDevice, "cuCtxGetDevice");
  take(table.cuCtxGetApiVersion, "cuCtxGetApiVersion");
  take(table.cuDriverGetVersion, "cuDriverGetVersion");
  take(table.cuDeviceGetName, "cuDeviceGetName");
  take(table.cuDeviceGetUuid, "cuDeviceGetUuid_v2");
  take(table.cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId");
  take(table.cuDeviceTotalMem, "cuDeviceTotalMem_v2");
  take(table.cuDeviceGetAttribute, "cuDeviceGetAttribute");
  const bool usable = complete;
  take(table.cuCtxGetId, "cuCtxGetId");  // may be missing
  dlerror();
  if (!usable) return false;
  table_ = &table;
  found_.store(true, std::memory_order_release);
  return true;
}

void* CudaDriver::CurrentContext() const noexcept {
  CUcontext context = nullptr;
  if (!found() || table_->cuCtxGetCurrent(&context) != CUDA_SUCCESS) return nullptr;
  return context;
}

bool CudaDriver::SetCurrent(void* context) const noexcept {
  return table_->cuCtxSetCurrent(static_cast<CUcontext>(context)) == CUDA_SUCCESS;
}

uint64_t CudaDriver::ContextNumber(void* context) const noexcept {
  unsigned int version = 0;
  if (table_->cuCtxGetApiVersion(static_cast<CUcontext>(context), &version) != CUDA_SUCCESS)
    return 0;
  unsigned long long number = 0;
  if (table_->cuCtxGetId == nullptr ||
      table_->cuCtxGetId(static_cast<CUcontext>(context), &number) != CUDA_SUCCESS) {
    return 0;
  }
  return number + 1;  // the first is 0
}

Result<DeviceFacts> CudaDriver::Facts() const {
  DeviceFacts facts;
  CUdevice device = 0;
  if (table_->cuCtxGetDevice(&device) != CUDA_SUCCESS) {
    return Status::Failed("counters off: the driver does not tell the device of the context");
  }
  facts.ordinal = device;
  table_->cuDriverGetVersion(&facts.driver_version);
  CUuuid uuid;
  if (table_->cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(uuid.bytes);
    facts.uuid.assign(bytes, bytes + sizeof uuid.bytes);
  }
  char text[256] = {};
  if (table_->cuDeviceGetName(text, sizeof text - 1, device) == CUDA_SUCCESS) facts.name = text;
  std::memset(text, 0, sizeof text);
  if (table_->cuDeviceGetPCIBusId(text, sizeof text - 1, device) == CUDA_SUCCESS) {
    facts.pci_address = text;
  }
  size_t memory = 0;
  if (table_->cuDeviceTotalMem(&memory, device) == CUDA_SUCCESS) facts.memory_bytes = memory;
  const auto attribute = [&](CUdevice_attribute which) -> uint64_t {
    int value = 0;
    if (table_->cuDeviceGetAttribute(&value, which, device) != CUDA_SUCCESS || value < 0) return 0;
    return static_cast<uint64_t>(value);
  };
  facts.sm_count = static_cast<uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  facts.sm_clock_hz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1000;  // the driver tells kHz
  facts.memory_clock_hz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * 1000;
  facts.memory_bus_bits =
      static_cast<uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
  facts.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  facts.compute_major =
      static_cast<uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  facts.compute_minor =
      static_cast<uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  return facts;
}

}  // namespace rafter
