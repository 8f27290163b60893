// RunCost says what counting cost: as the processes estimated it themselves, and
// as a run without Rafter shows it.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/store/run.h"

namespace rafter {

// "0.62 s", "13.4 s": three digits, and no more than the millisecond.
std::string SecondsText(double seconds);

// One line for each run of the program in which some process said what counting
// cost it; of several processes the largest cost and the sum.
std::vector<std::string> CostLines(const Run& run);

// What the run without Rafter (number 0 of `runs`) says of the others; empty
// without one. Where it ended unlike the others the times are not held against
// each other.
std::vector<std::string> OverheadLines(const std::vector<ProgramRun>& runs);

}  // namespace rafter
