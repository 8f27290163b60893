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

// FLOP of "fp32", "fp64" or "fp16" as a weighted sum. Empty for the tensor cores.
std::vector<Term> FlopTerms(std::string_view precision, const TableOptions& options);

// The format whose operations a set counts: "tensor.fp16.2" -> "fp16". Empty for
// other sets. The planner sees to it that all counters of all such sets together
// count each operation once (docs/decisions/0009-tensor-formats.md).
std::string_view TensorFormatOf(std::string_view set);

// Whether operations of this format are floating-point: all but "int8" and the
// like.
bool IsFloatingPoint(std::string_view tensor_format);

// Whether a counter of such a set counts operations, not time or a peak.
bool CountsTensorOperations(std::string_view metric);

// Whether two formats of a chip may both count one operation: their names share
// a source ("fp4", "fp4_fp6") and the chip's list does not tell them apart.
bool MayCountTheSame(std::string_view chip, std::string_view format, std::string_view other);

// Whether every tensor operation of the chip is an instruction of its tensor
// pipe, so that none of these means none of those.
bool TensorPipeRunsAll(std::string_view chip);

// Bytes moved at "dram", "l2" or "l1"; empty for an unknown level.
std::string_view TrafficMetric(std::string_view memory_level);

// A rate of the hardware: weight x metric (per cycle) x the clock of its unit.
struct PeakFormula {
  std::vector<Term> per_cycle;      // any of them; the highest product counts
  std::vector<std::string> clocks;  // any of them; the highest seen counts
};

// Peak FLOP/s of "fp32", "fp64", "fp16" or one tensor format ("tensor.bf16");
// nothing for "tensor", which mixes them, or "".
// FP16 by the weights in `options`, like the work.
std::optional<PeakFormula> PeakPerformance(std::string_view precision,
                                           const TableOptions& options = {});

// Peak Byte/s of a memory level.
std::optional<PeakFormula> PeakBandwidth(std::string_view memory_level);

// A column that is made of others, under a name of ours ("rafter__...").
struct DerivedMetric {
  enum class Kind {
    kShare,    // 100 x the first by the second, amounts over all calls
    kHighest,  // the highest of those that were planned; all must have a value
  };
  std::string name;
  std::string unit;  // "%"
  Kind kind = Kind::kHighest;
  std::vector<std::string> of;     // metrics, or derived metrics before it
  std::vector<std::string> whole;  // made only where one of these sets was asked for as a whole,
                                   // so that all were planned; empty: always
};

// In an order in which each is made of what comes before it.
const std::vector<DerivedMetric>& DerivedMetrics();

// Metrics that read the clock of the SMs, best first.
const std::vector<std::string>& SmClockMetrics();

inline constexpr std::string_view kGpuTimeMetric = "gpu__time_duration.sum";   // ns
inline constexpr std::string_view kActiveTimeMetric = "gpu__time_active.sum";  // ns
inline constexpr std::string_view kBlocksMetric = "gr__ctas_launched.sum";     // blocks
inline constexpr std::string_view kTensorInstructionMetric =
    "sm__inst_executed_pipe_tensor.sum";  // instructions
// Of these, HFMA2.MMA: packed FP16 arithmetic that some chips send through that
// pipe. Compilers make constants with it in programs that have no FP16 at all.
inline constexpr std::string_view kPackedHalfOnTensorPipeMetric =
    "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum";  // instructions

}  // namespace rafter
