// Columns is the list of the CSV's fixed columns, in order, each with its unit
// and the way between a Row and a cell. cli.md is the contract.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    cells are strings of their own.
//   Lifetime  the lists are never destroyed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/table/table.h"

namespace rafter {

struct Column {
  std::string name;  // "Duration"
  std::string unit;  // "s"; empty: text, or a number that needs none
  // The cell of a row: text that the row holds, or what was written into `room`.
  std::string_view (*view)(const Row&, std::string& room);
  // Takes a cell in; false when it is not what the column holds. Never called
  // with an empty cell, which is a missing value.
  bool (*set)(Row&, std::string_view);

  std::string get(const Row& row) const {
    std::string room;
    return std::string(view(row, room));
  }
};

// "Duration [s]".
std::string HeaderText(std::string_view name, std::string_view unit);

// "Duration [s]" -> {"Duration", "s"}; "Duration" -> {"Duration", ""}.
struct Header {
  std::string_view name;
  std::string_view unit;
};
Header ParseHeader(std::string_view text);

const std::vector<Column>& LeadingColumns();   // Benchmark Problem .. Peak Bandwidth
const std::vector<Column>& FlopColumns();      // FLOP FP32 .. FLOP Tensor
const std::vector<Column>& TrailingColumns();  // Source .. DRAM Clock
// What the program told of a region beside its name, and what only folded ranks have; a table
// has those that some row uses.
const std::vector<Column>& DetailColumns();  // Category, Payload, Rank Imbalance

// Whether a column that is not in the lists is a raw metric: "unit__counter",
// with or without roll-up ("launch__grid_size").
bool IsMetricName(std::string_view name);

}  // namespace rafter
