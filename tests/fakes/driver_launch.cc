// The fake libcuda.so.1: streams, memory, launches.
#include <cupti.h>

#include <cstdlib>
#include <cstring>

#include "tests/fakes/driver.h"

namespace rafter::fakes {

CUresult Launch(const KernelWork& work, uint64_t blocks, CUstream stream, Launched what) {
  FakeDriver& driver = Driver();
  const CUcontext context = CurrentContext();
  if (!IsAlive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  KernelWork counted = work;
  counted.counts[kCtas] = blocks;
  const FakeCudaLink* link = driver.link.load();
  LaunchCharge charge{false, work.ns};
  if (link != nullptr) charge = link->on_launch(context, counted, what);
  const uint64_t number = driver.timeline->Add(stream, charge.ns, work.waits_for, work.sets);
  if (charge.blocks) driver.timeline->WaitFor(number);
  return CUDA_SUCCESS;
}

namespace {

// Name of the flag that stands for a word of memory.
std::string FlagOf(CUdeviceptr address) { return "word " + std::to_string(address); }

}  // namespace
}  // namespace rafter::fakes

using namespace rafter::fakes;  // NOLINT(google-build-using-namespace): C entry points only

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned int) {
  return Call("cuStreamCreate", [&] {
    if (!IsAlive(CurrentContext())) return CUDA_ERROR_INVALID_CONTEXT;
    *stream = new CUstream_st{CurrentContext()};
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamDestroy_v2(CUstream) {
  return Call("cuStreamDestroy_v2", [] { return CUDA_SUCCESS; });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return Call("cuStreamSynchronize", [&] {
    Driver().timeline->WaitForStream(stream);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemsetD8_v2(CUdeviceptr, unsigned char, size_t) {
  return Call("cuMemsetD8_v2", [] { return CUDA_SUCCESS; });
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return Call("cuMemAlloc_v2", [&] {
    void* memory = std::calloc(1, bytes == 0 ? 1 : bytes);
    *address = reinterpret_cast<CUdeviceptr>(memory);
    return memory == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return Call("cuMemFree_v2", [&] {
    Driver().timeline->WaitForAll();
    std::free(reinterpret_cast<void*>(address));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  const cuMemcpyDtoDAsync_v2_params params = {to, from, bytes, stream};
  return TracedCall(
      "cuMemcpyDtoDAsync_v2", CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2, params, nullptr, [&] {
        std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
        KernelWork copy;
        copy.counts[kDramReadBytes] = copy.counts[kDramWriteBytes] = bytes;
        copy.ns = copy.patched_ns = bytes / 2000;  // about 4 TB/s
        copy.counts[kTimeNs] = copy.counts[kElapsedNs] = copy.ns;
        return Launch(copy, 0, stream, Launched::kCopy);
      });
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                unsigned int flags) {
  const cuStreamWaitValue32_v2_params params = {stream, address, value, flags};
  return TracedCall("cuStreamWaitValue32_v2", CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue32_v2,
                    params, nullptr, [&] {
                      Driver().timeline->Add(stream, 0, FlagOf(address), "");
                      return CUDA_SUCCESS;
                    });
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                 unsigned int flags) {
  const cuStreamWriteValue32_v2_params params = {stream, address, value, flags};
  return TracedCall("cuStreamWriteValue32_v2", CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue32_v2,
                    params, nullptr, [&] {
                      Driver().timeline->Add(stream, 0, "", FlagOf(address));
                      return CUDA_SUCCESS;
                    });
}

CUresult cuLaunchKernel(CUfunction f, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int shared_bytes, CUstream stream, void** arguments,
                        void** extra) {
  if (f == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const cuLaunchKernel_params params = {f,       grid_x,       grid_y, grid_z,    block_x, block_y,
                                        block_z, shared_bytes, stream, arguments, extra};
  return TracedCall("cuLaunchKernel", CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, params,
                    f->symbol.c_str(),
                    [&] { return Launch(f->work, uint64_t{grid_x} * grid_y * grid_z, stream); });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** arguments,
                          void** extra) {
  if (f == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const cuLaunchKernelEx_params params = {config, f, arguments, extra};
  return TracedCall(
      "cuLaunchKernelEx", CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, params, f->symbol.c_str(), [&] {
        return Launch(f->work, uint64_t{config->gridDimX} * config->gridDimY * config->gridDimZ,
                      config->hStream);
      });
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                   void** arguments) {
  if (f == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const cuLaunchCooperativeKernel_params params = {
      f, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, arguments};
  return TracedCall("cuLaunchCooperativeKernel", CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                    params, f->symbol.c_str(),
                    [&] { return Launch(f->work, uint64_t{grid_x} * grid_y * grid_z, stream); });
}

CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS* list, unsigned int devices,
                                              unsigned int flags) {
  const cuLaunchCooperativeKernelMultiDevice_params params = {list, devices, flags};
  return TracedCall(
      "cuLaunchCooperativeKernelMultiDevice",
      CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice, params,
      devices == 0 ? nullptr : list[0].function->symbol.c_str(), [&] {
        for (unsigned int i = 0; i < devices; ++i) {
          const uint64_t blocks = uint64_t{list[i].gridDimX} * list[i].gridDimY * list[i].gridDimZ;
          const CUresult launched = Launch(list[i].function->work, blocks, list[i].hStream);
          if (launched != CUDA_SUCCESS) return launched;
        }
        return CUDA_SUCCESS;
      });
}

}  // extern "C"
