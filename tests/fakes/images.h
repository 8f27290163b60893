// FakeImages are the byte layouts of the fake CUPTI: configuration,
// availability and counter data. They stand for NVIDIA's, which are secret.
//
//   Threads   plain values.
//   Blocking  never.
//   Memory    views of the caller's bytes.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fakes/work.h"

namespace rafter::fakes {

// A configuration image: this header, then one ConfigPass for each pass.
struct ConfigHeader {
  char magic[8];  // kConfigMagic
  char chip[16];
  uint64_t passes;
};
struct ConfigPass {
  uint64_t raw;      // bit for each RawCounter that the pass collects
  uint64_t patched;  // 1: kernels are patched
};
inline constexpr char kConfigMagic[8] = {'F', 'A', 'K', 'E', 'C', 'F', 'G', '1'};

struct AvailabilityImage {
  char magic[8];  // kAvailabilityMagic
  char chip[16];
};
inline constexpr char kAvailabilityMagic[8] = {'F', 'A', 'K', 'E', 'A', 'V', 'L', '1'};

// A counter-data image: this header, then one slot for each range name. Bytes
// behind it stay as they are.
struct CounterHeader {
  char magic[8];  // kCounterMagic
  char chip[16];
  uint64_t slots;
  uint64_t used;
};
struct CounterSlot {
  char name[256];
  double mean[kRawCounters];       // over the passes decoded into it
  uint64_t decoded[kRawCounters];  // how many those were; 0: not collected
};
inline constexpr char kCounterMagic[8] = {'F', 'A', 'K', 'E', 'C', 'D', 'I', '1'};

inline constexpr size_t CounterImageBytes(size_t slots) {
  return sizeof(CounterHeader) + slots * sizeof(CounterSlot);
}

// Copies a plain structure out of bytes that may be unaligned or too few.
template <typename Plain>
bool ReadPlain(const uint8_t* bytes, size_t size, size_t offset, Plain& out) {
  if (bytes == nullptr || size < offset || size - offset < sizeof(Plain)) return false;
  std::memcpy(&out, bytes + offset, sizeof(Plain));
  return true;
}

}  // namespace rafter::fakes
