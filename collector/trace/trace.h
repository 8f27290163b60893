// Trace makes a timeline of a run file, as Perfetto opens it: a track for each thread
// with the passes through its regions, marks, what was counted when, and the rates
// that single epochs measured. docs/commands.md says what
// stands where.
//
//   Threads   one.
//   Blocking  as the run file and the sink do.
//   Memory    passes are handed on one by one; names are kept.
//   Lifetime  nothing is kept.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <vector>

#include "collector/store/run_file.h"
#include "collector/table/table.h"
#include "collector/trace/packet_writer.h"

namespace rafter {

// What a trace holds.
struct TraceCounts {
  uint64_t passes = 0;  // through regions, and launches
  uint64_t marks = 0;
  uint64_t not_drawn = 0;  // passes beyond SliceLanes::kMostLanes on their thread
};

// A run, and the table that is made of it and gives the regions' validity.
struct TracedRun {
  Run run;
  Table table;
};

// Writes one trace of `runs`, which were read from `file`. Equal run files give equal
// bytes. Fails with the file's or the sink's failure.
absl::StatusOr<TraceCounts> WriteTrace(RunFile& file, const std::vector<TracedRun>& runs,
                                       const ByteSink& sink);

}  // namespace rafter
