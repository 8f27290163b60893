// libFuzzer target: a marker file of LIKWID's, and a list of its events.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/stream_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  rafter::FeedMarkerFile(bytes);
  rafter::FeedEventList(bytes);
  return 0;
}
