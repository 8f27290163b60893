// NvtxPayload is the source of regions that are marked through NVTX's payload
// extension (nvtxRangePushPayload and others). Their names are in the data that the
// program attaches, laid out by a schema that it has registered.
//
//   Threads   Attach: any, once per module; the callbacks: any.
//   Blocking  never, beyond what the sink and the other tool do.
//   Memory    schemas are kept for good, at most kMaxSchemas; their names count as
//             registered strings. Of data, only what the program states as its size is read.
//   Lifetime  callbacks stay valid until the process ends.
#pragma once

#include "marker/region_sink.h"

namespace rafter {

class NvtxPayload {
 public:
  // `module_info` is what InitializeInjectionNvtxExtension was given, after the
  // module has gone through NvtxSource::Attach. Extensions that mark no regions go to the
  // other tool alone. Returns what NVTX is to be answered: whether it may go on.
  static bool Attach(void* module_info, const RegionSink* sink) noexcept;
};

}  // namespace rafter
