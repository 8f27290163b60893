#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "collector/table/columns.h"
#include "collector/table/csv_cells.h"
#include "collector/table/number_text.h"
#include "collector/table/table.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

struct MetricColumn {
  std::string name;
  std::string unit;
  bool is_first_of_name = true;  // takes the rows that do not tell their unit
};

// By name and unit, whoever owns the texts.
struct ByNameAndUnit {
  using is_transparent = void;
  template <typename One, typename Other>
  bool operator()(const One& one, const Other& other) const {
    const int order = std::string_view(one.first).compare(other.first);
    return order != 0 ? order < 0 : std::string_view(one.second) < std::string_view(other.second);
  }
};

std::string_view UnitOf(const Row& row, const std::string& metric) {
  const auto unit = row.metric_units.find(metric);
  return unit == row.metric_units.end() ? std::string_view() : unit->second;
}

// One column for each metric, sorted by name. Rows that do not tell the unit
// (tables of an older form) go where the others are; rows of two different
// units get a column each, since a number must not change its unit.
std::vector<MetricColumn> MetricColumns(const Table& table) {
  std::set<std::pair<std::string, std::string>, ByNameAndUnit> found;
  std::set<std::string, std::less<>> with_unit;
  for (const Row& row : table.rows) {
    for (const auto& [metric, value] : row.metrics) {
      const std::pair<std::string_view, std::string_view> column{metric, UnitOf(row, metric)};
      if (found.contains(column)) continue;
      found.emplace(column);
      if (!column.second.empty()) with_unit.emplace(metric);
    }
  }
  std::vector<MetricColumn> columns;
  for (const auto& [name, unit] : found) {
    if (unit.empty() && with_unit.contains(name)) continue;
    columns.push_back({name, unit, columns.empty() || columns.back().name != name});
  }
  return columns;
}

void AppendHeaders(const std::vector<Column>& columns, std::vector<std::string>& cells) {
  for (const Column& column : columns) cells.push_back(HeaderText(column.name, column.unit));
}

// Writes one row after the other, without a copy of any cell.
class RowWriter {
 public:
  explicit RowWriter(std::string& text) : text_(text) {}

  void Columns(const Row& row, const std::vector<Column>& columns) {
    for (const Column& column : columns) Cell(ValidUtf8(column.view(row, room_), valid_));
  }

  // Both go by name, so one walk finds all.
  void Metrics(const Row& row, const std::vector<MetricColumn>& columns) {
    auto metric = row.metrics.begin();
    for (const MetricColumn& column : columns) {
      while (metric != row.metrics.end() && metric->first < column.name) ++metric;
      const bool has = metric != row.metrics.end() && metric->first == column.name;
      room_.clear();
      if (has && metric->second && BelongsTo(row, column)) AppendNumber(*metric->second, room_);
      Cell(room_);
    }
  }

  void End() {
    text_ += '\n';
    is_first_ = true;
  }

 private:
  static bool BelongsTo(const Row& row, const MetricColumn& column) {
    const std::string_view unit = UnitOf(row, column.name);
    return unit == column.unit || (unit.empty() && column.is_first_of_name);
  }

  void Cell(std::string_view cell) {
    if (!is_first_) text_ += ',';
    is_first_ = false;
    AppendCsvCell(cell, text_);
  }

  std::string& text_;
  std::string room_;
  std::string valid_;
  bool is_first_ = true;
};

std::vector<Column> UsedDetails(const Table& table) {
  std::vector<Column> used;
  for (const Column& column : DetailColumns()) {
    std::string room;
    const bool is_used = std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
      return !column.view(row, room).empty();
    });
    if (is_used) used.push_back(column);
  }
  return used;
}

// After so many rows the rest of the text is given room, a little more than rows like them
// need, so that it is not moved, and held twice, as it grows.
constexpr size_t kSampleRows = 1000;
size_t LikelyBytes(size_t bytes_of_sample, size_t rows) {
  return bytes_of_sample / kSampleRows * rows / 16 * 17;
}

}  // namespace

std::string ToCsv(const Table& table) {
  const std::vector<MetricColumn> metrics = MetricColumns(table);
  const std::vector<Column> details = UsedDetails(table);
  std::string text;
  std::vector<std::string> cells;
  AppendHeaders(LeadingColumns(), cells);
  for (const MetricColumn& metric : metrics) cells.push_back(HeaderText(metric.name, metric.unit));
  AppendHeaders(FlopColumns(), cells);
  AppendHeaders(TrailingColumns(), cells);
  AppendHeaders(details, cells);
  AppendCsvRecord(cells, text);
  RowWriter writer(text);
  size_t written = 0;
  for (const Row& row : table.rows) {
    writer.Columns(row, LeadingColumns());
    writer.Metrics(row, metrics);
    writer.Columns(row, FlopColumns());
    writer.Columns(row, TrailingColumns());
    writer.Columns(row, details);
    writer.End();
    if (++written == kSampleRows) text.reserve(LikelyBytes(text.size(), table.rows.size()));
  }
  return text;
}

}  // namespace rafter
