// ResultFile is what a program measured with LIKWID leaves for Rafter, as text:
// one item a line, words between blanks. NVMARKER.md describes it.
//
//   Threads   TextOf: any. WriteResult: one for each path.
//   Blocking  WriteResult writes a file.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "marker/nvmarker/gpu_driver.h"

namespace rafter {

struct MarkerReading {
  std::string region;
  int gpu = 0;  // CUDA's ordinal
  uint64_t calls = 0;
  uint64_t time_ns = 0;          // of this library's clock, work waited for
  double likwid_time_s = 0;      // as LIKWID says; may be inf
  std::vector<double> reported;  // by event, as LIKWID reports: half of what was done
};

struct MarkerResult {
  // Who wrote it: of the process.
  uint64_t pid = 0;
  std::string host;
  std::string executable;
  uint64_t start_ticks = 0;
  std::string boot_id;
  std::string rank;  // empty: none

  std::string likwid;  // path of the library; empty: none
  std::vector<GpuDriver::Gpu> gpus;
  std::vector<std::string> regions;
  std::vector<MarkerReading> readings;
  std::vector<std::pair<std::string, uint64_t>> ignored;  // region, calls on other threads
  std::vector<std::string> troubles;
};

// Fills in what names the calling process.
void Identify(MarkerResult& result);

std::string TextOf(const MarkerResult& result);

// Writes all of it to `path`, where %p stands for the process number: under
// another name first, then it renames. Returns an empty text, or why the file is not
// there.
std::string WriteResult(const std::string& path, const std::string& text);

// A word without blanks: bytes that are not printable ASCII, blanks and % as %XX;
// the empty text is a lone %.
std::string Encoded(std::string_view text);

}  // namespace rafter
