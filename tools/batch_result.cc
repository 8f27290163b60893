#include "tools/batch_result.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "collector/bench_report/bench_report.h"
#include "collector/bench_report/join_report.h"
#include "tools/message.h"
#include "tools/run_summary.h"

namespace rafter {
namespace {

// 200,000 rows of a usual report.
constexpr uintmax_t kMostReportBytes = 64 << 20;

constexpr char kWithoutLibrary[] = "programs that ran without libinject.so";

Result<BenchReport> ReadReport(const std::string& path) {
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(path, error);
  if (!error && bytes > kMostReportBytes) {
    return Status::Failed(path + ": " + std::to_string(bytes) +
                          " bytes are too many for a report; run fewer benchmarks "
                          "(--target-arg --benchmark_filter=RE)");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) {
    return Status::Failed(path + ": cannot be read (" + ErrnoText(errno) + "); check its rights");
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  absl::StatusOr<BenchReport> report = ReadBenchReport(text);
  if (report.ok()) return std::move(*report);
  return Status::Failed(path + ": " + std::string(report.status().message()));
}

// The report of the program, where it is one of Google Benchmark's.
std::optional<BenchReport> FindReport(const PlannedProgram& planned, BatchResult& result) {
  std::error_code unknown;
  if (!std::filesystem::exists(planned.json, unknown)) {
    if (planned.program.is_benchmark) {
      result.troubles.push_back(planned.json +
                                ": the program wrote none, so Paradigm and Benchmark Problem are "
                                "missing; see " +
                                planned.log);
    }
    return std::nullopt;
  }
  Result<BenchReport> report = ReadReport(planned.json);
  if (!report.ok()) {
    result.troubles.push_back(report.status().message() +
                              "; Paradigm and Benchmark Problem are missing");
    return std::nullopt;
  }
  for (const std::string& trouble : report->troubles) {
    result.troubles.push_back(planned.json + ": " + trouble);
  }
  for (const Benchmark& benchmark : report->benchmarks) {
    if (!benchmark.failure.empty()) {
      result.troubles.push_back("benchmark " + benchmark.run_name +
                                " failed: " + benchmark.failure);
    } else if (!benchmark.skipped.empty()) {
      result.notes.push_back("benchmark " + benchmark.run_name +
                             " was skipped: " + benchmark.skipped);
    }
  }
  return std::move(*report);
}

void MakeTable(Run run, const TableChoices& choices, const std::optional<BenchReport>& report,
               BatchResult& result) {
  TableOptions options = choices.Options();
  const std::string precision =
      report.has_value() && options.precision == "auto" ? PrecisionOf(*report) : "";
  RunTable made = TableOfRun(run, options);
  if (!made.refused.empty()) result.troubles.push_back(made.refused);
  result.table = std::move(made.table);
  if (!precision.empty()) {
    options.precision = precision;
    result.table = FollowPrecision(TableOfRun(std::move(run), options).table,
                                   std::move(result.table), result.notes);
  }
  if (report.has_value()) JoinReport(*report, result.table, result.notes);
}

bool ReachedGpu(const Run& run) {
  return !run.markers.empty() ||
         std::any_of(run.processes.begin(), run.processes.end(),
                     [](const RunProcess& process) { return !process.devices.empty(); });
}

// Sets in which each path has a whole call on a device.
using SetsByPath = std::map<uint32_t, std::set<std::string>>;

SetsByPath MeasuredOn(const RunProcess& process, uint32_t device) {
  SetsByPath measured;
  for (const Epoch& epoch : process.epochs) {
    if (epoch.device != device) continue;
    for (const SlotValues& slot : epoch.slots) {
      if (slot.instances > 0) measured[slot.path].insert(epoch.set);
    }
  }
  return measured;
}

// Calls of the path that had a GPU: a device that instances name, or, where none
// names one, a context.
bool UsesDevice(const RegionPath& path, const RunDevice& device) {
  if (path.calls == 0 || !path.members.empty()) return false;
  if (path.by_device.empty()) return path.last_end_ns > 0;
  const auto sums = path.by_device.find(device.device + 1);
  return sums != path.by_device.end() && sums->second.calls > 0;
}

bool LacksSets(const RunProcess& process, const RunDevice& device) {
  const SetsByPath measured = MeasuredOn(process, device.device);
  if (measured.empty()) return false;
  for (const RegionPath& path : process.paths) {
    if (!UsesDevice(path, device)) continue;
    const auto sets = measured.find(path.path);
    for (const CounterSet& set : device.sets) {
      if (set.counters.empty()) continue;
      if (sets == measured.end() || !sets->second.contains(set.name)) return true;
    }
  }
  return false;
}

}  // namespace

bool LacksSets(const Run& run) {
  for (const RunProcess& process : run.processes) {
    for (const RunDevice& device : process.devices) {
      if (LacksSets(process, device)) return true;
    }
  }
  return false;
}

Result<BatchResult> ReadResult(const PlannedProgram& planned, const TableChoices& choices) {
  BatchResult result;
  Result<Run> run = ReadRun(planned.report, result.troubles);
  if (!run.ok()) return run.status();
  if (!run->exit_status.has_value()) {
    return Status::Failed(planned.report + ": its run did not come to an end");
  }
  if (*run->exit_status != 0) {
    return Status::Failed(planned.report + ": its program ended with status " +
                          std::to_string(*run->exit_status));
  }
  const std::optional<BenchReport> report = FindReport(planned, result);
  if (run->losses.contains(kWithoutLibrary)) {
    result.lacking = "it ran without libinject.so; see " + planned.log;
  }
  result.reached_gpu = ReachedGpu(*run);
  if (!result.reached_gpu) return result;
  result.lacks_sets = LacksSets(*run);
  MakeTable(*run, choices, report, result);
  std::string reason;
  if (result.lacking.empty() && !CountersObtained(*run, result.table, reason)) {
    result.lacking = reason;
  }
  return result;
}

}  // namespace rafter
