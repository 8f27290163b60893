#include "collector/roofline/table_roofs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "collector/roofline/hardware.h"
#include "collector/table/formulas.h"

namespace rafter {
namespace {

using Rows = std::vector<const Row*>;

// Raw metrics that have a value in any row.
std::set<std::string_view> MetricsOf(const Rows& rows) {
  std::set<std::string_view> names;
  for (const Row* row : rows) {
    for (const auto& [name, value] : row->metrics) {
      if (value) names.insert(name);
    }
  }
  return names;
}

// A peak of the rows was observed where the rows have what it is made of. LIKWID reads
// no peaks, so its rows have what a person gave. Rows without raw metrics do not tell, nor do
// those of another tool that have empty columns of them, as in a merged table.
RoofOrigin OriginOf(const std::set<std::string_view>& metrics, const Row& row,
                    const std::optional<PeakFormula>& formula) {
  if (row.source == "likwid") return RoofOrigin::kGiven;
  const bool is_foreign = metrics.empty() && row.source.empty();
  const bool tells = !row.metrics.empty() && !is_foreign;
  const bool is_made =
      formula && std::any_of(formula->per_cycle.begin(), formula->per_cycle.end(),
                             [&](const Term& term) { return metrics.contains(term.metric); });
  return tells && !is_made ? RoofOrigin::kGiven : RoofOrigin::kObserved;
}

// Highest peak of each kind ("fp32" or "dram") and origin, in order of appearance.
struct Peak {
  std::string kind;
  double per_s = 0;
  RoofOrigin origin = RoofOrigin::kObserved;
};

std::vector<Peak> HighestPeaks(const Rows& rows, std::string Row::*kind,
                               std::optional<double> Row::*per_s) {
  std::vector<Peak> peaks;
  const std::set<std::string_view> metrics = MetricsOf(rows);
  const auto formula_of = [&](const Row& row) {
    return per_s == &Row::peak_flop_per_s ? PeakPerformance(row.precision)
                                          : PeakBandwidth(row.memory_level);
  };
  for (const Row* each : rows) {
    const Row& row = *each;
    if (!IsPositive(row.*per_s)) continue;
    const RoofOrigin origin = OriginOf(metrics, row, formula_of(row));
    const auto peak = std::find_if(peaks.begin(), peaks.end(), [&](const Peak& known) {
      return known.kind == row.*kind && known.origin == origin;
    });
    if (peak == peaks.end()) {
      peaks.push_back({row.*kind, *(row.*per_s), origin});
    } else {
      peak->per_s = std::max(peak->per_s, *(row.*per_s));
    }
  }
  return peaks;
}

std::string FirstLevel(const Table& table) {
  for (const Row& row : table.rows) {
    if (!row.memory_level.empty()) return row.memory_level;
  }
  return "";
}

void AddPeaks(const Rows& rows, const RoofHardware& hardware, const RooflineOptions& options,
              const std::string& given_level, Roofs& roofs) {
  if (!IsPositive(options.peak_flop_per_s)) {
    for (const Peak& peak : HighestPeaks(rows, &Row::precision, &Row::peak_flop_per_s)) {
      roofs.compute.push_back({peak.kind, peak.per_s, peak.origin, hardware});
    }
  }
  for (const Peak& peak : HighestPeaks(rows, &Row::memory_level, &Row::peak_bytes_per_s)) {
    const bool is_given = IsPositive(options.peak_bytes_per_s) &&
                          (given_level.empty() || peak.kind.empty() || peak.kind == given_level);
    if (!is_given) roofs.memory.push_back({peak.kind, peak.per_s, peak.origin, hardware});
  }
}

}  // namespace

bool IsPositive(const std::optional<double>& value) {
  return value && std::isfinite(*value) && *value > 0;
}

std::string OnlyKind(const Table& table, std::string Row::*kind) {
  const std::vector<std::string> kinds = NamesIn(table, kind);
  return kinds.size() == 1 ? kinds.front() : "";
}

Roofs TableRoofs(const Table& table, const RooflineOptions& options) {
  Roofs roofs;
  const std::string given_level = FirstLevel(table);
  if (IsPositive(options.peak_flop_per_s)) {
    roofs.compute.push_back(
        {OnlyKind(table, &Row::precision), *options.peak_flop_per_s, RoofOrigin::kGiven});
  }
  if (IsPositive(options.peak_bytes_per_s)) {
    roofs.memory.push_back({given_level, *options.peak_bytes_per_s, RoofOrigin::kGiven});
  }
  const std::vector<std::string> several = SeveralHardware(table);
  std::map<std::string_view, Rows> by_hardware;
  for (const Row& row : table.rows) {
    by_hardware[several.empty() ? std::string_view() : row.hardware].push_back(&row);
  }
  if (several.empty()) AddPeaks(by_hardware[""], {}, options, given_level, roofs);
  for (const std::string& hardware : several) {
    AddPeaks(by_hardware[hardware], hardware, options, given_level, roofs);
  }
  return roofs;
}

}  // namespace rafter
