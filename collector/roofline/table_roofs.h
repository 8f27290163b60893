// TableRoofs makes roofs of the peaks that rows have, or of those that were given.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <optional>
#include <string>

#include "collector/roofline/roofline.h"
#include "collector/table/table.h"

namespace rafter {

bool IsPositive(const std::optional<double>& value);

// The one kind that all rows with a kind have; empty when there are several.
std::string OnlyKind(const Table& table, std::string Row::*kind);

// For each kind of hardware of the table the highest of its rows' peaks, by precision or level
// and by origin, in order of appearance. A roof that was given takes the place of those of its
// kind.
Roofs TableRoofs(const Table& table, const RooflineOptions& options);

}  // namespace rafter
