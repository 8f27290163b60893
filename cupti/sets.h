// MetricSets plans which metrics are counted in which pass on a given chip.
// Names differ by chip, so every one is looked up; what a chip lacks is listed
// with the reason and never becomes zero.
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
#include "cupti/set_list.h"
#include "cupti/status.h"

namespace rafter {

// Passes that the scheduler goes round in one run (inject/counters).
inline constexpr size_t kMaxPassesOfRun = 64;

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

// What is counted in one pass: an epoch holds one pass, and its image is
// evaluated by itself. A set of several passes is several of these.
struct ChosenSet {
  std::string name;                // "memory", "speed-of-light.2"
  std::string whole;               // "memory", "speed-of-light"
  std::vector<SetMetric> metrics;  // that this chip has
  size_t first_pass = 0;
  size_t passes = 0;  // 1
};

// All that is needed to count on one chip.
struct ChosenPlan {
  std::vector<ChosenSet> sets;  // in the order of their passes
  std::vector<AbsentMetric> absent;
  // Parts of throughputs that take several passes by themselves: the highest of
  // the parts goes without them (throughput_parts.h).
  std::vector<AbsentMetric> left_out;
  PlannedConfiguration configuration;
};

// Plans `sets`, as ParseSetList gives them, for a chip: each in passes of its
// own, in that order. Fails where they take more than `most_passes`, with the
// commands that get them in several runs.
Result<ChosenPlan> PlanSets(CuptiHost& host, const std::string& chip,
                            const std::vector<uint8_t>& availability,
                            const std::vector<std::string>& sets,
                            size_t most_passes = kMaxPassesOfRun);

// Passes that the same metrics take when they may share passes.
Result<size_t> PassesTogether(CuptiHost& host, const std::string& chip,
                              const std::vector<uint8_t>& availability, const ChosenPlan& plan);

// Whether kernels are patched while this metric is counted, which makes each
// launch wait until the kernel is done (gpu-facts.md, section 4).
bool PatchesKernels(std::string_view metric);

}  // namespace rafter
