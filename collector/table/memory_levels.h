// MemoryLevels makes rows at several levels of the memory of rows at one: the same
// work and time with the bytes and the peak of each level, for hierarchical charts.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "collector/table/table.h"

namespace rafter {

// "dram,l2,l1": each of them at most once. Fails with the cause and the next step.
absl::StatusOr<std::vector<std::string>> ParseMemoryLevels(std::string_view text);

// What rows at different levels of the same launches have in common, by row: a number
// for each such set of rows, in order of first appearance. Rows of one level are never of
// one set.
std::vector<size_t> SameAtAllLevels(const std::vector<Row>& rows);

// Each row once for each level, in that order. Bytes are the row's raw metric of the
// level (TrafficMetric); peaks (Byte/s) are made of the highest peaks per cycle and clocks
// that rows of the same device have (PeakBandwidth). A row
// that is at the level already stays as it is. A row that lacks the metric says so.
Table AtMemoryLevels(const Table& table, const std::vector<std::string>& levels);

}  // namespace rafter
