// `rafter metrics`: chips, metrics and passes, on any machine.
#include <memory>

#include "cupti/host.h"
#include "cupti/sets.h"
#include "tools/command_line.h"
#include "tools/cupti_probe.h"
#include "tools/exit_status.h"
#include "tools/message.h"
#include "tools/nearest.h"
#include "tools/variables.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

int Failed(const Status& status) {
  Say("metrics: " + status.message());
  return kIncomplete;
}

std::string UnitText(const std::string& unit) { return unit.empty() ? "1" : SingleLine(unit); }

int PrintChips(CuptiHost& host) {
  Result<std::vector<std::string>> chips = host.Chips();
  if (!chips.ok()) return Failed(chips.status());
  std::string text;
  for (const std::string& chip : *chips) text += chip + "\n";
  return Print(text) ? kDone : kIncomplete;
}

// A base metric has its description under a roll-up; CUPTI wants one to tell it.
std::string Description(CuptiHost& host, const std::string& chip, const std::string& base) {
  for (const char* roll_up : {".sum", ".avg", ".ratio", ".pct"}) {
    const std::string name = base + roll_up;
    Result<bool> has = host.HasMetric(chip, {}, name);
    if (!has.ok() || !*has) continue;
    Result<MetricProperties> properties = host.Properties(chip, {}, name);
    if (properties.ok())
      return UnitText(properties->unit) + "\t" + SingleLine(properties->description);
  }
  return "\t";
}

int PrintMetrics(CuptiHost& host, const std::string& chip, bool verbose) {
  Result<std::vector<std::string>> metrics = host.BaseMetrics(chip, {});
  if (!metrics.ok()) return Failed(metrics.status());
  std::string text;
  for (const std::string& metric : *metrics) {
    text += metric + (verbose ? "\t" + Description(host, chip, metric) : "") + "\n";
  }
  return Print(text) ? kDone : kIncomplete;
}

std::string PlanText(const ChosenPlan& plan, bool verbose) {
  std::string text;
  for (const ChosenSet& set : plan.sets) {
    text += "set " + set.name + ": " + std::to_string(set.passes) +
            (set.passes == 1 ? " pass\n" : " passes\n");
    for (const SetMetric& metric : set.metrics) {
      text += "  " + metric.name + " [" + UnitText(metric.unit) + "]" +
              (verbose ? "  " + SingleLine(metric.description) : "") + "\n";
    }
  }
  for (const AbsentMetric& absent : plan.absent) {
    text += "missing from set " + absent.set + ": " + absent.name + ": " + absent.reason + "\n";
  }
  return text;
}

int PrintPlan(CuptiHost& host, const std::string& chip, const std::string& list, bool verbose) {
  Result<std::vector<std::string>> sets = ParseSetList(list);
  if (!sets.ok()) return SayWrongUse("metrics: --plan " + list + ": " + sets.status().message());
  Result<ChosenPlan> plan = PlanSets(host, chip, {}, *sets);
  if (!plan.ok()) return Failed(plan.status());
  Result<size_t> together = PassesTogether(host, chip, {}, *plan);
  if (!together.ok()) return Failed(together.status());
  const std::string text =
      "chip " + chip + ", CUPTI " + CuptiVersionText(host.version()) + "\n" +
      PlanText(*plan, verbose) + "passes together: " + std::to_string(*together) +
      "\npasses as scheduled: " + std::to_string(plan->configuration.passes) + "\n";
  if (!Print(text)) return kIncomplete;
  // What was asked for are sets; a metric that a chip lacks is said above.
  return plan->sets.size() == sets->size() ? kDone : kIncomplete;
}

}  // namespace

int VerbMetrics(Words words) {
  TextOption chip;
  TextOption plan;
  bool verbose = false;
  CommandLine line({"metrics", "Metrics and passes of any chip, without a GPU.", "[options]",
                    "  rafter metrics --chip GH100 --plan time,memory,sm,flop"});
  line.Text("--chip", &chip, "CHIP", "List the metrics of this chip; without it, list the chips");
  line.Text("--plan", &plan, "SET[,SET...]",
            "Show metrics and passes of these sets: time, memory, sm, flop");
  line.Flag("-v,--verbose", &verbose, "With unit and description of each metric");
  if (const auto status = line.Parse(words); status.has_value()) return *status;
  if (plan.value.has_value() && !chip.value.has_value()) {
    return line.Refuse("--plan: passes depend on the chip; name one with --chip");
  }
  if (verbose && !chip.value.has_value()) {
    return line.Refuse("--verbose: it describes metrics of a chip; name one with --chip");
  }
  Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(CuptiSearchOf(CurrentVariables()));
  if (!host.ok()) return Failed(host.status());
  if (!chip.value.has_value()) return PrintChips(**host);
  Result<std::vector<std::string>> chips = (*host)->Chips();
  if (!chips.ok()) return Failed(chips.status());
  bool known = false;
  for (const std::string& name : *chips) known = known || name == *chip.value;
  if (!known) {
    return line.Refuse("--chip " + *chip.value + ": CUPTI " + CuptiVersionText((*host)->version()) +
                       " does not know it" + DidYouMean(*chip.value, *chips) +
                       "; run \"rafter metrics\" for the names it knows");
  }
  if (plan.value.has_value()) return PrintPlan(**host, *chip.value, *plan.value, verbose);
  return PrintMetrics(**host, *chip.value, verbose);
}

}  // namespace rafter
