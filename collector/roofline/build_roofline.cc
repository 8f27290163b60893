#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "collector/roofline/point_labels.h"
#include "collector/roofline/roofline.h"
#include "collector/table/formulas.h"
#include "collector/table/memory_levels.h"

namespace rafter {
namespace {

// A point on its roof is not above it: allows for rounding in text.
constexpr double kRoofTolerance = 1e-9;

// Hardware and executables named in the subtitle; more are counted.
constexpr size_t kMostNamed = 3;

bool IsPositive(const std::optional<double>& value) {
  return value && std::isfinite(*value) && *value > 0;
}

// Rows whose ratios the table left out on purpose.
bool HasNoRatios(const Row& row) {
  return row.validity == "instances unlike" || row.validity == "shared device";
}

std::optional<double> Ratio(const std::optional<double>& above, const std::optional<double>& below,
                            const std::optional<double>& given, const Row& row) {
  if (given) return given;
  if (HasNoRatios(row) || !above || !IsPositive(below)) return std::nullopt;
  return *above / *below;
}

std::string Joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

// "DRAM"; the bytes stay in a cache where there are none of it.
std::string LevelText(const Row& row) {
  if (row.memory_level.empty()) return "memory";
  std::string text = row.memory_level;
  for (char& letter : text) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return text;
}

std::string WhyNotDrawn(const Row& row) {
  std::vector<std::string> missing;
  std::vector<std::string> zero;
  const auto look = [&](const std::optional<double>& value, const std::string& name,
                        const std::string& none) {
    if (!value) {
      missing.push_back(name);
    } else if (!std::isfinite(*value)) {
      missing.push_back(name + " (not a number)");
    } else if (*value <= 0) {
      zero.push_back(none);
    }
  };
  look(row.flop, "FLOP", "no floating-point work");
  look(row.traffic_bytes, "memory traffic", "no " + LevelText(row) + " traffic");
  look(row.duration_s, "GPU time", "no GPU time");
  // A zero is a result, and needs no excuse.
  if (missing.empty() && !zero.empty()) return Joined(zero, ", ");
  std::string why = Joined(missing, ", ") + " missing";
  if (missing.size() == 3) why = "nothing was measured";
  if (missing.empty()) {
    why = HasNoRatios(row) ? row.validity : "no intensity or performance";
  }
  return row.reason.empty() ? why : why + ": " + row.reason;
}

// Names that occur, in order of appearance: "A, B, C and 2 more".
std::string Named(const Table& table, std::string Row::*field) {
  std::vector<std::string> names;
  for (const Row& row : table.rows) {
    const std::string& name = row.*field;
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMostNamed) {
    text += " and " + std::to_string(names.size() - kMostNamed) + " more";
  }
  return text;
}

// Raw metrics that have a value in any row.
std::set<std::string_view> MetricsOf(const Table& table) {
  std::set<std::string_view> names;
  for (const Row& row : table.rows) {
    for (const auto& [name, value] : row.metrics) {
      if (value) names.insert(name);
    }
  }
  return names;
}

// A peak of the rows was observed where the table has what it is made of. LIKWID reads
// no peaks, so its rows have what a person gave. Tables without raw metrics do not tell.
RoofOrigin OriginOf(const std::set<std::string_view>& metrics, const Row& row,
                    const std::optional<PeakFormula>& formula) {
  if (row.source == "likwid") return RoofOrigin::kGiven;
  const bool tells = !row.metrics.empty();
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

std::vector<Peak> HighestPeaks(const Table& table, std::string Row::*kind,
                               std::optional<double> Row::*per_s) {
  std::vector<Peak> peaks;
  const std::set<std::string_view> metrics = MetricsOf(table);
  const auto formula_of = [&](const Row& row) {
    return per_s == &Row::peak_flop_per_s ? PeakPerformance(row.precision)
                                          : PeakBandwidth(row.memory_level);
  };
  for (const Row& row : table.rows) {
    if (!IsPositive(row.*per_s)) continue;
    const RoofOrigin origin = OriginOf(metrics, row, formula_of(row));
    const auto peak = std::find_if(peaks.begin(), peaks.end(), [&](const Peak& each) {
      return each.kind == row.*kind && each.origin == origin;
    });
    if (peak == peaks.end()) {
      peaks.push_back({row.*kind, *(row.*per_s), origin});
    } else {
      peak->per_s = std::max(peak->per_s, *(row.*per_s));
    }
  }
  return peaks;
}

// The one kind that all rows with a kind have; empty when there are several.
std::string OnlyKind(const Table& table, std::string Row::*kind) {
  std::set<std::string> kinds;
  for (const Row& row : table.rows) {
    if (!(row.*kind).empty()) kinds.insert(row.*kind);
  }
  return kinds.size() == 1 ? *kinds.begin() : "";
}

std::string FirstLevel(const Table& table) {
  for (const Row& row : table.rows) {
    if (!row.memory_level.empty()) return row.memory_level;
  }
  return "";
}

void AddRoofs(const Table& table, const RooflineOptions& options, Roofline& roofline) {
  if (IsPositive(options.peak_flop_per_s)) {
    roofline.compute.push_back(
        {OnlyKind(table, &Row::precision), *options.peak_flop_per_s, RoofOrigin::kGiven});
  } else {
    for (const Peak& peak : HighestPeaks(table, &Row::precision, &Row::peak_flop_per_s)) {
      roofline.compute.push_back({peak.kind, peak.per_s, peak.origin});
    }
  }
  const std::string given = FirstLevel(table);
  if (IsPositive(options.peak_bytes_per_s)) {
    roofline.memory.push_back({given, *options.peak_bytes_per_s, RoofOrigin::kGiven});
  }
  for (const Peak& peak : HighestPeaks(table, &Row::memory_level, &Row::peak_bytes_per_s)) {
    const bool is_given = IsPositive(options.peak_bytes_per_s) &&
                          (given.empty() || peak.kind.empty() || peak.kind == given);
    if (!is_given) roofline.memory.push_back({peak.kind, peak.per_s, peak.origin});
  }
}

bool IsAbove(double flop_per_s, double roof_flop_per_s) {
  return flop_per_s > roof_flop_per_s * (1 + kRoofTolerance);
}

// Against the roofs of the row's own precision and memory level. A roof that
// was given for all counts for each.
bool IsAboveRoof(const Row& row, const RooflinePoint& point, const Roofline& roofline) {
  for (const ComputeRoof& roof : roofline.compute) {
    const bool counts = roof.precision.empty() || roof.precision == row.precision;
    if (counts && IsAbove(point.flop_per_s, roof.flop_per_s)) return true;
  }
  for (const MemoryRoof& roof : roofline.memory) {
    const bool counts = roof.level.empty() || roof.level == row.memory_level;
    if (counts && IsAbove(point.flop_per_s, roof.bytes_per_s * point.flop_per_byte)) return true;
  }
  return false;
}

void AddRow(const Table& table, size_t index, const std::string& label, Roofline& roofline) {
  const Row& row = table.rows[index];
  const auto flop_per_byte = Ratio(row.flop, row.traffic_bytes, row.flop_per_byte, row);
  const auto flop_per_s = Ratio(row.flop, row.duration_s, row.flop_per_s, row);
  if (row.rank == "min" || row.rank == "max") {
    roofline.undrawn.push_back({label, "each column for itself over ranks, so no point"});
    return;
  }
  if (!IsPositive(row.flop) || !IsPositive(flop_per_byte) || !IsPositive(flop_per_s)) {
    roofline.undrawn.push_back({label, WhyNotDrawn(row), index});
    return;
  }
  RooflinePoint point;
  point.row = index;
  point.label = label;
  point.paradigm = row.paradigm;
  point.precision = row.precision;
  point.flop_per_byte = *flop_per_byte;
  point.flop_per_s = *flop_per_s;
  point.validity = row.validity;
  point.region = row.region;
  point.executable = row.executable;
  point.memory_level = row.memory_level;
  point.above_roof = IsAboveRoof(row, point, roofline);
  roofline.points.push_back(std::move(point));
}

// Joins points of the same launches at several levels. The one with most FLOP a Byte
// keeps the name, with its level.
void JoinLevels(const Table& table, Roofline& roofline) {
  const std::vector<size_t> numbers = SameAtAllLevels(table.rows);
  std::map<size_t, std::vector<RooflinePoint*>> sets;
  for (RooflinePoint& point : roofline.points) sets[numbers[point.row]].push_back(&point);
  size_t joined = 0;
  for (auto& [number, points] : sets) {
    if (points.size() < 2) continue;
    const auto named = std::max_element(points.begin(), points.end(), [](auto* a, auto* b) {
      return a->flop_per_byte < b->flop_per_byte;
    });
    for (RooflinePoint* point : points) {
      point->levels_of = joined;
      if (point != *named) point->short_label = LevelText(table.rows[point->row]);
    }
    ++joined;
  }
}

std::string Subtitle(const Table& table, const Roofline& roofline) {
  const size_t rows = table.rows.size();
  std::string text = Named(table, &Row::hardware);
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "  ·  ") + part;
  };
  add(Named(table, &Row::executable));
  // A region that all rows share is not in their labels.
  if (rows > 1) add(OnlyKind(table, &Row::region));
  add(std::to_string(roofline.points.size()) + " of " + std::to_string(rows) +
      (rows == 1 ? " row drawn" : " rows drawn"));
  return text;
}

}  // namespace

Roofline BuildRoofline(const Table& table, const RooflineOptions& options) {
  Roofline roofline;
  roofline.title = options.title.empty() ? "Roofline" : options.title;
  AddRoofs(table, options, roofline);
  const std::vector<std::string> labels = PointLabels(table.rows);
  for (size_t i = 0; i < table.rows.size(); ++i) AddRow(table, i, labels[i], roofline);
  JoinLevels(table, roofline);
  roofline.subtitle = Subtitle(table, roofline);
  roofline.notes = table.notes;
  if (!OnlyKind(table, &Row::hardware).empty() || table.rows.empty()) return roofline;
  const std::string hardware = Named(table, &Row::hardware);
  if (!hardware.empty()) {
    roofline.notes.push_back("rows of different hardware (" + hardware +
                             "): each roof is the highest of all");
  }
  return roofline;
}

}  // namespace rafter
