// MarkerGroups puts what LIKWID counted of one region on one GPU side by side: a
// program is run once for each group of events, and each run has a part of the row.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    pointers into the run.
//   Lifetime  must not outlive the Run.
#pragma once

#include <string>
#include <vector>

#include "collector/store/run.h"

namespace rafter {

// What one run, or one group of events in it, read.
struct MarkerPart {
  const MarkerReadings* markers = nullptr;
  const MarkerReading* reading = nullptr;
};

struct MarkerRegion {
  const RunProcess* process = nullptr;  // of the first part; null: the run does not know it
  std::string region;
  int gpu = 0;
  std::vector<MarkerPart> parts;  // never empty, in the order of the run
};

// In order of appearance. Readings of one process belong together; those of several
// processes do where they are of different runs of a program (MarkerReadings.run) and
// executable, rank, host and place in the order of appearance agree.
std::vector<MarkerRegion> GroupMarkers(const Run& run);

// The number of regions that the readings tell of.
size_t RegionsOf(const MarkerReadings& markers);

}  // namespace rafter
