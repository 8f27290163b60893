// RegionSink is where region sources deliver: a table of plain functions, so
// that this folder knows nothing of who counts.
//
//   Threads   every function may be called by any thread at any time.
//   Blocking  as long as the sink says; a source adds nothing.
//   Memory    names are valid during the call only; the sink copies.
//   Lifetime  the sink outlives the process's last call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rafter {

// A name as the program gave it: bytes, without a terminating zero.
struct NameBytes {
  const char* data = nullptr;
  size_t size = 0;
};

// Domain 0 is the default domain.
struct RegionSink {
  // Opens a region on the calling thread. Returns its level within the domain,
  // from 0, or a negative value when it could not be tracked.
  int (*push)(uint32_t domain, NameBytes name);

  // Closes the innermost region of the domain on the calling thread. Returns
  // the level of that region, or a negative value when there was none.
  int (*pop)(uint32_t domain);

  // Opens a region that any thread may close. Returns its number, never 0
  // unless it could not be tracked.
  uint64_t (*start)(uint32_t domain, NameBytes name);
  void (*end)(uint64_t region);

  // Gives the number of a domain; the same name gives the same number.
  uint32_t (*domain)(NameBytes name);
};

}  // namespace rafter
