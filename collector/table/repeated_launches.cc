#include "collector/table/repeated_launches.h"

#include <algorithm>

#include "collector/table/metric.h"

namespace rafter {
namespace {

// Ranges that are of one launch for certain.
Gathered Certain(const Gathered& gathered) {
  Gathered certain;
  for (const SlotValues* slot : gathered.all) {
    if (slot->segments > 0 && slot->incomplete == 0) certain.all.push_back(slot);
  }
  return certain;
}

// No launch is no work.
std::optional<double> NoWork(const Counter& counter) {
  return KindOf(counter.metric) == MetricKind::kAmount ? std::optional<double>(0) : std::nullopt;
}

uint64_t PassesOf(const Gathered& gathered) {
  uint64_t passes = 0;
  for (const SlotValues* slot : gathered.own) passes += slot->instances;
  return passes;
}

}  // namespace

bool HasRepeatedLaunches(const LogicalEpoch& epoch) {
  return std::any_of(epoch.slots.begin(), epoch.slots.end(),
                     [](const SlotValues* slot) { return slot->range != 0; });
}

void AddRepeatedLaunches(const Gathered& gathered, const RegionPath& region,
                         const InstanceSums& instances, SetValues& values) {
  const Gathered certain = Certain(gathered);
  RepeatedLaunches& repeated = values.repeated.emplace();
  for (const SlotValues* slot : certain.all) repeated.measured += slot->segments;
  repeated.seen = region.launch ? instances.calls : instances.launches;
  // Launches of one kind are alike; those of a region are not.
  const uint64_t calls = region.launch ? repeated.measured : instances.watched_calls;
  if (!region.launch && (repeated.measured != repeated.seen || PassesOf(gathered) == 0)) return;
  if (calls == 0) return;
  if (std::any_of(certain.all.begin(), certain.all.end(),
                  [](const SlotValues* slot) { return !slot->evaluated; })) {
    values.unevaluated_calls += calls;
    return;
  }
  EpochValues& epoch = values.epochs.emplace_back();
  epoch.calls = calls;
  for (size_t i = 0; i < values.set->counters.size(); ++i) {
    epoch.values.push_back(certain.all.empty() ? NoWork(values.set->counters[i])
                                               : Fold(certain, *values.set, i));
  }
}

}  // namespace rafter
