#include "collector/compare/comparison.h"

#include <cmath>
#include <map>
#include <utility>

#include "collector/compare/conflicts.h"
#include "collector/compare/match.h"
#include "collector/compare/row_notes.h"
#include "collector/compare/runs_of_side.h"
#include "collector/roofline/point_labels.h"
#include "collector/table/number_text.h"
#include "collector/table/reason_text.h"

namespace rafter {
namespace {

void AddNotes(const ComparedSide& side, std::string_view name, std::vector<std::string>& notes) {
  for (const std::string& note : side.table.notes) {
    notes.push_back(std::string(name) + ": " + note);
  }
}

// Rows by name, and what each side has alone; no changes yet.
Comparison Matched(ComparedSide base, ComparedSide now) {
  Comparison comparison;
  comparison.base = std::move(base);
  comparison.now = std::move(now);
  const std::vector<Row>& base_rows = comparison.base.table.rows;
  const std::vector<Row>& now_rows = comparison.now.table.rows;
  const std::vector<std::string> base_labels = PointLabels(base_rows);
  const std::vector<std::string> now_labels = PointLabels(now_rows);
  const RowMatches matches = MatchRows(base_rows, now_rows);
  for (const MatchedRows& pair : matches.pairs) {
    comparison.rows.push_back({pair.base, pair.now, base_labels[pair.base], false, {}, {}});
  }
  for (const UnmatchedRow& row : matches.only_in_base) {
    comparison.lone.push_back({true, row.row, base_labels[row.row], row.reason});
  }
  for (const UnmatchedRow& row : matches.only_in_new) {
    comparison.lone.push_back({false, row.row, now_labels[row.row], row.reason});
  }
  return comparison;
}

}  // namespace

Comparison Compare(ComparedSide base, ComparedSide now, const ChangeOptions& options) {
  Comparison comparison = Matched(std::move(base), std::move(now));
  for (ComparedRow& row : comparison.rows) {
    const Row& in_base = comparison.base.table.rows[row.base];
    const Row& in_new = comparison.now.table.rows[row.now];
    const std::array<NamedRow, 1> base_row = {NamedRow{&in_base, "BASE"}};
    const std::array<NamedRow, 1> now_row = {NamedRow{&in_new, "NEW"}};
    row.per_call = IsPerCall(in_base, in_new);
    row.changes = ChangesOf(in_base, in_new, options);
    row.notes = RowNotes({base_row, now_row, 1, 1});
  }
  comparison.conflicts = ConflictsOf(comparison);
  comparison.notes = NotesOnSides(comparison);
  AddNotes(comparison.base, "BASE", comparison.notes);
  AddNotes(comparison.now, "NEW", comparison.notes);
  return comparison;
}

Comparison CompareRuns(std::vector<ComparedSide> base, std::vector<ComparedSide> now,
                       const ChangeOptions& options) {
  RunsOfSide base_runs = JoinRuns(std::move(base), "BASE");
  RunsOfSide now_runs = JoinRuns(std::move(now), "NEW");
  Comparison comparison = Matched(std::move(base_runs.side), std::move(now_runs.side));
  comparison.runs.emplace();
  comparison.runs->base = std::move(base_runs.runs);
  comparison.runs->now = std::move(now_runs.runs);
  comparison.runs->margin = options.margin;
  JudgeOverRuns(options, comparison);
  comparison.conflicts = ConflictsOf(comparison);
  comparison.notes = NotesOnSides(comparison);
  for (std::vector<std::string>* notes : {&base_runs.notes, &now_runs.notes}) {
    comparison.notes.insert(comparison.notes.end(), notes->begin(), notes->end());
  }
  for (const auto* runs : {&comparison.runs->base, &comparison.runs->now}) {
    for (const ComparedRun& run : *runs) AddNotes(run.run, run.run.name, comparison.notes);
  }
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

std::string IntervalsText(const RepeatedRuns& runs) {
  ChangeOptions options;
  options.margin = runs.margin;
  const auto margin = [&](Quantity quantity) {
    return RatioText(100 * MarginOf(quantity, options), "%");
  };
  return "Intervals: those of all rows of a quantity hold at once with " +
         RatioText(100 * (1 - kErrorShare), "%") +
         " confidence, from the spread among runs. A change is one from " +
         margin(Quantity::kDuration) + " on (FLOP: " + margin(Quantity::kFlop) +
         "); \"undecided\" is what more runs would tell.";
}

std::string SummaryText(const Comparison& comparison) {
  constexpr std::array<ChangeWord, 7> kOrder = {
      ChangeWord::kLess,         ChangeWord::kMore,      ChangeWord::kSame,
      ChangeWord::kWithinSpread, ChangeWord::kUndecided, ChangeWord::kNotJudged,
      ChangeWord::kNotComparable};
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
