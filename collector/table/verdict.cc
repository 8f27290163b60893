#include "collector/table/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "collector/store/uncounted.h"
#include "collector/table/formulas.h"
#include "collector/table/metric.h"
#include "collector/table/number_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

// Words of other people's that are quoted in a reason.
constexpr size_t kMostQuotedCharacters = 500;

// Rows and metrics named in one reason; more are counted.
constexpr size_t kMostNamedOverlaps = 3;
constexpr size_t kMostNamedMetrics = 4;

std::string Quoted(std::string_view text) { return OneLine(text, kMostQuotedCharacters); }

std::string Count(uint64_t count) { return std::to_string(count); }

std::string Calls(uint64_t count) { return Count(count) + (count == 1 ? " call" : " calls"); }

std::string Join(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

bool Differ(double least, double greatest, double share, double floor) {
  return greatest - least > floor && greatest - least > share * greatest;
}

std::string Span(double least, double greatest, std::string_view unit) {
  return SiText(least, unit) + " to " + SiText(greatest, unit);
}

const SetValues* FindSet(const RegionValues& values, std::string_view name) {
  for (const SetValues& set : values) {
    if (set.set->name == name) return &set;
  }
  return nullptr;
}

bool IsPlanned(const RunDevice& device, std::string_view name) {
  return std::any_of(device.sets.begin(), device.sets.end(),
                     [&](const CounterSet& set) { return set.name == name; });
}

// What to type to get sets that are not there: each takes a call at least, so a
// run gets no more of them than the region has calls.
std::string Remedy(const Evidence& evidence, const std::vector<std::string>& sets) {
  const std::string& what =
      evidence.run.command.empty() ? evidence.process.executable : evidence.run.command;
  const size_t at_once = std::max<uint64_t>(1, evidence.region.calls);
  std::vector<std::string> lists;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (i % at_once == 0) {
      lists.push_back("--set " + sets[i]);
    } else {
      lists.back() += "," + sets[i];
    }
  }
  const std::string text = "run again with: rafter run " + lists[0] + " -- " + Quoted(what);
  lists.erase(lists.begin());
  return lists.empty() ? text : text + " (then with " + Join(lists, ", ") + ")";
}

std::string SetsText(const std::vector<std::string>& sets) {
  return (sets.size() == 1 ? "set " : "sets ") + Join(sets, ", ");
}

// Sets that had no turn while the region ran.
std::string WhyNoTurn(const Evidence& evidence, const std::vector<std::string>& sets) {
  return "no call was counted in " + SetsText(sets) + "; " + Remedy(evidence, sets);
}

// Notes of the process about one thing, with their remedies.
std::vector<std::string> NotesAbout(const RunProcess& process, std::string_view about) {
  std::vector<std::string> texts;
  for (const RunNote& note : process.notes) {
    if (note.about == about && note.severity != "information") texts.push_back(Quoted(note.text));
  }
  return texts;
}

// Why the region has no number from a set that was asked for; empty: the set had
// no turn while it ran.
std::string WhyNothingIn(const Evidence& evidence, const std::string& set) {
  for (const MissingCounter& missing : evidence.device.missing) {
    if (missing.set == set && missing.metric.starts_with("all of ")) {
      return "set " + set + ": " + Quoted(missing.reason);
    }
  }
  const std::vector<std::string> notes = NotesAbout(evidence.process, set);
  if (!notes.empty())
    return (notes[0].starts_with(set) ? "" : "set " + set + ": ") + Join(notes, ", ");
  if (!IsPlanned(evidence.device, set) && !evidence.device.plan_error.empty()) {
    return "set " + set + ": " + Quoted(evidence.device.plan_error);
  }
  const SetValues* values = FindSet(evidence.values, set);
  if (values != nullptr && values->unevaluated_calls > 0) {
    return "set " + set + " was counted but not evaluated, since CUPTI was not at hand; \"rafter " +
           "report\" evaluates it where CUPTI is";
  }
  if (values != nullptr && !values->epochs.empty()) {
    return "CUPTI gave no value for set " + set;
  }
  if (values != nullptr && values->cut_short_calls > 0) {
    return "no call was counted to its end in set " + set + " (" + Count(values->cut_short_calls) +
           " cut short); " + Remedy(evidence, {set});
  }
  return "";
}

void JudgeUncounted(const Evidence& evidence, Validity validity, bool knows_why_off,
                    Verdict& verdict) {
  for (const auto& [reason, calls] : evidence.region.uncounted) {
    // Calls beyond those that are wanted are in "measured of ... calls" already.
    if (calls == 0 || reason == kResting || (knows_why_off && reason == kCountingOff)) continue;
    verdict.Add(validity, Calls(calls) + " not counted: " + Quoted(reason));
  }
}

// "A, B, C and 2 more".
std::string Named(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += " and " + Count(names.size() - most) + " more";
  return text;
}

// Counters that the plan lacks, once for each cause.
void AddMissingCounters(const Evidence& evidence, Validity validity, Verdict& verdict) {
  std::vector<std::string> causes;
  std::map<std::string, std::vector<std::string>> metrics;
  for (const MissingCounter& missing : evidence.device.missing) {
    // A row with other sets says it of the whole set.
    if (validity != Validity::kMissing && missing.metric.starts_with("all of ")) continue;
    std::vector<std::string>& of_cause = metrics[missing.reason];
    if (of_cause.empty()) causes.push_back(missing.reason);
    of_cause.push_back(missing.metric);
  }
  for (const std::string& cause : causes) {
    verdict.Add(validity, Quoted(Named(metrics[cause], kMostNamedMetrics) + ": " + cause));
  }
}

void AddWhyNothing(const Evidence& evidence, const std::vector<std::string>& sets,
                   Validity validity, Verdict& verdict) {
  std::vector<std::string> without_turn;
  for (const std::string& set : sets) {
    const std::string why = WhyNothingIn(evidence, set);
    if (why.empty()) {
      without_turn.push_back(set);
    } else {
      verdict.Add(validity, why);
    }
  }
  if (!without_turn.empty()) verdict.Add(validity, WhyNoTurn(evidence, without_turn));
}

// A row without any counter.
void JudgeMissing(const Evidence& evidence, Verdict& verdict) {
  const Validity missing = Validity::kMissing;
  verdict.Add(missing, "");
  const std::vector<std::string> notes = NotesAbout(evidence.process, "counters");
  // A note says why counting was off.
  const bool why_off = !notes.empty() || !evidence.device.plan_error.empty();
  JudgeUncounted(evidence, missing, why_off, verdict);
  if (!evidence.device.plan_error.empty()) verdict.Add(missing, Quoted(evidence.device.plan_error));
  for (const std::string& text : notes) verdict.Add(missing, text);
  for (const std::string& set : WantedSets(evidence.device)) {
    for (std::string& text : NotesAbout(evidence.process, set)) verdict.Add(missing, text);
  }
  AddMissingCounters(evidence, missing, verdict);
  if (!verdict.Reason().empty()) return;
  const std::vector<std::string> wanted = WantedSets(evidence.device);
  AddWhyNothing(evidence, wanted, missing, verdict);
  if (wanted.empty()) {
    verdict.Add(missing, evidence.process.devices.empty()
                             ? "the process reached no GPU that can be counted"
                             : "no counters were collected; see what \"rafter doctor\" says");
  }
}

// Amounts that a set should have given and CUPTI did not.
void JudgeAbsentValues(const SetValues& values, Verdict& verdict) {
  std::vector<std::string> absent;
  for (size_t i = 0; i < values.set->counters.size(); ++i) {
    const std::string& metric = values.set->counters[i].metric;
    if (KindOf(metric) != MetricKind::kAmount) continue;
    const bool any = std::any_of(values.epochs.begin(), values.epochs.end(),
                                 [&](const EpochValues& epoch) { return bool(epoch.values[i]); });
    if (!any) absent.push_back(metric);
  }
  if (!absent.empty()) {
    verdict.Add(Validity::kPartial,
                "CUPTI gave no value for " + Join(absent, ", ") + " in set " + values.set->name);
  }
}

void JudgeSets(const Evidence& evidence, Verdict& verdict) {
  std::vector<std::string> empty_sets;
  for (const std::string& set : WantedSets(evidence.device)) {
    const SetValues* values = FindSet(evidence.values, set);
    if (values == nullptr || MeasuredCalls(*values) == 0) empty_sets.push_back(set);
  }
  AddWhyNothing(evidence, empty_sets, Validity::kPartial, verdict);
  AddMissingCounters(evidence, Validity::kPartial, verdict);
  const uint64_t calls = evidence.region.calls;
  std::vector<std::string> shares;
  bool all_measured = true;
  for (const SetValues& values : evidence.values) {
    const uint64_t measured = MeasuredCalls(values);
    if (measured == 0) continue;
    JudgeAbsentValues(values, verdict);
    shares.push_back(values.set->name + " " + Count(measured));
    all_measured = all_measured && measured >= calls;
  }
  if (!all_measured) {
    verdict.Add(Validity::kExtrapolated, "counted of " + Calls(calls) + ": " + Join(shares, ", "));
  }
}

// A set that nobody asked for leaves columns empty; the row says so.
void JudgeUnasked(const Evidence& evidence, Verdict& verdict) {
  const std::vector<std::string> wanted = WantedSets(evidence.device);
  std::vector<std::string> unasked;
  for (const char* set : {"time", "memory", "flop"}) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), set) == wanted.end()) {
      unasked.emplace_back(set);
    }
  }
  if (!unasked.empty()) verdict.Add(Validity::kMeasured, "not asked for: " + SetsText(unasked));
}

// Work that no counter of this run sees must not pass for none.
void JudgeTensor(const Evidence& evidence, Verdict& verdict) {
  const uint64_t calls = evidence.region.calls;
  if (FindFlop(evidence.values, "tensor", evidence.options, calls)) return;
  const auto instructions = FindMetric(evidence.values, kTensorInstructionMetric, calls);
  if (instructions && instructions->value > 0) {
    verdict.Add(Validity::kPartial, NumberText(std::round(instructions->value)) +
                                        " tensor instructions ran, and no set of this run counts "
                                        "their operations: FLOP are without them");
  } else if (evidence.options.precision == "tensor") {
    verdict.Add(Validity::kPartial, "FLOP Tensor: no set of this run counts it");
  }
}

void JudgeOverlaps(const Evidence& evidence, Verdict& verdict) {
  if (!evidence.region.members.empty()) {
    verdict.Add(Validity::kOverlapped,
                "these regions were open at once on several threads; which of them the work is of "
                "is not known");
  }
  std::vector<std::string> rows;
  for (const std::string& overlap : evidence.tree.OverlapsOf(evidence.region.path)) {
    const std::string row = "\"" + Quoted(overlap) + "\"";
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  if (rows.empty()) return;
  verdict.Add(Validity::kOverlapped, "what ran while other regions were open is not here but in " +
                                         std::string(rows.size() == 1 ? "row " : "rows ") +
                                         Named(rows, kMostNamedOverlaps));
}

}  // namespace

std::string_view ValidityText(Validity validity) {
  switch (validity) {
    case Validity::kMeasured:
      return "measured";
    case Validity::kExtrapolated:
      return "extrapolated";
    case Validity::kPartial:
      return "partial";
    case Validity::kUnlike:
      return "instances unlike";
    case Validity::kOverlapped:
      return "overlapped";
    case Validity::kMissing:
      return "missing";
  }
  return "missing";
}

void Verdict::Add(Validity validity, std::string reason) {
  validity_ = std::max(validity_, validity);
  if (reason.empty() || std::find(reasons_.begin(), reasons_.end(), reason) != reasons_.end()) {
    return;
  }
  reasons_.push_back(std::move(reason));
}

std::string Verdict::Reason() const { return Join(reasons_, "; "); }

std::vector<std::string> WantedSets(const RunDevice& device) {
  std::vector<std::string> names;
  std::string_view list = device.wanted_sets;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    if (!name.empty()) names.emplace_back(name);
    list = comma == std::string_view::npos ? "" : list.substr(comma + 1);
  }
  if (!names.empty()) return names;
  for (const CounterSet& set : device.sets) names.push_back(set.name);
  return names;
}

std::vector<std::string> UnlikeReasons(const Evidence& evidence) {
  std::vector<std::string> reasons;
  const RegionPath& region = evidence.region;
  if (region.watched_calls > 0 && region.least_launches != region.most_launches) {
    reasons.push_back("launches per call differ (" + Count(region.least_launches) + " to " +
                      Count(region.most_launches) + ")");
  }
  for (const std::string& precision : Precisions()) {
    const auto flop = FindFlop(evidence.values, precision, evidence.options, region.calls);
    if (!flop || !Differ(flop->least_per_call, flop->greatest_per_call, kUnlikeFlopShare, 0)) {
      continue;
    }
    reasons.push_back(precision + " work per call differs (" +
                      Span(flop->least_per_call, flop->greatest_per_call, "FLOP") + ")");
  }
  const auto traffic =
      FindMetric(evidence.values, TrafficMetric(evidence.options.memory_level), region.calls);
  const double floor =
      std::max(kUnlikeTrafficFloorBytes, static_cast<double>(evidence.device.l2_bytes));
  if (traffic &&
      Differ(traffic->least_per_call, traffic->greatest_per_call, kUnlikeTrafficShare, floor)) {
    reasons.push_back(evidence.options.memory_level + " traffic per call differs (" +
                      Span(traffic->least_per_call, traffic->greatest_per_call, "Byte") + ")");
  }
  return reasons;
}

bool HasNoKernels(const Evidence& evidence) {
  const auto blocks = FindMetric(evidence.values, kBlocksMetric, evidence.region.calls);
  if (blocks) return blocks->value == 0;
  return evidence.region.watched_calls > 0 && evidence.region.most_launches == 0 &&
         evidence.region.launches == 0;
}

Verdict Judge(const Evidence& evidence) {
  Verdict verdict;
  const bool any = std::any_of(evidence.values.begin(), evidence.values.end(),
                               [](const SetValues& set) { return MeasuredCalls(set) > 0; });
  JudgeOverlaps(evidence, verdict);
  if (HasNoKernels(evidence)) verdict.Add(Validity::kMeasured, "no kernel was launched");
  if (!any) {
    JudgeMissing(evidence, verdict);
    return verdict;
  }
  for (std::string& reason : UnlikeReasons(evidence)) {
    verdict.Add(Validity::kUnlike, std::move(reason));
  }
  if (verdict.validity() == Validity::kUnlike) {
    verdict.Add(Validity::kUnlike, "so no intensity and no performance");
  }
  JudgeSets(evidence, verdict);
  JudgeUnasked(evidence, verdict);
  JudgeTensor(evidence, verdict);
  JudgeUncounted(evidence, Validity::kExtrapolated, false, verdict);
  return verdict;
}

}  // namespace rafter
