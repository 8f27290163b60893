#include "collector/table/region_values.h"

#include <algorithm>
#include <limits>

#include "collector/table/composition.h"
#include "collector/table/logical_epochs.h"
#include "collector/table/metric.h"
#include "collector/table/repeated_launches.h"
#include "collector/table/slot_fold.h"

namespace rafter {
namespace {

EpochValues FoldAll(const Gathered& gathered, const CounterSet& set, uint64_t calls) {
  EpochValues folded;
  folded.calls = calls;
  for (size_t i = 0; i < set.counters.size(); ++i) {
    folded.values.push_back(Fold(gathered, set, i));
  }
  return folded;
}

std::map<uint32_t, Gathered> GatherByPath(const LogicalEpoch& epoch, const RegionTree& tree,
                                          Share share) {
  std::map<uint32_t, Gathered> gathered;
  for (const SlotValues* slot : epoch.slots) {
    gathered[slot->path].own.push_back(slot);
    if (share == Share::kExclusive) {
      gathered[slot->path].all.push_back(slot);
      continue;
    }
    for (const uint32_t path : tree.WithAncestors(slot->path)) {
      gathered[path].all.push_back(slot);
    }
  }
  return gathered;
}

// Whether the slot spoils calls of a region that it is in, or below.
bool LacksParts(const SlotValues& slot, const Gathered& gathered) {
  const bool is_own =
      std::find(gathered.own.begin(), gathered.own.end(), &slot) != gathered.own.end();
  return slot.incomplete > (is_own ? 0 : slot.crossed);
}

// Adds what one epoch says of one region to `values`, or counts why not.
void AddEpoch(const Gathered& gathered, bool is_whole, SetValues& values) {
  uint64_t calls = 0;
  uint64_t incomplete = 0;
  for (const SlotValues* slot : gathered.own) {
    calls += slot->instances;
    incomplete += slot->incomplete;
  }
  // The region's own slot tells how many calls there were; without one the
  // stretches below belong to a call that another epoch holds.
  if (calls == 0) {
    values.cut_short_calls += incomplete;
    return;
  }
  const auto any = [&](auto condition) {
    return std::any_of(gathered.all.begin(), gathered.all.end(), condition);
  };
  if (!is_whole || any([&](const SlotValues* slot) { return LacksParts(*slot, gathered); })) {
    values.cut_short_calls += calls;
  } else if (any([](const SlotValues* slot) { return !slot->evaluated; })) {
    values.unevaluated_calls += calls;
  } else {
    values.epochs.push_back(FoldAll(gathered, *values.set, calls));
  }
}

// A total over `calls` calls of which `measured` were. Extended precision, so
// that a whole number of operations per call stays whole.
double OverAllCalls(double sum, uint64_t measured, uint64_t calls) {
  return static_cast<double>(static_cast<long double>(sum) * static_cast<long double>(calls) /
                             static_cast<long double>(measured));
}

// What was put together of parts: a total of which no call was measured whole.
std::optional<MetricTotal> ComposedTotal(const SetValues& values, std::optional<double> value,
                                         uint64_t calls) {
  if (!value) return std::nullopt;
  MetricTotal total;
  total.set = values.set->name;
  total.value = *value;
  total.mean_per_call = calls > 0 ? *value / static_cast<double>(calls) : 0;
  total.least_per_call = total.greatest_per_call = total.mean_per_call;
  return total;
}

std::optional<double> Weighted(const std::vector<std::optional<double>>& values,
                               const CounterSet& set, const std::vector<Term>& terms) {
  double sum = 0;
  for (const Term& term : terms) {
    const std::optional<size_t> place = PositionOf(set, term.metric);
    if (!place && term.if_planned) continue;
    if (!place || *place >= values.size() || !values[*place]) return std::nullopt;
    sum += term.weight * *values[*place];
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

void AddTo(const MetricTotal& part, std::optional<MetricTotal>& sum) {
  if (!sum) {
    sum = part;
    return;
  }
  sum->value += part.value;
  sum->least_per_call += part.least_per_call;
  sum->greatest_per_call += part.greatest_per_call;
  sum->mean_per_call += part.mean_per_call;
  sum->measured_calls = std::min(sum->measured_calls, part.measured_calls);
}

// Of one format, or of all floating-point formats that were planned. Each is in
// sets of its own, and all of their counters must be there.
std::optional<MetricTotal> FindTensorFlop(const RegionValues& values, std::string_view precision,
                                          uint64_t calls) {
  std::optional<MetricTotal> sum;
  for (const SetValues& set : values) {
    const std::string_view format = TensorFormatOf(set.set->name);
    const bool wanted =
        precision == "tensor" ? IsFloatingPoint(format) : format == TensorFormatOf(precision);
    if (format.empty() || !wanted) continue;
    for (const Counter& counter : set.set->counters) {
      if (!CountsTensorOperations(counter.metric)) continue;
      const auto part = WeightedTotal(set, {{counter.metric}}, calls);
      if (!part) return std::nullopt;
      AddTo(*part, sum);
    }
  }
  return sum;
}

std::optional<MetricTotal> MeanOrPeak(const SetValues& values, size_t counter, bool peak) {
  if (values.composed) {
    const std::vector<std::optional<double>>& parts = values.composed->values;
    return ComposedTotal(values, counter < parts.size() ? parts[counter] : std::nullopt, 1);
  }
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

std::map<uint32_t, RegionValues> CollectRegionValues(const RunProcess& process, size_t position,
                                                     const RegionTree& tree,
                                                     const RegionDevices& devices, Share share) {
  const RunDevice& device = process.devices[position];
  const std::vector<LogicalEpoch> epochs = LogicalEpochs(process, device);
  std::map<uint32_t, RegionValues> regions;
  for (const LogicalEpoch& epoch : epochs) {
    const bool repeated = HasRepeatedLaunches(epoch);
    for (const auto& [path, slots] : GatherByPath(epoch, tree, share)) {
      RegionValues& values = regions[path];
      if (values.empty()) {
        for (const CounterSet& each : device.sets) values.emplace_back().set = &each;
      }
      const RegionPath* const region = tree.Find(path);
      if (repeated && region != nullptr) {
        AddRepeatedLaunches(slots, *region, devices.On(path, position), values[epoch.set]);
      } else {
        AddEpoch(slots, epoch.is_whole, values[epoch.set]);
      }
    }
  }
  ComposePartialRegions({process, position, tree, devices, epochs, share}, regions);
  return regions;
}

std::optional<MetricTotal> WeightedTotal(const SetValues& values, const std::vector<Term>& terms,
                                         uint64_t calls) {
  if (values.composed) {
    return ComposedTotal(values, Weighted(values.composed->values, *values.set, terms), calls);
  }
  MetricTotal total;
  total.set = values.set->name;
  total.least_per_call = std::numeric_limits<double>::infinity();
  total.greatest_per_call = -std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const EpochValues& epoch : values.epochs) {
    const std::optional<double> amount = Weighted(epoch.values, *values.set, terms);
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
    if (!place || (metric == kActiveTimeMetric && PatchesKernels(*set->set))) continue;
    const auto total = kind == MetricKind::kAmount
                           ? WeightedTotal(*set, {{std::string(metric)}}, calls)
                           : MeanOrPeak(*set, *place, kind == MetricKind::kPeak);
    if (total) return total;
  }
  return std::nullopt;
}

std::optional<MetricTotal> FindFlop(const RegionValues& values, std::string_view precision,
                                    const TableOptions& options, uint64_t calls) {
  if (precision.starts_with("tensor")) return FindTensorFlop(values, precision, calls);
  const std::vector<Term> terms = FlopTerms(precision, options);
  for (const SetValues& set : values) {
    if (terms.empty() || !PositionOf(*set.set, terms.front().metric)) continue;
    if (const auto total = WeightedTotal(set, terms, calls)) return total;
  }
  return std::nullopt;
}

bool IsRepeated(const RegionValues& values) {
  return std::any_of(values.begin(), values.end(),
                     [](const SetValues& set) { return set.repeated.has_value(); });
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

bool HasValues(const SetValues& values) {
  if (!values.composed) return MeasuredCalls(values) > 0;
  const std::vector<std::optional<double>>& parts = values.composed->values;
  return std::any_of(parts.begin(), parts.end(), [](const auto& part) { return bool(part); });
}

}  // namespace rafter
