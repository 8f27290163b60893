#include <algorithm>
#include <set>
#include <utility>

#include "collector/table/columns.h"
#include "collector/table/csv_cells.h"
#include "collector/table/number_text.h"
#include "collector/table/table.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

using MetricColumn = std::pair<std::string, std::string>;  // name, unit

std::string UnitOf(const Row& row, const std::string& metric) {
  const auto unit = row.metric_units.find(metric);
  return unit == row.metric_units.end() ? "" : unit->second;
}

// One column for each metric, sorted by name. Rows that do not tell the unit
// (tables of an older form) go where the others are; rows of two different
// units get a column each, since a number must not change its unit.
std::set<MetricColumn> MetricColumns(const Table& table) {
  std::set<MetricColumn> columns;
  std::set<std::string> with_unit;
  for (const Row& row : table.rows) {
    for (const auto& [metric, value] : row.metrics) {
      const std::string unit = UnitOf(row, metric);
      columns.insert({metric, unit});
      if (!unit.empty()) with_unit.insert(metric);
    }
  }
  for (const std::string& metric : with_unit) columns.erase({metric, ""});
  return columns;
}

bool BelongsTo(const Row& row, const MetricColumn& column, bool is_first_of_name) {
  const std::string unit = UnitOf(row, column.first);
  return unit == column.second || (unit.empty() && is_first_of_name);
}

std::string MetricCell(const Row& row, const MetricColumn& column, bool is_first_of_name) {
  const auto metric = row.metrics.find(column.first);
  if (metric == row.metrics.end() || !metric->second) return "";
  return BelongsTo(row, column, is_first_of_name) ? NumberText(*metric->second) : "";
}

void AppendHeaders(const std::vector<Column>& columns, std::vector<std::string>& cells) {
  for (const Column& column : columns) cells.push_back(HeaderText(column.name, column.unit));
}

void AppendCells(const Row& row, const std::vector<Column>& columns,
                 std::vector<std::string>& cells) {
  for (const Column& column : columns) cells.push_back(ValidUtf8(column.get(row)));
}

std::vector<Column> UsedDetails(const Table& table) {
  std::vector<Column> used;
  for (const Column& column : DetailColumns()) {
    const bool is_used = std::any_of(table.rows.begin(), table.rows.end(),
                                     [&](const Row& row) { return !column.get(row).empty(); });
    if (is_used) used.push_back(column);
  }
  return used;
}

}  // namespace

std::string ToCsv(const Table& table) {
  const std::set<MetricColumn> metrics = MetricColumns(table);
  std::string text;
  std::vector<std::string> cells;
  AppendHeaders(LeadingColumns(), cells);
  for (const auto& [name, unit] : metrics) cells.push_back(HeaderText(name, unit));
  AppendHeaders(FlopColumns(), cells);
  AppendHeaders(TrailingColumns(), cells);
  const std::vector<Column> details = UsedDetails(table);
  AppendHeaders(details, cells);
  AppendCsvRecord(cells, text);
  for (const Row& row : table.rows) {
    cells.clear();
    AppendCells(row, LeadingColumns(), cells);
    std::string previous;
    for (const MetricColumn& column : metrics) {
      cells.push_back(MetricCell(row, column, column.first != previous));
      previous = column.first;
    }
    AppendCells(row, FlopColumns(), cells);
    AppendCells(row, TrailingColumns(), cells);
    AppendCells(row, details, cells);
    AppendCsvRecord(cells, text);
  }
  return text;
}

}  // namespace rafter
