// MetricKind says what a CUPTI metric is from its name: an amount that adds up
// over calls, a rate that does not, or a peak of the hardware.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    UnitText returns a string.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <string_view>

namespace rafter {

enum class MetricKind {
  kAmount,  // "dram__bytes.sum", "sm__cycles_elapsed.max": totals over calls mean something
  kRate,    // "...avg.per_second", "...pct_of_peak_sustained_active", "...ratio"
  kPeak,    // "...sum.peak_sustained": of the hardware, the same in every range
};

// A bare roll-up (.sum, .max, .min, .avg) of a counter is an amount: .avg is
// the mean over the chip's units, not over time, so it adds up over calls as
// well. A roll-up of a throughput or a rate is not.
MetricKind KindOf(std::string_view metric);

// Whether the metric is counted by patching kernels, which slows them 44 times
// (gpu-facts.md, section 3): a time measured beside it is not the program's.
bool IsPatched(std::string_view metric);

// CUPTI's dimension in the words of our headers:
//   "byte" -> "Byte", "nanosecond" -> "ns", "percent" -> "%", "cta" -> "block",
//   "gpc_cycle" -> "cycle", "byte/dram_cycle" -> "Byte/cycle",
//   "fbp_cycle/second" -> "Hz", "byte/second" -> "Byte/s", "" -> "1".
// A word that is not listed stays as CUPTI spells it ("instruction", "warp").
std::string UnitText(std::string_view dimension);

}  // namespace rafter
