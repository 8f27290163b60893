// Table is the rows and columns that users take home. Pure functions make it
// from a run or from CSV text, and make text of it. No input or output here.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collector/store/run.h"
#include "collector/table/metric_units.h"

namespace rafter {

// One region, or the launches of one kind in it, of one process on one device (cli.md, section
// CSV). An absent optional is a missing value: an empty cell, never a zero.
struct Row {
  std::string benchmark_problem;
  std::string paradigm;
  std::string precision;  // "fp32", "fp64", "fp16", "tensor", "tensor.bf16": what `flop` counts
  std::string hardware;
  std::string executable;
  std::string region;            // path from the top, joined by "/"
  std::string kernel_id;         // of a row of launches: number of its kind, from 0
  std::string kernel;            // set when every watched launch was of one kernel
  std::string kernel_signature;  // likewise
  std::string grid_size;         // "(132, 1, 1)", likewise
  std::string block_size;        // "(256, 1, 1)", likewise

  std::optional<double> duration_s;     // GPU time, border to border, over all calls; of a row
                                        // of launches that CUPTI repeated, in them; of LIKWID's,
                                        // host time inside the region
  std::string memory_level;             // "dram", "l2" or "l1"
  std::optional<double> flop;           // over all calls, of `precision`
  std::optional<double> traffic_bytes;  // over all calls, at `memory_level`
  std::optional<double> flop_per_byte;
  std::optional<double> flop_per_s;
  std::optional<double> peak_flop_per_s;  // peak_sustained x highest clock seen
  std::optional<double> peak_bytes_per_s;

  std::map<std::string, std::optional<double>> metrics;  // raw, by CUPTI name; over all calls
                                                         // where it is an amount, else the mean
  MetricUnits metric_units;                              // "Byte", "Byte/cycle", ...

  std::optional<double> flop_fp32;
  std::optional<double> flop_fp64;
  std::optional<double> flop_fp16;
  std::optional<double> flop_tensor;

  std::string source;    // "cupti", "likwid"
  std::string validity;  // "measured", "extrapolated", "partial", "scale assumed",
                         // "work model", "instances unlike", "overlapped", "shared device",
                         // "missing"
  std::string reason;    // for anything but "measured"
  std::optional<uint64_t> calls;
  std::optional<uint64_t> measured_calls;  // whole ones, least over the sets that the row uses
  std::optional<double> duration_spread;   // (max - min) / mean over epochs, 1
  std::optional<double> kernel_time_s;
  std::optional<uint64_t> launches;
  std::string rank;  // a number, or "min", "mean", "max" over ranks
  std::string host;
  std::string process;  // pid
  std::string device;
  std::string device_uuid;
  std::optional<double> sm_clock_hz;
  std::optional<double> dram_clock_hz;
  std::string category;  // as in RegionPath
  std::string payload;   // as in RegionPath
  std::optional<double>
      rank_imbalance;  // of a mean over ranks: (longest / mean - 1) of GPU time, 1

  // Not in the CSV: share of this path without its children, for JSON.
  std::optional<double> exclusive_flop;
  std::optional<double> exclusive_traffic_bytes;
  std::optional<double> exclusive_duration_s;
};

struct Table {
  std::vector<Row> rows;
  std::vector<std::string> notes;       // losses and reasons that concern the whole table
  std::set<std::string> unmarked = {};  // executables that were run without regions on purpose
};

struct TableOptions {
  std::string precision = "auto";  // auto|fp16|fp32|fp64|tensor|tensor.bf16 ...; auto: most work
  // By executable, without folders: the precision that its benchmark's report names, one of
  // those above. "auto" follows it.
  std::map<std::string, std::string> built_precision = {};
  std::string memory_level = "dram";  // dram|l2|l1
  double fp16_add_weight = 2;         // hadd, hmul: operations per thread instruction
  double fp16_fma_weight = 4;         // hfma
  std::string hardware = "";          // overrides the device's name
  // For rows that have no peaks of their own.
  std::optional<double> peak_flop_per_s = {};
  std::optional<double> peak_bytes_per_s = {};
};

// Rows of a run. Formulas and their sources: collector/table/formulas.h.
Table BuildTable(const Run& run, const TableOptions& options);

// CSV as cli.md says: RFC 4180, UTF-8, LF, '.' decimals, one header, every row
// as wide as the header, shortest text that reads back as the same double.
std::string ToCsv(const Table& table);

// Reads our CSV and the seeds' tool's, with and without units in the header,
// any column order, missing and extra columns (an unknown column with a name
// like a metric is kept as one). Fails with line and column.
absl::StatusOr<Table> FromCsv(std::string_view text);

std::string ToJson(const Table& table);
std::string ToMarkdown(const Table& table);

}  // namespace rafter
