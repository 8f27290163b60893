// InstalledPlan is how to count on one device, as the collector, the cache or
// our own planning gave it.
//
//   Threads   plain values; the functions: the recorder thread.
//   Blocking  ReadCachedPlan reads a file; PlanInProcess loads CUPTI's host
//             half (80 ms, 112 MB).
//   Memory    owns its bytes.
//   Lifetime  kept by the session.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cupti/library.h"
#include "cupti/status.h"
#include "inject/counters/scheduler.h"
#include "inject/cupti/cuda_driver.h"

namespace rafter {

struct PlannedSet {
  std::string name;
  uint32_t first_pass = 0;
  uint32_t passes = 1;
  std::vector<std::string> metrics;
};

struct InstalledPlan {
  uint32_t device = 0;  // number of the device in the stream that it is for
  std::string chip;
  uint32_t cupti_version = 0;
  std::string wanted_sets;
  std::vector<PlannedSet> sets;
  uint32_t passes = 0;
  std::vector<uint8_t> configuration;
  std::string error;    // why there is none
  std::string origin;   // "collector", "cache", "process"
  std::string message;  // the serialised wire.Plan, without device and origin

  // Every metric once, for sizing the counter-data image.
  std::vector<std::string> Metrics() const;
  // One entry for each pass of the cycle.
  std::vector<ScheduledPass> Passes() const;
  const PlannedSet* Find(std::string_view set) const;
  // Sets that patch kernels, so that launches in their ranges wait until the
  // kernel is done: "flop", "integer", metrics by name with "_sass_".
  std::vector<std::string> PatchedSets() const;
  // Name of the set that a pass of the cycle belongs to.
  const std::string& SetOfPass(size_t pass) const;
};

// Reads a serialised wire.Plan. Fails on anything malformed or without sense.
Result<InstalledPlan> ParsePlan(std::string_view message);

// The plan that an earlier collector or process left, if it is for exactly this
// chip, CUPTI, availability and list of sets.
std::optional<InstalledPlan> ReadCachedPlan(const std::string& folder, const DeviceFacts& facts,
                                            uint32_t cupti_version, const std::string& sets);

// Leaves a plan for later processes. A failure costs them time, nothing else.
void WriteCachedPlan(const std::string& folder, const DeviceFacts& facts, uint32_t cupti_version,
                     const InstalledPlan& plan);

// Plans with CUPTI's host half inside this process: the last resort. Sets of several
// passes take seconds; `stop` is asked between CUPTI's calls and ends it.
Result<InstalledPlan> PlanInProcess(const CuptiSearch& search, const DeviceFacts& facts,
                                    const std::string& sets, std::function<bool()> stop);

}  // namespace rafter
