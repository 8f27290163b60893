#include <algorithm>
#include <functional>
#include <map>

#include "collector/table/aligned_rows.h"
#include "collector/table/number_text.h"
#include "collector/table/table.h"

namespace rafter {
namespace {

constexpr size_t kMostNameCharacters = 60;
// A longer reason goes below the table, so that rows can be read on a terminal.
constexpr size_t kMostReasonCharacters = 40;
// A row without numbers has room for more.
constexpr size_t kMostMissingCharacters = 64;
constexpr size_t kMostNoteCharacters = 1000;

// One column for people.
struct MarkdownColumn {
  std::string title;
  bool is_number = false;
  std::function<std::string(const Row&)> text;
};

std::string Value(const std::optional<double>& value, std::string_view unit) {
  if (!value) return "";
  return *value == 0 ? "0" : SiText(*value, unit);
}

// A kernel without the namespaces that it is in, which fill the line.
std::string ShortKernel(const Row& row) {
  const std::string_view name = row.kernel;
  const size_t qualified = std::min(name.find('<'), name.size());
  size_t start = name.substr(0, qualified).rfind("::");
  start = start == std::string_view::npos ? 0 : start + 2;
  return MarkdownText(name.substr(start), kMostNameCharacters);
}

// Reasons in the order first met, numbered from 1.
class Footnotes {
 public:
  explicit Footnotes(const Table& table) {
    for (const Row& row : table.rows) {
      if (!IsLong(row)) continue;
      if (numbers_.try_emplace(row.reason, reasons_.size() + 1).second) {
        reasons_.push_back(row.reason);
      }
    }
  }
  // What the row shows: the reason, or the number of the note that has it.
  std::string Text(const Row& row) const {
    if (!IsLong(row)) return MarkdownText(row.reason, kMostMissingCharacters);
    std::string see = "see " + std::to_string(numbers_.at(row.reason));
    if (row.validity != "missing") return see;
    const size_t cause = std::min(row.reason.find("; "), row.reason.find(" ("));
    if (std::min(cause, row.reason.size()) > kMostMissingCharacters) return see;
    return MarkdownText(row.reason.substr(0, cause), kMostMissingCharacters) + ", " + see;
  }
  std::string List() const {
    std::string text;
    for (size_t i = 0; i < reasons_.size(); ++i) {
      text += std::to_string(i + 1) + ". " + MarkdownText(reasons_[i], kMostNoteCharacters) + "\n";
    }
    return text;
  }

 private:
  static bool IsLong(const Row& row) {
    const bool is_missing = row.validity == "missing";
    return row.reason.size() > (is_missing ? kMostMissingCharacters : kMostReasonCharacters);
  }

  std::vector<std::string> reasons_;
  std::map<std::string, size_t> numbers_;
};

MarkdownColumn TextColumn(std::string title, std::string Row::*field, size_t most_characters) {
  return {std::move(title), false,
          [=](const Row& row) { return MarkdownText(row.*field, most_characters); }};
}

MarkdownColumn NumberColumn(std::string title, std::optional<double> Row::*field,
                            std::string unit) {
  return {std::move(title), true, [=](const Row& row) { return Value(row.*field, unit); }};
}

bool Differs(const Table& table, std::string Row::*field) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const Row& row) { return row.*field != table.rows.front().*field; });
}

bool HasWork(const Table& table, std::optional<double> Row::*field) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const Row& row) { return (row.*field).value_or(0) > 0; });
}

// What tells rows apart is shown only where it does.
std::vector<MarkdownColumn> Columns(const Table& table, const Footnotes& footnotes) {
  std::vector<MarkdownColumn> columns;
  const auto add_if_differs = [&](std::string title, std::string Row::*field) {
    if (!Differs(table, field)) return;
    columns.push_back(TextColumn(std::move(title), field, kMostNameCharacters));
  };
  add_if_differs("Hardware", &Row::hardware);
  add_if_differs("Executable", &Row::executable);
  add_if_differs("Paradigm", &Row::paradigm);
  add_if_differs("Rank", &Row::rank);
  add_if_differs("Host", &Row::host);
  add_if_differs("Process", &Row::process);
  add_if_differs("Device", &Row::device);
  columns.push_back(TextColumn("Region", &Row::region, kMostNameCharacters));
  add_if_differs("Kernel ID", &Row::kernel_id);
  if (Differs(table, &Row::kernel)) columns.push_back({"Kernel", false, ShortKernel});
  columns.push_back({"Calls", true, [](const Row& row) {
                       return row.calls ? std::to_string(*row.calls) : std::string();
                     }});
  columns.push_back(NumberColumn("Duration", &Row::duration_s, "s"));
  const size_t before_flop = columns.size();
  const auto add_flop = [&](std::string title, std::optional<double> Row::*field) {
    if (HasWork(table, field)) columns.push_back(NumberColumn(std::move(title), field, "FLOP"));
  };
  add_flop("FLOP FP32", &Row::flop_fp32);
  add_flop("FLOP FP64", &Row::flop_fp64);
  add_flop("FLOP FP16", &Row::flop_fp16);
  add_flop("FLOP Tensor", &Row::flop_tensor);
  if (columns.size() == before_flop) columns.push_back(NumberColumn("FLOP", &Row::flop, "FLOP"));
  columns.push_back(NumberColumn("Traffic", &Row::traffic_bytes, "Byte"));
  add_if_differs("Level", &Row::memory_level);
  columns.push_back({"FLOP/Byte", true, [](const Row& row) {
                       return row.flop_per_byte ? RatioText(*row.flop_per_byte, "") : std::string();
                     }});
  columns.push_back(NumberColumn("Performance", &Row::flop_per_s, "FLOP/s"));
  columns.push_back(TextColumn("Validity", &Row::validity, kMostNameCharacters));
  columns.push_back(
      {"Reason", false, [&footnotes](const Row& row) { return footnotes.Text(row); }});
  return columns;
}

}  // namespace

std::string ToMarkdown(const Table& table) {
  const Footnotes footnotes(table);
  const std::vector<MarkdownColumn> columns = Columns(table, footnotes);
  std::vector<bool> is_number;
  std::vector<std::string> cells;
  for (const MarkdownColumn& column : columns) {
    is_number.push_back(column.is_number);
    cells.push_back(column.title);
  }
  AlignedRows rows(is_number);
  rows.Add(std::move(cells));
  for (const Row& row : table.rows) {
    cells = {};
    for (const MarkdownColumn& column : columns) cells.push_back(column.text(row));
    rows.Add(std::move(cells));
  }
  std::string text = rows.Text();
  if (const std::string reasons = footnotes.List(); !reasons.empty()) text += "\n" + reasons;
  if (!table.notes.empty()) text += "\n";
  for (const std::string& note : table.notes) {
    text += "- " + MarkdownText(note, kMostNoteCharacters) + "\n";
  }
  return text;
}

}  // namespace rafter
