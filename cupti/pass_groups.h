// PassGroups puts metrics into groups of one pass each. An epoch holds one pass
// and an image is evaluated by itself, so a metric whose raw counters lie in two
// passes would be evaluated from half of them.
//
//   Threads   pure functions of their arguments.
//   Blocking  plans with CUPTI's host half: about 2 ms a try.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cupti/chip_metrics.h"
#include "cupti/status.h"

namespace rafter {

struct PassGroups {
  std::vector<std::vector<std::string>> groups;
  struct Several {
    std::string metric;
    size_t passes = 0;  // that it takes by itself
  };
  std::vector<Several> several;  // in no group
};

// First fit: the first group gets what fits into its pass, the next what is left;
// in the order given, unless another order needs fewer groups. GPU time is added to each group
// whose pass has room for it, peaks to the first. All metrics must exist on the chip.
Result<PassGroups> GroupByPass(const ChipMetrics& chip, const std::vector<std::string>& metrics);

}  // namespace rafter
