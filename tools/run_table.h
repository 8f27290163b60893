// RunTable is the table of one command of a run file: runs of a replay put together, and
// joined with what Google Benchmark wrote. `report`, `batch` and all others have their
// rows from here.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values; the given run is moved from.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/table/replayed.h"
#include "collector/table/table.h"

namespace rafter {

struct RunTable {
  Replayed replayed;
  Table table;
  std::string refused;  // a line that says why runs were not put together; also a note of the table
  std::string remark;   // a line that says what was made of runs that differ; likewise a note
  std::vector<std::string> troubles;  // of Google Benchmark's report: what is missing, a line each
};

// Lines begin with the program's name where the run has one.
RunTable TableOfRun(Run run, const TableOptions& options);

}  // namespace rafter
