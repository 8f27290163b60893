// ColumnTexts say of every column of the CSV what it holds, how it is made and
// whose formula that is. Weights and counters are those of formulas.h, so that what is
// told is what is computed.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/table/table.h"

namespace rafter {

struct ColumnText {
  std::string name;     // "Duration"
  std::string unit;     // "s"; empty: text, or a number that needs none
  std::string meaning;  // one or more sentences
  std::string formula;  // empty: it is read, not computed
  std::string source;   // whose formula it is, or who told it
};

// The fixed columns in the order of the CSV, then metrics that Rafter makes itself
// ("rafter__l2_hit_rate.pct", "launch__registers_per_thread").
std::vector<ColumnText> ColumnTexts(const TableOptions& options = {});

// All of them as a table in Markdown.
std::string ColumnsMarkdown(const std::vector<ColumnText>& columns);

}  // namespace rafter
