#include "collector/table/derived.h"

#include <algorithm>
#include <string>
#include <vector>

namespace rafter {
namespace {

std::optional<double> Ratio(const std::optional<double>& above,
                            const std::optional<double>& below) {
  if (!above || !below || *below <= 0) return std::nullopt;
  return *above / *below;
}

}  // namespace

std::optional<double> DerivedValue(const DerivedMetric& derived, const Row& row) {
  std::vector<double> values;
  for (const std::string& metric : derived.of) {
    const auto found = row.metrics.find(metric);
    const bool is_planned = found != row.metrics.end();
    // A chip has most parts of a throughput.
    if (!is_planned && derived.kind == DerivedMetric::Kind::kHighest) continue;
    if (!is_planned || !found->second) return std::nullopt;
    values.push_back(*found->second);
  }
  if (values.empty()) return std::nullopt;
  if (derived.kind == DerivedMetric::Kind::kHighest) {
    return *std::max_element(values.begin(), values.end());
  }
  if (values[1] == 0) return std::nullopt;
  return 100 * values[0] / values[1];
}

bool WithholdsRatios(const Row& row) {
  if (row.validity == "instances unlike" || row.validity == "shared device") return true;
  // Tables of other tools may have no columns for ratios, and no words for validity.
  if (row.validity.empty() || row.validity == "measured" || row.validity == "extrapolated") {
    return false;
  }
  return (Ratio(row.flop, row.traffic_bytes) && !row.flop_per_byte) ||
         (Ratio(row.flop, row.duration_s) && !row.flop_per_s);
}

void FillRatios(Row& row) {
  row.flop_per_byte = Ratio(row.flop, row.traffic_bytes);
  row.flop_per_s = Ratio(row.flop, row.duration_s);
}

}  // namespace rafter
