#include "collector/compare/comparison.h"

#include <cmath>
#include <map>
#include <utility>

#include "collector/compare/conflicts.h"
#include "collector/compare/match.h"
#include "collector/roofline/point_labels.h"
#include "collector/table/reason_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

constexpr size_t kMostNameCharacters = 60;

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
bool IsToSay(const Row& row) {
  return row.validity == "extrapolated" || row.validity == "partial" ||
         row.validity == "scale assumed";
}

// "both extrapolated", "BASE extrapolated, NEW partial".
std::string ValidityNote(const Row& base, const Row& now) {
  if (!IsToSay(base) && !IsToSay(now)) return "";
  const std::string in_base = OneLine(base.validity, kMostNameCharacters);
  const std::string in_new = OneLine(now.validity, kMostNameCharacters);
  if (in_base == in_new) return "both " + in_base;
  if (!IsToSay(now)) return "BASE " + in_base;
  if (!IsToSay(base)) return "NEW " + in_new;
  return "BASE " + in_base + ", NEW " + in_new;
}

std::vector<std::string> NotesOf(const Row& base, const Row& now) {
  std::vector<std::string> notes;
  if (const std::string note = ValidityNote(base, now); !note.empty()) notes.push_back(note);
  if (base.calls && now.calls && *base.calls != *now.calls) {
    notes.push_back(Calls(*base.calls) + " in BASE, " + Count(*now.calls) + " in NEW" +
                    (IsPerCall(base, now) ? ": compared by call" : ""));
  }
  for (const ToldColumn& column : kTold) {
    const std::string& in_base = base.*column.field;
    const std::string& in_new = now.*column.field;
    if (in_base.empty() || in_new.empty() || in_base == in_new) continue;
    notes.push_back(std::string(column.name) + " " + OneLine(in_base, kMostNameCharacters) +
                    " in BASE, " + OneLine(in_new, kMostNameCharacters) + " in NEW");
  }
  return notes;
}

void AddNotes(const ComparedSide& side, std::string_view name, std::vector<std::string>& notes) {
  for (const std::string& note : side.table.notes) {
    notes.push_back(std::string(name) + ": " + note);
  }
}

}  // namespace

Comparison Compare(ComparedSide base, ComparedSide now, const ChangeOptions& options) {
  Comparison comparison;
  comparison.base = std::move(base);
  comparison.now = std::move(now);
  const std::vector<Row>& base_rows = comparison.base.table.rows;
  const std::vector<Row>& now_rows = comparison.now.table.rows;
  const std::vector<std::string> base_labels = PointLabels(base_rows);
  const std::vector<std::string> now_labels = PointLabels(now_rows);
  const RowMatches matches = MatchRows(base_rows, now_rows);
  for (const MatchedRows& pair : matches.pairs) {
    const Row& in_base = base_rows[pair.base];
    const Row& in_new = now_rows[pair.now];
    comparison.rows.push_back({pair.base, pair.now, base_labels[pair.base],
                               IsPerCall(in_base, in_new), ChangesOf(in_base, in_new, options),
                               NotesOf(in_base, in_new)});
  }
  for (const UnmatchedRow& row : matches.only_in_base) {
    comparison.lone.push_back({true, row.row, base_labels[row.row], row.reason});
  }
  for (const UnmatchedRow& row : matches.only_in_new) {
    comparison.lone.push_back({false, row.row, now_labels[row.row], row.reason});
  }
  comparison.conflicts = ConflictsOf(comparison);
  comparison.notes = NotesOnSides(comparison);
  AddNotes(comparison.base, "BASE", comparison.notes);
  AddNotes(comparison.now, "NEW", comparison.notes);
  return comparison;
}

Quantity TimeQuantity(const ComparedRow& row) {
  const Change& duration = row.changes[static_cast<size_t>(Quantity::kDuration)];
  const Change& kernels = row.changes[static_cast<size_t>(Quantity::kKernelTime)];
  const bool only_kernels = duration.word == ChangeWord::kNotComparable &&
                            (kernels.word != ChangeWord::kNotComparable ||
                             (!duration.ratio && kernels.ratio.has_value()));
  return only_kernels ? Quantity::kKernelTime : Quantity::kDuration;
}

const Change& TimeChange(const ComparedRow& row) {
  return row.changes[static_cast<size_t>(TimeQuantity(row))];
}

std::string MovedText(const ComparedRow& row) {
  std::vector<std::string> moved;
  for (const Quantity quantity :
       {TimeQuantity(row), Quantity::kFlop, Quantity::kTraffic, Quantity::kSmClock}) {
    const Change& change = row.changes[static_cast<size_t>(quantity)];
    if (change.word != ChangeWord::kMore && change.word != ChangeWord::kLess) continue;
    const std::string by = ByText(quantity, change);
    moved.push_back(std::string(QuantityKindOf(quantity).moved) + " " + by);
  }
  return Join(moved, ", ");
}

std::string SummaryText(const Comparison& comparison) {
  constexpr std::array<ChangeWord, 6> kOrder = {ChangeWord::kLess,      ChangeWord::kMore,
                                                ChangeWord::kSame,      ChangeWord::kWithinSpread,
                                                ChangeWord::kNotJudged, ChangeWord::kNotComparable};
  std::map<ChangeWord, size_t> rows;
  for (const ComparedRow& row : comparison.rows) ++rows[TimeChange(row).word];
  std::vector<std::string> words;
  for (const ChangeWord word : kOrder) {
    if (rows[word] == 0) continue;
    Change change;
    change.word = word;
    words.push_back(Count(rows[word]) + " " + ShortWordText(Quantity::kDuration, change));
  }
  const size_t all = comparison.rows.size();
  std::string text = Count(all) + (all == 1 ? " row" : " rows") + " compared";
  if (!words.empty()) text += ": " + Join(words, ", ");
  size_t in_base = 0;
  for (const LoneRow& row : comparison.lone) in_base += row.in_base ? 1 : 0;
  const size_t in_new = comparison.lone.size() - in_base;
  if (in_base > 0) text += "; " + Count(in_base) + " only in BASE";
  if (in_new > 0) text += "; " + Count(in_new) + " only in NEW";
  return text;
}

}  // namespace rafter
