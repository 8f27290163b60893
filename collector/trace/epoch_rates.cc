#include "collector/trace/epoch_rates.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "collector/table/formulas.h"
#include "collector/table/region_values.h"

namespace rafter {
namespace {

constexpr double kSecondsPerNs = 1e-9;
constexpr char kByRegionTime[] =
    "instructions of an epoch of set flop by the GPU time that as many calls of its regions take "
    "in sets that do not slow kernels";

std::optional<size_t> PlaceOf(const CounterSet& set, std::string_view metric) {
  for (size_t at = 0; at < set.counters.size(); ++at) {
    if (set.counters[at].metric == metric) return at;
  }
  return std::nullopt;
}

std::optional<double> ValueAt(const SlotValues& slot, size_t place) {
  if (!slot.evaluated || place >= slot.values.size()) return std::nullopt;
  return slot.values[place];
}

// Whether work ran in this range; kernel replay leaves others, without values.
bool IsUsed(const SlotValues& slot) { return slot.segments > 0; }

// Over all ranges of the epoch that were used; nothing where one of them has no value.
std::optional<double> SumOf(const Epoch& epoch, const CounterSet& set, std::string_view metric) {
  const std::optional<size_t> place = PlaceOf(set, metric);
  if (!place || epoch.slots.empty()) return std::nullopt;
  double sum = 0;
  for (const SlotValues& slot : epoch.slots) {
    if (!IsUsed(slot)) continue;
    const std::optional<double> value = ValueAt(slot, *place);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

std::optional<double> FlopOf(const Epoch& epoch, const CounterSet& set,
                             std::string_view precision) {
  double sum = 0;
  for (const Term& term : FlopTerms(precision, {})) {
    if (term.if_planned && !PlaceOf(set, term.metric)) continue;
    const std::optional<double> count = SumOf(epoch, set, term.metric);
    if (!count) return std::nullopt;
    sum += term.weight * *count;
  }
  return sum;
}

std::optional<double> Rate(std::optional<double> amount, std::optional<double> time_ns) {
  if (!amount || !time_ns || *time_ns <= 0) return std::nullopt;
  return *amount / (*time_ns * kSecondsPerNs);
}

std::optional<double> SmClockOf(const Epoch& epoch, const CounterSet& set) {
  const std::optional<size_t> time = PlaceOf(set, kGpuTimeMetric);
  for (const std::string& metric : SmClockMetrics()) {
    const std::optional<size_t> place = PlaceOf(set, metric);
    if (!place || !time) continue;
    double cycles = 0;
    double time_ns = 0;
    for (const SlotValues& slot : epoch.slots) {
      if (!IsUsed(slot)) continue;
      const std::optional<double> clock = ValueAt(slot, *place);
      const std::optional<double> slot_ns = ValueAt(slot, *time);
      if (!clock || !slot_ns) return std::nullopt;
      cycles += *clock * *slot_ns;
      time_ns += *slot_ns;
    }
    if (time_ns > 0) return cycles / time_ns;
  }
  return std::nullopt;
}

bool IsWhole(const SlotValues& slot) {
  return slot.instances > 0 && slot.incomplete == 0 && slot.cut_segments == 0;
}

}  // namespace

EpochRates::EpochRates(const RunProcess& process, const RunDevice& device)
    : process_(process), device_(device) {
  LearnTimes();
}

const std::vector<RateKind>& EpochRates::Kinds() {
  static const auto* const kinds = new std::vector<RateKind>{
      {"DRAM traffic", "Byte/s", "dram__bytes.sum by the GPU time of the same ranges"},
      {"FP32 work", "FLOP/s", kByRegionTime},
      {"FP64 work", "FLOP/s", kByRegionTime},
      {"FP16 work", "FLOP/s", kByRegionTime},
      {"SM clock", "Hz", "mean over the GPU time of the ranges"}};
  return *kinds;
}

std::vector<std::optional<double>> EpochRates::Of(const Epoch& epoch) const {
  std::vector<std::optional<double>> rates(Kinds().size());
  const CounterSet* const set = SetOf(epoch);
  if (set == nullptr || epoch.slots.empty()) return rates;
  if (PatchesKernels(*set)) {
    const std::optional<double> time_ns = UnslowedTimeNs(epoch);
    rates[1] = Rate(FlopOf(epoch, *set, "fp32"), time_ns);
    rates[2] = Rate(FlopOf(epoch, *set, "fp64"), time_ns);
    rates[3] = Rate(FlopOf(epoch, *set, "fp16"), time_ns);
    return rates;
  }
  rates[0] = Rate(SumOf(epoch, *set, "dram__bytes.sum"), SumOf(epoch, *set, kGpuTimeMetric));
  rates[4] = SmClockOf(epoch, *set);
  return rates;
}

const CounterSet* EpochRates::SetOf(const Epoch& epoch) const {
  for (const CounterSet& set : device_.sets) {
    if (set.name == epoch.set) return &set;
  }
  return nullptr;
}

void EpochRates::LearnTimes() {
  struct Sum {
    double ns = 0;
    double calls = 0;
  };
  std::map<std::pair<uint32_t, std::string>, Sum> sums;
  for (const Epoch& epoch : process_.epochs) {
    const CounterSet* const set = epoch.device == device_.device ? SetOf(epoch) : nullptr;
    if (set == nullptr || PatchesKernels(*set)) continue;
    const std::optional<size_t> place = PlaceOf(*set, kGpuTimeMetric);
    if (!place) continue;
    for (const SlotValues& slot : epoch.slots) {
      const std::optional<double> time_ns = ValueAt(slot, *place);
      if (!time_ns || !IsWhole(slot)) continue;
      Sum& sum = sums[{slot.path, epoch.set}];
      sum.ns += *time_ns;
      sum.calls += static_cast<double>(slot.instances);
    }
  }
  for (const auto& [key, sum] : sums) {
    const double mean_ns = sum.ns / sum.calls;
    const auto [known, is_new] = ns_per_call_.try_emplace(key.first, mean_ns);
    if (!is_new && !sums.contains({key.first, "time"})) {
      known->second = std::min(known->second, mean_ns);
    }
    if (key.second == "time") known->second = mean_ns;
  }
}

std::optional<double> EpochRates::UnslowedTimeNs(const Epoch& epoch) const {
  double time_ns = 0;
  for (const SlotValues& slot : epoch.slots) {
    if (!IsUsed(slot)) continue;
    const auto known = ns_per_call_.find(slot.path);
    if (known == ns_per_call_.end() || !IsWhole(slot)) return std::nullopt;
    time_ns += known->second * static_cast<double>(slot.instances);
  }
  return time_ns;
}

}  // namespace rafter
