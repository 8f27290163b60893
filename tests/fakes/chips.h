// FakeChip lists the metrics of an invented chip and how each is made from
// what scripted kernels declare.
//
//   Threads   constant data, pure functions.
//   Blocking  never.
//   Memory    static, never freed.
//   Lifetime  as long as the process.
#pragma once

#include <cupti_profiler_host.h>

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fakes/work.h"

namespace rafter::fakes {

// How a base metric's value over all units follows from raw counters.
enum class Formula {
  kSum,      // the sum of `raw`
  kClock,    // elapsed time x `per_ns`, the same on each unit
  kPercent,  // kWarpPercentNs over the elapsed time
};

struct BaseMetric {
  std::string name;
  CUpti_MetricType type = CUPTI_METRIC_TYPE_COUNTER;
  Formula formula = Formula::kSum;
  std::vector<RawCounter> raw;
  double per_ns = 0;          // kClock: cycles of one unit per nanosecond
  double units = 1;           // of the chip, for avg, min and max
  double peak_per_cycle = 0;  // of all units; 0: none known
  std::string unit;           // dimension
  std::string cycle;          // clock of a peak, "dram_cycle"
  std::string hardware;
  std::string description;
  size_t passes = 1;  // that it takes by itself

  bool is_patched() const { return name.find("_sass_") != std::string::npos; }
};

struct FakeChip {
  std::string name;
  std::vector<BaseMetric> metrics;
};

const std::vector<FakeChip>& FakeChips();
const FakeChip* FindChip(std::string_view name);

// Every roll-up that a metric has, with its leading point.
const std::vector<std::string>& RollUps();

// A metric with its roll-up, taken apart.
struct NamedMetric {
  const BaseMetric* base = nullptr;
  std::string roll_up;  // "sum", "avg", "min", "max"
  std::string rest;     // "", "per_second", "peak_sustained", ...

  bool needs_a_pass() const { return rest != "peak_sustained"; }
};

// False where the chip has no such metric, or no roll-up was given.
bool FindMetric(const FakeChip& chip, std::string_view name, NamedMetric& found);

// Raw counters that a metric needs.
std::bitset<kRawCounters> RawOf(const NamedMetric& metric);

// Dimension with the roll-up taken into account.
std::string UnitOf(const NamedMetric& metric);

// Value from raw counts, all of which were collected.
double ValueOf(const NamedMetric& metric, const std::array<double, kRawCounters>& counts);

}  // namespace rafter::fakes
