#include "collector/table/verdict.h"

#include <algorithm>
#include <cmath>

#include "collector/store/uncounted.h"
#include "collector/table/formulas.h"
#include "collector/table/metric.h"
#include "collector/table/number_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

// Words of other people's that are quoted in a reason.
constexpr size_t kMostQuotedCharacters = 300;

std::string Quoted(std::string_view text) { return OneLine(text, kMostQuotedCharacters); }

std::string Count(uint64_t count) { return std::to_string(count); }

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

// What to type to get a set that is not there.
std::string Remedy(const Evidence& evidence, const std::string& set) {
  const std::string& what =
      evidence.run.command.empty() ? evidence.process.executable : evidence.run.command;
  return "run again with: rafter run --set " + set + " -- " + Quoted(what);
}

// Notes of the process about one thing, with their remedies.
std::vector<std::string> NotesAbout(const RunProcess& process, std::string_view about) {
  std::vector<std::string> texts;
  for (const RunNote& note : process.notes) {
    if (note.about == about && note.severity != "information") texts.push_back(Quoted(note.text));
  }
  return texts;
}

// Why the region has no number from a set that was asked for.
std::string WhyNothingIn(const Evidence& evidence, const std::string& set) {
  for (const MissingCounter& missing : evidence.device.missing) {
    if (missing.set == set && missing.metric.starts_with("all of ")) {
      return "set " + set + ": " + Quoted(missing.reason);
    }
  }
  const std::vector<std::string> notes = NotesAbout(evidence.process, set);
  if (!notes.empty()) return "no instance in set " + set + ": " + Join(notes, ", ");
  if (!IsPlanned(evidence.device, set) && !evidence.device.plan_error.empty()) {
    return "set " + set + ": " + Quoted(evidence.device.plan_error);
  }
  const SetValues* values = FindSet(evidence.values, set);
  if (values != nullptr && values->unevaluated_calls > 0) {
    return "set " + set + " was collected but not evaluated: no CUPTI was at hand";
  }
  if (values != nullptr && !values->epochs.empty()) {
    return "CUPTI gave no value for set " + set;
  }
  if (values != nullptr && values->cut_short_calls > 0) {
    return "no whole instance in set " + set + ": " + Count(values->cut_short_calls) +
           " cut short; " + Remedy(evidence, set);
  }
  return "no instance in set " + set + "; " + Remedy(evidence, set);
}

void JudgeUncounted(const Evidence& evidence, Validity validity, Verdict& verdict) {
  for (const auto& [reason, calls] : evidence.region.uncounted) {
    // Calls beyond those that are wanted are in "measured of ... calls" already.
    if (calls == 0 || reason == kResting) continue;
    verdict.Add(validity, Count(calls) + " calls not counted: " + Quoted(reason));
  }
}

// A row without any counter.
void JudgeMissing(const Evidence& evidence, Verdict& verdict) {
  const Validity missing = Validity::kMissing;
  verdict.Add(missing, "");
  JudgeUncounted(evidence, missing, verdict);
  if (!evidence.device.plan_error.empty()) verdict.Add(missing, Quoted(evidence.device.plan_error));
  for (std::string& text : NotesAbout(evidence.process, "counters")) verdict.Add(missing, text);
  for (const std::string& set : WantedSets(evidence.device)) {
    for (std::string& text : NotesAbout(evidence.process, set)) verdict.Add(missing, text);
  }
  for (const MissingCounter& counter : evidence.device.missing) {
    verdict.Add(missing, Quoted(counter.metric + ": " + counter.reason));
  }
  if (!verdict.Reason().empty()) return;
  const std::vector<std::string> wanted = WantedSets(evidence.device);
  for (const std::string& set : wanted) verdict.Add(missing, WhyNothingIn(evidence, set));
  if (wanted.empty()) verdict.Add(missing, "no counters were collected");
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
  for (const std::string& set : WantedSets(evidence.device)) {
    const SetValues* values = FindSet(evidence.values, set);
    if (values == nullptr || MeasuredCalls(*values) == 0) {
      verdict.Add(Validity::kPartial, WhyNothingIn(evidence, set));
    }
  }
  for (const MissingCounter& missing : evidence.device.missing) {
    if (missing.metric.starts_with("all of ")) continue;
    verdict.Add(Validity::kPartial, Quoted(missing.metric + ": " + missing.reason));
  }
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
    verdict.Add(Validity::kExtrapolated,
                "measured of " + Count(calls) + " calls: " + Join(shares, ", "));
  }
}

// A set that nobody asked for leaves columns empty; the row says so.
void JudgeUnasked(const Evidence& evidence, Verdict& verdict) {
  const std::vector<std::string> wanted = WantedSets(evidence.device);
  for (const char* set : {"time", "memory", "flop"}) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), set) == wanted.end()) {
      verdict.Add(Validity::kMeasured, std::string("set ") + set + " was not asked for");
    }
  }
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
                "regions were open at once on several threads; not split by guess");
  }
  for (const std::string& overlap : evidence.tree.OverlapsOf(evidence.region.path)) {
    verdict.Add(Validity::kOverlapped, "stretches shared with other regions are in row \"" +
                                           Quoted(overlap) + "\", not here");
  }
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
    reasons.push_back(precision + " work per call differs between epochs (" +
                      Span(flop->least_per_call, flop->greatest_per_call, "FLOP") + ")");
  }
  const auto traffic =
      FindMetric(evidence.values, TrafficMetric(evidence.options.memory_level), region.calls);
  const double floor =
      std::max(kUnlikeTrafficFloorBytes, static_cast<double>(evidence.device.l2_bytes));
  if (traffic &&
      Differ(traffic->least_per_call, traffic->greatest_per_call, kUnlikeTrafficShare, floor)) {
    reasons.push_back(evidence.options.memory_level + " traffic per call differs between epochs (" +
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
  if (HasNoKernels(evidence)) verdict.Add(Validity::kMeasured, "no kernels");
  if (!any) {
    JudgeMissing(evidence, verdict);
    return verdict;
  }
  for (std::string& reason : UnlikeReasons(evidence)) {
    verdict.Add(Validity::kUnlike, std::move(reason));
  }
  if (verdict.validity() == Validity::kUnlike) {
    verdict.Add(Validity::kUnlike, "rates across sets not computed");
  }
  JudgeSets(evidence, verdict);
  JudgeUnasked(evidence, verdict);
  JudgeTensor(evidence, verdict);
  JudgeUncounted(evidence, Validity::kExtrapolated, verdict);
  return verdict;
}

}  // namespace rafter
