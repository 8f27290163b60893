#include <absl/status/status.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "collector/table/columns.h"
#include "collector/table/csv_cells.h"
#include "collector/table/number_text.h"
#include "collector/table/table.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

// Names and cells that a message quotes.
constexpr size_t kMostQuotedCharacters = 60;

// What one column of a file is to us: one of the fixed columns, a metric, or
// nothing (both empty).
struct Place {
  const Column* column = nullptr;
  std::string metric;
  std::string unit;
};

std::string Quoted(std::string_view text) {
  return "\"" + OneLine(text, kMostQuotedCharacters) + "\"";
}

absl::Status Failure(size_t line, size_t column, const std::string& what) {
  return absl::InvalidArgumentError("line " + std::to_string(line) + ", column " +
                                    std::to_string(column) + ": " + what);
}

const Column* FindColumn(std::string_view name) {
  for (const auto* columns :
       {&LeadingColumns(), &FlopColumns(), &TrailingColumns(), &DetailColumns()}) {
    for (const Column& column : *columns) {
      if (column.name == name) return &column;
    }
  }
  return nullptr;
}

absl::StatusOr<std::vector<Place>> ReadHeader(const CsvRecordView& record, Table& table) {
  std::vector<Place> places;
  std::set<std::string> seen;
  bool any_known = false;
  for (size_t i = 0; i < record.cells.size(); ++i) {
    const Header header = ParseHeader(record.cells[i]);
    Place place{FindColumn(header.name), "", std::string(header.unit)};
    if (place.column != nullptr) {
      any_known = true;
      if (!header.unit.empty() && header.unit != place.column->unit) {
        return Failure(
            record.line, i + 1,
            Quoted(record.cells[i]) + " has another unit than [" + place.column->unit + "]");
      }
      if (!seen.insert(place.column->name).second) {
        return Failure(record.line, i + 1, Quoted(header.name) + " is there twice");
      }
    } else if (IsMetricName(header.name)) {
      any_known = true;
      place.metric = header.name;
      if (!seen.emplace(record.cells[i]).second) {
        return Failure(record.line, i + 1, Quoted(record.cells[i]) + " is there twice");
      }
    } else {
      table.notes.push_back("column " + Quoted(record.cells[i]) + " is not known; left out");
    }
    places.push_back(std::move(place));
  }
  if (!any_known) {
    return Failure(record.line, 1, "no column that a table of ours has; is this the header?");
  }
  return places;
}

// Takes one cell of a metric in; false when it is not a number.
bool SetMetric(const Place& place, std::string_view cell, Row& row) {
  // Our files have metrics by name, so each goes to the end.
  const size_t before = row.metrics.size();
  const auto metric = row.metrics.try_emplace(row.metrics.end(), place.metric);
  const bool is_new = row.metrics.size() > before;
  if (cell.empty()) return true;
  const std::optional<double> value = ParseNumber(cell);
  if (!value) return false;
  metric->second = std::isfinite(*value) ? value : std::nullopt;
  if (!is_new) row.metric_units[place.metric] = place.unit;
  return true;
}

// As every row has them, unless it has a value in a second column of a metric.
MetricUnits UnitsOf(const std::vector<Place>& places) {
  MetricUnits units;
  for (const Place& place : places) {
    if (place.metric.empty() || units.find(place.metric) != units.end()) continue;
    units[place.metric] = place.unit;
  }
  return units;
}

// `room` is for cells that are not as they stand in the text.
absl::Status ReadRow(const CsvRecordView& record, const std::vector<Place>& places,
                     std::string& room, Row& row) {
  if (record.cells.size() != places.size()) {
    return Failure(record.line, std::min(record.cells.size(), places.size()) + 1,
                   "the row has " + std::to_string(record.cells.size()) + " cells, the header " +
                       std::to_string(places.size()));
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    const std::string_view cell = ValidUtf8(record.cells[i], room);
    bool good = true;
    if (!place.metric.empty()) {
      good = SetMetric(place, cell, row);
    } else if (place.column != nullptr && !cell.empty()) {
      good = place.column->set(row, cell);
    }
    if (good) continue;
    const std::string& name = place.metric.empty() ? place.column->name : place.metric;
    return Failure(record.line, i + 1, Quoted(cell) + " is not a number (" + name + ")");
  }
  return absl::OkStatus();
}

// As many as lines, so that rows are not moved as the table grows; but room for no more
// than kMostRoomPerByte bytes for each byte of the text, whatever it holds.
size_t LikelyRows(std::string_view text) {
  constexpr size_t kMostRoomPerByte = 4;
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  return std::min(lines, kMostRoomPerByte * text.size() / sizeof(Row));
}

}  // namespace

absl::StatusOr<Table> FromCsv(std::string_view text) {
  Table table;
  table.rows.reserve(LikelyRows(text));
  std::string room;
  MetricUnits units;
  std::optional<std::vector<Place>> header;
  absl::Status read = EachCsvRecord(text, [&](const CsvRecordView& record) {
    if (header.has_value()) {
      table.rows.emplace_back().metric_units = units;
      return ReadRow(record, *header, room, table.rows.back());
    }
    absl::StatusOr<std::vector<Place>> places = ReadHeader(record, table);
    if (!places.ok()) return places.status();
    units = UnitsOf(*places);
    header = *std::move(places);
    return absl::OkStatus();
  });
  if (!read.ok()) return read;
  if (!header.has_value()) return Failure(1, 1, "there is no header");
  return table;
}

}  // namespace rafter
