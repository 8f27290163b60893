#include "tools/run_summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "collector/table/empty_rows.h"
#include "tools/message.h"

namespace rafter {
namespace {

// Reasons and the things they hold for, in the order first met.
class Reasons {
 public:
  void Add(const std::string& reason, const std::string& about) {
    auto [entry, is_new] = names_.try_emplace(reason);
    if (is_new) order_.push_back(reason);
    entry->second.push_back(about);
  }
  // "bench (pid 12) and 3 more: REASON"
  void AppendTo(std::vector<std::string>& lines) const {
    for (const std::string& reason : order_) {
      const std::vector<std::string>& names = names_.at(reason);
      std::string line = names.front();
      if (names.size() > 1) line += " and " + std::to_string(names.size() - 1) + " more";
      lines.push_back(line + ": " + reason);
    }
  }

 private:
  std::map<std::string, std::vector<std::string>> names_;
  std::vector<std::string> order_;
};

std::string NameOf(const RunProcess& process) {
  const std::string& path = process.executable;
  return path.substr(path.find_last_of('/') + 1) + " (pid " + std::to_string(process.pid) + ")";
}

bool HasUnevaluated(const RunProcess& process) {
  for (const Epoch& epoch : process.epochs) {
    for (const SlotValues& slot : epoch.slots) {
      if (!slot.evaluated) return true;
    }
  }
  return false;
}

// Failures were said as they came.
bool HasFailure(const RunProcess& process) {
  return std::any_of(process.notes.begin(), process.notes.end(),
                     [](const RunNote& note) { return note.severity == "failure"; });
}

// The cause and the next step; a row may have a pair for each set.
std::string FirstPair(const std::string& reason) {
  const size_t cause = reason.find("; ");
  if (cause == std::string::npos) return reason;
  return reason.substr(0, reason.find("; ", cause + 2));
}

// Rows that are not plainly measured: how many, and the reason of the first.
void AppendRowReasons(const Run& run, const Table& table, std::vector<std::string>& lines) {
  const bool failed = std::any_of(run.processes.begin(), run.processes.end(), HasFailure);
  std::set<std::string> said;  // of whole processes
  for (const RunProcess& process : run.processes) {
    if (process.devices.empty()) said.insert(WhyNoGpu(process));
  }
  std::map<std::string, std::vector<const Row*>> by_validity;
  size_t rows_with_calls = 0;
  for (const Row& row : table.rows) {
    if (!row.calls.has_value()) continue;  // no region; the lines above say why
    ++rows_with_calls;
    const bool is_said = std::any_of(said.begin(), said.end(), [&row](const std::string& why) {
      return row.reason.find(why) != std::string::npos;
    });
    if (is_said) continue;  // likewise
    if (row.validity != "measured") by_validity[row.validity].push_back(&row);
  }
  for (const auto& [validity, rows] : by_validity) {
    const Row& first = *rows.front();
    std::string line = std::to_string(rows.size()) + " of " +
                       CountText(rows_with_calls, "row", "rows") +
                       (rows.size() == 1 ? " is " : " are ") + validity;
    if (failed && validity == "missing") {
      lines.push_back(line + ": see the failure above, or the reason in the table");
      continue;
    }
    line += ": " + first.region + ": " + FirstPair(first.reason);
    if (rows.size() > 1) line += " (the table has the reason of each)";
    lines.push_back(line);
  }
}

// Counters that the plan lacks, once for each set and cause.
void AddMissingCounters(const RunDevice& device, const std::string& name, Reasons& reasons) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> metrics;
  for (const MissingCounter& missing : device.missing) {
    metrics[{missing.set, missing.reason}].push_back(missing.metric);
  }
  for (const auto& [of, names] : metrics) {
    std::string text = "set " + of.first + " lacks " + names.front();
    if (names.size() > 1) text += " and " + std::to_string(names.size() - 1) + " more";
    reasons.Add(text + ": " + of.second, name);
  }
}

// Whether LIKWID, not we, counted it.
bool IsLikwids(const Run& run, const RunProcess& process) {
  return std::any_of(run.markers.begin(), run.markers.end(),
                     [&](const MarkerReadings& markers) { return markers.process == process.id; });
}

// Regions that LIKWID counted: those of different runs are the same.
size_t MarkerRegions(const Run& run) {
  std::set<std::string> regions;
  for (const MarkerReadings& markers : run.markers) {
    for (const MarkerReading& reading : markers.readings) regions.insert(reading.region);
  }
  return regions.size();
}

void AddProcessReasons(const RunProcess& process, Reasons& reasons) {
  const std::string name = NameOf(process);
  if (GaveNoRegion(process)) {
    reasons.Add(WhyNoRegion(process), name);
  } else if (process.devices.empty() && !HasFailure(process)) {
    reasons.Add("only calls and host times of its regions are there; " + WhyNoGpu(process), name);
  }
  for (const RunDevice& device : process.devices) {
    if (!device.plan_error.empty() && !HasFailure(process)) {
      reasons.Add("no counters on " + device.name + ": " + device.plan_error, name);
    }
    AddMissingCounters(device, name, reasons);
  }
  if (HasUnevaluated(process)) {
    reasons.Add(
        "counters are stored without values, since CUPTI was not at hand; \"rafter report\" "
        "evaluates them where it is",
        name);
  }
  for (const auto& [kind, count] : process.losses) {
    if (count > 0) reasons.Add("lost: " + std::to_string(count) + " " + kind, name);
  }
}

std::string FirstLine(const std::string& path, const Run& run) {
  size_t regions = MarkerRegions(run);
  size_t launches = 0;
  std::set<std::string> hardware;
  for (const RunProcess& process : run.processes) {
    for (const RegionPath& place : process.paths) {
      if (place.launch.has_value()) {
        ++launches;
      } else if (place.members.empty()) {  // else several regions at once
        ++regions;
      }
    }
    for (const RunDevice& device : process.devices) hardware.insert(device.name);
  }
  std::string line =
      path + ": " + CountText(regions, "region", "regions") +
      (launches == 0 ? "" : " and " + CountText(launches, "kind", "kinds") + " of launches") +
      " of " + CountText(run.processes.size(), "process", "processes");
  const char* separator = " on ";
  for (const std::string& name : hardware) {
    line += separator + name;
    separator = ", ";
  }
  return line;
}

}  // namespace

std::vector<std::string> SummaryOf(const std::string& path, const Run& run, const Table& table,
                                   bool entered) {
  std::vector<std::string> lines = {FirstLine(path, run)};
  if (run.processes.empty() && entered) lines.push_back(ProgramOf(run) + ": " + WhyNoProcess(run));
  Reasons reasons;
  for (const RunProcess& process : run.processes) {
    if (!IsLikwids(run, process)) AddProcessReasons(process, reasons);
  }
  for (const auto& [kind, count] : run.losses) {
    if (count > 0) reasons.Add("lost: " + std::to_string(count) + " " + kind, "collector");
  }
  reasons.AppendTo(lines);
  AppendRowReasons(run, table, lines);
  return lines;
}

bool CountersObtained(const Run& run, const Table& table, std::string& reason) {
  for (const RunProcess& process : run.processes) {
    for (const RunDevice& device : process.devices) {
      if (!device.plan_error.empty()) reason = device.plan_error;
    }
    for (const RunNote& note : process.notes) {
      if (note.severity == "failure") reason = note.text;
    }
  }
  bool counted = false;
  for (const Row& row : table.rows) {
    counted = counted || (!row.validity.empty() && row.validity != "missing");
  }
  if (!counted && reason.empty()) reason = "no region has values";
  return counted && reason.empty();
}

}  // namespace rafter
