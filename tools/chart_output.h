// ChartOutput draws a roofline in the format that the name of its file says.
//
//   Threads   one.
//   Blocking  draws; writes nothing.
//   Memory    one drawing at a time.
//   Lifetime  plain functions.
#pragma once

#include <string>
#include <vector>

#include "collector/roofline/roofline.h"
#include "cupti/status.h"

namespace rafter {

// By the suffix: .svg, .pdf or .png. Fails on any other.
Result<ChartFormat> ChartFormatOf(const std::string& path);

// Draws in the format that `path` says; `notes` gets how many points there are
// and what has no place on the chart, with the reason.
Result<std::string> DrawChart(const Roofline& roofline, const std::string& path,
                              std::vector<std::string>& notes);

}  // namespace rafter
