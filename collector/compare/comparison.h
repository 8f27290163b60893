// Comparison holds two tables against each other, row by row: what the ratio is,
// how far it may lie from 1 by chance, and what that allows to say. Pure.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    owns both tables.
//   Lifetime  plain values.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "collector/compare/change.h"
#include "collector/table/table.h"

namespace rafter {

// What a GPU of a run was driven and counted by, as people write it. Empty: not told.
struct DeviceVersions {
  std::string driver;  // "CUDA 13.0"
  std::string cupti;   // "CUPTI 13.0.0"
};

// One of the two, with the name it goes by in the output. Of several runs, the table has
// each row once, as the first run that has it tells it.
struct ComparedSide {
  std::string name;  // the file
  Table table;
  std::vector<DeviceVersions> versions;  // empty: not told, as in CSV
};

// One of several runs of a side, and by row of the side's table its own row.
struct ComparedRun {
  ComparedSide run;
  std::vector<std::optional<size_t>> rows;
};

// Several runs of each side.
struct RepeatedRuns {
  std::vector<ComparedRun> base;
  std::vector<ComparedRun> now;
  double margin = 0;
  // By quantity: how many intervals were made to hold together.
  std::array<size_t, kQuantities> at_once = {};
};

// A row of BASE and the row of NEW that it was matched with.
struct ComparedRow {
  size_t base = 0;  // row in base.table
  size_t now = 0;   // row in now.table
  std::string label;
  bool per_call = false;  // numbers of calls differ, so amounts are those of one call
  Changes changes;
  std::vector<std::string> notes;  // what to know beside: validity, calls, names that differ
};

// A row that only one side has, and why.
struct LoneRow {
  bool in_base = false;
  size_t row = 0;
  std::string label;
  std::string reason;
};

// How a limit of --fail-on came out for one row.
enum class LimitOutcome { kOver, kWithinSpread, kWithinInterval, kNotJudged };
struct LimitFinding {
  std::string limit;  // as it was given
  std::string label;  // empty: of no single row
  LimitOutcome outcome = LimitOutcome::kNotJudged;
  std::string text;
};

struct Comparison {
  ComparedSide base;
  ComparedSide now;
  std::vector<ComparedRow> rows;  // in the order of BASE
  std::vector<LoneRow> lone;      // BASE's first
  // Why the two should not be compared: other GPU, clocks or versions.
  std::vector<std::string> conflicts;
  std::vector<std::string> notes;
  std::vector<LimitFinding> limits;  // rows within their limits are left out
  std::optional<RepeatedRuns> runs = {};
};

// Matches and compares. Conflicts are found, not acted upon: see Comparison.
Comparison Compare(ComparedSide base, ComparedSide now, const ChangeOptions& options);

// The same with several runs of each side, kLeastRuns of both at least: verdicts rest on how
// the runs of a side differ.
Comparison CompareRuns(std::vector<ComparedSide> base, std::vector<ComparedSide> now,
                       const ChangeOptions& options);

// The change that a row's verdict is about: of Duration, or of Kernel Time where only
// that can be compared, as with rows of a kernel replay.
const Change& TimeChange(const ComparedRow& row);
Quantity TimeQuantity(const ComparedRow& row);

// "time -12.3 %, traffic +30 %": what lies outside its spread or interval; empty: nothing.
std::string MovedText(const ComparedRow& row);

// Of several runs, what intervals and verdicts mean.
std::string IntervalsText(const RepeatedRuns& runs);

// "12 rows compared: 2 faster, 10 within the spread; 1 only in BASE".
std::string SummaryText(const Comparison& comparison);

}  // namespace rafter
