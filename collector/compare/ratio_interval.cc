#include "collector/compare/ratio_interval.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace rafter {
namespace {

double VarianceOfMean(const LogSample& sample) {
  return sample.variance / static_cast<double>(sample.count);
}

// How many standard errors the bounds are away.
double Quantile(double degrees, double error_share) {
  const boost::math::students_t distribution(degrees);
  return boost::math::quantile(boost::math::complement(distribution, error_share / 2));
}

}  // namespace

std::optional<LogSample> LogSampleOf(std::span<const double> observations) {
  const auto is_good = [](double value) { return std::isfinite(value) && value > 0; };
  if (observations.empty() || !std::all_of(observations.begin(), observations.end(), is_good)) {
    return std::nullopt;
  }
  LogSample sample{observations.size(), observations.front(), 0, 0};
  const double count = static_cast<double>(sample.count);
  const auto log_of = [&](double value) { return std::log(value / sample.reference); };
  for (const double value : observations) sample.mean += log_of(value) / count;
  if (sample.count == 1) return sample;
  for (const double value : observations) {
    const double off = log_of(value) - sample.mean;
    sample.variance += off * off / (count - 1);
  }
  return sample;
}

double GeometricMean(const LogSample& sample) { return sample.reference * std::exp(sample.mean); }

RatioSpread RatioInterval(const LogSample& base, const LogSample& now, double error_share,
                          double resolution) {
  const double ratio = GeometricMean(now) / GeometricMean(base);
  const double error = std::sqrt(VarianceOfMean(base) + VarianceOfMean(now));
  const double degrees = static_cast<double>(std::min(base.count, now.count) - 1);
  const double reach = Quantile(degrees, error_share) * error + std::log1p(resolution);
  RatioSpread interval{ratio * std::exp(-reach), ratio * std::exp(reach)};
  if (!std::isfinite(*interval.high)) interval.high.reset();
  return interval;
}

}  // namespace rafter
