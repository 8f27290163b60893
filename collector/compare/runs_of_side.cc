#include "collector/compare/runs_of_side.h"

#include <utility>

#include "collector/compare/match.h"
#include "collector/compare/observed_change.h"
#include "collector/compare/row_notes.h"
#include "collector/roofline/point_labels.h"
#include "collector/table/reason_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

constexpr size_t kMostNamed = 3;
constexpr size_t kMostNameCharacters = 60;

std::string NameOf(const std::vector<ComparedSide>& runs) {
  std::vector<std::string> names;
  names.reserve(runs.size());
  for (const ComparedSide& run : runs) names.push_back(run.name);
  return Count(runs.size()) + " runs (" + Join(names, ", ") + ")";
}

// "BASE: b3.csv lacks 2 rows that other runs have: copy, solve".
std::vector<std::string> GapsOf(const RunsOfSide& joined, std::string_view name) {
  const std::vector<std::string> labels = PointLabels(joined.side.table.rows);
  std::vector<std::string> notes;
  for (const ComparedRun& run : joined.runs) {
    std::vector<std::string> lacking;
    for (size_t row = 0; row < labels.size(); ++row) {
      if (!run.rows[row]) lacking.push_back(OneLine(labels[row], kMostNameCharacters));
    }
    if (lacking.empty()) continue;
    notes.push_back(std::string(name) + ": " + run.run.name + " lacks " + Count(lacking.size()) +
                    (lacking.size() == 1 ? " row" : " rows") +
                    " that other runs have: " + Named(lacking, kMostNamed));
  }
  return notes;
}

// The rows of one region, of the runs that have it.
std::vector<NamedRow> RowsOf(const std::vector<ComparedRun>& runs, size_t row) {
  std::vector<NamedRow> rows;
  for (const ComparedRun& run : runs) {
    if (run.rows[row]) rows.push_back({&run.run.table.rows[*run.rows[row]], run.run.name});
  }
  return rows;
}

}  // namespace

RunsOfSide JoinRuns(std::vector<ComparedSide> runs, std::string_view name) {
  RunsOfSide joined;
  joined.side.name = NameOf(runs);
  std::vector<Row>& rows = joined.side.table.rows;
  for (ComparedSide& run : runs) {
    ComparedRun placed{std::move(run), std::vector<std::optional<size_t>>(rows.size())};
    const RowMatches matches = MatchRows(rows, placed.run.table.rows);
    for (const MatchedRows& pair : matches.pairs) placed.rows[pair.base] = pair.now;
    for (const UnmatchedRow& lone : matches.only_in_new) {
      rows.push_back(placed.run.table.rows[lone.row]);
      placed.rows.emplace_back(lone.row);
    }
    joined.runs.push_back(std::move(placed));
  }
  for (ComparedRun& run : joined.runs) run.rows.resize(rows.size());
  joined.notes = GapsOf(joined, name);
  return joined;
}

void JudgeOverRuns(const ChangeOptions& options, Comparison& comparison) {
  RepeatedRuns& runs = *comparison.runs;
  std::vector<std::array<ObservedChange, kQuantities>> observed(comparison.rows.size());
  for (size_t i = 0; i < observed.size(); ++i) {
    ComparedRow& row = comparison.rows[i];
    const std::vector<NamedRow> base = RowsOf(runs.base, row.base);
    const std::vector<NamedRow> now = RowsOf(runs.now, row.now);
    const ObservedRows rows{base, now, runs.base.size(), runs.now.size()};
    row.per_call = IsPerCall(rows);
    row.notes = RowNotes(rows);
    for (size_t kind = 0; kind < kQuantities; ++kind) {
      observed[i][kind] = Observe(QuantityKinds()[kind], rows, options);
      runs.at_once[kind] += observed[i][kind].is_open() ? 1 : 0;
    }
  }
  for (size_t i = 0; i < observed.size(); ++i) {
    for (size_t kind = 0; kind < kQuantities; ++kind) {
      Decide(QuantityKinds()[kind].quantity, runs.at_once[kind], options, observed[i][kind]);
      comparison.rows[i].changes[kind] = std::move(observed[i][kind].change);
    }
  }
}

}  // namespace rafter
