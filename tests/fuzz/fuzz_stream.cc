// libFuzzer target: a target's stream.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/stream_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  rafter::FeedFrameReader(bytes);
  rafter::FeedStream(bytes);
  return 0;
}
