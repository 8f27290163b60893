#include "collector/trace/trace.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "collector/trace/epoch_rates.h"
#include "collector/trace/slice_lanes.h"
#include "collector/trace/trace_regions.h"
#include "collector/trace/track_list.h"

namespace rafter {
namespace {

// Of all runs of the trace.
using Processes = std::vector<const RunProcess*>;

// Linux gives no greater one (PID_MAX_LIMIT).
constexpr uint32_t kGreatestPid = 1u << 22;

// Perfetto takes processes of one pid for one. Ranks on several hosts, and runs one
// after another, may have the same: all but the first get a number beyond Linux's.
std::vector<int32_t> PidsFor(const Processes& processes) {
  std::vector<int32_t> pids;
  for (const RunProcess* process : processes) {
    const bool is_usable = process->pid != 0 && process->pid <= kGreatestPid;
    const bool is_taken = std::any_of(pids.begin(), pids.end(), [&](int32_t pid) {
      return pid == static_cast<int32_t>(process->pid);
    });
    pids.push_back(static_cast<int32_t>(is_usable && !is_taken ? process->pid
                                                               : kGreatestPid + 1 + pids.size()));
  }
  return pids;
}

// What places times of a host on the wall clock: the pair that its first process read,
// so that processes of one host keep their distances to the nanosecond.
uint64_t OffsetOf(const Processes& processes, const RunProcess& process) {
  for (const RunProcess* first : processes) {
    if (first->host == process.host && first->boot_id == process.boot_id) {
      return first->realtime_ns - first->monotonic_ns;
    }
  }
  return process.realtime_ns - process.monotonic_ns;
}

void AddLosses(const std::map<std::string, uint64_t>& losses, Annotations& annotations) {
  for (const auto& [kind, count] : losses) {
    if (count > 0) annotations.push_back({kind, count});
  }
}

// One event at the process's start that says what is not in the trace.
void WriteLosses(PacketWriter& writer, const TrackList& tracks, const RunProcess& process,
                 const std::map<std::string, uint64_t>& of_the_collector, uint64_t offset_ns) {
  Annotations annotations;
  AddLosses(process.losses, annotations);
  AddLosses(of_the_collector, annotations);
  for (const RegionPath& path : process.paths) {
    if (path.dropped_calls == 0) continue;
    annotations.push_back({absl::StrCat("calls of ", path.name), path.dropped_calls});
  }
  if (annotations.empty()) return;
  writer.Instant(tracks.process(), process.monotonic_ns + offset_ns, "loss",
                 "not all of this run was recorded", annotations);
}

// The epochs of one device, and their rates.
void WriteEpochs(PacketWriter& writer, TrackList& tracks, const RunProcess& process,
                 const RunDevice& device, uint64_t offset_ns) {
  std::vector<const Epoch*> epochs;
  for (const Epoch& epoch : process.epochs) {
    if (epoch.device == device.device) epochs.push_back(&epoch);
  }
  std::stable_sort(epochs.begin(), epochs.end(), [](const Epoch* one, const Epoch* other) {
    return one->start_ns != other->start_ns ? one->start_ns < other->start_ns
                                            : one->end_ns > other->end_ns;
  });
  const EpochRates rates(process, device);
  SliceLanes lanes(
      [&](size_t lane, uint64_t end_ns) {
        writer.End(tracks.Epochs(device, lane), end_ns + offset_ns);
      },
      [](uint32_t, uint32_t) { return false; });
  for (const Epoch* epoch : epochs) {
    const uint64_t start_ns = epoch->start_ns + offset_ns;
    const uint64_t end_ns = std::max(epoch->start_ns, epoch->end_ns) + offset_ns;
    const std::vector<std::optional<double>> values = rates.Of(*epoch);
    Annotations annotations{{"epoch", uint64_t{epoch->epoch}},
                            {"ranges", uint64_t{epoch->slots.size()}}};
    for (size_t kind = 0; kind < values.size(); ++kind) {
      if (!values[kind].has_value()) continue;
      const RateKind& rate = EpochRates::Kinds()[kind];
      annotations.push_back({absl::StrCat(rate.name, " [", rate.unit, "]"), *values[kind]});
      writer.Count(tracks.Rate(device, kind), start_ns, *values[kind]);
      writer.Count(tracks.Rate(device, kind), end_ns, *values[kind]);
    }
    const std::optional<size_t> lane = lanes.Begin(0, epoch->start_ns, end_ns - offset_ns);
    if (!lane.has_value()) continue;  // a GPU has one owner at a time
    writer.Begin(tracks.Epochs(device, *lane), start_ns, "counters",
                 absl::StrCat("counting ", epoch->set), annotations);
  }
  lanes.Finish();
}

}  // namespace

absl::StatusOr<TraceCounts> WriteTrace(RunFile& file, const std::vector<TracedRun>& runs,
                                       const ByteSink& sink) {
  TraceCounts counts;
  PacketWriter writer(sink);
  Processes processes;
  for (const TracedRun& traced : runs) {
    for (const RunProcess& process : traced.run.processes) processes.push_back(&process);
  }
  const std::vector<int32_t> pids = PidsFor(processes);
  size_t at = 0;
  for (const TracedRun& traced : runs) {
    const RegionVerdicts verdicts = VerdictsOf(traced.table);
    std::map<std::string, uint64_t> losses = traced.run.losses;  // said at the first process
    for (const RunProcess& process : traced.run.processes) {
      if (at == 0) writer.Clocks(process.monotonic_ns, process.realtime_ns);
      const uint64_t offset_ns = OffsetOf(processes, process);
      TrackList tracks(writer, process, pids[at++]);
      WriteLosses(writer, tracks, process, std::exchange(losses, {}), offset_ns);
      TraceRegions regions(writer, tracks, process, verdicts, offset_ns);
      if (absl::Status status = regions.Write(file, counts); !status.ok()) return status;
      for (const RunDevice& device : process.devices) {
        WriteEpochs(writer, tracks, process, device, offset_ns);
      }
      if (!writer.status().ok()) return writer.status();
    }
  }
  return counts;
}

}  // namespace rafter
