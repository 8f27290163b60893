#include <algorithm>
#include <set>
#include <tuple>

#include "collector/table/derived.h"
#include "collector/table/device_peaks.h"
#include "collector/table/device_sharing.h"
#include "collector/table/empty_rows.h"
#include "collector/table/formulas.h"
#include "collector/table/kernel_name.h"
#include "collector/table/launch_kinds.h"
#include "collector/table/marker_rows.h"
#include "collector/table/metric.h"
#include "collector/table/region_devices.h"
#include "collector/table/region_tree.h"
#include "collector/table/region_values.h"
#include "collector/table/set_words.h"
#include "collector/table/table.h"
#include "collector/table/table_notes.h"
#include "collector/table/tensor_work.h"
#include "collector/table/utf8.h"
#include "collector/table/verdict.h"

namespace rafter {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

// More is of a stream that says what no process can have done.
constexpr long double kMostLaunches = 1e18L;

constexpr char kDramClockMetric[] = "dram__cycles_elapsed.avg.per_second";

using DeviceKey = std::tuple<std::string, std::string>;

DeviceKey KeyOf(const Row& row) {
  return {row.device_uuid, row.device_uuid.empty() ? row.host + "/" + row.device : ""};
}

std::optional<double> ValueOf(const std::optional<MetricTotal>& total) {
  return total ? std::optional<double>(total->value) : std::nullopt;
}

std::optional<double> Seconds(const std::optional<MetricTotal>& total_ns) {
  return total_ns ? std::optional<double>(total_ns->value / kNanosecondsPerSecond) : std::nullopt;
}

std::string BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return ValidUtf8(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

// Those that were run with --regions none.
std::set<std::string> UnmarkedPrograms(const Run& run) {
  std::set<std::string> programs;
  for (const RunProcess& process : run.processes) {
    const auto regions = process.environment.find("RAFTER_REGIONS");
    if (regions != process.environment.end() && regions->second == "none") {
      programs.insert(BaseName(process.executable));
    }
  }
  return programs;
}

void FillIdentity(const Evidence& evidence, Row& row) {
  const RunProcess& process = evidence.process;
  row.hardware =
      evidence.options.hardware.empty() ? evidence.device.name : evidence.options.hardware;
  row.executable = BaseName(process.executable);
  // Launches are of the region around them.
  const RegionPath& region = evidence.region;
  row.region = evidence.tree.Name(region.launch ? region.parent : region.path);
  row.category = region.category;
  row.payload = region.payload;
  row.memory_level = evidence.options.memory_level;
  row.source = "cupti";
  row.calls = evidence.instances.calls;
  if (process.rank) row.rank = std::to_string(*process.rank);
  row.host = ValidUtf8(process.host);
  row.process = std::to_string(process.pid);
}

// A kernel that names no device is of the first on which the region has a row.
bool IsOnDevice(const Evidence& evidence, const RunKernel& kernel) {
  return kernel.device == 0 ? evidence.is_first_row : kernel.device == evidence.device.device + 1;
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
    if (!IsOnDevice(evidence, kernel)) continue;
    if (first == nullptr) first = &kernel;
    if (kernel.symbol != first->symbol) return;
    same_sizes = same_sizes && std::equal(kernel.grid, kernel.grid + 3, first->grid) &&
                 std::equal(kernel.block, kernel.block + 3, first->block);
    all_launches += kernel.launches;
    if (kernel.path == evidence.region.path) own_launches += kernel.launches;
  }
  const uint64_t launches = evidence.instances.launches;
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
void FillLaunches(const InstanceSums& sums, Row& row) {
  if (sums.watched_calls == 0) return;
  const long double per_call =
      static_cast<long double>(sums.launches) / static_cast<long double>(sums.watched_calls);
  const long double launches = per_call * static_cast<long double>(sums.calls) + 0.5L;
  if (launches < kMostLaunches) row.launches = static_cast<uint64_t>(launches);
}

void FillMetrics(const Evidence& evidence, Row& row) {
  for (const CounterSet& set : evidence.device.sets) {
    for (const Counter& counter : set.counters) {
      row.metrics[counter.metric] =
          ValueOf(FindMetric(evidence.values, counter.metric, evidence.instances.calls));
      row.metric_units[counter.metric] = UnitText(counter.unit);
    }
  }
  for (const std::string& clock : SmClockMetrics()) {
    const auto metric = row.metrics.find(clock);
    if (metric == row.metrics.end() || !metric->second) continue;
    row.sm_clock_hz = metric->second;
    break;
  }
  const auto dram_clock = row.metrics.find(kDramClockMetric);
  if (dram_clock != row.metrics.end()) row.dram_clock_hz = dram_clock->second;
}

void FillTimes(const Evidence& evidence, Row& row) {
  const uint64_t calls = evidence.instances.calls;
  const auto time_ns = FindMetric(evidence.values, kGpuTimeMetric, calls);
  // Launches that were measured one by one say nothing of the time between them.
  if (IsRepeated(evidence.values)) {
    row.kernel_time_s = Seconds(time_ns);
    if (evidence.region.launch) row.duration_s = row.kernel_time_s;
    return;
  }
  row.duration_s = Seconds(time_ns);
  // One epoch has no spread to tell of.
  if (time_ns && time_ns->epochs > 1 && time_ns->mean_per_call > 0) {
    row.duration_spread =
        (time_ns->greatest_per_call - time_ns->least_per_call) / time_ns->mean_per_call;
  }
  // Time in kernels: measured on the GPU, as the time that it was active.
  row.kernel_time_s = Seconds(FindMetric(evidence.values, kActiveTimeMetric, calls));
}

// Columns that are made of others, where those were planned.
void FillDerived(const RunDevice& device, Row& row) {
  for (const DerivedMetric& derived : DerivedMetrics()) {
    const auto is_planned = [&](const std::string& metric) { return row.metrics.contains(metric); };
    const auto is_whole = [&](const std::string& set) { return IsWantedWhole(device, set); };
    if (std::none_of(derived.of.begin(), derived.of.end(), is_planned)) continue;
    if (!derived.whole.empty() &&
        std::none_of(derived.whole.begin(), derived.whole.end(), is_whole)) {
      continue;
    }
    row.metrics[derived.name] = DerivedValue(derived, row);
    row.metric_units[derived.name] = derived.unit;
  }
}

std::optional<double>& FlopOf(Row& row, std::string_view precision) {
  if (precision == "fp32") return row.flop_fp32;
  if (precision == "fp64") return row.flop_fp64;
  if (precision == "fp16") return row.flop_fp16;
  return row.flop_tensor;
}

// What the benchmark was built for says what its work is.
std::string AskedPrecision(const TableOptions& options, const std::string& executable) {
  const auto built = options.built_precision.find(executable);
  const bool follows = options.precision == "auto" && built != options.built_precision.end();
  return follows ? built->second : options.precision;
}

// Work of the precision that was asked for, or of the one with most of it. A
// row without any work has no precision; its FLOP are 0 where they were
// counted. Tensor work of one format goes by that format, whose peak is known.
void ChoosePrecision(const Evidence& evidence, const TensorWork& tensor, Row& row) {
  const std::string asked = AskedPrecision(evidence.options, row.executable);
  if (asked != "auto") {
    row.precision = asked;
    row.flop =
        TensorFormatOf(asked).empty()
            ? FlopOf(row, asked)
            : ValueOf(FindFlop(evidence.values, asked, evidence.options, evidence.instances.calls));
    return;
  }
  for (const std::string& precision : Precisions()) {
    const std::optional<double> flop = FlopOf(row, precision);
    // That the tensor cores did nothing says nothing of the rest.
    if (!flop || (precision == "tensor" && *flop == 0)) continue;
    if (row.flop && *flop <= *row.flop) continue;
    row.flop = flop;
    row.precision = *flop > 0 ? precision : "";
  }
  if (row.precision == "tensor" && !tensor.format.empty()) row.precision += "." + tensor.format;
}

void FillWork(const Evidence& evidence, Row& row) {
  const uint64_t calls = evidence.instances.calls;
  for (const std::string& precision : Precisions()) {
    FlopOf(row, precision) = ValueOf(FindFlop(evidence.values, precision, evidence.options, calls));
  }
  const TensorWork tensor = TensorWorkOf(evidence);
  row.flop_tensor = tensor.flop;  // all of it, or nothing
  ChoosePrecision(evidence, tensor, row);
  row.traffic_bytes =
      ValueOf(FindMetric(evidence.values, TrafficMetric(evidence.options.memory_level), calls));
  // FLOP, bytes and time are of different sets, so of different calls: where
  // calls are unlike, a ratio of them means nothing.
  // On a GPU that others use, bytes and time are not the region's alone.
  if (!UnlikeReasons(evidence).empty() || IsShared(evidence)) return;
  if (row.flop && row.traffic_bytes && *row.traffic_bytes > 0) {
    row.flop_per_byte = *row.flop / *row.traffic_bytes;
  }
  if (row.flop && row.duration_s && *row.duration_s > 0) {
    row.flop_per_s = *row.flop / *row.duration_s;
  }
}

void FillExclusive(const Evidence& evidence, const RegionValues& exclusive, Row& row) {
  const uint64_t calls = evidence.instances.calls;
  if (row.duration_s) {
    row.exclusive_duration_s = Seconds(FindMetric(exclusive, kGpuTimeMetric, calls));
  }
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

Row MakeRow(const Evidence& evidence, const RegionValues& exclusive, const LaunchKinds& kinds) {
  Row row;
  FillIdentity(evidence, row);
  if (evidence.region.launch) {
    kinds.Fill(*evidence.region.launch, row);
    row.launches = evidence.instances.calls;
  } else {
    FillKernel(evidence, row);
    FillLaunches(evidence.instances, row);
  }
  FillMetrics(evidence, row);
  FillDerived(evidence.device, row);
  FillTimes(evidence, row);
  FillWork(evidence, row);
  FillExclusive(evidence, exclusive, row);
  FillMeasuredCalls(evidence.values, row);
  const Verdict verdict = Judge(evidence);
  row.validity = ValidityText(verdict.validity());
  row.reason = verdict.Reason();
  return row;
}

class TableMaker {
 public:
  TableMaker(const Run& run, const TableOptions& options)
      : run_(run), options_(options), sharing_(run) {}

  Table Make() {
    for (const RunProcess& process : run_.processes) AddProcess(process);
    for (Row& row : MarkerRows(run_, options_)) table_.rows.push_back(std::move(row));
    if (std::optional<Row> row = RowOfCommand(run_)) table_.rows.push_back(*std::move(row));
    for (Row& row : table_.rows) {
      const DevicePeaks& peaks = peaks_[KeyOf(row)];
      row.peak_flop_per_s = peaks.Of(PeakPerformance(row.precision, options_));
      row.peak_bytes_per_s = peaks.Of(PeakBandwidth(row.memory_level));
      if (!row.peak_flop_per_s) row.peak_flop_per_s = options_.peak_flop_per_s;
      if (!row.peak_bytes_per_s) row.peak_bytes_per_s = options_.peak_bytes_per_s;
    }
    table_.notes = TableNotes(run_, table_);
    table_.unmarked = UnmarkedPrograms(run_);
    return std::move(table_);
  }

 private:
  // What the rows of one process have in common.
  struct Parts {
    explicit Parts(const RunProcess& of) : process(of), tree(of), devices(of, tree), kinds(of) {}

    const RunProcess& process;
    const RegionTree tree;
    const RegionDevices devices;
    const LaunchKinds kinds;
  };

  void AddProcess(const RunProcess& process) {
    const Parts parts(process);
    const size_t rows_before = table_.rows.size();
    std::set<uint32_t> done;
    for (size_t i = 0; i < process.devices.size(); ++i) AddDevice(parts, i, done);
    // Regions that no device has counted in and no instance puts on one.
    for (const RegionPath& region : process.paths) {
      if (done.contains(region.path) || region.calls == 0) continue;
      const std::vector<size_t>& devices = parts.devices.Of(region.path);
      AddRow(parts, region, devices.empty() ? RegionDevices::kNone : devices.front(), {}, {});
    }
    const bool is_likwids =
        std::any_of(run_.markers.begin(), run_.markers.end(),
                    [&](const MarkerReadings& markers) { return markers.process == process.id; });
    if (GaveNoRegion(process) && !is_likwids && table_.rows.size() == rows_before) {
      table_.rows.push_back(RowOfProcess(process, options_));
    }
  }

  void AddDevice(const Parts& parts, size_t position, std::set<uint32_t>& done) {
    const auto collect = [&](Share share) {
      return CollectRegionValues(parts.process, position, parts.tree, parts.devices, share);
    };
    const auto inclusive = collect(Share::kInclusive);
    auto exclusive = collect(Share::kExclusive);
    for (const RegionPath& region : parts.process.paths) {
      const std::vector<size_t>& devices = parts.devices.Of(region.path);
      if (std::find(devices.begin(), devices.end(), position) == devices.end()) continue;
      const auto values = inclusive.find(region.path);
      if (values == inclusive.end() && !parts.devices.IsNamed(region.path, position)) continue;
      AddRow(parts, region, position, values == inclusive.end() ? RegionValues{} : values->second,
             exclusive[region.path]);
      done.insert(region.path);
    }
  }

  void AddRow(const Parts& parts, const RegionPath& region, size_t position,
              const RegionValues& values, const RegionValues& exclusive) {
    static const RunDevice* const no_device = new RunDevice;
    const bool has_device = position != RegionDevices::kNone;
    const RunDevice& device = has_device ? parts.process.devices[position] : *no_device;
    const InstanceSums& instances = parts.devices.On(region.path, position);
    const std::vector<size_t>& devices = parts.devices.Of(region.path);
    const Evidence evidence{run_,
                            parts.process,
                            device,
                            region,
                            parts.tree,
                            values,
                            options_,
                            instances,
                            sharing_.Others(parts.process, device, instances),
                            devices.empty() || devices.front() == position};
    Row row = MakeRow(evidence, exclusive, parts.kinds);
    if (has_device) row.device = std::to_string(device.device);
    row.device_uuid = device.uuid;
    DevicePeaks& peaks = peaks_[KeyOf(row)];
    // Over the microsecond that the range of an empty region takes, clocks are noise.
    if (!HasNoKernels(evidence)) peaks.NoteClocks(row);
    if (seen_.insert({&parts.process, &device}).second) peaks.NotePeaks(parts.process, device);
    table_.rows.push_back(std::move(row));
  }

  const Run& run_;
  const TableOptions& options_;
  const DeviceSharing sharing_;
  Table table_;
  std::map<DeviceKey, DevicePeaks> peaks_;
  std::set<std::pair<const void*, const void*>> seen_;  // devices whose peaks are noted
};

}  // namespace

Table BuildTable(const Run& run, const TableOptions& options) {
  return TableMaker(run, options).Make();
}

}  // namespace rafter
