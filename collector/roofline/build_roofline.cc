#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "collector/roofline/hardware.h"
#include "collector/roofline/point_labels.h"
#include "collector/roofline/roofline.h"
#include "collector/roofline/table_roofs.h"
#include "collector/table/memory_levels.h"

namespace rafter {
namespace {

// A point on its roof is not above it: allows for rounding in text.
constexpr double kRoofTolerance = 1e-9;

// Hardware and executables named in the subtitle; more are counted.
constexpr size_t kMostNamed = 3;

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

bool IsAbove(double flop_per_s, double roof_flop_per_s) {
  return flop_per_s > roof_flop_per_s * (1 + kRoofTolerance);
}

// Against the roofs of the row's own hardware, precision and memory level. A roof
// that was given for all counts for each.
bool IsAboveRoof(const Row& row, const RooflinePoint& point, const Roofline& roofline) {
  for (const ComputeRoof& roof : roofline.compute) {
    const bool counts = roof.precision.empty() || roof.precision == row.precision;
    if (!counts || !IsOf(roof.hardware, row)) continue;
    if (IsAbove(point.flop_per_s, roof.flop_per_s)) return true;
  }
  for (const MemoryRoof& roof : roofline.memory) {
    const bool counts = roof.level.empty() || roof.level == row.memory_level;
    if (!counts || !IsOf(roof.hardware, row)) continue;
    if (IsAbove(point.flop_per_s, roof.bytes_per_s * point.flop_per_byte)) return true;
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
  std::string text = Listed(NamesIn(table, &Row::hardware), kMostNamed);
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "  ·  ") + part;
  };
  add(Listed(NamesIn(table, &Row::executable), kMostNamed));
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
  Roofs roofs = TableRoofs(table, options);
  roofline.compute = std::move(roofs.compute);
  roofline.memory = std::move(roofs.memory);
  const std::vector<std::string> labels = PointLabels(table.rows);
  for (size_t i = 0; i < table.rows.size(); ++i) AddRow(table, i, labels[i], roofline);
  JoinLevels(table, roofline);
  roofline.subtitle = Subtitle(table, roofline);
  roofline.notes = table.notes;
  TellHardware(table, roofline);
  return roofline;
}

}  // namespace rafter
