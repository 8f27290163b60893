// PointLabels finds the shortest text that tells the rows of a table apart.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns strings.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/table/table.h"

namespace rafter {

// By row: the region, and of the other identifying columns only those that are
// needed to tell it from rows of the same region. A region that all rows share
// is left out where something else tells them apart. Of a region on several kinds of hardware
// each label has the hardware. Rows that nothing tells apart get a number.
std::vector<std::string> PointLabels(const std::vector<Row>& rows);

}  // namespace rafter
