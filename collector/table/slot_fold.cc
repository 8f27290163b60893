#include "collector/table/slot_fold.h"

#include "collector/table/formulas.h"
#include "collector/table/metric.h"

namespace rafter {
namespace {

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

}  // namespace

std::optional<size_t> PositionOf(const CounterSet& set, std::string_view metric) {
  for (size_t i = 0; i < set.counters.size(); ++i) {
    if (set.counters[i].metric == metric) return i;
  }
  return std::nullopt;
}

std::optional<double> At(const SlotValues& slot, size_t counter) {
  return counter < slot.values.size() ? slot.values[counter] : std::nullopt;
}

std::optional<double> Fold(const Gathered& gathered, const CounterSet& set, size_t counter) {
  switch (KindOf(set.counters[counter].metric)) {
    case MetricKind::kAmount:
      return Sum(Counted(gathered.all), counter);
    case MetricKind::kRate:
      return Rate(gathered, set, counter);
    case MetricKind::kPeak:
      break;
  }
  return Highest(Counted(gathered.all), counter);
}

}  // namespace rafter
