#include "collector/table/why_nothing.h"

#include <algorithm>

#include "collector/table/reason_text.h"
#include "collector/table/set_words.h"

namespace rafter {
namespace {

bool IsPlanned(const RunDevice& device, std::string_view name) {
  return std::any_of(device.sets.begin(), device.sets.end(),
                     [&](const CounterSet& set) { return set.name == name; });
}

const std::string& CommandOf(const Evidence& evidence) {
  return evidence.run.command.empty() ? evidence.process.executable : evidence.run.command;
}

// What to type to get sets that are not there: each pass takes a call at least, so a
// run gets no more of them than the region has calls.
std::string Remedy(const Evidence& evidence, const std::vector<std::string>& sets) {
  const size_t at_once = std::max<uint64_t>(1, evidence.instances.calls);
  return "run again with: " +
         CommandFor(evidence.device, sets, at_once, Quoted(CommandOf(evidence)));
}

// Why the parts that a set measured of a region make no value.
std::string WhyNotComposed(const Evidence& evidence, const std::string& set,
                           const ComposedValues& composed) {
  std::string text = "sets changed while it was open: set " + set;
  if (evidence.instances.host_time_s > 0 && composed.counted_s > 0) {
    const double percent =
        std::min(100.0, 100 * composed.counted_s / evidence.instances.host_time_s);
    text += " measured " + PercentText(percent) + " of its host time";
  } else {
    text += " measured a part of it";
  }
  return text + ", but " + Quoted(composed.why_missing) + "; run again with: rafter run --replay " +
         "application -- " + Quoted(CommandOf(evidence)) + " (or with --set " + set + " alone)";
}

// Why the launches that CUPTI repeated make no value.
std::string WhyNotRepeated(const Evidence& evidence, const std::string& set,
                           const RepeatedLaunches& repeated) {
  const std::string whole = "; run again with: rafter run -- " + Quoted(CommandOf(evidence));
  if (repeated.measured == repeated.seen) {
    return "no call of it ended, so what set " + set + " measured is no call's" + whole;
  }
  return "set " + set + " measured " + Count(repeated.measured) +
         " launches that are its own for " + "certain, and " + Count(repeated.seen) +
         " were seen in it: CUPTI repeats no CUDA graph, and launches of other threads or of two "
         "threads at once have no known region" +
         whole;
}

}  // namespace

const SetValues* FindSet(const RegionValues& values, std::string_view name) {
  for (const SetValues& set : values) {
    if (set.set->name == name) return &set;
  }
  return nullptr;
}

std::vector<std::string> NotesAbout(const RunProcess& process, std::string_view about) {
  std::vector<std::string> texts;
  for (const RunNote& note : process.notes) {
    if (note.about == about && note.severity != "information") texts.push_back(Quoted(note.text));
  }
  return texts;
}

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
  if (values != nullptr && values->composed && !values->composed->why_missing.empty()) {
    return WhyNotComposed(evidence, set, *values->composed);
  }
  if (values != nullptr && values->repeated && values->epochs.empty()) {
    return WhyNotRepeated(evidence, set, *values->repeated);
  }
  if (values != nullptr && (values->composed || !values->epochs.empty())) {
    return "CUPTI gave no value for set " + set;
  }
  if (values != nullptr && values->cut_short_calls > 0) {
    return "no call was counted to its end in set " + set + " (" + Count(values->cut_short_calls) +
           " cut short); " + Remedy(evidence, {set});
  }
  return "";
}

std::string WhyNoTurn(const Evidence& evidence, const std::vector<std::string>& sets) {
  return "no call was counted in " + SetsText(evidence.device, sets) + "; " +
         Remedy(evidence, sets);
}

}  // namespace rafter
