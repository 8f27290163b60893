#include "collector/table/empty_rows.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "collector/store/uncounted.h"
#include "collector/table/reason_text.h"
#include "collector/table/utf8.h"
#include "collector/table/verdict.h"

namespace rafter {
namespace {

constexpr size_t kMostNamedLosses = 3;

// As a shell reports a signal: this and its number.
constexpr int kFirstSignalStatus = 128;

// Nobody can tell from outside CUDA which of them a program uses.
constexpr std::string_view kOtherContexts =
    "if it uses OpenCL or Vulkan, its work runs in a context that CUPTI does not see";

// The first word of a command as a shell would read it; ours are quoted with '
// and, for that sign itself, with a backslash.
std::string FirstWord(std::string_view command) {
  std::string word;
  bool quoted = false;
  for (size_t i = 0; i < command.size(); ++i) {
    const char sign = command[i];
    if (sign == '\'') {
      quoted = !quoted;
    } else if (sign == '\\' && !quoted && i + 1 < command.size()) {
      word += command[++i];
    } else if (sign == ' ' && !quoted) {
      break;
    } else {
      word += sign;
    }
  }
  return word;
}

std::string BaseName(std::string_view path) {
  return ValidUtf8(path.substr(path.rfind('/') + 1));  // npos + 1: all of it
}

std::string LossesText(const std::map<std::string, uint64_t>& losses) {
  std::vector<std::string> texts;
  for (const auto& [kind, count] : losses) {
    if (count > 0) texts.push_back(Count(count) + " " + Quoted(kind));
  }
  return Named(texts, kMostNamedLosses);
}

std::string ValueIn(const RunProcess& process, const char* name) {
  const auto found = process.environment.find(name);
  return found == process.environment.end() ? "" : found->second;
}

// A GPU is told of at its first region; without one the library says at the end that
// there was CUDA (inject/recorder.cc).
bool StartedCuda(const RunProcess& process) {
  return !process.devices.empty() ||
         std::any_of(process.notes.begin(), process.notes.end(), [](const RunNote& note) {
           return note.about == "regions" && note.text.starts_with("the program used CUDA");
         });
}

// What counts as a mark, as the process was told.
std::string NoMark(const RunProcess& process) {
  const std::string source = ValueIn(process, "RAFTER_REGIONS");
  const std::string also = ", or run it with --regions none for a row of each kind of launch";
  if (source == "none") return "it launched nothing that could be counted";
  if (source == "nvmarker") {
    return "it marked no NvMarker region; see that it was compiled with -DLIKWID_NVMON" + also;
  }
  const std::string domain = ValueIn(process, "RAFTER_DOMAIN");
  if (domain == "all") return "it marked no region; mark some with nvtxRangePush" + also;
  const std::string where =
      domain.empty() ? "default NVTX domain" : "NVTX domains that were asked for";
  return "it marked no region in the " + where +
         "; mark some with nvtxRangePush, take others with --domain NAME" + also;
}

}  // namespace

std::string ProgramOf(const Run& run) { return BaseName(FirstWord(run.command)); }

std::string WhyNoProcess(const Run& run) {
  if (run.losses.contains(kNoMarkerLoss)) {
    return "it called no LIKWID marker, or ended before it closed them (_exit, a signal); build it "
           "with -DLIKWID_NVMON and NVMON_MARKER_INIT, _START, _STOP and _CLOSE";
  }
  const std::string lost = LossesText(run.losses);
  if (!lost.empty()) {
    return "no process of it reached Rafter; lost: " + lost + "; see what \"rafter doctor\" says";
  }
  const int status = run.exit_status.value_or(0);
  const std::string when =
      status == 0 ? "" : " before it ended with status " + std::to_string(status);
  // A crash may come before the library has said that it is there.
  if (status > kFirstSignalStatus) {
    return "no process of it reached Rafter" + when + "; see that it ends well without Rafter";
  }
  return "no process of it started CUDA or marked a region" + when +
         "; see that it uses the GPU and marks regions; " + std::string(kOtherContexts);
}

bool GaveNoRegion(const RunProcess& process) {
  return std::none_of(process.paths.begin(), process.paths.end(),
                      [](const RegionPath& region) { return region.calls > 0; });
}

std::string WhyNoRegion(const RunProcess& process) {
  const std::string lost = LossesText(process.losses);
  if (!lost.empty()) return "no region of it is known; lost: " + lost;
  if (!process.paths.empty())
    return "no region of it came to an end; let the program end by itself";
  if (StartedCuda(process)) return NoMark(process);
  return NoMark(process) + "; " + WhyNoGpu(process);
}

std::string WhyNoGpu(const RunProcess& process) {
  for (const RegionPath& region : process.paths) {
    const auto waited = region.uncounted.find(std::string(kNotOurTurn));
    if (waited == region.uncounted.end() || waited->second == 0) continue;
    return "its turn to count did not come; let it run for longer, or give it a GPU of its own";
  }
  return "no GPU of it is known, so see that it uses CUDA; " + std::string(kOtherContexts);
}

std::optional<Row> RowOfCommand(const Run& run) {
  if (!run.processes.empty() || run.command.empty()) return std::nullopt;
  Row row;
  row.executable = ProgramOf(run);
  row.validity = ValidityText(Validity::kMissing);
  row.reason = WhyNoProcess(run);
  if (run.losses.contains(kNoMarkerLoss)) row.source = "likwid";
  return row;
}

Row RowOfProcess(const RunProcess& process, const TableOptions& options) {
  Row row;
  row.executable = BaseName(process.executable);
  row.hardware = options.hardware;
  if (row.hardware.empty()) {
    std::vector<std::string> names;
    for (const RunDevice& device : process.devices) {
      if (std::find(names.begin(), names.end(), device.name) == names.end()) {
        names.push_back(device.name);
      }
    }
    row.hardware = Join(names, ", ");
  }
  if (process.devices.size() == 1) {
    row.device = Count(process.devices.front().device);
    row.device_uuid = process.devices.front().uuid;
  }
  if (process.rank) row.rank = Count(*process.rank);
  row.host = ValidUtf8(process.host);
  row.process = Count(process.pid);
  row.validity = ValidityText(Validity::kMissing);
  row.reason = WhyNoRegion(process);
  return row;
}

}  // namespace rafter
