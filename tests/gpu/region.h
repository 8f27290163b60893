// Region marks a stretch of the program for as long as it lives, with an NVTX
// push and pop in the default domain.
//
//   Threads   begins and ends on one thread.
//   Blocking  never.
//   Memory    the name must outlive the call.
//   Lifetime  a block of code.
#pragma once

#include <nvtx3/nvToolsExt.h>

namespace rafter {

class Region {
 public:
  explicit Region(const char* name) { nvtxRangePushA(name); }
  ~Region() { nvtxRangePop(); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
};

}  // namespace rafter
