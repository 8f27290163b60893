// NvtxSource fills the callback tables of the NVTX headers in a module of the
// target with functions that deliver to a RegionSink.
//
//   Threads   Attach: any, once per module; the callbacks: any.
//   Blocking  never, beyond what the sink does.
//   Memory    registered strings and domains are copied and kept for good, at
//             most kMaxRegisteredBytes; past that they are refused.
//   Lifetime  callbacks stay valid until the process ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "marker/region_sink.h"

namespace rafter {

// Names of registered strings that are kept, over the whole process. PyTorch
// registers a few hundred; 16 MiB is a hundred thousand of 160 bytes.
inline constexpr size_t kMaxRegisteredBytes = 16u << 20;

// Longest name that is kept whole; a longer one is cut there (on a character).
inline constexpr size_t kMaxNameBytes = 1u << 20;

class NvtxSource {
 public:
  // `get_export_table` is what InitializeInjectionNvtx2 was given. Returns
  // false when the module's tables are not those of NVTX 3.
  static bool Attach(const void* get_export_table, const RegionSink* sink);
};

// UTF-32 as wchar_t is on Linux, to UTF-8; code points that do not exist become
// U+FFFD. Writes at most `room` bytes, whole characters only, and returns how
// many.
size_t WideToUtf8(const wchar_t* text, char* out, size_t room);

}  // namespace rafter
