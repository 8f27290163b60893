#include "collector/table/replayed.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "collector/table/replay_pairs.h"

namespace rafter {
namespace {

// Numbers of the first run for the regions of another one; regions that only
// the other has get new ones.
std::map<uint32_t, uint32_t> RegionNumbers(RunProcess& into, const RunProcess& from) {
  std::map<uint32_t, uint32_t> numbers;
  const RegionKeys keys_from(from);
  const RegionKeys keys_into(into);
  uint32_t next = 1;
  for (const RegionPath& path : into.paths) next = std::max(next, path.path + 1);
  std::vector<RegionPath> added;
  for (const RegionPath& path : from.paths) {
    if (const RegionPath* known = keys_into.Find(keys_from.Of(path.path))) {
      numbers[path.path] = known->path;
      continue;
    }
    RegionPath& copy = added.emplace_back(path);
    copy.path = next++;
    numbers[path.path] = copy.path;
    if (copy.parent != 0) copy.parent = numbers[copy.parent];
    for (uint32_t& member : copy.members) member = numbers[member];
  }
  into.paths.insert(into.paths.end(), added.begin(), added.end());
  return numbers;
}

// 0, which is no region, for one whose name and calls were lost: its own number
// may be another region's in the first run.
uint32_t NumberOf(uint32_t path, const std::map<uint32_t, uint32_t>& numbers) {
  const auto number = numbers.find(path);
  return number == numbers.end() ? 0 : number->second;
}

void JoinSums(InstanceSums& joined, const InstanceSums& sums) {
  joined.counted_calls = std::min(joined.counted_calls, sums.counted_calls);
  joined.dropped_calls = std::max(joined.dropped_calls, sums.dropped_calls);
  for (const auto& [reason, calls] : sums.uncounted) {
    joined.uncounted[reason] = std::max(joined.uncounted[reason], calls);
  }
}

// Calls that some set lacks are said to be uncounted, once for each reason.
void JoinCalls(RunProcess& into, const RunProcess& from,
               const std::map<uint32_t, uint32_t>& numbers) {
  std::map<uint32_t, RegionPath*> paths;
  for (RegionPath& path : into.paths) paths[path.path] = &path;
  for (const RegionPath& path : from.paths) {
    RegionPath& joined = *paths.at(numbers.at(path.path));
    JoinSums(joined, path);
    for (const auto& [device, sums] : path.by_device) {
      const auto [known, is_new] = joined.by_device.try_emplace(device, sums);
      if (!is_new) JoinSums(known->second, sums);
    }
  }
}

bool HasSet(const RunDevice& device, const std::string& name) {
  return std::any_of(device.sets.begin(), device.sets.end(),
                     [&](const CounterSet& set) { return set.name == name; });
}

void JoinSets(RunDevice& into, const RunDevice& from) {
  uint32_t next_pass = 0;
  for (const CounterSet& set : into.sets)
    next_pass = std::max(next_pass, set.first_pass + set.passes);
  for (const CounterSet& set : from.sets) {
    if (HasSet(into, set.name)) continue;
    CounterSet& added = into.sets.emplace_back(set);
    added.first_pass = next_pass;
    next_pass += set.passes;
  }
  into.missing.insert(into.missing.end(), from.missing.begin(), from.missing.end());
  if (into.wanted_sets != from.wanted_sets) into.wanted_sets += "," + from.wanted_sets;
  if (into.plan_error.empty()) into.plan_error = from.plan_error;
  if (into.plan_origin.empty()) into.plan_origin = from.plan_origin;
}

uint32_t PassesOf(const RunDevice& device) {
  uint32_t passes = 0;
  for (const CounterSet& set : device.sets) passes = std::max(passes, set.first_pass + set.passes);
  return passes;
}

void JoinDevices(RunProcess& into, const RunProcess& from,
                 std::map<uint32_t, uint32_t>& first_passes) {
  for (const RunDevice& device : from.devices) {
    const auto known =
        std::find_if(into.devices.begin(), into.devices.end(),
                     [&](const RunDevice& each) { return each.device == device.device; });
    if (known == into.devices.end()) {
      into.devices.push_back(device);
      continue;
    }
    first_passes[device.device] = PassesOf(*known);
    JoinSets(*known, device);
  }
}

// Epochs keep their order, so that what comes first in a set stays first.
void JoinEpochs(RunProcess& into, const RunProcess& from,
                const std::map<uint32_t, uint32_t>& numbers,
                const std::map<uint32_t, uint32_t>& first_passes) {
  uint32_t last = 0;
  for (const Epoch& epoch : into.epochs) last = std::max(last, epoch.epoch);
  for (const Epoch& epoch : from.epochs) {
    Epoch& added = into.epochs.emplace_back(epoch);
    added.epoch += last;
    if (added.chain != 0) added.chain += last;
    const auto first_pass = first_passes.find(epoch.device);
    if (first_pass != first_passes.end()) added.pass += first_pass->second;
    for (SlotValues& slot : added.slots) slot.path = NumberOf(slot.path, numbers);
  }
}

void TakeLaunches(InstanceSums& into, const InstanceSums& from) {
  into.watched_calls = from.watched_calls;
  into.launches = from.launches;
  into.least_launches = from.least_launches;
  into.most_launches = from.most_launches;
}

uint64_t WatchedCalls(const RunProcess& process) {
  uint64_t calls = 0;
  for (const RegionPath& path : process.paths) calls += path.watched_calls;
  return calls;
}

// Launches and kernels of one run, since only together they say whether a region
// launched one kernel alone: of the run that watched most.
void JoinLaunches(RunProcess& into, const RunProcess& from,
                  const std::map<uint32_t, uint32_t>& numbers) {
  if (WatchedCalls(from) <= WatchedCalls(into)) return;
  std::map<uint32_t, const RegionPath*> watched;
  for (const RegionPath& path : from.paths) watched[numbers.at(path.path)] = &path;
  for (RegionPath& path : into.paths) {
    static const RegionPath never;
    const auto found = watched.find(path.path);
    const RegionPath& source = found == watched.end() ? never : *found->second;
    TakeLaunches(path, source);
    for (auto& [device, sums] : path.by_device) {
      const auto of_source = source.by_device.find(device);
      TakeLaunches(sums, of_source == source.by_device.end() ? never : of_source->second);
    }
  }
  into.kernels = from.kernels;
  for (RunKernel& kernel : into.kernels) kernel.path = NumberOf(kernel.path, numbers);
}

void JoinHealth(RunProcess& into, const RunProcess& from) {
  for (const RunNote& note : from.notes) {
    const bool known = std::any_of(into.notes.begin(), into.notes.end(), [&](const RunNote& each) {
      return each.about == note.about && each.text == note.text;
    });
    if (!known) into.notes.push_back(note);
  }
  for (const auto& [kind, count] : from.losses) into.losses[kind] += count;
  if (from.ending.empty()) into.ending.clear();
}

RunProcess JoinPartners(const Partners& partners) {
  RunProcess joined = *partners.front();
  joined.replay = 0;
  joined.cost.reset();  // is of one run each
  for (size_t i = 1; i < partners.size(); ++i) {
    const RunProcess& from = *partners[i];
    const auto numbers = RegionNumbers(joined, from);
    std::map<uint32_t, uint32_t> first_passes;
    JoinCalls(joined, from, numbers);
    JoinDevices(joined, from, first_passes);
    JoinEpochs(joined, from, numbers, first_passes);
    JoinLaunches(joined, from, numbers);
    JoinHealth(joined, from);
  }
  return joined;
}

// What LIKWID read belongs to the process that its own is put into.
void MoveMarkers(const std::vector<Partners>& joined, std::vector<MarkerReadings>& markers) {
  std::map<int64_t, int64_t> into;
  for (const Partners& partners : joined) {
    for (const RunProcess* each : partners) into[each->id] = partners.front()->id;
  }
  for (MarkerReadings& each : markers) {
    const auto found = into.find(each.process);
    if (found != into.end()) each.process = found->second;
  }
}

}  // namespace

Replayed JoinReplays(Run run) {
  const std::set<uint32_t> replays = ReplaysOf(run);
  if (replays.empty()) return {std::move(run), 0, "", ""};
  const ReplayPairs pairs = PairReplays(run, replays);
  if (!pairs.difference.empty()) return {std::move(run), 0, pairs.difference, ""};
  std::map<const RunProcess*, const Partners*> by_first;
  for (const Partners& partners : pairs.partners) by_first[partners.front()] = &partners;
  std::set<int64_t> readers;  // of LIKWID's counters: processes that have rows without regions
  for (const MarkerReadings& markers : run.markers) readers.insert(markers.process);
  std::vector<RunProcess> processes;
  for (const RunProcess& process : run.processes) {
    const auto found = by_first.find(&process);
    if (found != by_first.end()) {
      processes.push_back(JoinPartners(*found->second));
    } else if (readers.contains(process.id) && !CalledAny(process)) {
      processes.push_back(process);
      processes.back().replay = 0;
    } else if (process.replay <= *replays.begin() && !CalledAny(process)) {
      processes.push_back(process);  // has no row; its reasons are told once
      processes.back().replay = 0;
    } else if (process.replay == 0) {
      processes.push_back(process);
    }
  }
  MoveMarkers(pairs.partners, run.markers);
  run.processes = std::move(processes);
  return {std::move(run), replays.size(), "", pairs.other_calls};
}

}  // namespace rafter
