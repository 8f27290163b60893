// libFuzzer target: a report of Google Benchmark.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/stream_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  rafter::FeedBenchReport(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
