// BatchOutputs are the results of a batch as a whole: run file, table and charts. Their
// places are taken before any program starts.
//
//   Threads   one.
//   Blocking  writes files.
//   Memory    the table, and one drawing.
//   Lifetime  the request outlives it; places that nothing was written to are given back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/table/table.h"
#include "cupti/status.h"
#include "tools/batch_plan.h"
#include "tools/batch_request.h"
#include "tools/batch_run.h"
#include "tools/output_file.h"

namespace rafter {

class BatchOutputs {
 public:
  explicit BatchOutputs(const BatchRequest& request) : request_(request) {}

  Status Take();

  // The run file of the programs that gave rows. Whether all of them are in it; says what
  // was written, and what was not and why.
  bool WriteRuns(const std::vector<PlannedProgram>& plan,
                 const std::vector<BatchOutcome>& outcomes);

  // Table and charts. Whether all was written; says what was, and what was not and why.
  bool Write(const Table& given);

 private:
  const BatchRequest& request_;
  std::optional<OutputFile> runs_;
  std::vector<OutputFile> files_;
};

}  // namespace rafter
