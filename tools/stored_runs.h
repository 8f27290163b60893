// StoredRuns reads the runs of a file, command by command, and evaluates what it holds
// without values.
//
//   Threads   one.
//   Blocking  reads a file; evaluation writes into it and runs CUPTI in a child.
//   Memory    one run.
//   Lifetime  nothing is kept.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collector/store/run.h"
#include "cupti/status.h"

namespace rafter {

// Hands out the runs of a file, of which a batch's has several. What it holds without
// values is evaluated into it, where CUPTI is at hand, else `notes` says so.
Status EachRun(const std::string& path, std::vector<std::string>& notes,
               const std::function<void(Run)>& take);

// Of a file that holds one. Fails where there are several.
Result<Run> ReadRun(const std::string& path, std::vector<std::string>& notes);

}  // namespace rafter
