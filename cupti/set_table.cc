#include "cupti/set_table.h"

#include <span>

#include "cupti/throughput_parts.h"

namespace rafter {
namespace {

// What each set wants (architecture.md, section 4). The peaks are computed from
// device attributes and cost nothing in any pass. `memory` takes the SM clock
// from the GPC counter, which runs on the same clock: one counter per SM would
// make each border cost a millisecond (gpu-facts.md, section 3).
std::vector<Wish> MemoryWishes() {
  return {{{"gpu__time_duration.sum"}},
          {{"dram__bytes.sum"}},
          {{"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
          {{"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
          {{"lts__t_bytes.sum"}},
          {{"gpu__time_active.sum"}},
          {{"gr__ctas_launched.sum"}},
          {{"gpc__cycles_elapsed.max"}},
          {{"gpc__cycles_elapsed.avg.per_second"}},
          {{"dram__cycles_elapsed.avg.per_second"}},
          {{"lts__cycles_elapsed.avg.per_second"}},
          {{"dram__bytes.sum.peak_sustained"}},
          {{"lts__t_bytes.sum.peak_sustained"}}};
}

std::vector<Wish> SmWishes() {
  return {{{"gpu__time_duration.sum"}},
          {{"l1tex__t_bytes.sum"}},
          {{"sm__inst_executed_pipe_tensor.sum"}},
          {{"sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"}, true},
          {{"sm__warps_active.avg.pct_of_peak_sustained_active"}},
          {{"sm__cycles_elapsed.max"}},
          {{"sm__cycles_elapsed.avg.per_second"}},
          {{"l1tex__t_bytes.sum.peak_sustained"}}};
}

std::string Sass(std::string_view operation) {
  return "sm__sass_thread_inst_executed_op_" + std::string(operation) + "_pred_on.sum";
}

// Data-centre Blackwell executes pairs of FP32 operations in one instruction,
// and fours of what its list calls Q; which format that is, it does not say.
std::vector<Wish> FlopWishes() {
  std::vector<Wish> wishes;
  for (const char* operation :
       {"fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma"}) {
    wishes.push_back({{Sass(operation)}});
  }
  for (const char* operation : {"ffma", "dfma", "hfma"}) {
    wishes.push_back({{Sass(operation) + ".peak_sustained"}});
  }
  for (const char* operation : {"fadd2", "fmul2", "ffma2", "qadd4", "qmul4", "qfma4"}) {
    wishes.push_back({{Sass(operation)}, true});
  }
  return wishes;
}

// Thread instructions by class. "integer" is arithmetic, "bit" logic and shifts.
std::vector<Wish> IntegerWishes() {
  return {{{Sass("integer")}},
          {{Sass("bit")}},
          {{Sass("conversion")}},
          {{Sass("uniform")}},
          {{Sass("integer") + ".peak_sustained"}}};
}

// Occupancy and scheduler statistics in Nsight Compute's terms. The theoretical
// occupancy is no counter: it follows from the launch.
std::vector<Wish> OccupancyWishes() {
  return {{{"gpu__time_duration.sum"}},
          {{"sm__warps_active.avg.pct_of_peak_sustained_active"}},  // achieved occupancy
          {{"sm__warps_active.avg.per_cycle_active"}},              // achieved active warps an SM
          {{"sm__cycles_active.avg.pct_of_peak_sustained_elapsed"}},
          {{"sm__warps_launched.sum"}},
          {{"sm__ctas_launched.sum"}},
          {{"smsp__warps_active.avg.per_cycle_active"}},
          {{"smsp__warps_eligible.avg.per_cycle_active"}},
          {{"smsp__issue_active.avg.per_cycle_active"}},
          {{"smsp__thread_inst_executed_per_inst_executed.ratio"}},
          {{"sm__warps_active.avg.peak_sustained"}}};  // warps that an SM holds
}

void AddParts(std::span<const std::string_view> parts, std::vector<Wish>& wishes) {
  for (const std::string_view part : parts) wishes.push_back({PartMetrics(part), true});
}

std::vector<Wish> SpeedOfLightWishes() {
  std::vector<Wish> wishes = {{{"gpu__time_duration.sum"}},
                              {{"gpc__cycles_elapsed.max"}},
                              {{"gpc__cycles_elapsed.avg.per_second"}},
                              {{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"}}};
  AddParts(kInstructionParts, wishes);
  AddParts(kSmMemoryParts, wishes);
  AddParts(kAccessParts, wishes);
  AddParts(kRequestParts, wishes);
  return wishes;
}

// Hit rates have their amounts beside them: over several ranges a rate is hits
// by lookups, not a mean of rates.
std::vector<Wish> MemoryWorkloadWishes() {
  std::vector<Wish> wishes = {
      {{"gpu__time_duration.sum"}},      {{"dram__bytes.sum.per_second"}},
      {{"lts__t_sectors.sum"}},          {{"lts__t_sectors_lookup_hit.sum"}},
      {{"lts__t_sectors_op_read.sum"}},  {{"lts__t_sectors_op_write.sum"}},
      {{"l1tex__t_sectors.sum"}},        {{"l1tex__t_sectors_lookup_hit.sum"}},
      {{"l1tex__t_sector_hit_rate.pct"}}};
  AddParts(kSmMemoryParts, wishes);
  AddParts(kAccessParts, wishes);
  AddParts(kRequestParts, wishes);
  return wishes;
}

}  // namespace

const SetWishes* FindWishes(std::string_view set) {
  static const auto* const table = new std::vector<SetWishes>{
      {"time", {{{"gpu__time_duration.sum"}}}},
      {"memory", MemoryWishes()},
      {"sm", SmWishes()},
      {"flop", FlopWishes()},
      {"integer", IntegerWishes()},
      {"occupancy", OccupancyWishes()},
      {"memory-workload", MemoryWorkloadWishes()},
      {"speed-of-light", SpeedOfLightWishes()},
  };
  for (const SetWishes& wishes : *table) {
    if (wishes.name == set) return &wishes;
  }
  return nullptr;
}

}  // namespace rafter
