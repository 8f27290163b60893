// RunSets says which set each run of an application replay counts.
//
//   Threads   one.
//   Blocking  FormatsOf reads the run file and asks CUPTI's host half.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/store/run_file.h"
#include "cupti/library.h"
#include "cupti/status.h"

namespace rafter {

// One entry for each run, as RAFTER_SET names it: each set of `asked` (empty: the
// default ones), and the metrics of RAFTER_METRICS in a run of their own. A set
// whose formats only the chip tells is never first.
Result<std::vector<std::string>> SetsByRun(const std::string& asked, const std::string& metrics);

// Whether the chip decides what sets `set` stands for.
bool HasFormats(const std::string& set);

// "tensor" or "occupancy" -> "tensor.bf16", "occupancy.1" and so on, as the GPUs have them that
// processes in `run_file` have used; empty: there is none.
Result<std::vector<std::string>> FormatsOf(RunFile& run_file, const CuptiSearch& search,
                                           const std::string& set);

}  // namespace rafter
