// NearestMetrics says what is wrong with the name of a metric that a chip does
// not have, and what it was probably meant to be.
//
//   Threads   as CuptiHost.
//   Blocking  compares with all names of the chip: some 0.1 s.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>

#include "cupti/chip_metrics.h"
#include "cupti/status.h"

namespace rafter {

// Why the chip cannot count `metric`: no roll-up, a roll-up that it has not, or
// no such name; with the nearest names. Empty when it has it.
Result<std::string> WhyNoMetric(const ChipMetrics& chip, const std::string& metric);

}  // namespace rafter
