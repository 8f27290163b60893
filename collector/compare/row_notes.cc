#include "collector/compare/row_notes.h"

#include <algorithm>
#include <array>
#include <optional>

#include "collector/table/reason_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

constexpr size_t kMostNameCharacters = 60;
constexpr size_t kMostNamed = 3;

// Columns that may differ within a pair and that numbers depend on.
struct ToldColumn {
  std::string Row::*field;
  std::string_view name;
};
constexpr std::array<ToldColumn, 8> kTold = {{
    {&Row::precision, "precision"},
    {&Row::memory_level, "memory level"},
    {&Row::kernel, "kernel"},
    {&Row::grid_size, "grid"},
    {&Row::block_size, "block"},
    {&Row::paradigm, "paradigm"},
    {&Row::benchmark_problem, "problem"},
    {&Row::source, "source"},
}};

// Words that let times be compared; the others are the reason why they are not.
std::string ValidityToSay(const Row& row) {
  const bool is_to_say = row.validity == "extrapolated" || row.validity == "partial" ||
                         row.validity == "scale assumed";
  return is_to_say ? row.validity : "";
}

// The two rows of which a side is told by: its first and the first that differs from it.
template <typename TextOf>
std::optional<std::array<NamedRow, 2>> UnlikeRuns(std::span<const NamedRow> rows, TextOf text_of) {
  for (const NamedRow& named : rows) {
    if (text_of(*named.row) != text_of(*rows.front().row)) {
      return std::array<NamedRow, 2>{rows.front(), named};
    }
  }
  return std::nullopt;
}

// "10 calls in b1.csv, 12 in b3.csv", of each side whose runs differ; empty: none does.
template <typename TextOf, typename SayBoth>
std::vector<std::string> WithinSides(const ObservedRows& rows, TextOf text_of, SayBoth say_both) {
  std::vector<std::string> said;
  for (const std::span<const NamedRow> side : {rows.base, rows.now}) {
    if (const auto two = UnlikeRuns(side, text_of)) said.push_back(say_both((*two)[0], (*two)[1]));
  }
  return said;
}

void Append(std::vector<std::string> more, std::vector<std::string>& notes) {
  notes.insert(notes.end(), more.begin(), more.end());
}

// "both extrapolated", "BASE extrapolated, NEW partial".
std::string ValidityNote(const Row& base, const Row& now) {
  const std::string in_base = ValidityToSay(base);
  const std::string in_new = ValidityToSay(now);
  if (in_base.empty() && in_new.empty()) return "";
  if (in_base == in_new) return "both " + in_base;
  if (in_new.empty()) return "BASE " + in_base;
  if (in_base.empty()) return "NEW " + in_new;
  return "BASE " + in_base + ", NEW " + in_new;
}

void AddValidity(const ObservedRows& rows, std::vector<std::string>& notes) {
  const auto word = [](const Row& row) {
    const std::string said = ValidityToSay(row);
    return said.empty() ? "not so" : said;
  };
  const std::vector<std::string> within =
      WithinSides(rows, ValidityToSay, [&](const NamedRow& one, const NamedRow& other) {
        const bool first = !ValidityToSay(*one.row).empty();
        const NamedRow& said = first ? one : other;
        const NamedRow& beside = first ? other : one;
        return word(*said.row) + " in " + std::string(said.name) + ", " + word(*beside.row) +
               " in " + std::string(beside.name);
      });
  if (!within.empty()) {
    Append(within, notes);
    return;
  }
  const std::string note = ValidityNote(*rows.base.front().row, *rows.now.front().row);
  if (!note.empty()) notes.push_back(note);
}

void AddCalls(const ObservedRows& rows, std::vector<std::string>& notes) {
  const auto calls = [](const Row& row) { return row.calls; };
  const std::string by_call = IsPerCall(rows) ? ": compared by call" : "";
  const auto say = [&](const NamedRow& one, const NamedRow& other) {
    return Calls(one.row->calls.value_or(0)) + " in " + std::string(one.name) + ", " +
           Count(other.row->calls.value_or(0)) + " in " + std::string(other.name) + by_call;
  };
  const std::vector<std::string> within = WithinSides(rows, calls, say);
  if (!within.empty()) {
    Append(within, notes);
    return;
  }
  const NamedRow base{rows.base.front().row, "BASE"};
  const NamedRow now{rows.now.front().row, "NEW"};
  if (base.row->calls && now.row->calls && *base.row->calls != *now.row->calls) {
    notes.push_back(say(base, now));
  }
}

void AddColumn(const ToldColumn& column, const ObservedRows& rows,
               std::vector<std::string>& notes) {
  const auto say = [&](const NamedRow& one, const NamedRow& other) {
    const auto text = [&](const NamedRow& named) {
      const std::string& cell = named.row->*column.field;
      return cell.empty() ? "none" : OneLine(cell, kMostNameCharacters);
    };
    return std::string(column.name) + " " + text(one) + " in " + std::string(one.name) + ", " +
           text(other) + " in " + std::string(other.name);
  };
  const std::vector<std::string> within = WithinSides(
      rows, [&](const Row& row) { return row.*column.field; }, say);
  if (!within.empty()) {
    Append(within, notes);
    return;
  }
  const NamedRow base{rows.base.front().row, "BASE"};
  const NamedRow now{rows.now.front().row, "NEW"};
  const std::string& in_base = base.row->*column.field;
  const std::string& in_new = now.row->*column.field;
  if (in_base.empty() || in_new.empty() || in_base == in_new) return;
  notes.push_back(say(base, now));
}

// Values that a run has not and others of its side have: "Duration missing in n2.csv", or
// "Duration missing in 3 of 8 runs of NEW, the first: missing in n2.csv".
void AddGaps(const ObservedRows& rows, std::vector<std::string>& notes) {
  for (const std::span<const NamedRow> side : {rows.base, rows.now}) {
    for (const QuantityKind& kind : QuantityKinds()) {
      const auto lacks = [&](const NamedRow& named) { return !(named.row->*kind.field); };
      const auto count = static_cast<size_t>(std::count_if(side.begin(), side.end(), lacks));
      if (count == 0 || count == side.size()) continue;
      const NamedRow& first = *std::find_if(side.begin(), side.end(), lacks);
      const std::string title(kind.title);
      notes.push_back(count == 1
                          ? title + " " + WhyMissing(first)
                          : title + " missing in " + Count(count) + " of " + Count(side.size()) +
                                " runs of " + (side.data() == rows.base.data() ? "BASE" : "NEW") +
                                ", the first: " + WhyMissing(first));
    }
  }
}

}  // namespace

std::vector<std::string> RowNotes(const ObservedRows& rows) {
  std::vector<std::string> notes;
  AddValidity(rows, notes);
  AddCalls(rows, notes);
  for (const ToldColumn& column : kTold) AddColumn(column, rows, notes);
  AddGaps(rows, notes);
  return notes;
}

}  // namespace rafter
