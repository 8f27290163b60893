#include "tools/counting_forecast.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "cupti/host.h"
#include "cupti/nearest_metrics.h"
#include "cupti/sets.h"
#include "tools/apart.h"
#include "tools/cupti_probe.h"
#include "tools/findings.h"

namespace rafter {
namespace {

// Of one set, missing for one reason; more are counted.
constexpr size_t kMostNamedMetrics = 3;

// "time 1, memory 1, speed-of-light 7": passes by set, in their order.
std::string PassesBySet(const ChosenPlan& plan) {
  std::vector<std::pair<std::string, size_t>> counts;
  for (const ChosenSet& set : plan.sets) {
    if (counts.empty() || counts.back().first != set.whole) counts.emplace_back(set.whole, 0);
    ++counts.back().second;
  }
  std::vector<std::string> texts;
  for (const auto& [set, passes] : counts) texts.push_back(set + " " + std::to_string(passes));
  return Listed(texts);
}

// Metrics of the list that no chip of this CUPTI has: misspelt.
std::vector<std::string> InNoChip(CuptiHost& host, const std::vector<std::string>& items) {
  std::vector<std::string> names;
  for (const std::string& item : items) {
    Result<AskedSet> asked = ReadAskedSet(item);
    if (asked.ok()) names.insert(names.end(), asked->metrics.begin(), asked->metrics.end());
  }
  Result<std::vector<std::string>> chips = host.Chips();
  if (!chips.ok()) return {};
  for (const std::string& chip : *chips) {
    if (names.empty()) break;
    std::erase_if(names, [&](const std::string& name) {
      Result<bool> has = host.HasMetric(chip, {}, name);
      return has.ok() && *has;
    });
  }
  return names;
}

// Metrics that a chip lacks, once for each set and cause.
std::vector<std::string> MissingLines(const std::vector<AbsentMetric>& absent) {
  std::vector<std::pair<const AbsentMetric*, std::vector<std::string>>> causes;
  for (const AbsentMetric& each : absent) {
    const auto known = std::find_if(causes.begin(), causes.end(), [&](const auto& cause) {
      return cause.first->set == each.set && cause.first->reason == each.reason;
    });
    if (known == causes.end()) {
      causes.push_back({&each, {each.name}});
    } else {
      known->second.push_back(each.name);
    }
  }
  std::vector<std::string> lines;
  for (auto& [first, names] : causes) {
    std::string more;
    if (names.size() > kMostNamedMetrics) {
      more =
          " and " + std::to_string(names.size() - kMostNamedMetrics) + " more of set " + first->set;
      names.resize(kMostNamedMetrics);
    }
    lines.push_back(Listed(names) + more + ": " + first->reason);
  }
  return lines;
}

// What one chip makes of the sets. A line is: kind, chip, text.
void AskForChip(CuptiHost& host, const std::string& chip, const std::string& sets,
                const ProbeReport& report) {
  Result<std::vector<std::string>> items = ParseSetList(sets);
  if (!items.ok()) return report.Line({"refused", chip, items.status().message()});
  for (const std::string& name : InNoChip(host, *items)) {
    Result<std::string> why = WhyNoMetric({host, chip, {}}, name);
    report.Line({"misspelt", chip,
                 "metric " + name + ": " + (why.ok() ? *why : why.status().message()) +
                     "; \"rafter metrics --chip " + chip + "\" lists all"});
  }
  Result<ChosenPlan> plan = PlanSets(host, chip, {}, *items);
  if (!plan.ok()) return report.Line({"refused", chip, plan.status().message()});
  for (const std::string& line : MissingLines(plan->absent)) report.Line({"missing", chip, line});
  const size_t passes = plan->sets.size();
  report.Line({"passes", chip,
               "counting on chip " + chip + " takes " + std::to_string(passes) +
                   (passes == 1 ? " pass: " : " passes: ") + PassesBySet(*plan)});
}

// Whether the list asks for more than what is counted by default.
bool GoesBeyondDefault(const std::string& sets) {
  Result<std::vector<std::string>> items = ParseSetList(sets);
  if (!items.ok()) return false;
  return std::any_of(items->begin(), items->end(), [](const std::string& item) {
    return std::find(DefaultSets().begin(), DefaultSets().end(), item) == DefaultSets().end();
  });
}

}  // namespace

std::vector<std::string> ChipsOf(const std::vector<DriverDevice>& devices,
                                 const std::vector<std::string>& known) {
  std::vector<std::string> chips;
  for (const DriverDevice& device : devices) {
    for (const std::string& name : ChipsOfCompute(device.compute_major, device.compute_minor)) {
      if (std::find(known.begin(), known.end(), name) == known.end()) continue;
      if (std::find(chips.begin(), chips.end(), name) == chips.end()) chips.push_back(name);
      break;
    }
  }
  return chips;
}

Result<std::vector<std::string>> ForecastOnChips(const CuptiSearch& search,
                                                 const std::vector<std::string>& chips,
                                                 const std::string& sets) {
  const ProbeAnswer probe = RunApart([&](const ProbeReport& report) {
    Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(search);
    if (!host.ok()) return report.Line({"trouble", "", host.status().message()});
    for (const std::string& chip : chips) AskForChip(**host, chip, sets, report);
  });
  std::vector<std::string> lines;
  std::map<std::string, std::string> refused;
  for (const std::vector<std::string>& line : probe.lines) {
    if (line.size() != 3) continue;
    const std::string& kind = line[0];
    if (kind == "misspelt") return Status::Failed(line[2]);
    if (kind == "refused") refused[line[1]] = line[2];
    if (kind == "missing") lines.push_back("missing on chip " + line[1] + ": " + line[2]);
    if (kind == "passes") lines.push_back(line[2]);
    if (kind == "trouble") lines.push_back("passes are settled in the program: " + line[2]);
  }
  if (!refused.empty() && refused.size() == chips.size()) {
    return Status::Failed(refused.begin()->second);
  }
  for (const auto& [chip, reason] : refused) lines.push_back("not on chip " + chip + ": " + reason);
  if (!probe.trouble.empty()) {
    lines.push_back("passes are settled in the program: planning here failed: " + probe.trouble);
  }
  return lines;
}

Result<std::vector<std::string>> ForecastCounting(const RunRequest& request,
                                                  const Variables& variables) {
  const std::string sets = WantedSetsOf(request);
  if (!GoesBeyondDefault(sets)) return std::vector<std::string>();
  const DriverAnswer driver = ProbeDriver();
  if (driver.devices.empty()) {
    return std::vector<std::string>{
        "passes of the sets are settled in the program: no GPU is known here" +
        (driver.trouble.empty() ? "" : " (" + driver.trouble + ")")};
  }
  const CuptiSearch search = CuptiSearchOf(variables);
  const CuptiAnswer cupti = ProbeCupti(search);
  const std::vector<std::string> chips = ChipsOf(driver.devices, cupti.chips);
  if (chips.empty()) {
    return std::vector<std::string>{
        "passes of the sets are settled in the program: " +
        (cupti.trouble.empty() ? "this CUPTI knows no chip of the GPUs here" : cupti.trouble)};
  }
  return ForecastOnChips(search, chips, sets);
}

}  // namespace rafter
