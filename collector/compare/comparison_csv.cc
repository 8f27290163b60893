#include <array>

#include "collector/compare/comparison_text.h"
#include "collector/table/columns.h"
#include "collector/table/csv_cells.h"
#include "collector/table/number_text.h"
#include "collector/table/reason_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

// Columns of the table that say which row it is; BASE's where it has the row.
constexpr std::array<std::string_view, 9> kNames = {"Executable", "Region",    "Kernel ID",
                                                    "Kernel",     "Precision", "Memory Level",
                                                    "Rank",       "Host",      "Device"};

const std::vector<Column>& NameColumns() {
  static const auto* const columns = [] {
    auto* const found = new std::vector<Column>;
    for (const std::string_view name : kNames) {
      for (const auto* list : {&LeadingColumns(), &TrailingColumns()}) {
        for (const Column& column : *list) {
          if (column.name == name) found->push_back(column);
        }
      }
    }
    return found;
  }();
  return *columns;
}

std::string Number(const std::optional<double>& value) { return value ? NumberText(*value) : ""; }

std::vector<std::string> HeaderCells(bool is_of_runs) {
  std::vector<std::string> cells;
  for (const Column& column : NameColumns()) cells.push_back(HeaderText(column.name, column.unit));
  for (const char* name : {"Calls BASE", "Calls NEW", "Basis"}) cells.emplace_back(name);
  for (const QuantityKind& kind : QuantityKinds()) {
    const std::string title(kind.title);
    cells.push_back(HeaderText(title + " BASE", kind.unit));
    cells.push_back(HeaderText(title + " NEW", kind.unit));
    const std::string range = is_of_runs ? " Interval" : " Spread";
    for (const std::string& what : {std::string(" Ratio"), range + " Low", range + " High"}) {
      cells.push_back(HeaderText(title + what, "1"));
    }
    if (is_of_runs) {
      cells.push_back(title + " Runs BASE");
      cells.push_back(title + " Runs NEW");
    }
    cells.push_back(title + " Verdict");
    cells.push_back(title + " Reason");
  }
  for (const char* name : {"Moved", "Found", "Note", "Forced"}) cells.emplace_back(name);
  return cells;
}

void AppendNames(const Row& row, std::vector<std::string>& cells) {
  for (const Column& column : NameColumns()) cells.push_back(ValidUtf8(column.get(row)));
}

std::string CallsCell(const Row& row) { return row.calls ? Count(*row.calls) : ""; }

void AppendChange(Quantity quantity, const Change& change, bool is_of_runs,
                  std::vector<std::string>& cells) {
  const std::optional<RatioSpread>& range = is_of_runs ? change.interval : change.spread;
  cells.push_back(Number(change.base));
  cells.push_back(Number(change.now));
  cells.push_back(Number(change.ratio));
  cells.push_back(range ? NumberText(range->low) : "");
  cells.push_back(range ? Number(range->high) : "");
  if (is_of_runs) {
    cells.push_back(Count(change.base_runs));
    cells.push_back(Count(change.now_runs));
  }
  cells.push_back(ShortWordText(quantity, change));
  cells.push_back(ValidUtf8(change.reason));
}

std::vector<std::string> CellsOf(const ComparedRow& row, const Comparison& comparison) {
  const Row& base = comparison.base.table.rows[row.base];
  const Row& now = comparison.now.table.rows[row.now];
  std::vector<std::string> cells;
  AppendNames(base, cells);
  cells.push_back(CallsCell(base));
  cells.push_back(CallsCell(now));
  cells.emplace_back(row.per_call ? "one call" : "all calls");
  for (const QuantityKind& kind : QuantityKinds()) {
    AppendChange(kind.quantity, row.changes[static_cast<size_t>(kind.quantity)],
                 comparison.runs.has_value(), cells);
  }
  cells.push_back(MovedText(row));
  cells.emplace_back("both");
  cells.push_back(ValidUtf8(Join(row.notes, "; ")));
  return cells;
}

// Its values stand on its side, so that nothing is lost.
std::vector<std::string> CellsOf(const LoneRow& lone, const Comparison& comparison) {
  const Table& table = lone.in_base ? comparison.base.table : comparison.now.table;
  const Row& row = table.rows[lone.row];
  std::vector<std::string> cells;
  AppendNames(row, cells);
  cells.push_back(lone.in_base ? CallsCell(row) : "");
  cells.push_back(lone.in_base ? "" : CallsCell(row));
  cells.emplace_back("all calls");
  for (const QuantityKind& kind : QuantityKinds()) {
    const std::string value = Number(row.*kind.field);
    cells.push_back(lone.in_base ? value : "");
    cells.push_back(lone.in_base ? "" : value);
    cells.insert(cells.end(), comparison.runs ? 7 : 5, "");
  }
  cells.emplace_back("");
  cells.emplace_back(lone.in_base ? "only in BASE" : "only in NEW");
  cells.push_back(lone.reason);
  return cells;
}

}  // namespace

std::string ToCsv(const Comparison& comparison) {
  std::string text;
  AppendCsvRecord(HeaderCells(comparison.runs.has_value()), text);
  const std::string forced = ValidUtf8(Join(comparison.conflicts, "; "));
  const auto append = [&](std::vector<std::string> cells) {
    cells.push_back(forced);
    AppendCsvRecord(cells, text);
  };
  for (const ComparedRow& row : comparison.rows) append(CellsOf(row, comparison));
  for (const LoneRow& row : comparison.lone) append(CellsOf(row, comparison));
  return text;
}

}  // namespace rafter
