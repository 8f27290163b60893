// MarkerResult is what the marker library wrote about one process whose LIKWID
// markers it passed on to LIKWID (docs/likwid.md describes the file).
//
//   Threads   ReadMarkerResult is pure.
//   Blocking  never.
//   Memory    at most kMaxMarkerResultBytes of text, a few times over.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cupti/status.h"

namespace rafter {

// A hundred thousand regions on eight GPUs take half of it.
inline constexpr size_t kMaxMarkerResultBytes = 64u << 20;

// A GPU that LIKWID counted on; what the process did not know is 0 or empty.
struct MarkerResultGpu {
  uint32_t ordinal = 0;  // CUDA's, within the process
  std::string uuid;      // "GPU-xxxxxxxx-xxxx-..."
  std::string pci_address;
  uint32_t sm_count = 0;
  uint64_t memory_bytes = 0;
  uint32_t compute_major = 0;
  uint32_t compute_minor = 0;
  uint64_t sm_clock_hz = 0;  // highest the device allows
  std::string name;
};

// What LIKWID says of one region on one GPU.
struct MarkerResultReading {
  std::string region;
  uint32_t gpu = 0;  // ordinal
  uint64_t calls = 0;
  uint64_t time_ns = 0;        // sum over the calls, host clock, borders synchronised
  double likwid_time_s = 0;    // LIKWID's own; not finite where it has no clock
  std::vector<double> values;  // as reported, by position in the group's events; may be not finite
};

struct MarkerResultIgnored {
  std::string region;
  uint64_t calls = 0;  // of marker functions, on threads that LIKWID does not count
};

struct MarkerResult {
  uint32_t pid = 0;
  std::string host;
  std::string executable;
  uint64_t start_ticks = 0;
  std::string boot_id;
  std::string likwid;  // the library that counted; empty: none was found
  std::optional<uint32_t> rank;
  std::vector<MarkerResultGpu> gpus;
  std::vector<std::string> regions;  // in the order first met
  std::vector<MarkerResultReading> readings;
  std::vector<MarkerResultIgnored> ignored;
  std::vector<std::string> troubles;
};

// Reads one file. `text` may be anything: what it does not understand it refuses
// with the number of the line. A file without its last line was cut.
Result<MarkerResult> ReadMarkerResult(std::string_view text);

}  // namespace rafter
