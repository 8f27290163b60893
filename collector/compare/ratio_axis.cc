#include "collector/compare/ratio_axis.h"

#include <algorithm>
#include <cmath>

namespace rafter {
namespace {

// Up to here ticks have equal steps, above they go by 1, 2, 5.
constexpr double kWideFrom = 12;
constexpr double kMostTicks = 10;

// How far the axis goes at most: a ratio beyond is not one of like runs, and 1
// would be lost in a corner.
constexpr double kMostReach = 1e6;

// Room beyond the last point.
constexpr double kRoom = 1.04;

double ReachOf(double ratio) { return std::max(ratio, 1 / ratio); }

// The smallest of 1, 2, 5 times a power of ten that is no less.
double NiceStep(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= least * (1 - 1e-9)) return digit * power;
  }
  return 10 * power;
}

}  // namespace

LogAxis RatioAxisFor(const std::vector<const Change*>& changes, double left_at, double right_at) {
  double low = 1 / kLeastReach;
  double high = kLeastReach;
  double furthest = kLeastReach;
  for (const Change* change : changes) {
    const double ratio = std::clamp(*change->ratio, 1 / kMostReach, kMostReach);
    low = std::min(low, ratio);
    high = std::max(high, ratio);
    furthest = std::max(furthest, ReachOf(ratio));
  }
  const double allowed = 1 + 2 * (furthest - 1);
  for (const Change* change : changes) {
    for (const std::optional<RatioSpread>* range : {&change->spread, &change->interval}) {
      if (!*range) continue;
      low = std::min(low, std::max((*range)->low, 1 / allowed));
      high = std::max(high, std::min((*range)->high.value_or(allowed), allowed));
    }
  }
  const double room = std::pow(high / low, kRoom - 1);
  return {low / room, high * room, left_at, right_at};
}

std::vector<double> RatioTicks(const LogAxis& axis) {
  std::vector<double> ticks;
  if (axis.high() / axis.low() < kWideFrom) {
    const double step = NiceStep((axis.high() - axis.low()) / kMostTicks);
    const double first = std::ceil(axis.low() / step - 1e-9);
    for (double i = first; i * step <= axis.high() * (1 + 1e-9); ++i) ticks.push_back(i * step);
    return ticks;
  }
  const double decades = std::log10(axis.high() / axis.low());
  const bool only_powers = 3 * decades > kMostTicks;
  for (int power = static_cast<int>(std::floor(std::log10(axis.low())));
       std::pow(10, power) <= axis.high(); ++power) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double value = digit * std::pow(10, power);
      if (axis.Has(value) && (digit == 1 || !only_powers)) ticks.push_back(value);
    }
  }
  return ticks;
}

}  // namespace rafter
