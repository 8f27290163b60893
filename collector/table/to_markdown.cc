#include <algorithm>
#include <functional>

#include "collector/table/number_text.h"
#include "collector/table/table.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

// Wide enough for a reason with its remedy, narrow enough for a terminal.
constexpr size_t kMostNameCharacters = 60;
constexpr size_t kMostReasonCharacters = 200;

// One column for people.
struct MarkdownColumn {
  std::string title;
  bool is_number = false;
  std::function<std::string(const Row&)> text;
};

bool IsWordPart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Text that Markdown would take for markup stays text. An underscore inside a
// word is none, and commands are easier to copy without backslashes.
std::string Escaped(std::string_view text, size_t most_characters) {
  const std::string line = OneLine(text, most_characters);
  std::string escaped;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool inside =
        i > 0 && i + 1 < line.size() && IsWordPart(line[i - 1]) && IsWordPart(line[i + 1]);
    const bool markup = std::string_view("\\`*_|<>[]").find(line[i]) != std::string_view::npos;
    if (markup && !(line[i] == '_' && inside)) escaped += '\\';
    escaped += line[i];
  }
  return escaped;
}

std::string Value(const std::optional<double>& value, std::string_view unit) {
  return value ? SiText(*value, unit) : "";
}

MarkdownColumn TextColumn(std::string title, std::string Row::*field, size_t most_characters) {
  return {std::move(title), false,
          [=](const Row& row) { return Escaped(row.*field, most_characters); }};
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
std::vector<MarkdownColumn> Columns(const Table& table) {
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
  add_if_differs("Kernel", &Row::kernel);
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
  columns.push_back({"Intensity", true, [](const Row& row) {
                       return row.flop_per_byte ? RatioText(*row.flop_per_byte, "FLOP/Byte")
                                                : std::string();
                     }});
  columns.push_back(NumberColumn("Performance", &Row::flop_per_s, "FLOP/s"));
  columns.push_back(TextColumn("Validity", &Row::validity, kMostNameCharacters));
  columns.push_back(TextColumn("Reason", &Row::reason, kMostReasonCharacters));
  return columns;
}

}  // namespace

std::string ToMarkdown(const Table& table) {
  const std::vector<MarkdownColumn> columns = Columns(table);
  std::string text = "|";
  for (const MarkdownColumn& column : columns) text += " " + column.title + " |";
  text += "\n|";
  for (const MarkdownColumn& column : columns) text += column.is_number ? " ---: |" : " --- |";
  text += "\n";
  for (const Row& row : table.rows) {
    text += "|";
    for (const MarkdownColumn& column : columns) text += " " + column.text(row) + " |";
    text += "\n";
  }
  if (!table.notes.empty()) text += "\n";
  for (const std::string& note : table.notes) {
    text += "- " + Escaped(note, kMostReasonCharacters) + "\n";
  }
  return text;
}

}  // namespace rafter
