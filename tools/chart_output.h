// ChartOutput draws a roofline in the format that the name of its file says.
//
//   Threads   one.
//   Blocking  draws; writes nothing.
//   Memory    one drawing at a time.
//   Lifetime  plain functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/roofline/roofline.h"
#include "collector/roofline/to_html.h"
#include "cupti/status.h"

namespace rafter {

// By the suffix: .svg, .pdf or .png; nothing for .html, which is no drawing but
// a page. Fails on any other, and on .html where this build cannot make it.
Result<std::optional<ChartFormat>> ChartFormatOf(const std::string& path);

// Draws in the format that `path` says; `notes` gets how many points there are
// and what has no place on the chart, with the reason. `chart.roofline` is of
// `chart.table`. Only an HTML chart has room for a baseline; may be null.
Result<std::string> DrawChart(const HtmlChart& chart, const std::string& path,
                              std::vector<std::string>& notes, const HtmlChart* baseline = nullptr);

}  // namespace rafter
