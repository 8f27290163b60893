// RunMaker builds runs by hand, for tests of what a table makes of them.
//
//   Threads   plain value.
//   Blocking  never.
//   Memory    owns its run.
//   Lifetime  plain value; references go stale as the run grows.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/table/table.h"

namespace rafter {

inline constexpr char kFadd[] = "sm__sass_thread_inst_executed_op_fadd_pred_on.sum";
inline constexpr char kFmul[] = "sm__sass_thread_inst_executed_op_fmul_pred_on.sum";
inline constexpr char kFfma[] = "sm__sass_thread_inst_executed_op_ffma_pred_on.sum";
inline constexpr char kFfmaPeak[] =
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained";

using Values = std::vector<std::optional<double>>;

inline CounterSet TimeSet() {
  return {"time", 0, 1, {{"gpu__time_duration.sum", "nanosecond", ""}}};
}

inline CounterSet MemorySet() {
  return {"memory",
          1,
          1,
          {{"gpu__time_duration.sum", "nanosecond", ""},
           {"dram__bytes.sum", "byte", ""},
           {"gpu__time_active.sum", "nanosecond", ""},
           {"gr__ctas_launched.sum", "cta", ""},
           {"gpc__cycles_elapsed.avg.per_second", "gpc_cycle/second", ""},
           {"dram__cycles_elapsed.avg.per_second", "dram_cycle/second", ""},
           {"dram__bytes.sum.peak_sustained", "byte/dram_cycle", ""}}};
}

inline CounterSet FlopSet() {
  return {"flop",
          2,
          1,
          {{kFadd, "instruction", ""},
           {kFmul, "instruction", ""},
           {kFfma, "instruction", ""},
           {kFfmaPeak, "instruction/gpc_cycle", ""}}};
}

// Order: time, bytes, active, blocks, SM clock, memory clock, peak.
inline Values Memory(double time_ns, double bytes, double blocks = 100) {
  return {time_ns, bytes, time_ns / 2, blocks, 1.5e9, 2.5e9, 1000.0};
}

// Order: add, mul, fma, peak.
inline Values Flop(double add, double mul, double fma) { return {add, mul, fma, 128.0}; }

inline SlotValues Slot(uint32_t path, uint64_t instances, Values values) {
  SlotValues slot;
  slot.path = path;
  slot.instances = instances;
  slot.segments = instances;
  slot.evaluated = true;
  slot.values = std::move(values);
  return slot;
}

class RunMaker {
 public:
  RunMaker() {
    RunProcess process;
    process.host = "node1";
    process.pid = 77;
    process.executable = "/opt/app/bench";
    process.ending = "exit";
    RunDevice device;
    device.uuid = "GPU-1";
    device.name = "NVIDIA H200";
    device.wanted_sets = "time,memory,flop";
    device.sets = {TimeSet(), MemorySet(), FlopSet()};
    process.devices.push_back(device);
    run_.processes.push_back(process);
  }

  RegionPath& Region(uint32_t path, std::string name, uint64_t calls, uint32_t parent = 0) {
    RegionPath region;
    region.path = path;
    region.parent = parent;
    region.name = std::move(name);
    region.calls = calls;
    region.counted_calls = calls;
    process().paths.push_back(region);
    return process().paths.back();
  }

  rafter::Epoch& Epoch(std::string set, std::vector<SlotValues> slots) {
    rafter::Epoch epoch;
    epoch.epoch = static_cast<uint32_t>(process().epochs.size() + 1);
    epoch.set = std::move(set);
    epoch.slots = std::move(slots);
    process().epochs.push_back(epoch);
    return process().epochs.back();
  }

  // The same GPU kind once more, as the next device of the process.
  RunDevice& AddDevice() {
    RunDevice next = device();
    next.device = static_cast<uint32_t>(process().devices.size());
    next.uuid = "GPU-" + std::to_string(next.device + 1);
    process().devices.push_back(next);
    return process().devices.back();
  }

  RunProcess& process() { return run_.processes.front(); }
  RunDevice& device() { return process().devices.front(); }
  Run& run() { return run_; }
  Table Make(const TableOptions& options = {}) const { return BuildTable(run_, options); }

 private:
  Run run_;
};

inline const Row& RowOf(const Table& table, const std::string& region) {
  for (const Row& row : table.rows) {
    if (row.region == region) return row;
  }
  ADD_FAILURE() << "no row of " << region;
  static const Row none;
  return none;
}

}  // namespace rafter
