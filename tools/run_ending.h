// RunEnding says how the program of `rafter run` ended, or why it did not start.
//
//   Threads   plain functions.
//   Blocking  as standard error does.
//   Memory    a line at a time.
//   Lifetime  plain functions.
#pragma once

#include <optional>
#include <string>

#include "tools/child.h"

namespace rafter {

// Says why `program` could not be started and returns the exit status for it.
int SayStartFailed(const std::string& program, int error);

// Says that it was ended: by us (`timeout_s`), or, unless `quiet`, by a signal.
void SayEnding(const std::string& program, const Ending& ending, std::optional<double> timeout_s,
               bool quiet);

// Why a program is not run again after it ended so; empty: it is.
std::string WhyNoMoreRuns(const Ending& last);

}  // namespace rafter
