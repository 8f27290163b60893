// Conflicts are what makes two runs no pair: another GPU, another clock, another
// driver or CUPTI.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/compare/comparison.h"

namespace rafter {

// Looks at what the runs tell, each of both sides against each other one, over the rows that
// were matched: names of GPUs, whole GPU or MIG slice, mean SM and DRAM clock by duration
// (further apart than kOtherClockShare), versions of driver and CUPTI; and at whether one
// run was given twice. One line each.
std::vector<std::string> ConflictsOf(const Comparison& comparison);

// What could not be looked at since a run does not tell it, and that the GPU is
// another one of the same name.
std::vector<std::string> NotesOnSides(const Comparison& comparison);

}  // namespace rafter
