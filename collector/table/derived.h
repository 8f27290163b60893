// Derived makes the columns that are made of other columns of the same row.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <optional>

#include "collector/table/formulas.h"
#include "collector/table/table.h"

namespace rafter {

// The higher of several, or a share of one by another (%). Nothing where a
// planned part has no value, or the whole is zero.
std::optional<double> DerivedValue(const DerivedMetric& derived, const Row& row);

// Whether the row leaves a ratio out on purpose: it has what the ratio is made of,
// and not the ratio (FLOP and bytes, or FLOP and time, of calls that are unlike,
// or of a GPU that others used).
bool WithholdsRatios(const Row& row);

// Arithmetic intensity (FLOP/Byte) and performance (FLOP/s) of the row's FLOP,
// bytes and seconds; nothing where a part is missing or a divisor is zero.
void FillRatios(Row& row);

}  // namespace rafter
