// MarkerProcess makes what the run file keeps out of what the marker library
// wrote about one process.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/ingest/marker_result.h"
#include "collector/store/run.h"

namespace rafter {

// How the process comes to be: one of several runs of the program.
struct MarkerCounting {
  uint32_t run = 0;                 // from 1; 0: the only one
  std::string name;                 // of the run, for messages: "run 1 (DRAM traffic)"
  std::vector<std::string> events;  // LIKWID's names, in the order in which it was given them
  double scale = 2;
  ScaleOrigin origin = ScaleOrigin::kKept;
};

// The process with its GPUs, and a note for each thing that is not in its numbers.
RunProcess MarkerProcessOf(const MarkerResult& result);

// Its readings, of process `process`. Values that are no counts (not finite, below
// zero) become NaN; durations are the marker library's own.
MarkerReadings MarkerReadingsOf(const MarkerResult& result, const MarkerCounting& counting,
                                int64_t process);

}  // namespace rafter
