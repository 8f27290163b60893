// RowFold makes one row of several: their sum, or the mean, the least or the
// greatest of each column.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  the rows need only live for the call.
#pragma once

#include <string>
#include <vector>

#include "collector/table/table.h"

namespace rafter {

enum class Fold { kSum, kMean, kLeast, kGreatest };

// Text columns keep what all rows agree on. Amounts (s, FLOP, Byte, counts, metrics
// that add up over calls) are folded column by column and are missing where one
// row lacks them: a sum of some never passes for the sum of all. Of a sum or a
// mean, intensity and performance are made anew of the folded amounts, unless a
// row withholds them; rates are weighed by GPU time. Peaks are the highest.
// Validity is the worst, with the reasons of all rows and of what is missing.
// A sum of one row is that row. `rows` is not empty.
Row FoldRows(const std::vector<const Row*>& rows, Fold fold);

}  // namespace rafter
