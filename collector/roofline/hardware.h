// Hardware is what a chart says of rows of several kinds of hardware: whose roofs are drawn, and
// what is of which.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/roofline/roofline.h"
#include "collector/table/table.h"

namespace rafter {

// Names that occur in a column, in order of appearance.
std::vector<std::string> NamesIn(const Table& table, std::string Row::*field);

// "A, B, C and 2 more", of at most `most` names.
std::string Listed(const std::vector<std::string>& names, size_t most,
                   std::string_view separator = ", ");

// Kinds of hardware in order of appearance, "" among them where rows without one stand
// beside; nothing where no more than one is named.
std::vector<std::string> SeveralHardware(const Table& table);

// Whether a roof counts for a row, and whether two roofs bound the same rows.
bool IsOf(const RoofHardware& hardware, const Row& row);
bool Meet(const ComputeRoof& compute, const MemoryRoof& memory);

// "NVIDIA H200"; "unnamed hardware".
std::string HardwareText(const std::string& hardware);

// Where the table has several kinds of hardware: takes the roofs of all but kMostHardware of them
// off the chart, and notes that, what has no roof, and which executables and points are of which
// hardware where the points' labels do not say it.
void TellHardware(const Table& table, Roofline& roofline);

}  // namespace rafter
