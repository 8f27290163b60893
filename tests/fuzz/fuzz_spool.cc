// libFuzzer target: a spool file.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/stream_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  rafter::FeedSpool({reinterpret_cast<const char*>(data), size});
  return 0;
}
