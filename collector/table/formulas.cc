#include "collector/table/formulas.h"

#include <algorithm>
#include <utility>

#include "cupti/throughput_parts.h"

namespace rafter {
namespace {

constexpr std::string_view kTensorPrefix = "tensor.";

std::string Sass(std::string_view operation) {
  return "sm__sass_thread_inst_executed_op_" + std::string(operation) + "_pred_on.sum";
}

// "fp4_fp6" -> "fp4", "fp6".
std::vector<std::string_view> Words(std::string_view format) {
  std::vector<std::string_view> words;
  while (!format.empty()) {
    const size_t end = format.find('_');
    words.push_back(format.substr(0, end));
    format = end == std::string_view::npos ? "" : format.substr(end + 1);
  }
  return words;
}

// Totals of a format may differ by destination; the fastest one is the roof.
std::vector<Term> TensorPeaks(std::string_view format) {
  const std::string source = "sm__ops_path_tensor_src_" + std::string(format);
  std::vector<Term> peaks;
  for (const char* destination : {"", "_dst_fp16", "_dst_fp32"}) {
    peaks.push_back({source + destination + ".sum.peak_sustained", 1});
  }
  return peaks;
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

std::string_view TensorFormatOf(std::string_view set) {
  if (!set.starts_with(kTensorPrefix)) return {};
  set.remove_prefix(kTensorPrefix.size());
  return set.substr(0, set.find('.'));
}

bool IsFloatingPoint(std::string_view tensor_format) { return !tensor_format.starts_with("int"); }

bool CountsTensorOperations(std::string_view metric) {
  // sm__ops_path_tensor_* counts operations already: factor 1 (gpu-facts.md,
  // section 2).
  return metric.starts_with("sm__ops_path_tensor_") && metric.ends_with(".sum");
}

bool MayCountTheSame(std::string_view chip, std::string_view format, std::string_view other) {
  // Turing's two differ in destination. On data-centre Blackwell the lists have
  // the instructions as well: FP4 by itself is of UTCOMMA, with others of UTCQMMA.
  for (const std::string_view told : {"TU1", "GB100", "GB102", "GB110", "GB10B"}) {
    if (chip.starts_with(told)) return false;
  }
  const std::vector<std::string_view> sources = Words(format);
  const std::vector<std::string_view> others = Words(other);
  return std::any_of(sources.begin(), sources.end(), [&](std::string_view source) {
    return std::find(others.begin(), others.end(), source) != others.end();
  });
}

bool TensorPipeRunsAll(std::string_view chip) {
  // By CUPTI's sentences of sm__inst_executed_pipe_tensor_* there: DMMA, HMMA,
  // IMMA, their GMMA and UTC forms; Turing has no FP64 format. Elsewhere the
  // tensor pipe has no DMMA, so FP64 operations run on another.
  for (const std::string_view told : {"TU1", "GA100", "GH100", "GB100", "GB102", "GB110"}) {
    if (chip.starts_with(told)) return true;
  }
  return false;
}

std::string_view TrafficMetric(std::string_view memory_level) {
  // Source: the memory levels of Nsight Compute's hierarchical roofline.
  if (memory_level == "dram") return "dram__bytes.sum";
  if (memory_level == "l2") return "lts__t_bytes.sum";
  if (memory_level == "l1") return "l1tex__t_bytes.sum";
  return {};
}

const std::vector<DerivedMetric>& DerivedMetrics() {
  using Kind = DerivedMetric::Kind;
  static const auto* const metrics = [] {
    // L2 sectors that hit by L2 sectors looked up: by its sentence and by its raw
    // counters what lts__t_sector_hit_rate is, which takes two passes.
    auto* list =
        new std::vector<DerivedMetric>{{std::string(kL2HitRate),
                                        "%",
                                        Kind::kShare,
                                        {"lts__t_sectors_lookup_hit.sum", "lts__t_sectors.sum"},
                                        {}},
                                       {"rafter__l1_hit_rate.pct",
                                        "%",
                                        Kind::kShare,
                                        {"l1tex__t_sectors_lookup_hit.sum", "l1tex__t_sectors.sum"},
                                        {}}};
    // A throughput is the highest share of its peak among its parts (Nsight
    // Compute's Profiling Guide, "Throughput Breakdown"). Without the parts that
    // take several passes it may be less than CUPTI's.
    for (const Throughput& throughput : kThroughputs) {
      DerivedMetric derived{std::string(throughput.name),
                            "%",
                            Kind::kHighest,
                            {},
                            {throughput.sets.begin(), throughput.sets.end()}};
      for (const std::string_view part : throughput.parts) {
        for (std::string& metric : PartMetrics(part)) derived.of.push_back(std::move(metric));
      }
      list->push_back(std::move(derived));
    }
    for (const HigherThroughput& higher : kHigherThroughputs) {
      list->push_back({std::string(higher.name),
                       "%",
                       Kind::kHighest,
                       {std::string(higher.of[0]), std::string(higher.of[1])},
                       {std::string(kSpeedOfLight[0])}});
    }
    return list;
  }();
  return *metrics;
}

const std::vector<std::string>& SmClockMetrics() {
  // The GPCs and the SMs in them run on one clock; CUPTI gives both counters
  // the dimension "gpc_cycle/second". Set `memory` has the second only.
  static const auto* const names = new std::vector<std::string>{
      "sm__cycles_elapsed.avg.per_second", "gpc__cycles_elapsed.avg.per_second"};
  return *names;
}

std::optional<PeakFormula> PeakPerformance(std::string_view precision,
                                           const TableOptions& options) {
  // Peak = operations per fma x fma per cycle of the chip x SM clock. Source:
  // the seeds' tables, where 2 x ffma peak_sustained x SM clock is exact. The
  // fp16 factor is the weight of hfma, 4 unless told otherwise.
  const auto formula = [](std::string_view operation, double flop) {
    return PeakFormula{{{Sass(operation) + ".peak_sustained", flop}}, SmClockMetrics()};
  };
  if (precision == "fp32") return formula("ffma", 2);
  if (precision == "fp64") return formula("dfma", 2);
  if (precision == "fp16") return formula("hfma", options.fp16_fma_weight);
  const std::string_view format = TensorFormatOf(precision);
  if (!format.empty()) return PeakFormula{TensorPeaks(format), SmClockMetrics()};
  return std::nullopt;
}

std::optional<PeakFormula> PeakBandwidth(std::string_view memory_level) {
  // Peak = bytes per cycle of the unit x the clock that the unit ran at. The
  // L1 caches are parts of the SMs and run on their clock.
  const std::string per_cycle = std::string(TrafficMetric(memory_level)) + ".peak_sustained";
  if (memory_level == "dram") {
    return PeakFormula{{{per_cycle, 1}}, {"dram__cycles_elapsed.avg.per_second"}};
  }
  if (memory_level == "l2") {
    return PeakFormula{{{per_cycle, 1}}, {"lts__cycles_elapsed.avg.per_second"}};
  }
  if (memory_level == "l1") return PeakFormula{{{per_cycle, 1}}, SmClockMetrics()};
  return std::nullopt;
}

}  // namespace rafter
