// MetricSets says which metrics make up each named set on a given chip. Names
// differ by chip, so every one is looked up; what a chip lacks is listed with
// the reason and never becomes zero.
//
//   Threads   pure functions of their arguments.
//   Blocking  asks CUPTI's host half (see host.h).
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cupti/host.h"
#include "cupti/status.h"

namespace rafter {

struct SetMetric {
  std::string name;         // CUPTI name with roll-up
  std::string unit;         // CUPTI's dimension
  std::string description;  // CUPTI's sentence
};

struct AbsentMetric {
  std::string set;
  std::string name;
  std::string reason;
};

struct ChosenSet {
  std::string name;                // "memory"
  std::vector<SetMetric> metrics;  // that this chip has
  size_t first_pass = 0;
  size_t passes = 0;
};

// All that is needed to count on one chip.
struct ChosenPlan {
  std::vector<ChosenSet> sets;  // in the order of their passes
  std::vector<AbsentMetric> absent;
  PlannedConfiguration configuration;
};

// Names of the sets that exist, cheap to dear: time, memory, sm, flop.
const std::vector<std::string>& KnownSets();

// "time,memory" -> names in the order cheap to dear, each once. Fails with the
// nearest known name for a misspelt one.
Result<std::vector<std::string>> ParseSetList(std::string_view list);

// Plans `sets` for a chip: each set in passes of its own, in that order.
Result<ChosenPlan> PlanSets(CuptiHost& host, const std::string& chip,
                            const std::vector<uint8_t>& availability,
                            const std::vector<std::string>& sets);

// Passes that the same metrics take when they may share passes.
Result<size_t> PassesTogether(CuptiHost& host, const std::string& chip,
                              const std::vector<uint8_t>& availability, const ChosenPlan& plan);

}  // namespace rafter
