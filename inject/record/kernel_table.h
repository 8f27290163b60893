// KernelTable counts launches by region, kernel and size, while launches are
// watched.
//
//   Threads   Count: any. Changed: the recorder.
//   Blocking  a short lock; only while launches are watched.
//   Memory    at most kMaxKernels entries.
//   Lifetime  a member of the session, which is never destroyed.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "inject/cupti/launch_watch.h"
#include "inject/record/encode.h"

namespace rafter {

class KernelTable {
 public:
  // A training step of PyTorch launches some hundred kinds; what is beyond is
  // in the number of launches, without its name.
  static constexpr size_t kMaxKernels = 1024;
  // Mangled names of templates reach 64 KiB in the wild; beyond that they are cut.
  static constexpr size_t kMaxFrameNameBytes = 64u << 10;

  void Count(PathId path, uint16_t device, const SeenLaunch& launch);

  // Entries that changed since the last call.
  std::vector<KernelCount> Changed();

  void Forget();

 private:
  struct Entry {
    KernelCount count;
    bool changed = false;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace rafter
