// RunSummary says in a few lines what a run gave, and what it did not and why.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values; the same reason is said once for all processes.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/store/run.h"
#include "collector/table/table.h"

namespace rafter {

// Lines for a person, the first about `path`, the run file. `entered` is whether
// the library was put in the program's way at all.
std::vector<std::string> SummaryOf(const std::string& path, const Run& run, const Table& table,
                                   bool entered);

// Whether what was asked for was counted: some row has values, and no process
// had its counters off. The reason when not.
bool CountersObtained(const Run& run, const Table& table, std::string& reason);

}  // namespace rafter
