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
  decltype(&::cuDeviceGetCount) cuDeviceGetCount = nullptr;
  decltype(&::cuDevicePrimaryCtxGetState) cuDevicePrimaryCtxGetState = nullptr;
  decltype(&::cuFuncGetAttribute) cuFuncGetAttribute = nullptr;
  decltype(&::cuKernelGetFunction) cuKernelGetFunction = nullptr;  // CUDA 12 and newer
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
  take(table.cuCtxGetId, "cuCtxGetId");  // this and the next ones may be missing
  take(table.cuDeviceGetCount, "cuDeviceGetCount");
  take(table.cuDevicePrimaryCtxGetState, "cuDevicePrimaryCtxGetState");
  take(table.cuFuncGetAttribute, "cuFuncGetAttribute");
  take(table.cuKernelGetFunction, "cuKernelGetFunction");
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

bool CudaDriver::UsesSeveralDevices() const noexcept {
  int devices = 0;
  if (!found() || table_->cuDeviceGetCount == nullptr ||
      table_->cuDevicePrimaryCtxGetState == nullptr ||
      table_->cuDeviceGetCount(&devices) != CUDA_SUCCESS) {
    return false;
  }
  int in_use = 0;
  for (int device = 0; device < devices; ++device) {
    unsigned int flags = 0;
    int active = 0;
    if (table_->cuDevicePrimaryCtxGetState(device, &flags, &active) == CUDA_SUCCESS) {
      in_use += active != 0 ? 1 : 0;
    }
  }
  return in_use > 1;
}

int CudaDriver::CurrentDevice() const noexcept {
  CUdevice device = -1;
  return found() && table_->cuCtxGetDevice(&device) == CUDA_SUCCESS ? device : -1;
}

// What a launch names may be a function, or since CUDA 12 a kernel that stands for
// one in every context.
bool CudaDriver::KernelFacts(void* function, uint32_t& registers,
                             uint32_t& static_shared_bytes) const noexcept {
  if (!found() || table_->cuFuncGetAttribute == nullptr) return false;
  const auto ask = [this](CUfunction_attribute which, CUfunction of, uint32_t& value) {
    int answer = 0;
    if (table_->cuFuncGetAttribute(&answer, which, of) != CUDA_SUCCESS) return false;
    value = static_cast<uint32_t>(answer);
    return true;
  };
  auto* handle = static_cast<CUfunction>(function);
  CUfunction of_kernel = nullptr;
  if (table_->cuKernelGetFunction != nullptr &&
      table_->cuKernelGetFunction(&of_kernel, static_cast<CUkernel>(function)) == CUDA_SUCCESS) {
    handle = of_kernel;
  }
  return ask(CU_FUNC_ATTRIBUTE_NUM_REGS, handle, registers) &&
         ask(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, handle, static_shared_bytes);
}

bool CudaDriver::IsAlive(void* context) const noexcept {
  unsigned int version = 0;  // the driver takes null for the current context
  return context != nullptr && found() &&
         table_->cuCtxGetApiVersion(static_cast<CUcontext>(context), &version) == CUDA_SUCCESS;
}

uint64_t CudaDriver::ContextNumber(void* context) const noexcept {
  if (!IsAlive(context)) return 0;
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
