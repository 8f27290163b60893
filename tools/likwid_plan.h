// LikwidPlan settles which events LIKWID counts in which run of the program, and
// checks them before LIKWID sees them.
//
//   Threads   one.
//   Blocking  asks the driver and CUPTI's host half, each in a process of its own.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/plan/likwid_groups.h"
#include "cupti/library.h"
#include "cupti/status.h"
#include "tools/likwid_request.h"

namespace rafter {

struct LikwidForecast {
  std::vector<LikwidGroup> groups;    // one run of the program for each
  std::vector<std::string> warnings;  // what was not checked or is not counted, and why
};

// For the GPUs of `request`. Fails for what LIKWID would crash or not start on.
// Where no chip can be known the syntax alone has been checked; a warning says so.
Result<LikwidForecast> ForecastLikwid(const LikwidRequest& request, const CuptiSearch& search);

// The same for GPUs with these chips, all different; `asked` empty: the default.
Result<LikwidForecast> ForecastLikwidOnChips(const CuptiSearch& search,
                                             const std::vector<std::string>& chips,
                                             const std::vector<LikwidGroup>& asked);

}  // namespace rafter
