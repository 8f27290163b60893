#include "collector/table/verdict.h"

#include <algorithm>
#include <map>

#include "collector/store/uncounted.h"
#include "collector/table/empty_rows.h"
#include "collector/table/formulas.h"
#include "collector/table/metric.h"
#include "collector/table/number_text.h"
#include "collector/table/reason_text.h"
#include "collector/table/set_words.h"
#include "collector/table/tensor_work.h"
#include "collector/table/why_nothing.h"

namespace rafter {
namespace {

// Rows and metrics named in one reason; more are counted.
constexpr size_t kMostNamedOverlaps = 3;
constexpr size_t kMostNamedMetrics = 4;

// Of a call: what kernels fetch of their own, as code and parameters, stays below it.
constexpr double kColdTrafficFloorBytes = 65536;

bool Differ(double least, double greatest, double share, double floor) {
  return greatest - least > floor && greatest - least > share * greatest;
}

std::string Span(double least, double greatest, std::string_view unit) {
  return SiText(least, unit) + " to " + SiText(greatest, unit);
}

bool HasComposed(const RegionValues& values) {
  return std::any_of(values.begin(), values.end(),
                     [](const SetValues& set) { return set.composed.has_value(); });
}

void JudgeUncounted(const Evidence& evidence, Validity validity, bool knows_why_off,
                    Verdict& verdict) {
  for (const auto& [reason, calls] : evidence.instances.uncounted) {
    // Calls beyond those that are wanted are in "measured of ... calls" already.
    if (calls == 0 || reason == kResting || (knows_why_off && reason == kCountingOff)) continue;
    // What became of the parts is said set by set.
    if (reason == kPartial && HasComposed(evidence.values)) continue;
    verdict.Add(validity, Calls(calls) + " not counted: " + Quoted(reason));
  }
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

// Reasons of several sets, each once: what differs is the name of the set.
class ReasonsBySet {
 public:
  explicit ReasonsBySet(const RunDevice& device) : device_(device) {}

  void Add(const std::string& set, const std::string& why) {
    std::string cause = why;
    for (const std::string& before : {"set " + set + ": ", set + " is left out: "}) {
      if (why.starts_with(before)) cause = why.substr(before.size());
    }
    const auto [place, is_new] = by_cause_.try_emplace(cause);
    if (is_new) causes_.push_back(cause);
    place->second.sets.push_back(set);
    place->second.first = why;
  }
  void AddTo(Validity validity, Verdict& verdict) const {
    for (const std::string& cause : causes_) {
      const auto& [sets, first] = by_cause_.at(cause);
      const bool left_out = first.starts_with(sets.back() + " is left out: ");
      const std::string several = SetsText(device_, sets) + (left_out ? " are left out: " : ": ");
      verdict.Add(validity, sets.size() == 1 ? first : several + cause);
    }
  }

 private:
  struct Of {
    std::vector<std::string> sets;
    std::string first;
  };
  const RunDevice& device_;
  std::vector<std::string> causes_;  // in the order first met
  std::map<std::string, Of> by_cause_;
};

void AddWhyNothing(const Evidence& evidence, const std::vector<std::string>& sets,
                   Validity validity, Verdict& verdict) {
  std::vector<std::string> without_turn;
  ReasonsBySet reasons(evidence.device);
  for (const std::string& set : sets) {
    const std::string why = WhyNothingIn(evidence, set);
    if (why.empty()) {
      without_turn.push_back(set);
    } else {
      reasons.Add(set, why);
    }
  }
  reasons.AddTo(validity, verdict);
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
  if (evidence.process.devices.empty() && !why_off) {
    verdict.Add(missing, WhyNoGpu(evidence.process));
  }
  if (!evidence.device.plan_error.empty()) verdict.Add(missing, Quoted(evidence.device.plan_error));
  for (const std::string& text : notes) verdict.Add(missing, text);
  for (const std::string& set : WantedSets(evidence.device)) {
    for (std::string& text : NotesAbout(evidence.process, set)) verdict.Add(missing, text);
  }
  for (const SetValues& values : evidence.values) {
    if (values.composed) verdict.Add(missing, WhyNothingIn(evidence, values.set->name));
  }
  AddMissingCounters(evidence, missing, verdict);
  if (!verdict.Reason().empty()) return;
  const std::vector<std::string> wanted = WantedSets(evidence.device);
  AddWhyNothing(evidence, wanted, missing, verdict);
  if (wanted.empty()) {
    verdict.Add(missing, "no counters were collected; see what \"rafter doctor\" says");
  }
}

// Amounts that a set should have given and CUPTI did not.
void JudgeAbsentValues(const SetValues& values, Verdict& verdict) {
  std::vector<std::string> absent;
  for (size_t i = 0; i < values.set->counters.size(); ++i) {
    const std::string& metric = values.set->counters[i].metric;
    if (KindOf(metric) != MetricKind::kAmount) continue;
    const bool any =
        values.composed
            ? bool(values.composed->values[i])
            : std::any_of(values.epochs.begin(), values.epochs.end(),
                          [&](const EpochValues& epoch) { return bool(epoch.values[i]); });
    if (!any) absent.push_back(metric);
  }
  if (!absent.empty()) {
    verdict.Add(Validity::kPartial, "CUPTI gave no value for " + Named(absent, kMostNamedMetrics) +
                                        " in set " + values.set->name);
  }
}

// Values that were put together of parts.
void JudgeComposed(const Evidence& evidence, Verdict& verdict) {
  std::string sets;
  uint64_t seen = 0;  // the same in every set
  for (const SetValues& values : evidence.values) {
    if (!values.composed || !HasValues(values)) continue;
    seen = values.composed->seen_stretches;
    sets += (sets.empty() ? "" : ", ") + values.set->name + " " +
            Count(values.composed->measured_stretches);
    JudgeAbsentValues(values, verdict);
  }
  if (sets.empty()) return;
  verdict.Add(Validity::kPartial,
              "sets changed while it was open, so it is put together of the regions below it and "
              "of its own stretches; measured of " +
                  Count(seen) + (seen == 1 ? " stretch: " : " stretches: ") + sets);
}

void JudgeSets(const Evidence& evidence, Verdict& verdict) {
  std::vector<std::string> empty_sets;
  for (const std::string& set : WantedSets(evidence.device)) {
    const SetValues* values = FindSet(evidence.values, set);
    if (values == nullptr || !HasValues(*values)) empty_sets.push_back(set);
  }
  AddWhyNothing(evidence, empty_sets, Validity::kPartial, verdict);
  AddMissingCounters(evidence, Validity::kPartial, verdict);
  const uint64_t calls = evidence.instances.calls;
  std::vector<std::string> counted;
  std::map<std::string, uint64_t> measured_calls;
  bool all_measured = true;
  for (const SetValues& values : evidence.values) {
    const uint64_t measured = MeasuredCalls(values);
    if (measured == 0) continue;
    JudgeAbsentValues(values, verdict);
    counted.push_back(values.set->name);
    measured_calls[values.set->name] = measured;
    all_measured = all_measured && measured == calls;
  }
  if (all_measured) return;
  std::vector<std::string> shares;
  for (const FoldedSet& set : FoldSets(evidence.device, counted)) {
    uint64_t least = measured_calls[set.passes.front()];
    uint64_t most = least;
    for (const std::string& pass : set.passes) {
      least = std::min(least, measured_calls[pass]);
      most = std::max(most, measured_calls[pass]);
    }
    shares.push_back(set.name + " " + Count(least) + (least == most ? "" : " to " + Count(most)));
  }
  verdict.Add(Validity::kExtrapolated, "counted of " + Calls(calls) + ": " + Join(shares, ", "));
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
  if (!unasked.empty())
    verdict.Add(Validity::kMeasured, "not asked for: " + SetsText(evidence.device, unasked));
}

// A change of sets leaves nothing of the program in the caches. Where most calls that
// were counted are the first behind one, data that stays in the L2 from call to call
// was read from DRAM there, and is not in the other calls.
void JudgeColdTraffic(const Evidence& evidence, Verdict& verdict) {
  const auto traffic = FindMetric(evidence.values, TrafficMetric("dram"), evidence.instances.calls);
  const auto l2_bytes = static_cast<double>(evidence.device.l2_bytes);
  if (!traffic || traffic->measured_calls == 0 || evidence.device.sets.size() < 2) return;
  if (traffic->measured_calls >= evidence.instances.calls) return;
  if (2 * traffic->epochs < traffic->measured_calls) return;
  if (traffic->mean_per_call < kColdTrafficFloorBytes || traffic->mean_per_call > l2_bytes) return;
  verdict.Add(Validity::kExtrapolated,
              "DRAM traffic is that of calls right behind a change of sets, when the L2 (" +
                  SiText(l2_bytes, "Byte") +
                  ") holds nothing of the program: calls that find their data there move less; "
                  "--exact counts them all");
}

void JudgeSharing(const Evidence& evidence, Verdict& verdict) {
  if (!IsShared(evidence)) return;
  std::vector<std::string> others;
  for (const RunProcess* process : evidence.sharers) {
    others.push_back("process " + Count(process->pid));
  }
  const std::string who = others.empty()       ? "another process, context or profiler"
                          : others.size() == 1 ? others[0] + " of this run"
                                               : Named(others, kMostNamedOverlaps) + " of this run";
  verdict.Add(Validity::kShared,
              who +
                  " used this GPU at the same time: GPU time and the counters of DRAM and L2 "
                  "include that work, FLOP are the region's own; so no intensity and no "
                  "performance");
}

// Work that no counter of this run sees must not pass for none.
void JudgeTensor(const Evidence& evidence, Verdict& verdict) {
  const TensorWork work = TensorWorkOf(evidence);
  const std::string& precision = evidence.options.precision;
  const bool is_drawn = precision == "tensor";
  verdict.Add(
      work.lacks_work || (is_drawn && !work.flop) ? Validity::kPartial : Validity::kMeasured,
      work.reason);
  if (TensorFormatOf(precision).empty()) return;
  if (FindFlop(evidence.values, precision, evidence.options, evidence.instances.calls)) return;
  verdict.Add(Validity::kPartial, "FLOP of " + precision +
                                      ": no set of this run counts it here; --set " + precision +
                                      " does where the chip has it");
}

void JudgeRepeated(const Evidence& evidence, Verdict& verdict) {
  if (!IsRepeated(evidence.values)) return;
  verdict.Add(Validity::kMeasured, "kernels repeated by CUPTI, each measured alone");
  if (evidence.region.launch) return;
  verdict.Add(
      Validity::kMeasured,
      "Kernel Time is the sum over its launches; the time between them was not measured, so "
      "no Duration and no performance");
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
    case Validity::kWorkModel:
      return "work model";
    case Validity::kScaleAssumed:
      return "scale assumed";
    case Validity::kUnlike:
      return "instances unlike";
    case Validity::kShared:
      return "shared device";
    case Validity::kOverlapped:
      return "overlapped";
    case Validity::kMissing:
      return "missing";
  }
  return "missing";
}

std::optional<Validity> ValidityOf(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(Validity::kMissing); ++i) {
    const auto validity = static_cast<Validity>(i);
    if (ValidityText(validity) == text) return validity;
  }
  return std::nullopt;
}

void Verdict::Add(Validity validity, std::string reason) {
  validity_ = std::max(validity_, validity);
  if (reason.empty() || std::find(reasons_.begin(), reasons_.end(), reason) != reasons_.end()) {
    return;
  }
  reasons_.push_back(std::move(reason));
}

std::string Verdict::Reason() const { return Join(reasons_, "; "); }

std::vector<std::string> UnlikeReasons(const Evidence& evidence) {
  std::vector<std::string> reasons;
  // Every set has then measured the same launches.
  if (IsRepeated(evidence.values)) return reasons;
  const InstanceSums& region = evidence.instances;
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
  const auto blocks = FindMetric(evidence.values, kBlocksMetric, evidence.instances.calls);
  if (blocks) return blocks->value == 0;
  return evidence.instances.watched_calls > 0 && evidence.instances.most_launches == 0 &&
         evidence.instances.launches == 0;
}

bool IsShared(const Evidence& evidence) {
  const auto refused = evidence.instances.uncounted.find(std::string(kNotOurTurn));
  const bool others_counted = refused != evidence.instances.uncounted.end() && refused->second > 0;
  if (evidence.sharers.empty() && !others_counted) return false;
  return std::any_of(evidence.values.begin(), evidence.values.end(), [](const SetValues& set) {
    return HasValues(set) && !PatchesKernels(*set.set);
  });
}

Verdict Judge(const Evidence& evidence) {
  Verdict verdict;
  const bool any = std::any_of(evidence.values.begin(), evidence.values.end(), HasValues);
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
  JudgeRepeated(evidence, verdict);
  JudgeSharing(evidence, verdict);
  JudgeComposed(evidence, verdict);
  JudgeSets(evidence, verdict);
  JudgeColdTraffic(evidence, verdict);
  JudgeUnasked(evidence, verdict);
  JudgeTensor(evidence, verdict);
  JudgeUncounted(evidence, Validity::kExtrapolated, false, verdict);
  return verdict;
}

}  // namespace rafter
