#include "cupti/sets.h"

#include <algorithm>

#include "cupti/chip_metrics.h"
#include "cupti/nearest_metrics.h"
#include "cupti/pass_groups.h"
#include "cupti/set_table.h"
#include "cupti/tensor_formats.h"
#include "cupti/throughput_parts.h"

namespace rafter {
namespace {

constexpr std::string_view kTensorPrefix = "tensor.";

// Named where nothing can be counted; more are counted.
constexpr size_t kMostReasons = 4;

std::vector<std::string> Names(const ChosenSet& set) {
  std::vector<std::string> names;
  for (const SetMetric& metric : set.metrics) names.push_back(metric.name);
  return names;
}

std::string PassesText(size_t passes) {
  return std::to_string(passes) + (passes == 1 ? " pass" : " passes");
}

std::string SeveralReason(const ChipMetrics& chip, const PassGroups::Several& several) {
  const std::string text = "it takes " + PassesText(several.passes) + " on chip " + chip.chip +
                           ", and CUPTI evaluates what one pass counted";
  const Instead instead = InsteadOf(BaseOf(several.metric));
  if (instead.metric.empty()) return text;
  return text + "; set " + std::string(instead.set) + " has " + std::string(instead.metric) +
         " in its place";
}

// Builds the plan set by set.
class PlanMaker {
 public:
  PlanMaker(const ChipMetrics& chip, size_t most_passes) : chip_(chip), most_passes_(most_passes) {}

  Status Add(const std::string& item) {
    Result<AskedSet> asked = ReadAskedSet(item);
    if (!asked.ok()) return asked.status();
    if (asked->name == "tensor") return AddTensor("");
    if (asked->name.starts_with(kTensorPrefix)) {
      return AddTensor(asked->name.substr(kTensorPrefix.size()), asked->part);
    }
    if (asked->name == "metrics") return AddMetrics(asked->metrics);
    return AddNamed(*FindWishes(asked->name), asked->part);
  }

  Result<ChosenPlan> Finish() {
    if (plan_.sets.empty()) return Status::Failed(WhyNothing());
    if (plan_.sets.size() > most_passes_) return Status::Failed(TooManyPasses());
    std::vector<std::vector<std::string>> groups;
    for (const ChosenSet& set : plan_.sets) groups.push_back(Names(set));
    Result<PlannedConfiguration> whole = chip_.host.Plan(chip_.chip, chip_.availability, groups);
    if (!whole.ok()) return whole.status();
    if (whole->passes != groups.size()) return Status::Failed(PassesDoNotAddUp(whole->passes));
    plan_.configuration = std::move(*whole);
    return std::move(plan_);
  }

 private:
  Status AddNamed(const SetWishes& wishes, size_t part) {
    std::vector<std::string> metrics;
    std::vector<std::string> parts;
    for (const Wish& wish : wishes.wishes) {
      Result<std::string> name = FirstOf(wish);
      if (!name.ok()) return name.status();
      if (!name->empty() && std::find(metrics.begin(), metrics.end(), *name) == metrics.end()) {
        metrics.push_back(*name);
        if (wish.only_where_listed) parts.push_back(*name);
      } else if (name->empty() && !wish.only_where_listed) {
        plan_.absent.push_back(
            {wishes.name, wish.names.front(), "chip " + chip_.chip + " does not have it"});
      }
    }
    if (std::all_of(metrics.begin(), metrics.end(), IsFactOfDevice)) {
      return AddNothingOf(wishes.name, "chip " + chip_.chip + " has none of its metrics");
    }
    return AddGroups(wishes.name, metrics, parts, part);
  }

  // A set for each format; of `only` alone when it is not empty.
  Status AddTensor(const std::string& only, size_t part = 0) {
    Result<std::vector<std::string>> names = chip_.Names();
    if (!names.ok()) return names.status();
    const std::vector<TensorFormat> formats = FormatsIn(*names);
    bool found = false;
    for (const TensorFormat& format : formats) {
      if (!only.empty() && format.name != only) continue;
      found = true;
      RAFTER_RETURN_IF_ERROR(AddFormat(format, *names, part));
    }
    return found ? Status::Ok() : AddNoFormat(only, formats);
  }

  Status AddFormat(const TensorFormat& format, const std::vector<std::string>& names, size_t part) {
    const std::string set = std::string(kTensorPrefix) + format.name;
    std::vector<std::string> metrics;
    std::string why;
    for (const std::string& total : format.totals) {
      Result<TensorCounters> counters = CountersOf(chip_, names, total);
      if (!counters.ok()) return counters.status();
      if (counters->metrics.empty()) {
        plan_.absent.push_back({set, total + ".sum", counters->reason});
        why = counters->reason;
        continue;
      }
      metrics.insert(metrics.end(), counters->metrics.begin(), counters->metrics.end());
      const std::string peak = total + ".sum.peak_sustained";
      Result<bool> has_peak = chip_.Has(peak);
      if (!has_peak.ok()) return has_peak.status();
      if (*has_peak) metrics.push_back(peak);
    }
    if (metrics.empty()) return AddNothingOf(set, why);
    return AddGroups(set, metrics, {}, part);
  }

  Status AddNoFormat(const std::string& only, const std::vector<TensorFormat>& formats) {
    const std::string set = only.empty() ? "tensor" : std::string(kTensorPrefix) + only;
    std::vector<std::string> has;
    for (const TensorFormat& format : formats) has.push_back(kTensorPrefix.data() + format.name);
    return AddNothingOf(set,
                        "chip " + chip_.chip +
                            (has.empty() ? " counts no tensor operations"
                                         : " has no such tensor format; it has " + Listed(has)));
  }

  Status AddMetrics(const std::vector<std::string>& asked) {
    std::vector<std::string> metrics;
    for (const std::string& metric : asked) {
      Result<std::string> why = WhyNoMetric(chip_, metric);
      if (!why.ok()) return why.status();
      if (why->empty()) {
        metrics.push_back(metric);
      } else {
        plan_.absent.push_back({"metrics", metric, *why});
      }
    }
    if (metrics.empty()) return AddNothingOf("metrics", NoneCanBeCounted());
    return AddGroups("metrics", metrics, {}, 0);
  }

  // A whole set that was asked for is missing.
  Status AddNothingOf(const std::string& set, const std::string& reason) {
    plan_.absent.push_back({set, "all of set " + set, reason});
    return Status::Ok();
  }

  std::string NoneCanBeCounted() const {
    return "none of its metrics can be counted on chip " + chip_.chip;
  }

  // `parts` are metrics that nobody asked for by name.
  Status AddGroups(const std::string& set, const std::vector<std::string>& metrics,
                   const std::vector<std::string>& parts, size_t part) {
    Result<PassGroups> grouped = GroupByPass(chip_, metrics);
    if (!grouped.ok()) return grouped.status();
    for (const PassGroups::Several& several : grouped->several) {
      const bool is_part = std::find(parts.begin(), parts.end(), several.metric) != parts.end();
      (is_part ? plan_.left_out : plan_.absent)
          .push_back({set, several.metric, SeveralReason(chip_, several)});
    }
    const size_t groups = grouped->groups.size();
    if (groups == 0) return AddNothingOf(set, NoneCanBeCounted());
    if (part > groups) {
      return AddNothingOf(set + "." + std::to_string(part),
                          "set " + set + " takes " + PassesText(groups) + " on chip " + chip_.chip);
    }
    for (size_t i = 0; i < groups; ++i) {
      if (part > 0 && i + 1 != part) continue;
      RAFTER_RETURN_IF_ERROR(
          AddPass(groups == 1 ? set : set + "." + std::to_string(i + 1), set, grouped->groups[i]));
    }
    return Status::Ok();
  }

  Status AddPass(const std::string& name, const std::string& whole,
                 const std::vector<std::string>& metrics) {
    ChosenSet set;
    set.name = name;
    set.whole = whole;
    set.first_pass = plan_.sets.size();
    set.passes = 1;
    for (const std::string& metric : metrics) {
      auto properties = chip_.host.Properties(chip_.chip, chip_.availability, metric);
      if (!properties.ok()) return properties.status();
      set.metrics.push_back({metric, properties->unit, properties->description});
    }
    plan_.sets.push_back(std::move(set));
    return Status::Ok();
  }

  // The first name of a wish that the chip has; empty for none.
  Result<std::string> FirstOf(const Wish& wish) {
    for (const std::string& name : wish.names) {
      Result<bool> has = chip_.Has(name);
      if (!has.ok()) return has.status();
      if (*has) return name;
    }
    return std::string();
  }

  // Set by set where the set says why, else by metric.
  std::string WhyNothing() const {
    const auto is_whole = [](const AbsentMetric& absent) {
      return absent.name.starts_with("all of set ");
    };
    std::vector<std::string> reasons;
    for (const AbsentMetric& absent : plan_.absent) {
      const bool says_why = absent.reason != NoneCanBeCounted();
      const bool whole_says_why =
          std::any_of(plan_.absent.begin(), plan_.absent.end(), [&](const AbsentMetric& other) {
            return other.set == absent.set && is_whole(other) && other.reason != NoneCanBeCounted();
          });
      if (is_whole(absent) ? !says_why : whole_says_why) continue;
      const std::string name = is_whole(absent) ? "set " + absent.set : absent.name;
      reasons.push_back(name + ": " + absent.reason);
    }
    std::string text = "chip " + chip_.chip + " can count nothing of what was asked for";
    for (size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i) text += "; " + reasons[i];
    if (reasons.size() > kMostReasons) {
      text += "; and " + std::to_string(reasons.size() - kMostReasons) + " more";
    }
    return text + "; \"rafter metrics --chip " + chip_.chip + "\" lists what it has";
  }

  // What to type to get `sets` by themselves.
  static std::string Command(const std::vector<const ChosenSet*>& sets) {
    std::vector<std::string> items;
    std::vector<std::string> metrics;
    for (const ChosenSet* set : sets) {
      if (set->whole != "metrics") {
        items.push_back(set->name);
        continue;
      }
      for (const SetMetric& metric : set->metrics) {
        if (metric.name != kPassTime) metrics.push_back(metric.name);
      }
    }
    if (!metrics.empty()) items.push_back("metrics:" + Listed(metrics, "+"));
    return "rafter run --set " + Listed(items, ",") + " -- PROGRAM";
  }

  std::string TooManyPasses() const {
    std::string text = "the sets take " + PassesText(plan_.sets.size()) + " on chip " + chip_.chip +
                       ", and one run goes round " + std::to_string(most_passes_) +
                       "; get them in several:";
    std::vector<const ChosenSet*> run;
    for (const ChosenSet& set : plan_.sets) {
      run.push_back(&set);
      if (run.size() < most_passes_ && &set != &plan_.sets.back()) continue;
      text += (run.size() == set.first_pass + 1 ? " " : "; ") + Command(run);
      run.clear();
    }
    return text;
  }

  std::string PassesDoNotAddUp(size_t passes) const {
    std::string text = "CUPTI planned " + PassesText(passes) + " for sets that take " +
                       std::to_string(plan_.sets.size()) +
                       " one by one, so no pass can be given to a set; get them one by one: ";
    std::vector<std::string> commands;
    for (size_t i = 0; i < plan_.sets.size();) {
      std::vector<const ChosenSet*> of_set;
      const std::string& whole = plan_.sets[i].whole;
      for (; i < plan_.sets.size() && plan_.sets[i].whole == whole; ++i) {
        of_set.push_back(&plan_.sets[i]);
      }
      commands.push_back(Command(of_set));
    }
    return text + Listed(commands, "; ");
  }

  const ChipMetrics chip_;
  const size_t most_passes_;
  ChosenPlan plan_;
};

}  // namespace

bool PatchesKernels(std::string_view metric) {
  return metric.find("__sass_") != std::string_view::npos && !IsFactOfDevice(metric);
}

Result<ChosenPlan> PlanSets(CuptiHost& host, const std::string& chip,
                            const std::vector<uint8_t>& availability,
                            const std::vector<std::string>& sets, size_t most_passes) {
  PlanMaker maker({host, chip, availability}, most_passes);
  for (const std::string& set : sets) RAFTER_RETURN_IF_ERROR(maker.Add(set));
  return maker.Finish();
}

Result<size_t> PassesTogether(CuptiHost& host, const std::string& chip,
                              const std::vector<uint8_t>& availability, const ChosenPlan& plan) {
  std::vector<std::string> all;
  for (const ChosenSet& set : plan.sets) {
    for (const SetMetric& metric : set.metrics) {
      if (std::find(all.begin(), all.end(), metric.name) == all.end()) all.push_back(metric.name);
    }
  }
  Result<PlannedConfiguration> together = host.Plan(chip, availability, {all});
  if (!together.ok()) return together.status();
  return together->passes;
}

}  // namespace rafter
