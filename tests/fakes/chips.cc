#include "tests/fakes/chips.h"

#include <algorithm>
#include <cmath>

namespace rafter::fakes {
namespace {

constexpr double kSms = 132;
constexpr double kSmCyclesPerNs = 1.98;
constexpr double kDramCyclesPerNs = 3.201;
constexpr double kL2CyclesPerNs = 1.755;

BaseMetric Sum(std::string name, std::vector<RawCounter> raw, double units, double peak,
               std::string unit, std::string cycle, std::string hardware, std::string text) {
  BaseMetric metric;
  metric.name = std::move(name);
  metric.raw = std::move(raw);
  metric.units = units;
  metric.peak_per_cycle = peak;
  metric.unit = std::move(unit);
  metric.cycle = std::move(cycle);
  metric.hardware = std::move(hardware);
  metric.description = std::move(text);
  return metric;
}

BaseMetric Clock(std::string name, double per_ns, double units, std::string cycle,
                 std::string hardware) {
  BaseMetric metric = Sum(std::move(name), {kElapsedNs}, units, 0, cycle, cycle,
                          std::move(hardware), "# of cycles elapsed");
  metric.formula = Formula::kClock;
  metric.per_ns = per_ns;
  return metric;
}

BaseMetric Patched(const std::string& operation, RawCounter raw, double peak) {
  return Sum("sm__sass_thread_inst_executed_op_" + operation + "_pred_on", {raw}, kSms, peak,
             "instruction", "gpc_cycle", "sm", "# of " + operation + " thread instructions");
}

// What all invented chips have.
std::vector<BaseMetric> Basics() {
  std::vector<BaseMetric> list;
  list.push_back(Sum("gpu__time_duration", {kTimeNs}, 1, 0, "nanosecond", "", "gpu",
                     "time from border to border"));
  list.push_back(
      Sum("gpu__time_active", {kTimeNs}, 1, 0, "nanosecond", "", "gpu", "time with work"));
  list.push_back(Sum("dram__bytes", {kDramReadBytes, kDramWriteBytes}, 48, 1536, "byte",
                     "dram_cycle", "dram", "# of bytes accessed in DRAM"));
  list.push_back(Sum("lts__t_bytes", {kL2Bytes}, 96, 6144, "byte", "fbp_cycle", "lts",
                     "# of bytes requested"));
  list.push_back(Sum("gr__ctas_launched", {kCtas}, 1, 0, "cta", "", "gr", "# of CTAs launched"));
  list.push_back(Clock("gpc__cycles_elapsed", kSmCyclesPerNs, 8, "gpc_cycle", "gpc"));
  list.push_back(Clock("sm__cycles_elapsed", kSmCyclesPerNs, kSms, "gpc_cycle", "sm"));
  list.push_back(Clock("dram__cycles_elapsed", kDramCyclesPerNs, 48, "dram_cycle", "dram"));
  list.push_back(Clock("lts__cycles_elapsed", kL2CyclesPerNs, 96, "fbp_cycle", "lts"));
  list.push_back(Sum("sm__inst_executed_pipe_tensor", {kTensorInstructions}, kSms, 528,
                     "instruction", "gpc_cycle", "sm", "# of tensor instructions"));
  BaseMetric warps = Sum("sm__warps_active", {kWarpPercentNs, kElapsedNs}, kSms, 8448, "warp",
                         "gpc_cycle", "sm", "cumulative # of warps in flight");
  warps.formula = Formula::kPercent;
  list.push_back(warps);
  BaseMetric throughput = Sum("sm__throughput", {kElapsedNs}, 1, 0, "percent", "", "sm",
                              "share of the best that is possible");
  throughput.type = CUPTI_METRIC_TYPE_THROUGHPUT;
  throughput.passes = 8;
  list.push_back(throughput);
  for (const auto& [name, raw] :
       {std::pair{"fadd", kFadd}, {"fmul", kFmul}, {"hadd", kHadd}, {"hmul", kHmul}}) {
    list.push_back(Patched(name, raw, 128 * kSms));
  }
  list.push_back(Patched("ffma", kFfma, 128 * kSms));
  list.push_back(Patched("hfma", kHfma, 256 * kSms));
  return list;
}

// Named as the real chip, with its metrics as far as Rafter's sets go.
FakeChip Gh100() {
  FakeChip chip{"GH100", Basics()};
  chip.metrics.push_back(Sum("dram__bytes_read", {kDramReadBytes}, 48, 1536, "byte", "dram_cycle",
                             "dram", "# of bytes read from DRAM"));
  chip.metrics.push_back(Sum("dram__bytes_write", {kDramWriteBytes}, 48, 1536, "byte", "dram_cycle",
                             "dram", "# of bytes written to DRAM"));
  chip.metrics.push_back(Sum("l1tex__t_bytes", {kL1Bytes}, kSms, 128 * kSms, "byte", "gpc_cycle",
                             "l1tex", "# of bytes requested"));
  chip.metrics.push_back(Patched("dadd", kDadd, 64 * kSms));
  chip.metrics.push_back(Patched("dmul", kDmul, 64 * kSms));
  chip.metrics.push_back(Patched("dfma", kDfma, 64 * kSms));
  return chip;
}

// Other names for DRAM, as GB20x has, no L1 bytes and no double precision.
FakeChip Fake1() {
  FakeChip chip{"FAKE1", Basics()};
  chip.metrics.push_back(Sum("dram__bytes_op_read", {kDramReadBytes}, 48, 1536, "byte",
                             "dram_cycle", "dram", "# of bytes read from DRAM"));
  chip.metrics.push_back(Sum("dram__bytes_op_write", {kDramWriteBytes}, 48, 1536, "byte",
                             "dram_cycle", "dram", "# of bytes written to DRAM"));
  return chip;
}

double Total(const BaseMetric& base, const std::array<double, kRawCounters>& counts) {
  double total = 0;
  for (const RawCounter raw : base.raw) total += counts[raw];
  return total;
}

}  // namespace

const std::vector<FakeChip>& FakeChips() {
  static const std::vector<FakeChip>* const chips = new std::vector<FakeChip>{Gh100(), Fake1()};
  return *chips;
}

const FakeChip* FindChip(std::string_view name) {
  for (const FakeChip& chip : FakeChips()) {
    if (chip.name == name) return &chip;
  }
  return nullptr;
}

const std::vector<std::string>& RollUps() {
  static const std::vector<std::string>* const list = [] {
    auto* all = new std::vector<std::string>;
    for (const char* roll_up : {".avg", ".max", ".min", ".sum"}) {
      for (const char* rest : {"", ".peak_sustained", ".per_second", ".per_cycle_elapsed",
                               ".pct_of_peak_sustained_active", ".pct_of_peak_sustained_elapsed"}) {
        all->push_back(std::string(roll_up) + rest);
      }
    }
    return all;
  }();
  return *list;
}

bool FindMetric(const FakeChip& chip, std::string_view name, NamedMetric& found) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view roll_up = name.substr(dot);
  if (std::find(RollUps().begin(), RollUps().end(), roll_up) == RollUps().end()) return false;
  for (const BaseMetric& metric : chip.metrics) {
    if (metric.name != name.substr(0, dot)) continue;
    found.base = &metric;
    found.roll_up = roll_up.substr(1, 3);
    found.rest = roll_up.size() > 5 ? roll_up.substr(5) : "";
    return true;
  }
  return false;
}

std::bitset<kRawCounters> RawOf(const NamedMetric& metric) {
  std::bitset<kRawCounters> raw;
  if (!metric.needs_a_pass()) return raw;
  for (const RawCounter counter : metric.base->raw) raw.set(counter);
  // A rate needs the time of its own pass.
  if (!metric.rest.empty()) raw.set(kElapsedNs);
  return raw;
}

std::string UnitOf(const NamedMetric& metric) {
  if (metric.rest.starts_with("pct_")) return "percent";
  if (metric.rest == "per_second") return metric.base->unit + "/second";
  if (metric.rest == "peak_sustained") return metric.base->unit + "/" + metric.base->cycle;
  return metric.base->unit;
}

double ValueOf(const NamedMetric& metric, const std::array<double, kRawCounters>& counts) {
  const BaseMetric& base = *metric.base;
  const bool over_all_units = metric.roll_up == "sum";
  if (metric.rest == "peak_sustained") {
    if (base.peak_per_cycle == 0) return std::nan("");
    return over_all_units ? base.peak_per_cycle : base.peak_per_cycle / base.units;
  }
  const double elapsed_ns = counts[kElapsedNs];
  if (base.formula == Formula::kPercent && metric.rest.starts_with("pct_")) {
    return counts[kWarpPercentNs] / elapsed_ns;  // 0/0: no time, no share
  }
  double value =
      base.formula == Formula::kClock ? elapsed_ns * base.per_ns * base.units : Total(base, counts);
  if (!over_all_units) value /= base.units;
  if (metric.rest.empty()) return value;
  if (metric.rest == "per_second") return value / (elapsed_ns * 1e-9);
  const double cycles = elapsed_ns * kSmCyclesPerNs;
  if (metric.rest == "per_cycle_elapsed") return value / cycles;
  return 100 * value / (cycles * base.peak_per_cycle);
}

}  // namespace rafter::fakes
