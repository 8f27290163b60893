// GpuDriver is the little of the CUDA driver that measuring with LIKWID needs:
// whose context is current, waiting for work, and what the GPUs are.
//
//   Threads   the one that called INIT.
//   Blocking  Settle: until the GPUs have done what they were given.
//   Memory    one table of pointers, one context a GPU.
//   Lifetime  a member of LikwidForm; primary contexts are held for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rafter {

class GpuDriver {
 public:
  // What is not known is empty or 0.
  struct Gpu {
    int ordinal = 0;
    std::string uuid;  // 32 hexadecimal digits
    std::string pci;
    uint64_t sm_count = 0;
    uint64_t memory_bytes = 0;
    int major = 0;
    int minor = 0;
    uint64_t sm_clock_hz = 0;
    std::string name;
  };

  // Finds libcuda.so.1, the program's where it has one, and starts it, since LIKWID
  // is about to. False: there is none, or it does not start.
  bool Load();

  // Makes a context of GPU `ordinal` current where none of that GPU is. LIKWID
  // measures on whatever is current under the first name of its list. Returns
  // whether Leave must be called.
  bool Enter(int ordinal);
  void Leave();

  // Holds the contexts that Settle has to wait for.
  void Hold(const std::vector<int>& ordinals);

  // Waits for all work of the current context and of the GPUs that are held.
  void Settle();

  Gpu Describe(int ordinal) const;

 private:
  using Context = void*;
  struct Uuid {
    unsigned char bytes[16];
  };

  int (*init_)(unsigned) = nullptr;
  int (*device_)(int*, int) = nullptr;
  int (*name_)(char*, int, int) = nullptr;
  int (*uuid_)(Uuid*, int) = nullptr;
  int (*memory_)(size_t*, int) = nullptr;
  int (*pci_)(char*, int, int) = nullptr;
  int (*attribute_)(int*, int, int) = nullptr;
  int (*current_)(Context*) = nullptr;
  int (*current_device_)(int*) = nullptr;
  int (*push_)(Context) = nullptr;
  int (*pop_)(Context*) = nullptr;
  int (*synchronize_)() = nullptr;
  int (*retain_)(Context*, int) = nullptr;
  bool ready_ = false;
  std::vector<Context> held_;
};

}  // namespace rafter
