#include "collector/plan/likwid_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "collector/plan/likwid_events.h"
#include "cupti/edits.h"
#include "cupti/pass_groups.h"

namespace rafter {
namespace {

constexpr std::string_view kSum = "_SUM";

// Names that are offered for a misspelt one.
constexpr size_t kMostOffered = 3;

struct Precision {
  const char* title;
  std::vector<const char*> operations;
};

// The packed forms are data-centre Blackwell's.
const std::vector<Precision>& FlopByPrecision() {
  static const auto* const precisions = new std::vector<Precision>{
      {"FLOP of FP32", {"fadd", "fmul", "ffma", "fadd2", "fmul2", "ffma2"}},
      {"FLOP of FP64", {"dadd", "dmul", "dfma"}},
      {"FLOP of FP16", {"hadd", "hmul", "hfma"}}};
  return *precisions;
}

bool IsPacked(std::string_view operation) { return operation.ends_with('2'); }

std::string SassMetric(std::string_view operation) {
  return "smsp__sass_thread_inst_executed_op_" + std::string(operation) + "_pred_on.sum";
}

constexpr const char* kDramMetric = "dram__bytes.sum";
constexpr const char* kDramTitle = "DRAM traffic";

Status CheckEvent(const std::string& event) {
  if (AddsUp(event)) return Status::Ok();
  return Status::Failed("event " + event +
                        ": is no sum, and LIKWID adds up every event over the calls of a region; "
                        "choose events that end in _SUM (names of LIKWID's performance groups "
                        "stand for files: give the events)");
}

std::string Joined(const std::vector<std::string>& words, const char* separator = ",") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

// CUPTI's metrics by LIKWID's name, without roll-up.
using Names = std::map<std::string, std::string>;

Result<Names> NamesOf(const ChipMetrics& chip) {
  Result<std::vector<std::string>> bases = chip.Names();
  if (!bases.ok()) return bases.status();
  Names names;
  for (const std::string& base : *bases) names.try_emplace(LikwidEventOf(base), base);
  return names;
}

// The metric behind an event, or nothing.
Result<std::string> MetricOf(const ChipMetrics& chip, const Names& names,
                             const std::string& event) {
  const auto base = names.find(event.substr(0, event.size() - kSum.size()));
  if (base == names.end()) return std::string();
  const std::string metric = base->second + ".sum";
  Result<bool> has = chip.Has(metric);
  if (!has.ok()) return has.status();
  return *has ? metric : std::string();
}

std::string NearestEvents(const ChipMetrics& chip, const Names& names, const std::string& event) {
  const std::string stem = event.substr(0, event.size() - kSum.size());
  const size_t most = std::max<size_t>(1, stem.size() / 4);
  std::vector<std::pair<size_t, std::string>> near;
  for (const auto& [name, base] : names) {
    const size_t longer = std::max(name.size(), stem.size());
    if (longer - std::min(name.size(), stem.size()) > most) continue;
    const size_t edits = Edits(stem, name);
    if (edits > most) continue;
    const Result<bool> has = chip.Has(base + ".sum");
    if (has.ok() && *has) near.emplace_back(edits, name + std::string(kSum));
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> offered;
  for (size_t i = 0; i < std::min(near.size(), kMostOffered); ++i) {
    if (near[i].first > 2 * near[0].first + 2) break;
    offered.push_back(near[i].second);
  }
  return offered.empty() ? "" : " (did you mean " + Joined(offered, " or ") + "?)";
}

// "A,B|C": the group so that each part takes one pass.
std::string SplitText(const ChipMetrics& chip, const std::vector<std::string>& metrics) {
  const Result<PassGroups> split = GroupByPass(chip, metrics);
  if (!split.ok() || !split->several.empty()) return "";
  std::vector<std::string> groups;
  for (const std::vector<std::string>& group : split->groups) {
    std::vector<std::string> events;
    for (const std::string& metric : group) {
      const bool asked = std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
      if (asked) events.push_back(LikwidEventOf(metric));
    }
    if (!events.empty()) groups.push_back(Joined(events));
  }
  return Joined(groups, "|");
}

Status CheckGroup(const ChipMetrics& chip, const Names& names, const LikwidGroup& group) {
  std::vector<std::string> metrics;
  for (const std::string& event : group.events) {
    Result<std::string> metric = MetricOf(chip, names, event);
    if (!metric.ok()) return metric.status();
    if (metric->empty()) {
      return Status::Failed("event " + event + ": chip " + chip.chip + " does not have it" +
                            NearestEvents(chip, names, event) +
                            ", and LIKWID crashes on such a name; \"rafter metrics --chip " +
                            chip.chip + "\" lists all, in CUPTI's writing");
    }
    metrics.push_back(*metric);
  }
  Result<PlannedConfiguration> plan = chip.Plan(metrics);
  if (!plan.ok()) return plan.status();
  if (plan->passes == 1) return Status::Ok();
  const std::string split = SplitText(chip, metrics);
  return Status::Failed("group " + Joined(group.events) + ": needs " +
                        std::to_string(plan->passes) + " passes on chip " + chip.chip +
                        ", and LIKWID counts one; " +
                        (split.empty() ? "leave out events that need several by themselves"
                                       : "split it, as in '" + split + "'"));
}

std::vector<std::string> MetricsOf(const std::vector<std::string>& operations) {
  std::vector<std::string> metrics;
  for (const std::string& operation : operations) metrics.push_back(SassMetric(operation));
  return metrics;
}

LikwidGroup GroupOf(std::string title, const std::vector<std::string>& metrics) {
  LikwidGroup group{std::move(title), {}};
  for (const std::string& metric : metrics) group.events.push_back(LikwidEventOf(metric));
  return group;
}

// The metrics of one precision that the chip has; others go to `absent`.
Result<std::vector<std::string>> Available(const ChipMetrics& chip, const Precision& precision,
                                           std::vector<std::string>& absent) {
  std::vector<std::string> metrics;
  for (const char* operation : precision.operations) {
    const std::string metric = SassMetric(operation);
    Result<bool> has = chip.Has(metric);
    if (!has.ok()) return has.status();
    if (*has) metrics.push_back(metric);
    if (!*has && !IsPacked(operation)) absent.push_back(LikwidEventOf(metric));
  }
  return metrics;
}

Status AddFlopGroups(const ChipMetrics& chip, LikwidPlan& plan) {
  std::vector<LikwidGroup> single;
  std::vector<std::string> all;
  for (const Precision& precision : FlopByPrecision()) {
    Result<std::vector<std::string>> metrics = Available(chip, precision, plan.absent);
    if (!metrics.ok()) return metrics.status();
    if (metrics->empty()) continue;
    single.push_back(GroupOf(precision.title, *metrics));
    all.insert(all.end(), metrics->begin(), metrics->end());
  }
  if (all.empty()) return Status::Ok();
  Result<PlannedConfiguration> together = chip.Plan(all);
  if (!together.ok()) return together.status();
  if (together->passes == 1) {
    plan.groups.push_back(GroupOf("FLOP by precision", all));
    return Status::Ok();
  }
  RAFTER_RETURN_IF_ERROR(CheckLikwidGroups(chip, single));
  plan.groups.insert(plan.groups.end(), single.begin(), single.end());
  return Status::Ok();
}

}  // namespace

Result<std::vector<LikwidGroup>> ParseLikwidEvents(std::string_view list) {
  const auto listed = ParseEventList(list);
  if (!listed.ok()) return Status::Failed(std::string(listed.status().message()));
  std::vector<LikwidGroup> groups;
  std::set<std::string> known;
  for (const std::vector<ListedEvent>& events : *listed) {
    if (events.size() > kMostLikwidEvents) {
      return Status::Failed("a group has " + std::to_string(events.size()) +
                            " events, and LIKWID holds " + std::to_string(kMostLikwidEvents) +
                            "; split it with \"|\"");
    }
    LikwidGroup& group = groups.emplace_back();
    for (const ListedEvent& event : events) {
      RAFTER_RETURN_IF_ERROR(CheckEvent(event.name));
      if (!known.insert(event.name).second) {
        return Status::Failed("event " + event.name + ": stands in two groups; once is enough");
      }
      group.events.push_back(event.name);
    }
  }
  return groups;
}

std::string LikwidEventsText(const LikwidGroup& group) {
  std::string text;
  for (size_t i = 0; i < group.events.size(); ++i) {
    text += (i == 0 ? "" : ",") + group.events[i] + ":GPU" + std::to_string(i);
  }
  return text;
}

Result<LikwidPlan> DefaultLikwidGroups(const ChipMetrics& chip) {
  LikwidPlan plan;
  RAFTER_RETURN_IF_ERROR(AddFlopGroups(chip, plan));
  Result<bool> has_dram = chip.Has(kDramMetric);
  if (!has_dram.ok()) return has_dram.status();
  const LikwidGroup dram = GroupOf(kDramTitle, {kDramMetric});
  if (*has_dram) {
    plan.groups.push_back(dram);
  } else {
    plan.absent.push_back(dram.events.front());
  }
  if (!plan.groups.empty()) return plan;
  return Status::Failed("chip " + chip.chip + " has none of LIKWID's default events (" +
                        Joined(plan.absent) + "); name others with --events");
}

std::vector<LikwidGroup> LikwidGroupsOfAnyChip() {
  std::vector<LikwidGroup> groups;
  for (const Precision& precision : FlopByPrecision()) {
    std::vector<std::string> operations;
    for (const char* operation : precision.operations) {
      if (!IsPacked(operation)) operations.emplace_back(operation);
    }
    groups.push_back(GroupOf(precision.title, MetricsOf(operations)));
  }
  groups.push_back(GroupOf(kDramTitle, {kDramMetric}));
  return groups;
}

Status CheckLikwidGroups(const ChipMetrics& chip, const std::vector<LikwidGroup>& groups) {
  Result<Names> names = NamesOf(chip);
  if (!names.ok()) return names.status();
  for (const LikwidGroup& group : groups) RAFTER_RETURN_IF_ERROR(CheckGroup(chip, *names, group));
  return Status::Ok();
}

}  // namespace rafter
