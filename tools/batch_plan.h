// BatchPlan says of each program of a batch what would be run, or which report is
// used instead.
//
//   Threads   one.
//   Blocking  reads the run files that are there.
//   Memory    one run at a time.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "tools/batch_programs.h"
#include "tools/batch_request.h"

namespace rafter {

struct PlannedProgram {
  BatchProgram program;
  std::string report;   // run file
  std::string failed;   // where that of a failed run goes
  std::string json;     // Google Benchmark's report
  std::string log;      // what the program and its `rafter run` wrote
  std::string blocked;  // why it is not run: what is not ours is where its run file would go
  // `rafter run ...`; empty: the report that is there is used, or it is blocked.
  std::vector<std::string> words;
  // The same once for each set, for a program that one run does not count in every
  // set; empty: that is not asked for.
  std::vector<std::string> again;
  std::string remark;  // why it is run although a report is there, or how that differs
};

// `self` is the path of `rafter`.
std::vector<PlannedProgram> PlanBatch(const BatchRequest& request, const std::string& self,
                                      const std::vector<BatchProgram>& programs);

// The lines that a shell would do the same with, the conditional ones as comments.
std::string DryRunText(const BatchRequest& request, const std::vector<PlannedProgram>& plan);

}  // namespace rafter
