// BatchResult is what the report of one program gives: its rows, joined with what
// Google Benchmark wrote, or why there are none.
//
//   Threads   one.
//   Blocking  reads both files; evaluates what a run file holds without values.
//   Memory    one run, and a report of 64 MiB at most.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/store/run.h"
#include "collector/table/table.h"
#include "cupti/status.h"
#include "tools/batch_plan.h"
#include "tools/table_input.h"

namespace rafter {

struct BatchResult {
  bool reached_gpu = false;
  bool lacks_sets = false;  // a region that used the GPU is not counted in every set
  std::string refused;      // why runs of a replay were not put together; empty: they were
  std::string lacking;      // why counters were not obtained; empty: they were
  Table table;              // empty where no GPU was reached
  std::vector<std::string> troubles;  // what was asked for and is missing, a line each
};

// What the program wrote of itself, where it is one of Google Benchmark's.
ProgramReport ReadProgramReport(const PlannedProgram& planned);

// Fails where the run file cannot be read, or its program did not succeed.
Result<BatchResult> ReadResult(const PlannedProgram& planned, const TableChoices& choices);

// Whether some region that used a GPU has no whole call in a set that was planned
// for it; one more run would not help where none was counted at all.
bool LacksSets(const Run& run);

}  // namespace rafter
