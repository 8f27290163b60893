// SlotFold turns the slots of a region and of those below it into one value for
// each counter: amounts add up, rates are weighed by GPU time, peaks are the
// highest.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  Gathered points into the run.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "collector/store/run.h"

namespace rafter {

// The slots of one region and of those below it.
struct Gathered {
  std::vector<const SlotValues*> own;
  std::vector<const SlotValues*> all;  // with `own`
};

std::optional<size_t> PositionOf(const CounterSet& set, std::string_view metric);

std::optional<double> At(const SlotValues& slot, size_t counter);

// One counter over all slots. Nothing for an amount that one of them lacks.
std::optional<double> Fold(const Gathered& gathered, const CounterSet& set, size_t counter);

}  // namespace rafter
