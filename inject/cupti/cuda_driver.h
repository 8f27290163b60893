// CudaDriver holds the few functions of the CUDA driver that we call, taken
// from the copy that the process has loaded. Free of NVIDIA's headers.
//
//   Threads   any, once Find succeeded; Find: one at a time.
//   Blocking  never; every call is a query.
//   Memory    plain pointers.
//   Lifetime  the driver is never unloaded.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "cupti/status.h"

namespace rafter {

// What identifies a GPU and explains its numbers.
struct DeviceFacts {
  int ordinal = -1;           // CUdevice
  std::vector<uint8_t> uuid;  // 16 bytes
  std::string pci_address;
  std::string name;
  std::string chip;  // CUPTI's, "GH100"
  int driver_version = 0;
  uint32_t sm_count = 0;
  uint64_t memory_bytes = 0;
  uint64_t sm_clock_hz = 0;
  uint64_t memory_clock_hz = 0;
  uint32_t memory_bus_bits = 0;
  uint64_t l2_bytes = 0;
  uint32_t compute_major = 0;
  uint32_t compute_minor = 0;
  std::vector<uint8_t> counter_availability;
};

class CudaDriver {
 public:
  // Fills the table when libcuda.so.1 is mapped in this process, and returns
  // whether it is. Never loads it.
  bool Find() noexcept;
  bool found() const { return found_.load(std::memory_order_acquire); }

  // The calling thread's context, or null: none, or CUDA is not initialised.
  // Hot path. One call into the driver, about 20 ns.
  void* CurrentContext() const noexcept;

  bool SetCurrent(void* context) const noexcept;

  // Whether the runtime has started contexts on more than one device.
  bool UsesSeveralDevices() const noexcept;

  // Device of the calling thread's current context, or -1. About 20 ns.
  int CurrentDevice() const noexcept;

  // What the driver says of a kernel of the current context; false when it does not.
  bool KernelFacts(void* function, uint32_t& registers,
                   uint32_t& static_shared_bytes) const noexcept;

  // A number that no other context of this process has had, or 0: the context
  // is gone, or the driver is older than CUDA 12. A primary context keeps its
  // address when it is reset, but not its number.
  uint64_t ContextNumber(void* context) const noexcept;

  // Whether a context has not been destroyed; a new one may be at its address.
  bool IsAlive(void* context) const noexcept;

  // Device of the calling thread's current context.
  Result<DeviceFacts> Facts() const;

 private:
  std::atomic<bool> found_{false};  // then table_ stays as it is
  struct Table;
  const Table* table_ = nullptr;
};

}  // namespace rafter
