// MarkerRows are the rows of what LIKWID counted: its readings times their scale,
// under CUPTI's names, so that the formulas of other rows make FLOP and traffic of
// them. A value that no count can be made of is missing, with the reason.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <vector>

#include "collector/store/run.h"
#include "collector/table/table.h"

namespace rafter {

// One row for each region, GPU and process, without peaks. Each event is from the first
// run that counted it. Duration is the smallest of the runs' times, since counting slows
// some groups more than others; Duration Spread is over these times.
std::vector<Row> MarkerRows(const Run& run, const TableOptions& options);

}  // namespace rafter
