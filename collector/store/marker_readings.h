// MarkerReadings: what a reading of LIKWID's tells of itself. Its type is in run.h.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <algorithm>

#include "collector/store/run.h"

namespace rafter {

// Whether a region reads as regions do after a switch of groups, which LIKWID cannot
// do: calls are counted, and every value is 0. A region without a kernel that was the
// first of a process with several groups reads the same, so neither is known.
inline bool ReadsAsSwitched(const MarkerReadings& markers, const MarkerReading& reading) {
  return markers.events.size() > 1 && reading.calls > 0 && !reading.values.empty() &&
         std::all_of(reading.values.begin(), reading.values.end(),
                     [](double value) { return value == 0; });
}

}  // namespace rafter
