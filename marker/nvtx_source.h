// NvtxSource fills the callback tables of the NVTX headers in a module of the
// target with functions that deliver to a RegionSink, and to another tool where the
// user named one.
//
//   Threads   Attach: any, once per module; the callbacks: any.
//   Blocking  never, beyond what the sink and the other tool do.
//   Memory    as nvtx_handles.h and nvtx_tool.h say.
//   Lifetime  callbacks stay valid until the process ends.
#pragma once

#include "marker/nvtx_limits.h"
#include "marker/region_sink.h"

namespace rafter {

class NvtxSource {
 public:
  // By which door a module comes: the function of ours that it calls.
  enum class Door {
    kNvtx3,  // InitializeInjectionNvtx2: the headers of NVTX 3, libnvToolsExt of NVTX 2
    // InitializeInjectionNvtx: libnvToolsExt where it does not find the other. That of
    // CUDA 11.8 then hands over a table of another kind, 24 bytes long, with calls
    // to subscribe: it is passed on to the other tool, and noted.
    kNvtx2,
  };

  // `get_export_table` is what the function was given. `next_tool_path`: the
  // library of another NVTX tool that sees every call too; null or empty: none.
  // The first call decides which, for the whole process. Returns false when the
  // module's tables are not those of NVTX.
  //
  // The other tool is set up in here, and may call anything: no fence around it.
  static bool Attach(const void* get_export_table, const RegionSink* sink,
                     const char* next_tool_path, Door door = Door::kNvtx3) noexcept;
};

}  // namespace rafter
