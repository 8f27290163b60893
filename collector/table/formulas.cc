#include "collector/table/formulas.h"

namespace rafter {
namespace {

std::string Sass(std::string_view operation) {
  return "sm__sass_thread_inst_executed_op_" + std::string(operation) + "_pred_on.sum";
}

}  // namespace

const std::vector<std::string>& Precisions() {
  static const auto* const names = new std::vector<std::string>{"fp32", "fp64", "fp16", "tensor"};
  return *names;
}

std::vector<Term> FlopTerms(std::string_view precision, const TableOptions& options) {
  // FLOP = add + mul + 2 fma, thread instructions whose predicate was on.
  // Source: NVIDIA's roofline recipe (Nsight Compute, "SpeedOfLight
  // Roofline"); the seeds' tool uses the same. Packed forms of data-centre
  // Blackwell do two of each: weights 2, 2, 4 (gpu-facts.md, section 2).
  if (precision == "fp32") {
    return {{Sass("fadd"), 1},        {Sass("fmul"), 1},        {Sass("ffma"), 2},
            {Sass("fadd2"), 2, true}, {Sass("fmul2"), 2, true}, {Sass("ffma2"), 4, true}};
  }
  if (precision == "fp64") return {{Sass("dadd"), 1}, {Sass("dmul"), 1}, {Sass("dfma"), 2}};
  // FP16 arithmetic is packed: two operations per thread, four for hfma.
  // Source: NVIDIA's own weights (gpu-facts.md, section 2). `--fp16-weights 1`
  // gives the older convention of the seeds' tables: 1, 1, 2.
  if (precision == "fp16") {
    return {{Sass("hadd"), options.fp16_add_weight},
            {Sass("hmul"), options.fp16_add_weight},
            {Sass("hfma"), options.fp16_fma_weight}};
  }
  return {};
}

bool IsTensorFlop(std::string_view metric) {
  // sm__ops_path_tensor_* counts operations already: factor 1 (gpu-facts.md,
  // section 2). The totals per format are the "src_" names; "op_" names and
  // "sparsity" names split them again, "_realtime" repeats them, and integer
  // formats are not floating point.
  if (!metric.starts_with("sm__ops_path_tensor_src_") || !metric.ends_with(".sum")) return false;
  for (const std::string_view word : {"_src_int", "sparsity", "_realtime"}) {
    if (metric.find(word) != std::string_view::npos) return false;
  }
  return true;
}

std::string_view TrafficMetric(std::string_view memory_level) {
  // Source: the memory levels of Nsight Compute's hierarchical roofline.
  if (memory_level == "dram") return "dram__bytes.sum";
  if (memory_level == "l2") return "lts__t_bytes.sum";
  if (memory_level == "l1") return "l1tex__t_bytes.sum";
  return {};
}

const std::vector<std::string>& SmClockMetrics() {
  // The GPCs and the SMs in them run on one clock; CUPTI gives both counters
  // the dimension "gpc_cycle/second". Set `memory` has the second only.
  static const auto* const names = new std::vector<std::string>{
      "sm__cycles_elapsed.avg.per_second", "gpc__cycles_elapsed.avg.per_second"};
  return *names;
}

std::optional<PeakFormula> PeakPerformance(std::string_view precision) {
  // Peak = operations per fma x fma per cycle of the chip x SM clock. Source:
  // the seeds' tables, where 2 x ffma peak_sustained x SM clock is exact. The
  // fp16 factor is 4 for the same reason as the weight of hfma.
  const auto formula = [](std::string_view operation, double flop) {
    return PeakFormula{{Sass(operation) + ".peak_sustained", flop}, SmClockMetrics()};
  };
  if (precision == "fp32") return formula("ffma", 2);
  if (precision == "fp64") return formula("dfma", 2);
  if (precision == "fp16") return formula("hfma", 4);
  return std::nullopt;
}

std::optional<PeakFormula> PeakBandwidth(std::string_view memory_level) {
  // Peak = bytes per cycle of the unit x the clock that the unit ran at. The
  // L1 caches are parts of the SMs and run on their clock.
  const std::string per_cycle = std::string(TrafficMetric(memory_level)) + ".peak_sustained";
  if (memory_level == "dram") {
    return PeakFormula{{per_cycle, 1}, {"dram__cycles_elapsed.avg.per_second"}};
  }
  if (memory_level == "l2") {
    return PeakFormula{{per_cycle, 1}, {"lts__cycles_elapsed.avg.per_second"}};
  }
  if (memory_level == "l1") return PeakFormula{{per_cycle, 1}, SmClockMetrics()};
  return std::nullopt;
}

}  // namespace rafter
