// ComparisonText is a comparison as people and programs read it.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns strings.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <string_view>

#include "collector/compare/comparison.h"

namespace rafter {

// A table of times with ratio, spread, verdict and what moved, rows of one side,
// limits and notes below it. Conflicts that were overruled stand above it.
std::string ToMarkdown(const Comparison& comparison);

// Everything, in names like those of `report`'s JSON. Missing is null.
std::string ToJson(const Comparison& comparison);

// One line a row, rows of one side too. CSV as cli.md says; by quantity BASE, NEW,
// Ratio, Spread Low, Spread High, Verdict and Reason; of several runs the interval's bounds
// instead of the spread's, and how many runs of either side have a value.
std::string ToCsv(const Comparison& comparison);

// "over", "within the spread", "within the interval", "not judged".
std::string_view OutcomeText(LimitOutcome outcome);

// "--fail-on duration>5%: over: stencil: +7.1 %, spread 0.98 to 1.02".
std::string LimitText(const LimitFinding& finding);

}  // namespace rafter
