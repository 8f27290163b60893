#include "tools/batch_result.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "tools/message.h"
#include "tools/run_summary.h"
#include "tools/run_table.h"
#include "tools/stored_runs.h"

namespace rafter {
namespace {

// 200,000 rows of a usual report.
constexpr uintmax_t kMostReportBytes = 64 << 20;

constexpr char kWithoutLibrary[] = "programs that ran without libinject.so";

Result<std::string> ReadText(const std::string& path) {
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
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.empty()) return Status::Failed(path + ": empty, so it is no report");
  return text;
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

ProgramReport ReadProgramReport(const PlannedProgram& planned) {
  constexpr char kMissing[] = "Paradigm and Benchmark Problem are missing";
  ProgramReport report;
  report.source = planned.json;
  std::error_code unknown;
  if (!std::filesystem::exists(planned.json, unknown)) {
    if (planned.program.is_benchmark) {
      report.trouble =
          planned.json + ": the program wrote none, so " + kMissing + "; see " + planned.log;
    }
    return report;
  }
  Result<std::string> text = ReadText(planned.json);
  if (text.ok()) {
    report.json = std::move(*text);
  } else {
    report.trouble = text.status().message() + "; " + kMissing;
  }
  return report;
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
  if (ProgramReport report = ReadProgramReport(planned); report.says_anything()) {
    run->report = std::move(report);
  }
  if (run->losses.contains(kWithoutLibrary)) {
    result.lacking = "it ran without libinject.so; see " + planned.log;
  }
  result.reached_gpu = ReachedGpu(*run);
  RunTable made = TableOfRun(*run, choices.Options());
  result.troubles.insert(result.troubles.end(), made.troubles.begin(), made.troubles.end());
  if (!result.reached_gpu) return result;
  result.refused = made.refused;
  if (!result.refused.empty()) result.troubles.push_back(result.refused);
  result.lacks_sets = LacksSets(*run);
  result.table = std::move(made.table);
  std::string reason;
  if (result.lacking.empty() && !CountersObtained(*run, result.table, reason)) {
    result.lacking = reason;
  }
  return result;
}

}  // namespace rafter
