// RatioInterval estimates the ratio of two things that were measured several times
// each, and how far it may lie from what was seen. Reasons and sources:
// docs/decisions/0023-compare-over-repeated-runs.md.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "collector/compare/change.h"

namespace rafter {

// Fewer do not tell how far they spread.
inline constexpr size_t kLeastRuns = 3;

// Below this a false change is likelier than kErrorShare where times fall into two
// modes: all runs of a side may be in one (simulated, see the decision).
inline constexpr size_t kSafeRuns = 5;

// Of all intervals of one quantity together, how often one of them misses.
inline constexpr double kErrorShare = 0.05;

// Logarithms of observations, taken against the first of them, so that equal ones spread
// by nothing.
struct LogSample {
  size_t count = 0;
  double reference = 1;  // the first observation
  double mean = 0;       // of log(observation / reference)
  double variance = 0;   // of the same, over count - 1
};

// Nothing when there is none or one is not a finite number above 0.
std::optional<LogSample> LogSampleOf(std::span<const double> observations);

double GeometricMean(const LogSample& sample);

// The interval of the ratio of geometric means NEW / BASE that misses with probability
// `error_share` at most, were logarithms normal: Student's t with the standard error of
// two unequal variances and the degrees of freedom of the smaller side, which keeps
// to it whatever the variances are. `resolution` is what values may be off by
// in the same way in every run, as a share of them; the interval is that much wider.
// Both need kLeastRuns.
RatioSpread RatioInterval(const LogSample& base, const LogSample& now, double error_share,
                          double resolution);

}  // namespace rafter
