// RatioChart draws a comparison: a line a row, the ratio NEW / BASE of its time as a
// mark, and around 1 the spread that a ratio must leave to mean anything; of several runs
// around the mark the interval that must leave the margin around 1.
//
//   Threads   one drawing at a time (pango's font map is shared).
//   Blocking  never; no files are read but fonts.
//   Memory    returns the bytes.
//   Lifetime  plain function.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "collector/compare/comparison.h"
#include "collector/roofline/roofline.h"

namespace rafter {

// Rows without a ratio, rows of one side, conflicts that were overruled and notes are
// listed below. Identical input gives identical bytes. Fails when no row has a ratio,
// and says why.
absl::StatusOr<std::string> DrawRatioChart(const Comparison& comparison, ChartFormat format);

}  // namespace rafter
