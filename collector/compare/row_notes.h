// RowNotes say beside a verdict what its numbers depend on: validity, numbers of calls,
// and columns in which the rows differ.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/compare/observed_change.h"

namespace rafter {

// Of one row of each side, or of those of several runs. Where the runs of a side differ, two
// of them are named.
std::vector<std::string> RowNotes(const ObservedRows& rows);

}  // namespace rafter
