// Formulas is the one table that says which counters make which derived
// number. Each formula stands beside its source, as LIKWID keeps them beside
// its event sets.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/table/table.h"

namespace rafter {

// One counter in a weighted sum.
struct Term {
  std::string metric;
  double weight = 1;        // operations per count
  bool if_planned = false;  // only chips that have the packed forms list them
};

// Precisions in the order that decides ties: "fp32", "fp64", "fp16", "tensor".
const std::vector<std::string>& Precisions();

// FLOP of "fp32", "fp64" or "fp16" as a weighted sum. Empty for "tensor".
std::vector<Term> FlopTerms(std::string_view precision, const TableOptions& options);

// Whether a metric counts floating-point operations of the tensor cores, all
// of one format and each once.
bool IsTensorFlop(std::string_view metric);

// Bytes moved at "dram", "l2" or "l1"; empty for an unknown level.
std::string_view TrafficMetric(std::string_view memory_level);

// A rate of the hardware: weight x metric (per cycle) x the clock of its unit.
struct PeakFormula {
  Term per_cycle;
  std::vector<std::string> clocks;  // any of them; the highest seen counts
};

// Peak FLOP/s of "fp32", "fp64" or "fp16"; nothing for "tensor" or "".
std::optional<PeakFormula> PeakPerformance(std::string_view precision);

// Peak Byte/s of a memory level.
std::optional<PeakFormula> PeakBandwidth(std::string_view memory_level);

// Metrics that read the clock of the SMs, best first.
const std::vector<std::string>& SmClockMetrics();

inline constexpr std::string_view kGpuTimeMetric = "gpu__time_duration.sum";   // ns
inline constexpr std::string_view kActiveTimeMetric = "gpu__time_active.sum";  // ns
inline constexpr std::string_view kBlocksMetric = "gr__ctas_launched.sum";     // blocks
inline constexpr std::string_view kTensorInstructionMetric =
    "sm__inst_executed_pipe_tensor.sum";  // instructions

}  // namespace rafter
