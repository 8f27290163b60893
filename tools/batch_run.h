// BatchRun runs the programs of a batch, one after another, each by a `rafter run` of
// its own, and keeps what came of each. One that fails costs only itself.
//
//   Threads   one; signals are held while it goes.
//   Blocking  until the last program has ended, or a signal asked for the end.
//   Memory    the rows of all programs.
//   Lifetime  plan and request outlive it.
#pragma once

#include <string>
#include <vector>

#include "tools/batch_plan.h"
#include "tools/batch_request.h"
#include "tools/batch_result.h"
#include "tools/variables.h"

namespace rafter {

enum class BatchState {
  kCounted,     // rows, from a run of now
  kReused,      // rows, from a report that was there
  kNoCounters,  // rows, and why they lack numbers
  kNoGpu,       // no row: it never reached the GPU
  kFailed,      // no row: it did not succeed, or its report cannot be read
  kNotRun,      // no row: the batch ended before
};

struct BatchOutcome {
  std::string name;
  BatchState state = BatchState::kNotRun;
  std::string why;     // of the last four
  BatchResult result;  // of those with rows
};

// Of every program of the plan, in its order. `inherited` are the descriptors that
// programs get.
std::vector<BatchOutcome> RunBatch(const BatchRequest& request,
                                   const std::vector<PlannedProgram>& plan,
                                   const Variables& variables, const std::vector<int>& inherited);

}  // namespace rafter
