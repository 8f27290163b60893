#include "collector/table/region_values.h"

#include <algorithm>
#include <limits>

#include "collector/table/metric.h"

namespace rafter {
namespace {

// The slots of one region and of those below it, in one epoch.
struct Gathered {
  std::vector<const SlotValues*> own;
  std::vector<const SlotValues*> all;
};

std::optional<size_t> PositionOf(const CounterSet& set, std::string_view metric) {
  for (size_t i = 0; i < set.counters.size(); ++i) {
    if (set.counters[i].metric == metric) return i;
  }
  return std::nullopt;
}

std::optional<double> At(const SlotValues& slot, size_t counter) {
  return counter < slot.values.size() ? slot.values[counter] : std::nullopt;
}

// Slots without a segment were never the innermost region: nothing was counted
// in them, and their absent values mean nothing.
std::vector<const SlotValues*> Counted(const std::vector<const SlotValues*>& slots) {
  std::vector<const SlotValues*> counted;
  for (const SlotValues* slot : slots) {
    if (slot->segments > 0) counted.push_back(slot);
  }
  return counted;
}

std::optional<double> Sum(const std::vector<const SlotValues*>& slots, size_t counter) {
  if (slots.empty()) return std::nullopt;
  double sum = 0;
  for (const SlotValues* slot : slots) {
    const std::optional<double> value = At(*slot, counter);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

std::optional<double> Highest(const std::vector<const SlotValues*>& slots, size_t counter) {
  std::optional<double> highest;
  for (const SlotValues* slot : slots) {
    const std::optional<double> value = At(*slot, counter);
    if (value && (!highest || *value > *highest)) highest = value;
  }
  return highest;
}

// A rate over several ranges: the mean weighted by the GPU time of each, where
// the set has it. Without times there is no right weight; then the one range
// that has a value gives it, or the region's own range does.
std::optional<double> Rate(const Gathered& gathered, const CounterSet& set, size_t counter) {
  std::vector<const SlotValues*> with_value;
  for (const SlotValues* slot : Counted(gathered.all)) {
    if (At(*slot, counter)) with_value.push_back(slot);
  }
  if (with_value.empty()) return std::nullopt;
  if (with_value.size() == 1) return At(*with_value.front(), counter);
  const std::optional<size_t> time = PositionOf(set, kGpuTimeMetric);
  double weighted = 0;
  double weight = 0;
  for (const SlotValues* slot : with_value) {
    const double time_ns = time ? At(*slot, *time).value_or(0) : 0;
    weighted += *At(*slot, counter) * time_ns;
    weight += time_ns;
  }
  if (weight > 0) return weighted / weight;
  for (const SlotValues* slot : Counted(gathered.own)) {
    if (At(*slot, counter)) return At(*slot, counter);
  }
  return std::nullopt;
}

EpochValues Fold(const Gathered& gathered, const CounterSet& set, uint64_t calls) {
  const std::vector<const SlotValues*> counted = Counted(gathered.all);
  EpochValues folded;
  folded.calls = calls;
  folded.values.resize(set.counters.size());
  for (size_t i = 0; i < set.counters.size(); ++i) {
    switch (KindOf(set.counters[i].metric)) {
      case MetricKind::kAmount:
        folded.values[i] = Sum(counted, i);
        break;
      case MetricKind::kRate:
        folded.values[i] = Rate(gathered, set, i);
        break;
      case MetricKind::kPeak:
        folded.values[i] = Highest(counted, i);
        break;
    }
  }
  return folded;
}

// Adds what one epoch says of one region to `values`, or counts why not.
void AddEpoch(const Gathered& gathered, SetValues& values) {
  uint64_t calls = 0;
  for (const SlotValues* slot : gathered.own) calls += slot->instances;
  // The region's own slot tells how many calls there were; without one the
  // stretches below belong to a call that another epoch holds.
  if (calls == 0) return;
  const auto any = [&](auto condition) {
    return std::any_of(gathered.all.begin(), gathered.all.end(), condition);
  };
  if (any([](const SlotValues* slot) { return slot->incomplete > 0; })) {
    values.cut_short_calls += calls;
  } else if (any([](const SlotValues* slot) { return !slot->evaluated; })) {
    values.unevaluated_calls += calls;
  } else {
    values.epochs.push_back(Fold(gathered, *values.set, calls));
  }
}

std::optional<size_t> SetPosition(const RunDevice& device, std::string_view name) {
  for (size_t i = 0; i < device.sets.size(); ++i) {
    if (device.sets[i].name == name) return i;
  }
  return std::nullopt;
}

// A total over `calls` calls of which `measured` were. Extended precision, so
// that a whole number of operations per call stays whole.
double OverAllCalls(double sum, uint64_t measured, uint64_t calls) {
  return static_cast<double>(static_cast<long double>(sum) * static_cast<long double>(calls) /
                             static_cast<long double>(measured));
}

std::optional<double> Weighted(const EpochValues& epoch, const CounterSet& set,
                               const std::vector<Term>& terms) {
  double sum = 0;
  for (const Term& term : terms) {
    const std::optional<size_t> place = PositionOf(set, term.metric);
    if (!place && term.if_planned) continue;
    if (!place || !epoch.values[*place]) return std::nullopt;
    sum += term.weight * *epoch.values[*place];
  }
  return sum;
}

void NotePerCall(double per_call, MetricTotal& total) {
  total.least_per_call = std::min(total.least_per_call, per_call);
  total.greatest_per_call = std::max(total.greatest_per_call, per_call);
}

// Sets in the order of trust for anything but GPU time.
std::vector<const SetValues*> ByTrust(const RegionValues& values) {
  std::vector<const SetValues*> order;
  for (const SetValues& set : values) order.push_back(&set);
  const auto distrust = [](const SetValues* set) {
    return set->set->name == "time" ? 0 : PatchesKernels(*set->set) ? 2 : 1;
  };
  std::stable_sort(order.begin(), order.end(), [&](const SetValues* a, const SetValues* b) {
    return distrust(a) < distrust(b);
  });
  return order;
}

// The first call of a process is slower than the others (code is loaded, pages
// are touched), and one measured call of eight would weigh it too much. Where
// the first epoch holds that call alone, it counts once, and the calls that
// were not measured count as the mean of the later ones.
MetricTotal FirstCallOnce(const SetValues& values, MetricTotal total, uint64_t calls) {
  if (total.epochs < 2 || values.epochs.front().calls != 1 || calls < total.measured_calls) {
    return total;
  }
  SetValues later = values;
  later.epochs.erase(later.epochs.begin());
  const auto rest = WeightedTotal(later, {{std::string(kGpuTimeMetric)}}, 0);
  if (!rest || rest->measured_calls + 1 != total.measured_calls) return total;
  const double measured = total.mean_per_call * static_cast<double>(total.measured_calls);
  total.value = measured + rest->mean_per_call * static_cast<double>(calls - total.measured_calls);
  total.mean_per_call = total.value / static_cast<double>(calls);
  if (rest->epochs > 1) {
    total.least_per_call = rest->least_per_call;
    total.greatest_per_call = rest->greatest_per_call;
  }
  return total;
}

std::optional<MetricTotal> FindGpuTime(const RegionValues& values, uint64_t calls) {
  std::optional<MetricTotal> least;
  for (const SetValues* set : ByTrust(values)) {
    if (PatchesKernels(*set->set)) continue;
    auto total = WeightedTotal(*set, {{std::string(kGpuTimeMetric)}}, calls);
    if (!total) continue;
    total = FirstCallOnce(*set, *total, calls);
    if (set->set->name == "time") return total;
    if (!least || total->mean_per_call < least->mean_per_call) least = total;
  }
  return least;
}

std::optional<MetricTotal> MeanOrPeak(const SetValues& values, size_t counter, bool peak) {
  MetricTotal total;
  total.set = values.set->name;
  total.least_per_call = std::numeric_limits<double>::infinity();
  total.greatest_per_call = -std::numeric_limits<double>::infinity();
  double weighted = 0;
  for (const EpochValues& epoch : values.epochs) {
    const std::optional<double> value = epoch.values[counter];
    if (!value) continue;
    weighted += *value * static_cast<double>(epoch.calls);
    total.measured_calls += epoch.calls;
    ++total.epochs;
    NotePerCall(*value, total);
  }
  if (total.epochs == 0) return std::nullopt;
  total.mean_per_call = weighted / static_cast<double>(total.measured_calls);
  total.value = peak ? total.greatest_per_call : total.mean_per_call;
  return total;
}

}  // namespace

bool PatchesKernels(const CounterSet& set) {
  return set.name == "flop" ||
         std::any_of(set.counters.begin(), set.counters.end(),
                     [](const Counter& counter) { return IsPatched(counter.metric); });
}

std::map<uint32_t, RegionValues> CollectRegionValues(const RunProcess& process,
                                                     const RunDevice& device,
                                                     const RegionTree& tree, Share share) {
  std::map<uint32_t, RegionValues> regions;
  for (const Epoch& epoch : process.epochs) {
    const std::optional<size_t> set = SetPosition(device, epoch.set);
    if (epoch.device != device.device || !set) continue;
    std::map<uint32_t, Gathered> gathered;
    for (const SlotValues& slot : epoch.slots) {
      gathered[slot.path].own.push_back(&slot);
      if (share == Share::kExclusive) gathered[slot.path].all.push_back(&slot);
      if (share == Share::kExclusive) continue;
      for (const uint32_t path : tree.WithAncestors(slot.path)) {
        gathered[path].all.push_back(&slot);
      }
    }
    for (const auto& [path, slots] : gathered) {
      RegionValues& values = regions[path];
      if (values.empty()) {
        for (const CounterSet& each : device.sets) values.push_back({&each, {}, 0, 0});
      }
      AddEpoch(slots, values[*set]);
    }
  }
  return regions;
}

std::optional<MetricTotal> WeightedTotal(const SetValues& values, const std::vector<Term>& terms,
                                         uint64_t calls) {
  MetricTotal total;
  total.set = values.set->name;
  total.least_per_call = std::numeric_limits<double>::infinity();
  total.greatest_per_call = -std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const EpochValues& epoch : values.epochs) {
    const std::optional<double> amount = Weighted(epoch, *values.set, terms);
    if (!amount) continue;
    sum += *amount;
    total.measured_calls += epoch.calls;
    ++total.epochs;
    NotePerCall(*amount / static_cast<double>(epoch.calls), total);
  }
  if (total.epochs == 0) return std::nullopt;
  total.mean_per_call = sum / static_cast<double>(total.measured_calls);
  total.value = OverAllCalls(sum, total.measured_calls, calls);
  return total;
}

std::optional<MetricTotal> FindMetric(const RegionValues& values, std::string_view metric,
                                      uint64_t calls) {
  if (metric == kGpuTimeMetric) return FindGpuTime(values, calls);
  const MetricKind kind = KindOf(metric);
  for (const SetValues* set : ByTrust(values)) {
    const std::optional<size_t> place = PositionOf(*set->set, metric);
    if (!place) continue;
    const auto total = kind == MetricKind::kAmount
                           ? WeightedTotal(*set, {{std::string(metric)}}, calls)
                           : MeanOrPeak(*set, *place, kind == MetricKind::kPeak);
    if (total) return total;
  }
  return std::nullopt;
}

std::optional<MetricTotal> FindFlop(const RegionValues& values, std::string_view precision,
                                    const TableOptions& options, uint64_t calls) {
  const std::vector<Term> terms = FlopTerms(precision, options);
  for (const SetValues& set : values) {
    if (terms.empty() || !PositionOf(*set.set, terms.front().metric)) continue;
    if (const auto total = WeightedTotal(set, terms, calls)) return total;
  }
  if (precision != "tensor") return std::nullopt;
  // Each format may be a set of its own; all that were planned must be there.
  std::optional<MetricTotal> sum;
  for (const SetValues& set : values) {
    for (const Counter& counter : set.set->counters) {
      if (!IsTensorFlop(counter.metric)) continue;
      const auto format = WeightedTotal(set, {{counter.metric}}, calls);
      if (!format) return std::nullopt;
      if (!sum) {
        sum = format;
        continue;
      }
      sum->value += format->value;
      sum->least_per_call += format->least_per_call;
      sum->greatest_per_call += format->greatest_per_call;
      sum->mean_per_call += format->mean_per_call;
      sum->measured_calls = std::min(sum->measured_calls, format->measured_calls);
    }
  }
  return sum;
}

uint64_t MeasuredCalls(const SetValues& values) {
  std::optional<uint64_t> least;
  for (size_t i = 0; i < values.set->counters.size(); ++i) {
    if (KindOf(values.set->counters[i].metric) == MetricKind::kPeak) continue;
    uint64_t calls = 0;
    for (const EpochValues& epoch : values.epochs) calls += epoch.values[i] ? epoch.calls : 0;
    if (calls > 0) least = std::min(least.value_or(calls), calls);
  }
  return least.value_or(0);
}

}  // namespace rafter
