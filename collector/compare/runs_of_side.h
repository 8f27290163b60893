// RunsOfSide joins several runs of one side row by row, and judges what they say
// together.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    owns the runs' tables.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/compare/comparison.h"

namespace rafter {

struct RunsOfSide {
  ComparedSide side;  // every row that some run has, once; named by all files
  std::vector<ComparedRun> runs;
  std::vector<std::string> notes;  // which run lacks rows that others have
};

// `name`: "BASE" or "NEW", for the notes. At least one run.
RunsOfSide JoinRuns(std::vector<ComparedSide> runs, std::string_view name);

// Gives each matched row its changes and notes, from the rows of all runs.
void JudgeOverRuns(const ChangeOptions& options, Comparison& comparison);

}  // namespace rafter
