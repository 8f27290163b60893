#include <algorithm>
#include <set>
#include <tuple>

#include "collector/table/formulas.h"
#include "collector/table/kernel_name.h"
#include "collector/table/metric.h"
#include "collector/table/region_tree.h"
#include "collector/table/region_values.h"
#include "collector/table/table.h"
#include "collector/table/table_notes.h"
#include "collector/table/utf8.h"
#include "collector/table/verdict.h"

namespace rafter {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

// Clocks are cycles over time, so over a few microseconds they are noise: on an
// H200 calls of 8 us read up to 1 % above what the device can run at, calls of
// 150 us none. Only longer calls count towards a roof where there are any, else
// the longest.
constexpr double kSteadyClockS = 100e-6;

// Highest peak per cycle and highest clocks seen on one GPU of one host, by
// metric, over all of its regions.
struct DevicePeaks {
  std::map<std::string, double> per_cycle;
  struct Clock {
    double hz = 0;
    double call_s = 0;  // GPU time of a call of the region that it is from
  };
  std::map<std::string, Clock> clocks;
};
using DeviceKey = std::tuple<std::string, std::string>;

DeviceKey KeyOf(const Row& row) {
  return {row.device_uuid, row.device_uuid.empty() ? row.host + "/" + row.device : ""};
}

void RaisePeak(DevicePeaks& peaks, const std::string& metric, double value) {
  const auto [place, is_new] = peaks.per_cycle.try_emplace(metric, value);
  if (!is_new) place->second = std::max(place->second, value);
}

void RaiseClock(DevicePeaks& peaks, const std::string& metric, DevicePeaks::Clock seen) {
  const auto [place, is_new] = peaks.clocks.try_emplace(metric, seen);
  if (is_new) return;
  DevicePeaks::Clock& known = place->second;
  const bool both_steady = seen.call_s >= kSteadyClockS && known.call_s >= kSteadyClockS;
  if (both_steady ? seen.hz > known.hz : seen.call_s > known.call_s) known = seen;
}

std::optional<double> ValueOf(const std::optional<MetricTotal>& total) {
  return total ? std::optional<double>(total->value) : std::nullopt;
}

std::optional<double> Seconds(const std::optional<MetricTotal>& total_ns) {
  return total_ns ? std::optional<double>(total_ns->value / kNanosecondsPerSecond) : std::nullopt;
}

// "(132, 1, 1)", as Nsight Compute prints it.
std::string SizeText(const uint32_t (&size)[3]) {
  return "(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
         std::to_string(size[2]) + ")";
}

std::string BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return ValidUtf8(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

void FillIdentity(const Evidence& evidence, Row& row) {
  const RunProcess& process = evidence.process;
  row.hardware =
      evidence.options.hardware.empty() ? evidence.device.name : evidence.options.hardware;
  row.executable = BaseName(process.executable);
  row.region = evidence.tree.Name(evidence.region.path);
  row.memory_level = evidence.options.memory_level;
  row.source = "cupti";
  row.calls = evidence.region.calls;
  if (process.rank) row.rank = std::to_string(*process.rank);
  row.host = ValidUtf8(process.host);
  row.process = std::to_string(process.pid);
}

// Kernel columns only where every watched launch was of one kernel; sizes only
// where all of its launches had the same. Launches of a nested region may be
// listed under that region alone, so the regions below are looked at as well.
void FillKernel(const Evidence& evidence, Row& row) {
  const std::vector<uint32_t> below = evidence.tree.Subtree(evidence.region.path);
  const RunKernel* first = nullptr;
  uint64_t own_launches = 0;
  uint64_t all_launches = 0;
  bool same_sizes = true;
  for (const RunKernel& kernel : evidence.process.kernels) {
    if (std::find(below.begin(), below.end(), kernel.path) == below.end()) continue;
    if (first == nullptr) first = &kernel;
    if (kernel.symbol != first->symbol) return;
    same_sizes = same_sizes && std::equal(kernel.grid, kernel.grid + 3, first->grid) &&
                 std::equal(kernel.block, kernel.block + 3, first->block);
    all_launches += kernel.launches;
    if (kernel.path == evidence.region.path) own_launches += kernel.launches;
  }
  const uint64_t launches = evidence.region.launches;
  // A bound on the list may have left kernels out; then nothing is certain.
  if (first == nullptr || (own_launches != launches && all_launches != launches)) return;
  row.kernel_signature = first->signature.empty() ? first->symbol : first->signature;
  row.kernel = KernelName(row.kernel_signature);
  if (!same_sizes) return;
  row.grid_size = SizeText(first->grid);
  row.block_size = SizeText(first->block);
}

// Launches are "seen inside" a call, from border to border, so they include
// those of nested regions and are not added up over the tree.
void FillLaunches(const RegionPath& region, Row& row) {
  if (region.watched_calls == 0) return;
  const long double per_call =
      static_cast<long double>(region.launches) / static_cast<long double>(region.watched_calls);
  row.launches = static_cast<uint64_t>(per_call * static_cast<long double>(region.calls) + 0.5L);
}

void FillMetrics(const Evidence& evidence, Row& row) {
  for (const CounterSet& set : evidence.device.sets) {
    for (const Counter& counter : set.counters) {
      row.metrics[counter.metric] =
          ValueOf(FindMetric(evidence.values, counter.metric, evidence.region.calls));
      row.metric_units[counter.metric] = UnitText(counter.unit);
    }
  }
  for (const std::string& clock : SmClockMetrics()) {
    const auto metric = row.metrics.find(clock);
    if (metric == row.metrics.end() || !metric->second) continue;
    row.sm_clock_hz = metric->second;
    break;
  }
}

void FillTimes(const Evidence& evidence, Row& row) {
  const uint64_t calls = evidence.region.calls;
  const auto time_ns = FindMetric(evidence.values, kGpuTimeMetric, calls);
  row.duration_s = Seconds(time_ns);
  // One epoch has no spread to tell of.
  if (time_ns && time_ns->epochs > 1 && time_ns->mean_per_call > 0) {
    row.duration_spread =
        (time_ns->greatest_per_call - time_ns->least_per_call) / time_ns->mean_per_call;
  }
  // Time in kernels: measured on the GPU, as the time that it was active.
  row.kernel_time_s = Seconds(FindMetric(evidence.values, kActiveTimeMetric, calls));
}

std::optional<double>& FlopOf(Row& row, std::string_view precision) {
  if (precision == "fp32") return row.flop_fp32;
  if (precision == "fp64") return row.flop_fp64;
  if (precision == "fp16") return row.flop_fp16;
  return row.flop_tensor;
}

// Work of the precision that was asked for, or of the one with most of it. A
// row without any work has no precision; its FLOP are 0 where they were
// counted.
void ChoosePrecision(const TableOptions& options, Row& row) {
  if (options.precision != "auto") {
    row.precision = options.precision;
    row.flop = FlopOf(row, options.precision);
    return;
  }
  for (const std::string& precision : Precisions()) {
    const std::optional<double> flop = FlopOf(row, precision);
    if (!flop || (row.flop && *flop <= *row.flop)) continue;
    row.flop = flop;
    row.precision = *flop > 0 ? precision : "";
  }
}

void FillWork(const Evidence& evidence, Row& row) {
  const uint64_t calls = evidence.region.calls;
  for (const std::string& precision : Precisions()) {
    FlopOf(row, precision) = ValueOf(FindFlop(evidence.values, precision, evidence.options, calls));
  }
  ChoosePrecision(evidence.options, row);
  row.traffic_bytes =
      ValueOf(FindMetric(evidence.values, TrafficMetric(evidence.options.memory_level), calls));
  // FLOP, bytes and time are of different sets, so of different calls: where
  // calls are unlike, a ratio of them means nothing.
  if (!UnlikeReasons(evidence).empty()) return;
  if (row.flop && row.traffic_bytes && *row.traffic_bytes > 0) {
    row.flop_per_byte = *row.flop / *row.traffic_bytes;
  }
  if (row.flop && row.duration_s && *row.duration_s > 0) {
    row.flop_per_s = *row.flop / *row.duration_s;
  }
}

void FillExclusive(const Evidence& evidence, const RegionValues& exclusive, Row& row) {
  const uint64_t calls = evidence.region.calls;
  row.exclusive_duration_s = Seconds(FindMetric(exclusive, kGpuTimeMetric, calls));
  row.exclusive_traffic_bytes =
      ValueOf(FindMetric(exclusive, TrafficMetric(evidence.options.memory_level), calls));
  if (!row.precision.empty()) {
    row.exclusive_flop = ValueOf(FindFlop(exclusive, row.precision, evidence.options, calls));
  }
}

// Least over the sets that the row uses.
void FillMeasuredCalls(const RegionValues& values, Row& row) {
  row.measured_calls = 0;
  for (const SetValues& set : values) {
    const uint64_t measured = MeasuredCalls(set);
    if (measured == 0) continue;
    row.measured_calls =
        *row.measured_calls == 0 ? measured : std::min(*row.measured_calls, measured);
  }
}

Row MakeRow(const Evidence& evidence, const RegionValues& exclusive) {
  Row row;
  FillIdentity(evidence, row);
  FillKernel(evidence, row);
  FillLaunches(evidence.region, row);
  FillMetrics(evidence, row);
  FillTimes(evidence, row);
  FillWork(evidence, row);
  FillExclusive(evidence, exclusive, row);
  FillMeasuredCalls(evidence.values, row);
  const Verdict verdict = Judge(evidence);
  row.validity = ValidityText(verdict.validity());
  row.reason = verdict.Reason();
  return row;
}

// Clocks of the rows count towards the roofs, but for those of empty regions:
// over the microsecond that such a range takes they are noise.
void NoteClocks(const Evidence& evidence, const Row& row, DevicePeaks& peaks) {
  if (HasNoKernels(evidence) || !row.duration_s || row.calls.value_or(0) == 0) return;
  const double call_s = *row.duration_s / static_cast<double>(*row.calls);
  for (const auto& [metric, value] : row.metrics) {
    if (value && metric.ends_with("__cycles_elapsed.avg.per_second")) {
      RaiseClock(peaks, metric, {*value, call_s});
    }
  }
}

// Peaks per cycle are facts of the device, so every evaluated range tells them.
void NotePeaks(const RunProcess& process, const RunDevice& device, DevicePeaks& peaks) {
  for (const Epoch& epoch : process.epochs) {
    const auto set = std::find_if(device.sets.begin(), device.sets.end(),
                                  [&](const CounterSet& each) { return each.name == epoch.set; });
    if (epoch.device != device.device || set == device.sets.end()) continue;
    for (const SlotValues& slot : epoch.slots) {
      const size_t counters = std::min(slot.values.size(), set->counters.size());
      for (size_t i = 0; slot.evaluated && i < counters; ++i) {
        const std::string& metric = set->counters[i].metric;
        if (slot.values[i] && KindOf(metric) == MetricKind::kPeak) {
          RaisePeak(peaks, metric, *slot.values[i]);
        }
      }
    }
  }
}

std::optional<double> Peak(const DevicePeaks& peaks, const std::optional<PeakFormula>& formula) {
  if (!formula) return std::nullopt;
  const auto per_cycle = peaks.per_cycle.find(formula->per_cycle.metric);
  std::optional<double> clock_hz;
  for (const std::string& metric : formula->clocks) {
    const auto clock = peaks.clocks.find(metric);
    if (clock != peaks.clocks.end()) clock_hz = std::max(clock_hz.value_or(0), clock->second.hz);
  }
  if (per_cycle == peaks.per_cycle.end() || !clock_hz) return std::nullopt;
  const double peak = formula->per_cycle.weight * per_cycle->second * *clock_hz;
  return peak > 0 ? std::optional<double>(peak) : std::nullopt;
}

class TableMaker {
 public:
  TableMaker(const Run& run, const TableOptions& options) : run_(run), options_(options) {}

  Table Make() {
    for (const RunProcess& process : run_.processes) AddProcess(process);
    for (Row& row : table_.rows) {
      const DevicePeaks& peaks = peaks_[KeyOf(row)];
      row.peak_flop_per_s = Peak(peaks, PeakPerformance(row.precision));
      row.peak_bytes_per_s = Peak(peaks, PeakBandwidth(row.memory_level));
    }
    table_.notes = TableNotes(run_, table_);
    return std::move(table_);
  }

 private:
  void AddProcess(const RunProcess& process) {
    const RegionTree tree(process);
    std::set<uint32_t> done;
    for (const RunDevice& device : process.devices) AddDevice(process, device, tree, done);
    // Regions that no device has a slot for: once, with the first device.
    static const RunDevice* const no_device = new RunDevice;
    const bool has_device = !process.devices.empty();
    const RunDevice& device = has_device ? process.devices.front() : *no_device;
    for (const RegionPath& region : process.paths) {
      if (done.contains(region.path) || region.calls == 0) continue;
      AddRow({run_, process, device, region, tree, {}, options_}, {}, has_device);
    }
  }

  void AddDevice(const RunProcess& process, const RunDevice& device, const RegionTree& tree,
                 std::set<uint32_t>& done) {
    const auto inclusive = CollectRegionValues(process, device, tree, Share::kInclusive);
    auto exclusive = CollectRegionValues(process, device, tree, Share::kExclusive);
    for (const RegionPath& region : process.paths) {
      const auto values = inclusive.find(region.path);
      if (values == inclusive.end()) continue;
      AddRow({run_, process, device, region, tree, values->second, options_},
             exclusive[region.path], true);
      done.insert(region.path);
    }
  }

  void AddRow(const Evidence& evidence, const RegionValues& exclusive, bool has_device) {
    Row row = MakeRow(evidence, exclusive);
    if (has_device) row.device = std::to_string(evidence.device.device);
    row.device_uuid = evidence.device.uuid;
    DevicePeaks& peaks = peaks_[KeyOf(row)];
    NoteClocks(evidence, row, peaks);
    if (seen_.insert({&evidence.process, &evidence.device}).second) {
      NotePeaks(evidence.process, evidence.device, peaks);
    }
    table_.rows.push_back(std::move(row));
  }

  const Run& run_;
  const TableOptions& options_;
  Table table_;
  std::map<DeviceKey, DevicePeaks> peaks_;
  std::set<std::pair<const void*, const void*>> seen_;  // devices whose peaks are noted
};

}  // namespace

Table BuildTable(const Run& run, const TableOptions& options) {
  return TableMaker(run, options).Make();
}

}  // namespace rafter
