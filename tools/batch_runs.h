// BatchRuns puts the run files of a batch's programs into one, BASE.rafter.
//
//   Threads   one.
//   Blocking  reads each run file and writes another.
//   Memory    the report of one program; rows go through.
//   Lifetime  nothing is kept.
#pragma once

#include <string>
#include <vector>

#include "cupti/status.h"
#include "tools/batch_plan.h"
#include "tools/batch_request.h"
#include "tools/batch_run.h"
#include "tools/output_file.h"

namespace rafter {

// Why BASE.rafter cannot be where it is asked for: a file of some program is there.
Status CheckBatchRuns(const BatchRequest& request, const std::vector<PlannedProgram>& plan);

// Makes the file of the programs that gave rows; `outcomes` are those of `plan`. Returns
// how many it holds; none: nothing is written. `troubles` gets a line for each that is
// not in it although it gave rows.
Result<size_t> WriteBatchRuns(OutputFile& file, const std::vector<PlannedProgram>& plan,
                              const std::vector<BatchOutcome>& outcomes,
                              std::vector<std::string>& troubles);

}  // namespace rafter
