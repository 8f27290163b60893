// MarkerScale looks for what no constant factor between LIKWID's readings and the
// counts can explain: a reading is the mean over all sessions of the process, and a
// factor is right for the first region and for equal repeats of it only.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/store/run.h"

namespace rafter {

// Work of a region over all of its calls, in any unit; 0: it does none.
struct KnownWork {
  std::string region;
  double units = 0;
};

// What an event truly counts in a region, over all of its calls and GPUs.
struct KnownCount {
  std::string region;
  std::string event;  // LIKWID's name
  double count = 0;
};

struct KnownTruth {
  std::vector<KnownWork> work;
  std::vector<KnownCount> counts;
};

// Instructions are counted exactly, so readings of them differ from proportion by the
// seventh digit at most. What else is counted may differ by a tenth, which calls of
// the same work do as well (collector/table/verdict.h), and a region without work
// still reads some bytes.
inline constexpr double kExactShare = 1.1e-6;
inline constexpr double kInexactShare = 0.10;
inline constexpr double kInexactFloor = 1 << 20;

// Why no constant factor can be right for these readings: instructions that are no
// whole number, values without calls, and what contradicts `truth`. Empty: nothing
// speaks against it. Regions that the readings do not have are passed over.
std::string WhyNoConstantScale(const MarkerReadings& markers, const KnownTruth& truth);

}  // namespace rafter
