// Merge puts the rows of several tables into one (cli.md, section CSV).
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

struct NamedTable {
  std::string name;  // the file it came from
  Table table;
};

struct MergedTable {
  Table table;
  std::vector<std::string> warnings;  // rows that a later file replaced, one line a pair of files
};

// Rows of different tables are the same when Executable, Region, Kernel ID and
// Kernel agree and, where both tables have the column, Hardware, Source,
// Precision, Memory Level, Rank, Host, Process and Device UUID. The later table
// wins. Rows within one table are left alone.
MergedTable MergeTables(std::vector<NamedTable> tables);

}  // namespace rafter
