// ToHtml makes one page of a roofline: the chart, its filters and its table,
// with everything they need inside. A browser shows it without a network.
//
//   Threads   pure functions.
//   Blocking  never; no files are read.
//   Memory    the page is 1.3 MB and the data; returns values.
//   Lifetime  plain values; HtmlChart refers to what it was made from.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "collector/roofline/html_parts.h"
#include "collector/roofline/roofline.h"
#include "collector/table/table.h"

namespace rafter {

struct HtmlChart {
  const Roofline& roofline;  // of `table`: its points and undrawn rows name rows there
  const Table& table;
  std::string name = {};  // shown of a baseline: the file it was read from
};

// Whether this build has plotly.js inside.
bool CanMakeHtml();

// Why not, and what to do, for a message that names the file first.
std::string WhyNoHtml();

// Identical input gives identical bytes. `baseline` may be null; its points are
// laid under the chart's, and roofs of its own are not drawn. Fails when the
// roofline has neither roofs nor points, as DrawRoofline does, and where
// `parts` has no plotly.js.
absl::StatusOr<std::string> ToHtml(const HtmlChart& chart, const HtmlChart* baseline,
                                   const HtmlParts& parts = BuiltInHtmlParts());

}  // namespace rafter
