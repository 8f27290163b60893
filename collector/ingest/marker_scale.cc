#include "collector/ingest/marker_scale.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "collector/plan/likwid_events.h"
#include "collector/store/marker_readings.h"
#include "collector/store/utf8.h"

namespace rafter {
namespace {

// Regions named in one reason; more are counted.
constexpr size_t kMostNamed = 10;
constexpr size_t kMostQuotedBytes = 60;
constexpr int kDigitsBehindPoint = 6;  // of printf's "%e"

std::string Quoted(std::string_view region) {
  const bool is_long = region.size() > kMostQuotedBytes;
  return "\"" + OneLine(region.substr(0, kMostQuotedBytes)) + (is_long ? "..." : "") + "\"";
}

double ShareOf(std::string_view event) {
  return CountsInstructions(event) ? kExactShare : kInexactShare;
}

bool IsClose(double a, double b, double share) {
  return std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b));
}

// A value that is written as 1.234567e+04 stands for all within half its last digit.
bool MayBeWhole(double value, double scale) {
  if (value == 0) return true;
  const double last_digit =
      std::pow(10.0, std::floor(std::log10(std::abs(value))) - kDigitsBehindPoint);
  const double tolerance = std::abs(scale) * last_digit / 2 * (1 + 1e-6);
  const double count = value * scale;
  return tolerance >= 0.5 || std::abs(count - std::round(count)) <= tolerance;
}

std::string WhyNotByItself(const MarkerReadings& markers) {
  for (const MarkerReading& reading : markers.readings) {
    if (reading.group >= markers.events.size()) continue;
    const std::vector<std::string>& events = markers.events[reading.group];
    for (size_t i = 0; i < std::min(events.size(), reading.values.size()); ++i) {
      const double value = reading.values[i];
      if (!std::isfinite(value)) continue;
      if (reading.calls == 0 && value != 0) {
        return absl::StrFormat("region %s was called 0 times and reads %g of %s",
                               Quoted(reading.region), value, events[i]);
      }
      if (CountsInstructions(events[i]) && !MayBeWhole(value, markers.scale)) {
        return absl::StrFormat("region %s reads %.7g of %s, and x %g that is no whole number",
                               Quoted(reading.region), value, events[i], markers.scale);
      }
    }
  }
  return "";
}

// What an event reads in a region, over all GPUs. Nothing where a part is missing.
std::optional<double> Reported(const MarkerReadings& markers, const std::string& region,
                               const std::string& event) {
  std::optional<double> sum;
  for (const MarkerReading& reading : markers.readings) {
    if (reading.region != region || reading.group >= markers.events.size()) continue;
    const std::vector<std::string>& events = markers.events[reading.group];
    const auto found = std::find(events.begin(), events.end(), event);
    const size_t at = static_cast<size_t>(found - events.begin());
    if (at >= std::min(events.size(), reading.values.size())) continue;
    if (ReadsAsSwitched(markers, reading) || !std::isfinite(reading.values[at])) {
      return std::nullopt;
    }
    sum = sum.value_or(0) + reading.values[at];
  }
  return sum;
}

std::string Listed(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < std::min(items.size(), kMostNamed); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", items[i]);
  }
  if (items.size() > kMostNamed)
    absl::StrAppend(&text, " and ", items.size() - kMostNamed, " more");
  return text;
}

// Readings for each unit of work, in proportion to that of the first region with any.
std::string WhyNotInProportion(const MarkerReadings& markers, const std::vector<KnownWork>& known,
                               const std::string& event) {
  const double floor = CountsInstructions(event) ? 0 : kInexactFloor;
  std::vector<std::string> ratios;
  std::vector<std::string> not_zero;
  std::optional<double> first;
  std::string first_name;
  bool contradicts = false;
  for (const KnownWork& work : known) {
    const std::optional<double> reported = Reported(markers, work.region, event);
    if (!reported) continue;
    if (work.units == 0) {
      if (*reported * markers.scale > floor) {
        not_zero.push_back(
            absl::StrFormat("%s does no work and reads %g", Quoted(work.region), *reported));
      }
      continue;
    }
    const double rate = *reported / work.units;
    if (!first) {
      first = rate;
      first_name = Quoted(work.region);
      continue;
    }
    contradicts = contradicts || !IsClose(rate, *first, ShareOf(event));
    ratios.push_back(*first > 0 ? absl::StrFormat("%s %.4g", Quoted(work.region), rate / *first)
                                : absl::StrFormat("%s %g, not 0", Quoted(work.region), *reported));
  }
  std::string why;
  if (contradicts) {
    why = absl::StrCat("for the same work, times what ", first_name, " reads of ", event, ": ",
                       Listed(ratios));
  }
  if (not_zero.empty()) return why;
  return absl::StrCat(why, why.empty() ? absl::StrCat("of ", event, " ") : "; ", Listed(not_zero));
}

std::string WhyNotByWork(const MarkerReadings& markers, const std::vector<KnownWork>& known) {
  if (known.empty()) return "";
  for (const std::vector<std::string>& group : markers.events) {
    for (const std::string& event : group) {
      if (!AddsUp(event)) continue;
      std::string why = WhyNotInProportion(markers, known, event);
      if (!why.empty()) return why;
    }
  }
  return "";
}

// Reported by true value, event by event; a factor of N wants 1/N in all.
std::string WhyNotByCount(const MarkerReadings& markers, const std::vector<KnownCount>& known) {
  std::vector<std::string> ratios;
  bool contradicts = false;
  for (const KnownCount& truth : known) {
    const std::optional<double> reported = Reported(markers, truth.region, truth.event);
    if (!reported) continue;
    const double floor = CountsInstructions(truth.event) ? 0 : kInexactFloor;
    const double count = *reported * markers.scale;
    contradicts =
        contradicts ||
        (truth.count == 0 ? count > floor : !IsClose(count, truth.count, ShareOf(truth.event)));
    ratios.push_back(
        truth.count == 0
            ? absl::StrFormat("%s %g of 0", Quoted(truth.region), *reported)
            : absl::StrFormat("%s %.4g", Quoted(truth.region), *reported / truth.count));
  }
  if (!contradicts) return "";
  return absl::StrFormat("reported / true, which x %g wants to be %.4g: ", markers.scale,
                         1 / markers.scale) +
         Listed(ratios);
}

}  // namespace

std::string WhyNoConstantScale(const MarkerReadings& markers, const KnownTruth& truth) {
  std::string why;
  for (const std::string& found : {WhyNotByItself(markers), WhyNotByWork(markers, truth.work),
                                   WhyNotByCount(markers, truth.counts)}) {
    if (!found.empty()) absl::StrAppend(&why, why.empty() ? "" : "; ", found);
  }
  return why;
}

}  // namespace rafter
