// ThroughputParts are the counters whose highest share of its peak stands for
// a throughput of CUPTI that takes several passes. CUPTI evaluates a metric
// from one image, and an epoch's image holds one pass, so a throughput cannot be
// had as a whole; each part can. docs/decisions/0010-sets-of-several-passes.md
// tells how the parts were found and what they leave out.
//
//   Threads   constants.
//   Blocking  never.
//   Memory    static text.
//   Lifetime  static.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rafter {

// Roll-up of every part.
inline constexpr std::string_view kPartRollUp = ".avg.pct_of_peak_sustained_elapsed";

struct Throughput {
  std::string_view name;                    // our column
  std::string_view cupti;                   // the throughput of CUPTI that it stands for
  std::span<const std::string_view> sets;   // each has all of the parts
  std::span<const std::string_view> parts;  // names without roll-up, of which a chip has most;
                                            // "A|B": B where the chip has no A
};

inline constexpr std::string_view kInstructionParts[] = {
    "sm__issue_active",
    "sm__inst_executed",
    "sm__pipe_aluheavy_cycles_active|sm__pipe_alu_cycles_active",
    "sm__pipe_fma_cycles_active",
    "sm__pipe_fmaheavy_cycles_active",
    "sm__pipe_fp64_cycles_active",
    "sm__pipe_shared_cycles_active",
    "sm__pipe_tensor_cycles_active",
    "sm__pipe_tc_cycles_active",
    "sm__inst_executed_pipe_fp16",
    "sm__pipe_xu_cycles_active|sm__inst_executed_pipe_xu",
    "sm__inst_executed_pipe_uniform",
    "sm__inst_executed_pipe_cbu_pred_on_any"};

inline constexpr std::string_view kSmMemoryParts[] = {"sm__inst_executed_pipe_lsu",
                                                      "sm__inst_executed_pipe_adu",
                                                      "sm__inst_executed_pipe_tex",
                                                      "sm__inst_executed_pipe_ipa",
                                                      "sm__mio2rf_writeback_active",
                                                      "sm__mio_pq_read_cycles_active",
                                                      "sm__mio_pq_write_cycles_active",
                                                      "idc__request_cycles_active",
                                                      "sm__pipe_tma_cycles_active",
                                                      "sm__mem_tensor_cycles_active",
                                                      "sm__memory_throughput_internal_activity"};

inline constexpr std::string_view kAccessParts[] = {
    "l1tex__data_pipe_lsu_wavefronts",
    "l1tex__data_pipe_tex_wavefronts",
    "l1tex__data_bank_reads",
    "l1tex__data_bank_writes",
    "l1tex__f_wavefronts",
    "lts__t_sectors",
    "lts__t_tag_requests",
    "lts__d_sectors",
    "lts__d_atomic_input_cycles_active",
    "gpu__compute_memory_access_throughput_internal_activity"};

inline constexpr std::string_view kRequestParts[] = {
    "gpu__dram_throughput",
    "l1tex__lsuin_requests",
    "l1tex__texin_sm2tex_req_cycles_active",
    "l1tex__m_l1tex2xbar_req_cycles_active",
    "l1tex__m_xbar2l1tex_read_sectors",
    "l1tex__lsu_writeback_active",
    "l1tex__tex_writeback_active",
    "lts__xbar2lts_cycles_active",
    "lts__lts2xbar_cycles_active",
    "lts__d_sectors_fill_device",
    "lts__d_sectors_fill_sysmem",
    "gpu__compute_memory_request_throughput_internal_activity"};

inline constexpr std::string_view kSpeedOfLight[] = {"speed-of-light"};
inline constexpr std::string_view kBothSets[] = {"speed-of-light", "memory-workload"};

inline constexpr Throughput kThroughputs[] = {
    {"rafter__sm_instruction_throughput.pct", "sm__instruction_throughput", kSpeedOfLight,
     kInstructionParts},
    {"rafter__sm_memory_throughput.pct", "sm__memory_throughput", kBothSets, kSmMemoryParts},
    {"rafter__memory_access_throughput.pct", "gpu__compute_memory_access_throughput", kBothSets,
     kAccessParts},
    {"rafter__memory_request_throughput.pct", "gpu__compute_memory_request_throughput", kBothSets,
     kRequestParts},
};

// The higher one of two throughputs above.
struct HigherThroughput {
  std::string_view name;
  std::string_view cupti;
  std::string_view of[2];
};

inline constexpr HigherThroughput kHigherThroughputs[] = {
    {"rafter__sm_throughput.pct",
     "sm__throughput",
     {"rafter__sm_instruction_throughput.pct", "rafter__sm_memory_throughput.pct"}},
    {"rafter__memory_throughput.pct",
     "gpu__compute_memory_throughput",
     {"rafter__memory_access_throughput.pct", "rafter__memory_request_throughput.pct"}},
};

// What stands for a metric of CUPTI that takes several passes, and the set that
// has it; nothing for other metrics.
struct Instead {
  std::string_view metric;
  std::string_view set;
};
inline constexpr std::string_view kL2HitRate = "rafter__l2_hit_rate.pct";
inline Instead InsteadOf(std::string_view base) {
  for (const Throughput& throughput : kThroughputs) {
    if (throughput.cupti == base) return {throughput.name, throughput.sets.front()};
  }
  for (const HigherThroughput& higher : kHigherThroughputs) {
    if (higher.cupti == base) return {higher.name, kSpeedOfLight[0]};
  }
  if (base == "lts__t_sector_hit_rate") return {kL2HitRate, "memory-workload"};
  return {};
}

// "lts__t_sectors" -> "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"; of a
// part with two names both.
inline std::vector<std::string> PartMetrics(std::string_view part) {
  std::vector<std::string> metrics;
  while (!part.empty()) {
    const size_t end = std::min(part.find('|'), part.size());
    metrics.emplace_back(part.substr(0, end)).append(kPartRollUp);
    part.remove_prefix(std::min(end + 1, part.size()));
  }
  return metrics;
}

}  // namespace rafter
