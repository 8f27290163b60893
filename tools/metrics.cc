// `rafter metrics`: chips, metrics and passes, on any machine.
#include <algorithm>
#include <iterator>
#include <memory>

#include "collector/store/utf8.h"
#include "collector/table/column_texts.h"
#include "collector/table/formulas.h"
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

std::string UnitText(const std::string& unit) { return unit.empty() ? "1" : OneLine(unit); }

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
      return UnitText(properties->unit) + "\t" + OneLine(properties->description);
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

std::string PassText(const ChosenSet& pass, bool verbose) {
  std::string text;
  for (const SetMetric& metric : pass.metrics) {
    text += "  " + metric.name + " [" + UnitText(metric.unit) + "]" +
            (verbose ? "  " + OneLine(metric.description) : "") + "\n";
  }
  return text;
}

// "set occupancy: 2 passes", then pass by pass where there are several.
std::string SetsText(const ChosenPlan& plan, bool verbose) {
  std::string text;
  for (size_t i = 0; i < plan.sets.size();) {
    const std::string& whole = plan.sets[i].whole;
    size_t end = i;
    while (end < plan.sets.size() && plan.sets[end].whole == whole) ++end;
    text +=
        "set " + whole + ": " + std::to_string(end - i) + (end - i == 1 ? " pass\n" : " passes\n");
    for (; i < end; ++i) {
      if (plan.sets[i].name != whole) text += " pass " + plan.sets[i].name + ":\n";
      text += PassText(plan.sets[i], verbose);
    }
  }
  return text;
}

// Metrics that a column is the highest of, unless all are wanted; more are counted.
constexpr size_t kMostNamedParts = 3;

std::string PartsText(std::vector<std::string> parts, bool all) {
  if (all || parts.size() <= kMostNamedParts + 1) return Listed(parts);
  const std::string more = std::to_string(parts.size() - kMostNamedParts);
  parts.resize(kMostNamedParts);
  return Listed(parts) + " and " + more + " more (-v names them)";
}

// Columns that the table makes of these, where sets are asked for as a whole.
std::string DerivedText(const ChosenPlan& plan, const std::vector<std::string>& items,
                        bool verbose) {
  std::vector<std::string> columns;
  for (const ChosenSet& set : plan.sets) {
    for (const SetMetric& metric : set.metrics) columns.push_back(metric.name);
  }
  const auto is_column = [&](const std::string& name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  };
  const auto is_asked = [&](const std::string& set) {
    return std::find(items.begin(), items.end(), set) != items.end();
  };
  std::string text;
  for (const DerivedMetric& derived : DerivedMetrics()) {
    const bool whole =
        derived.whole.empty() || std::any_of(derived.whole.begin(), derived.whole.end(), is_asked);
    std::vector<std::string> of;
    std::copy_if(derived.of.begin(), derived.of.end(), std::back_inserter(of), is_column);
    const bool is_share = derived.kind == DerivedMetric::Kind::kShare;
    if (!whole || of.empty() || (is_share && of.size() < derived.of.size())) continue;
    columns.push_back(derived.name);
    text += "column " + derived.name + " [" + derived.unit + "]: " +
            (is_share ? "100 x " + Listed(of, " / ") : "the highest of " + PartsText(of, verbose)) +
            "\n";
  }
  return text;
}

std::string PlanText(const ChosenPlan& plan, const std::vector<std::string>& items, bool verbose) {
  std::string text = SetsText(plan, verbose) + DerivedText(plan, items, verbose);
  for (const AbsentMetric& left : plan.left_out) {
    text += "no part in set " + left.set + ": " + left.name + ": " + left.reason + "\n";
  }
  for (const AbsentMetric& absent : plan.absent) {
    text += "missing from set " + absent.set + ": " + absent.name + ": " + absent.reason + "\n";
  }
  return text;
}

int PrintPlan(CuptiHost& host, const std::string& chip, const std::vector<std::string>& items,
              bool verbose) {
  Result<ChosenPlan> plan = PlanSets(host, chip, {}, items);
  if (!plan.ok()) return Failed(plan.status());
  Result<size_t> together = PassesTogether(host, chip, {}, *plan);
  if (!together.ok()) return Failed(together.status());
  const std::string text =
      "chip " + chip + ", CUPTI " + CuptiVersionText(host.version()) + "\n" +
      PlanText(*plan, items, verbose) + "passes together: " + std::to_string(*together) +
      "\npasses as scheduled: " + std::to_string(plan->configuration.passes) + "\n";
  if (!Print(text)) return kIncomplete;
  // What was asked for are sets, and metrics by name; one metric that a chip
  // lacks is said above.
  const bool lacks =
      std::any_of(plan->absent.begin(), plan->absent.end(), [](const AbsentMetric& absent) {
        return absent.set == "metrics" || absent.name.starts_with("all of set ");
      });
  return lacks ? kIncomplete : kDone;
}

// --plan and --metrics as one list of sets.
Result<std::vector<std::string>> ItemsOf(const TextOption& plan, const TextOption& metrics) {
  std::string list = plan.value.value_or("");
  if (metrics.value.has_value()) {
    Result<std::string> item = MetricsItem(*metrics.value);
    if (!item.ok()) {
      return Status::Failed("--metrics " + *metrics.value + ": " + item.status().message());
    }
    list += (list.empty() ? "" : ",") + *item;
  }
  Result<std::vector<std::string>> items = ParseSetList(list);
  if (!items.ok()) return Status::Failed("--plan " + list + ": " + items.status().message());
  return items;
}

}  // namespace

int VerbMetrics(Words words) {
  TextOption chip;
  TextOption plan;
  TextOption metrics;
  bool columns = false;
  bool verbose = false;
  CommandLine line({"metrics", "Metrics and passes of any chip, without a GPU.", "[options]",
                    "  rafter metrics --chip GH100 --plan time,memory,sm,flop"});
  line.Text("--chip", &chip, "CHIP", "List the metrics of this chip; without it, list the chips");
  line.Text("--plan", &plan, "SET[,SET...]",
            "Show metrics and passes of these sets: " + Listed(KnownSets()));
  line.Text("--metrics", &metrics, "NAME[,NAME...]",
            "Show the passes of these metrics, given with roll-up, as in dram__bytes.sum");
  line.Flag("--columns", &columns, "Tell what each column of a table is made of, as Markdown");
  line.Flag("-v,--verbose", &verbose, "With unit and description of each metric");
  if (const auto status = line.Parse(words); status.has_value()) return *status;
  if (columns) {
    if (words.size() > 1) {
      return line.Refuse("--columns: is the same for every chip; leave other options out");
    }
    return Print(ColumnsMarkdown(ColumnTexts())) ? kDone : kIncomplete;
  }
  const bool planning = plan.value.has_value() || metrics.value.has_value();
  if (planning && !chip.value.has_value()) {
    return line.Refuse(std::string(plan.value.has_value() ? "--plan" : "--metrics") +
                       ": passes depend on the chip; name one with --chip");
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
  if (planning) {
    Result<std::vector<std::string>> items = ItemsOf(plan, metrics);
    if (!items.ok()) return line.Refuse(items.status().message());
    return PrintPlan(**host, *chip.value, *items, verbose);
  }
  return PrintMetrics(**host, *chip.value, verbose);
}

}  // namespace rafter
