#include "tools/run_sets.h"

#include <algorithm>
#include <memory>

#include "cupti/host.h"
#include "cupti/sets.h"
#include "tools/absl_status.h"

namespace rafter {
namespace {

// What the library counts when nothing is asked for.
constexpr const char* kSetsOfARun = "time,memory,sm,flop";

// The cheapest, to learn the chip from.
constexpr const char* kFirstSet = "time";

}  // namespace

Result<std::vector<std::string>> SetsByRun(const std::string& asked, const std::string& metrics) {
  Result<std::vector<std::string>> sets = ParseSetList(asked.empty() ? kSetsOfARun : asked);
  if (!sets.ok()) return sets;
  if (HasFormats(sets->front())) sets->insert(sets->begin(), kFirstSet);
  if (metrics.empty()) return sets;
  std::string list = metrics;
  std::replace(list.begin(), list.end(), ',', '+');
  sets->push_back("metrics:" + list);
  return sets;
}

bool HasFormats(const std::string& set) {
  return set == "tensor" || set == "occupancy" || set == "memory-workload" ||
         set == "speed-of-light";
}

Result<std::vector<std::string>> FormatsOf(RunFile& run_file, const CuptiSearch& search,
                                           const std::string& set) {
  Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(search);
  if (!host.ok()) return host.status();
  const absl::StatusOr<Run> run = run_file.Read();
  if (!run.ok()) return ToStatus(run.status());
  std::vector<std::string> names;
  for (const RunProcess& process : run->processes) {
    const auto devices = run_file.Devices(process.id);
    if (!devices.ok()) return ToStatus(devices.status());
    for (const RunFile::StoredDevice& stored : *devices) {
      const Result<ChosenPlan> plan =
          PlanSets(**host, stored.device.chip, stored.availability, {set});
      if (!plan.ok()) return plan.status();
      for (const ChosenSet& chosen : plan->sets) {
        const bool known = std::find(names.begin(), names.end(), chosen.name) != names.end();
        if (!known) names.push_back(chosen.name);
      }
    }
  }
  return names;
}

}  // namespace rafter
