// RatioAxis is a logarithmic axis of ratios around 1, with ticks that people read:
// 0.9, 1, 1.1 where ratios lie close together, 0.5, 1, 2, 5 where they do not.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <vector>

#include "collector/compare/comparison.h"
#include "collector/roofline/axis.h"

namespace rafter {

// Shows every ratio of a time, and of spreads and intervals what lies within twice as far from 1
// as the furthest ratio or kLeastReach, whichever is more; the rest is cut at the border.
LogAxis RatioAxisFor(const std::vector<const Change*>& changes, double left_at, double right_at);

// At least this much of an axis to both sides of 1.
inline constexpr double kLeastReach = 1.1;

std::vector<double> RatioTicks(const LogAxis& axis);

}  // namespace rafter
