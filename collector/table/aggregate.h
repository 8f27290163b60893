// Aggregate decides what a row of a chart or a table stands for: a region with
// all that was launched in it, its longest kernel, or each kind of launch
// (docs/decisions/0020-what-a-row-stands-for.md).
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collector/table/table.h"
#include "proto/rank_spans.h"

namespace rafter {

enum class Aggregation {
  kNone,      // the rows as they are
  kSum,       // one row per executable, region and precision; then min, mean, max over ranks
  kDominant,  // likewise, of the kind of launch that ran longest
};

// Rows in the order in which they first appear. Of a region that has a row of its
// own, that is its sum, and rows of its launches are left out; where it has none,
// as in other tools' tables, its launches are added up. Rows of several processes
// and devices are added up, ranks are kept apart and then folded: Rank is "min",
// "mean" or "max", and the mean says the imbalance. Rows that name no executable
// and no region, which say why a command gave none, stay as they are. `notes` gets what
// could not be done: regions without rows of launches, where the longest is wanted.
Table Aggregate(Table table, Aggregation how, std::vector<std::string>& notes);

// Takes out launches outside every region, of each executable that has regions.
// Where an executable has none they stay, with a warning among the table's notes
// unless it was run so on purpose (Table.unmarked).
void DropOutsideRegions(Table& table);

// "0,8-15". Fails with the cause and the next step.
absl::StatusOr<std::vector<RankSpan>> ParseRanks(std::string_view text);

// "0, 8-15".
std::string SpansText(const std::vector<RankSpan>& spans);

// Of `wanted`, the spans of which no rank is in `seen`.
std::vector<RankSpan> AbsentRanks(const std::vector<RankSpan>& wanted,
                                  const std::set<uint64_t>& seen);

// Keeps the rows of these ranks. `notes` gets the wanted ranks that there are not, and
// how many rows have no rank.
void KeepRanks(const std::vector<RankSpan>& wanted, Table& table, std::vector<std::string>& notes);

}  // namespace rafter
