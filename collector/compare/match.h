// Match finds for each row of one table the row of another that is the same
// region of the same program. It never guesses: where names do not tell, rows
// stay alone, with the reason.
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

struct MatchedRows {
  size_t base = 0;
  size_t now = 0;
};

struct UnmatchedRow {
  size_t row = 0;
  std::string reason;
};

struct RowMatches {
  std::vector<MatchedRows> pairs;          // in the order of BASE
  std::vector<UnmatchedRow> only_in_base;  // in their order
  std::vector<UnmatchedRow> only_in_new;
};

// Executable, Region and Rank must agree, and Kernel of rows of launches. The
// other columns (precision, memory level, device, host, Kernel ID, sizes, ...)
// tell rows apart where both tables have them and there is more than one row to
// choose from. Processes, whose numbers never agree, go by their order of
// appearance within executable, rank and host. A column in which each table has
// one value only is what was compared, not what tells rows apart: one
// executable on each side need not have the same name, nor one kind of GPU.
RowMatches MatchRows(const std::vector<Row>& base, const std::vector<Row>& now);

}  // namespace rafter
