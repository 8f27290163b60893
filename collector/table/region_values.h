// RegionValues are the counters of one region, epoch by epoch, and what they
// add up to over all calls. Inclusive: a region's value is the sum over the
// regions below it (architecture.md, section 4).
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    epochs x counters doubles for each region.
//   Lifetime  SetValues points into the RunDevice it was collected from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/store/run.h"
#include "collector/table/formulas.h"
#include "collector/table/region_devices.h"
#include "collector/table/region_tree.h"

namespace rafter {

// What one epoch says of one region.
struct EpochValues {
  uint64_t calls = 0;                         // of the region, in this epoch
  std::vector<std::optional<double>> values;  // by counter; amounts are sums over the calls
};

// What was put together of parts, since no call was measured whole.
struct ComposedValues {
  uint64_t measured_stretches = 0;            // of the region's own, whole ones
  uint64_t seen_stretches = 0;                // of the region's own, in all of its calls
  double counted_s = 0;                       // host time that the set counted in the region
  std::vector<std::optional<double>> values;  // by counter, over all calls; empty: there are none
  std::string why_missing;                    // why not
};

// Launches inside a region that CUPTI repeated.
struct RepeatedLaunches {
  uint64_t measured = 0;  // that are the region's for certain
  uint64_t seen = 0;      // in those of its calls that were watched
};

// What all epochs of one set say of one region: logical ones, where those of a
// chain are one and each call with slots of its own is one. Only epochs that
// hold every call whole and evaluated are in `epochs`.
struct SetValues {
  const CounterSet* set = nullptr;
  std::vector<EpochValues> epochs;
  uint64_t cut_short_calls = 0;            // in epochs that were left out: incomplete
  uint64_t unevaluated_calls = 0;          // likewise: raw image kept, not evaluated
  std::optional<ComposedValues> composed;  // only where `epochs` is empty
  std::optional<RepeatedLaunches> repeated;
};

// One entry for each set of the device, in its order.
using RegionValues = std::vector<SetValues>;

enum class Share {
  kInclusive,  // with everything below
  kExclusive,  // only the stretches in which the region was innermost
};

// By path, for the device at a position in process.devices. A path without a slot
// on it is not in it.
std::map<uint32_t, RegionValues> CollectRegionValues(const RunProcess& process, size_t position,
                                                     const RegionTree& tree,
                                                     const RegionDevices& devices, Share share);

// One metric of one region.
struct MetricTotal {
  double value = 0;           // amount: over all calls; rate: mean; peak: highest
  double least_per_call = 0;  // over epochs
  double greatest_per_call = 0;
  double mean_per_call = 0;
  uint64_t measured_calls = 0;  // 0: put together of parts
  uint64_t epochs = 0;
  std::string_view set;
};

// The weighted sum of counters of one set, as one amount: over `calls` calls,
// from the epochs that have every term. Nothing when there is none.
std::optional<MetricTotal> WeightedTotal(const SetValues& values, const std::vector<Term>& terms,
                                         uint64_t calls);

// One metric from the set that disturbs it least: set "time" first, then the
// device's order, sets that patch kernels last. For GPU time: from set "time",
// else the smallest per call over the sets that do not patch kernels, since a
// kernel slowed by patching must not lend its time to a rate. Nor is the time in
// kernels taken from there.
std::optional<MetricTotal> FindMetric(const RegionValues& values, std::string_view metric,
                                      uint64_t calls);

// Work of one precision, from one set; "tensor.bf16" and the like: of that tensor
// format; "tensor": of all floating-point formats that were planned, which need
// not be all that the chip has (tensor_work.h). Nothing when a counter is missing.
std::optional<MetricTotal> FindFlop(const RegionValues& values, std::string_view precision,
                                    const TableOptions& options, uint64_t calls);

// Calls that this set measured: least over its counters that have values.
uint64_t MeasuredCalls(const SetValues& values);

// Whether this set gave anything, of whole calls or put together of parts.
bool HasValues(const SetValues& values);

// Whether the launches were repeated, each measured alone.
bool IsRepeated(const RegionValues& values);

// Whether kernels are patched while this set counts.
bool PatchesKernels(const CounterSet& set);

}  // namespace rafter
