#include "collector/table/composition.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "collector/store/uncounted.h"
#include "collector/table/metric.h"
#include "collector/table/slot_fold.h"

namespace rafter {
namespace {

bool IsPartial(const InstanceSums& sums) {
  const auto partial = sums.uncounted.find(std::string(kPartial));
  return partial != sums.uncounted.end() && partial->second > 0;
}

// Slots that hold whole stretches of the region's own.
std::vector<const SlotValues*> Serving(const std::vector<const SlotValues*>& own) {
  std::vector<const SlotValues*> serving;
  for (const SlotValues* slot : own) {
    if (slot->segments > 0 && slot->cut_segments == 0) serving.push_back(slot);
  }
  return serving;
}

class Composer {
 public:
  Composer(const CompositionInput& input, std::map<uint32_t, RegionValues>& regions)
      : input_(input), regions_(regions) {}

  void Compose() {
    std::set<uint32_t, std::greater<>> partial;
    for (const RegionPath& path : input_.process.paths) {
      if (IsPartial(Sums(path.path))) partial.insert(path.path);
    }
    Gather(partial);
    // Greater numbers first: a region is numbered before those below it, whose
    // totals it takes.
    for (const uint32_t path : partial) ComposeSets(path);
  }

 private:
  const InstanceSums& Sums(uint32_t path) const { return input_.devices.On(path, input_.position); }

  void Gather(const std::set<uint32_t, std::greater<>>& partial) {
    if (partial.empty()) return;
    for (const LogicalEpoch& epoch : input_.epochs) {
      for (const SlotValues* slot : epoch.slots) {
        for (const uint32_t path : input_.tree.WithAncestors(slot->path)) {
          if (path != slot->path && input_.share == Share::kExclusive) continue;
          if (!partial.contains(path)) continue;
          Gathered& gathered = gathered_[{path, epoch.set}];
          gathered.all.push_back(slot);
          if (path == slot->path) gathered.own.push_back(slot);
        }
      }
    }
  }

  void ComposeSets(uint32_t path) {
    const auto region = regions_.find(path);
    if (region == regions_.end()) return;
    for (size_t set = 0; set < region->second.size(); ++set) {
      SetValues& values = region->second[set];
      const auto gathered = gathered_.find({path, set});
      if (!values.epochs.empty() || gathered == gathered_.end()) continue;
      const bool evaluated = std::all_of(gathered->second.all.begin(), gathered->second.all.end(),
                                         [](const SlotValues* slot) { return slot->evaluated; });
      if (evaluated) {
        values.composed = ComposeSet(path, set, gathered->second);
      } else {
        values.unevaluated_calls = std::max<uint64_t>(values.unevaluated_calls, 1);
      }
    }
  }

  ComposedValues ComposeSet(uint32_t path, size_t set, const Gathered& gathered) const {
    const std::vector<const SlotValues*> serving = Serving(gathered.own);
    ComposedValues composed;
    for (const SlotValues* slot : gathered.all) {
      composed.counted_s += static_cast<double>(slot->counted_ns) * 1e-9;
    }
    for (const SlotValues* slot : serving) composed.measured_stretches += slot->segments;
    // Each region directly below ends a stretch and begins another.
    composed.seen_stretches = Sums(path).calls;
    for (const uint32_t child : input_.tree.Children(path)) {
      composed.seen_stretches += Sums(child).calls;
    }
    composed.seen_stretches = std::max(composed.seen_stretches, composed.measured_stretches);
    composed.why_missing = WhyMissing(path, set, serving);
    if (!composed.why_missing.empty()) return composed;
    const CounterSet& counters = input_.process.devices[input_.position].sets[set];
    for (size_t i = 0; i < counters.counters.size(); ++i) {
      composed.values.push_back(KindOf(counters.counters[i].metric) == MetricKind::kAmount
                                    ? Amount(path, set, i, serving, composed.seen_stretches)
                                    : Fold(gathered, counters, i));
    }
    return composed;
  }

  // What keeps the parts from being put together; empty: nothing.
  std::string WhyMissing(uint32_t path, size_t set,
                         const std::vector<const SlotValues*>& serving) const {
    for (const uint32_t overlap : input_.tree.OverlapPathsOf(path)) {
      if (Sums(overlap).calls > 0) {
        return "regions of other threads were open inside it, so how many stretches of its own "
               "there were is not known";
      }
    }
    if (serving.empty()) return "no stretch of its own was measured whole";
    if (input_.share == Share::kExclusive) return "";
    for (const uint32_t child : input_.tree.Children(path)) {
      if (Sums(child).calls > 0 && !HasChildValues(child, set)) {
        return "\"" + input_.tree.Name(child) + "\" inside it has no value there";
      }
    }
    return "";
  }

  bool HasChildValues(uint32_t child, size_t set) const {
    const auto region = regions_.find(child);
    return region != regions_.end() && HasValues(region->second[set]);
  }

  std::optional<double> Amount(uint32_t path, size_t set, size_t counter,
                               const std::vector<const SlotValues*>& serving,
                               uint64_t seen_stretches) const {
    long double own = 0;
    uint64_t stretches = 0;
    for (const SlotValues* slot : serving) {
      const std::optional<double> value = At(*slot, counter);
      if (!value) continue;
      own += *value;
      stretches += slot->segments;
    }
    if (stretches == 0) return std::nullopt;
    long double total =
        own * static_cast<long double>(seen_stretches) / static_cast<long double>(stretches);
    if (input_.share == Share::kExclusive) return static_cast<double>(total);
    for (const uint32_t child : input_.tree.Children(path)) {
      if (Sums(child).calls == 0) continue;
      const SetValues& values = regions_.at(child)[set];
      const auto part =
          WeightedTotal(values, {{values.set->counters[counter].metric}}, Sums(child).calls);
      if (!part) return std::nullopt;
      total += part->value;
    }
    return static_cast<double>(total);
  }

  const CompositionInput& input_;
  std::map<uint32_t, RegionValues>& regions_;
  std::map<std::pair<uint32_t, size_t>, Gathered> gathered_;  // by path and set
};

}  // namespace

void ComposePartialRegions(const CompositionInput& input,
                           std::map<uint32_t, RegionValues>& regions) {
  Composer(input, regions).Compose();
}

}  // namespace rafter
