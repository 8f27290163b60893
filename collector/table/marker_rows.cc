#include "collector/table/marker_rows.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "collector/plan/likwid_events.h"
#include "collector/store/marker_readings.h"
#include "collector/table/formulas.h"
#include "collector/table/marker_groups.h"
#include "collector/table/number_text.h"
#include "collector/table/reason_text.h"
#include "collector/table/utf8.h"
#include "collector/table/verdict.h"

namespace rafter {
namespace {

// Events and sources named in one reason; more are counted.
constexpr size_t kMostNamed = 3;

std::string InQuotes(std::string_view text) { return "\"" + Quoted(text) + "\""; }

// Names of files, without their folders.
std::string SourceOf(const MarkerReadings& markers) {
  return Quoted(std::filesystem::path(markers.source).filename().string());
}

// CUPTI's dimensions, for the counters that LIKWID's groups are made of.
std::string UnitOf(const std::string& event) {
  if (CountsInstructions(event)) return "instruction";
  if (event.find("BYTES") != std::string::npos) return "Byte";
  return "";
}

// What is missing, once for each cause.
class MissingEvents {
 public:
  void Add(const std::string& cause, const std::string& event) {
    for (auto& [known, events] : causes_) {
      if (known != cause) continue;
      if (std::find(events.begin(), events.end(), event) == events.end()) events.push_back(event);
      return;
    }
    causes_.push_back({cause, {event}});
  }
  void Tell(Validity validity, Verdict& verdict) const {
    for (const auto& [cause, events] : causes_) {
      verdict.Add(validity, Quoted(Named(events, kMostNamed) + ": " + cause));
    }
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> causes_;
};

// Why no count can be made of a value; empty: one can.
std::string WhyNoCount(const MarkerPart& part, const std::string& event, double value) {
  const std::string& contradiction = part.markers->contradiction;
  if (!contradiction.empty()) {
    return "readings of " + SourceOf(*part.markers) +
           " are no counts by any constant factor: " + contradiction;
  }
  if (ReadsAsSwitched(*part.markers, *part.reading)) {
    return "all values are 0 although it was called, as after a switch of groups, which LIKWID "
           "cannot do; count each group in a run of its own";
  }
  if (!AddsUp(event)) {
    return RollUpOf(event).empty() ? "not a counter of CUPTI's"
                                   : "LIKWID adds it up over calls, and it is not a sum";
  }
  if (!std::isfinite(value)) return "the reading is not a finite number";
  if (value < 0) return "the reading is " + NumberText(value) + ", and no count is below 0";
  if (!std::isfinite(value * part.markers->scale)) return "too great for a number";
  return "";
}

// The parts that counted as many calls as the first; the rest is told of.
std::vector<MarkerPart> LikeTheFirst(const MarkerRegion& region, Verdict& verdict) {
  const MarkerPart& first = region.parts.front();
  std::vector<MarkerPart> like;
  std::vector<std::string> unlike;
  for (const MarkerPart& part : region.parts) {
    if (part.reading->calls == first.reading->calls) {
      like.push_back(part);
    } else {
      unlike.push_back(Calls(part.reading->calls) + " in " + SourceOf(*part.markers));
    }
  }
  if (unlike.empty()) return like;
  verdict.Add(Validity::kUnlike,
              Quoted("the runs did not call it as often, " + Calls(first.reading->calls) + " in " +
                     SourceOf(*first.markers) + " and " + Named(unlike, kMostNamed) +
                     ", so only what the first counted is here"));
  verdict.Add(Validity::kUnlike, "so no intensity and no performance");
  return like;
}

// Each event of the parts with its value: `use(part, event, value)`.
template <typename Use>
void ForEachReading(const std::vector<MarkerPart>& parts, const Use& use) {
  for (const MarkerPart& part : parts) {
    if (part.reading->group >= part.markers->events.size()) continue;
    const std::vector<std::string>& events = part.markers->events[part.reading->group];
    for (size_t i = 0; i < std::min(events.size(), part.reading->values.size()); ++i) {
      use(part, events[i], part.reading->values[i]);
    }
  }
}

// Instructions are whole. Where every border starts LIKWID's image afresh, only the rounding
// of its running totals, thirds of which stay from between regions, parts a reading from that.
double CountOf(const MarkerPart& part, const std::string& event, double reported) {
  constexpr double kRounding = 1e-9;  // relative; doubles have 1e-16 of the run's total
  const double count = reported * part.markers->scale;
  const ScaleOrigin origin = part.markers->origin;
  if (origin != ScaleOrigin::kKept && origin != ScaleOrigin::kProved) return count;
  if (!CountsInstructions(event)) return count;
  const double whole = std::round(count);
  return std::abs(count - whole) <= kRounding * std::max(1.0, whole) ? whole : count;
}

// Counts under CUPTI's names, each from the first part that has it.
void FillMetrics(const std::vector<MarkerPart>& parts, MissingEvents& missing, Row& row) {
  ForEachReading(parts, [&](const MarkerPart& part, const std::string& event, double reported) {
    const std::string metric = MetricOfEvent(event);
    std::optional<double>& value = row.metrics[metric];
    row.metric_units[metric] = UnitOf(event);
    if (!value && WhyNoCount(part, event, reported).empty()) {
      value = CountOf(part, event, reported);
    }
  });
  // What another part has is not missing.
  ForEachReading(parts, [&](const MarkerPart& part, const std::string& event, double reported) {
    if (!row.metrics[MetricOfEvent(event)]) missing.Add(WhyNoCount(part, event, reported), event);
  });
}

void FillTimes(const std::vector<MarkerPart>& parts, Verdict& verdict, Row& row) {
  std::vector<double> times_s;
  for (const MarkerPart& part : parts) {
    if (part.reading->time_s) times_s.push_back(*part.reading->time_s);
  }
  if (times_s.empty()) {
    verdict.Add(Validity::kMeasured,
                "LIKWID's time is not a finite number, so no Duration and no performance");
    return;
  }
  const auto [least, most] = std::minmax_element(times_s.begin(), times_s.end());
  row.duration_s = *least;
  double sum_s = 0;
  for (const double time_s : times_s) sum_s += time_s;
  if (times_s.size() > 1 && sum_s > 0) {
    row.duration_spread = (*most - *least) / (sum_s / static_cast<double>(times_s.size()));
  }
  const ScaleOrigin origin = parts.front().markers->origin;
  if (origin == ScaleOrigin::kKept || origin == ScaleOrigin::kProved) {
    verdict.Add(Validity::kMeasured,
                "Duration is host time between borders at which the marker library waited for the "
                "GPU");
    return;
  }
  verdict.Add(Validity::kMeasured,
              "Duration is LIKWID's host time, which does not wait for kernels that are still "
              "running at the end of the region");
}

// Of the SMs, or of their four parts, which LIKWID's groups have.
std::optional<double> FindCount(const Row& row, const std::string& metric) {
  std::vector<std::string> names = {metric};
  if (metric.starts_with("sm__")) names.push_back("smsp__" + metric.substr(4));
  for (const std::string& name : names) {
    const auto found = row.metrics.find(name);
    if (found != row.metrics.end() && found->second) return found->second;
  }
  return std::nullopt;
}

std::optional<double> FlopOf(const Row& row, const std::string& precision,
                             const TableOptions& options) {
  std::optional<double> flop;
  for (const Term& term : FlopTerms(precision, options)) {
    const std::optional<double> count = FindCount(row, term.metric);
    if (!count && !term.if_planned) return std::nullopt;
    flop = flop.value_or(0) + term.weight * count.value_or(0);
  }
  return flop;
}

// As of other rows: the precision that was asked for, or the one with most work.
void FillWork(const TableOptions& options, Verdict& verdict, Row& row) {
  row.flop_fp32 = FlopOf(row, "fp32", options);
  row.flop_fp64 = FlopOf(row, "fp64", options);
  row.flop_fp16 = FlopOf(row, "fp16", options);
  const std::pair<const char*, std::optional<double>> work[] = {
      {"fp32", row.flop_fp32}, {"fp64", row.flop_fp64}, {"fp16", row.flop_fp16}};
  const bool is_auto = options.precision == "auto";
  if (!is_auto) row.precision = options.precision;
  for (const auto& [precision, flop] : work) {
    if (!flop || (!is_auto && precision != options.precision)) continue;
    if (row.flop && *flop <= *row.flop) continue;
    row.flop = flop;
    if (is_auto) row.precision = *flop > 0 ? precision : "";
  }
  const std::string traffic(TrafficMetric(options.memory_level));
  row.traffic_bytes = FindCount(row, traffic);
  if (!row.flop) {
    verdict.Add(Validity::kMeasured, is_auto
                                         ? "no FLOP: no precision has counts of all its operations"
                                         : "no FLOP of " + options.precision +
                                               ": not all of its operations have counts");
  }
  if (!traffic.empty() && !row.metrics.contains(traffic)) {
    verdict.Add(Validity::kMeasured,
                "no traffic: " + LikwidEventOf(traffic) + " is not among its events");
  }
}

void FillRatios(const Verdict& verdict, Row& row) {
  if (verdict.validity() == Validity::kUnlike) return;
  if (row.flop && row.traffic_bytes && *row.traffic_bytes > 0) {
    row.flop_per_byte = *row.flop / *row.traffic_bytes;
  }
  if (row.flop && row.duration_s && *row.duration_s > 0) {
    row.flop_per_s = *row.flop / *row.duration_s;
  }
}

// How sure a factor is for a region of a file of unknown history, from the best.
enum class Sureness {
  kFirstAlone,  // the only region, called once
  kFirst,       // the first one, called once
  kRepeats,     // the only one, called often
  kUnknown,
};

Sureness SurenessOf(const MarkerPart& part) {
  const bool is_alone = RegionsOf(*part.markers) == 1;
  const bool is_first = part.reading->region == part.markers->readings.front().region;
  if (part.reading->calls > 1) return is_alone ? Sureness::kRepeats : Sureness::kUnknown;
  if (is_alone) return Sureness::kFirstAlone;
  return is_first ? Sureness::kFirst : Sureness::kUnknown;
}

std::string SurenessText(Sureness sureness, const MarkerPart& part, const std::string& sources) {
  switch (sureness) {
    case Sureness::kFirstAlone:
      return "sure for this region if no kernel ran before it";
    case Sureness::kFirst:
      return "sure for this region, the first one, if no kernel ran before it, and not for the "
             "others of " +
             sources;
    case Sureness::kRepeats:
      return "sure for this region if its " + Calls(part.reading->calls) +
             " did equal work and no kernel ran outside of it";
    case Sureness::kUnknown:
      break;
  }
  return "sure for the first region of " + sources + " (" +
         InQuotes(part.markers->readings.front().region) +
         ") if it was called once, and for equal repeats of one region with nothing between; for "
         "this row it is not known";
}

void JudgeAssumed(const std::vector<MarkerPart>& parts, Verdict& verdict) {
  const MarkerPart* worst = nullptr;
  std::vector<std::string> sources;
  for (const MarkerPart& part : parts) {
    if (part.markers->origin != ScaleOrigin::kAssumed || !part.markers->contradiction.empty()) {
      continue;
    }
    if (worst == nullptr || SurenessOf(part) > SurenessOf(*worst)) worst = &part;
    const std::string source = SourceOf(*part.markers);
    if (std::find(sources.begin(), sources.end(), source) == sources.end()) {
      sources.push_back(source);
    }
  }
  if (worst == nullptr) return;
  verdict.Add(Validity::kScaleAssumed,
              "counts are LIKWID's readings x " + NumberText(worst->markers->scale) +
                  ", and each reading is the mean over all sessions of its process; that is " +
                  SurenessText(SurenessOf(*worst), *worst, Named(sources, kMostNamed)));
  verdict.Add(Validity::kScaleAssumed,
              "true counts: \"rafter run --source likwid -- APP\" or \"rafter run --regions "
              "nvmarker -- APP\"");
}

void JudgeScale(const std::vector<MarkerPart>& parts, Verdict& verdict) {
  JudgeAssumed(parts, verdict);
  for (const MarkerPart& part : parts) {
    const MarkerReadings& markers = *part.markers;
    if (markers.origin != ScaleOrigin::kGiven || !markers.contradiction.empty()) continue;
    verdict.Add(Validity::kMeasured, "counts are LIKWID's readings x " + NumberText(markers.scale) +
                                         ", as --counter-scale says");
  }
}

void FillIdentity(const MarkerRegion& region, const TableOptions& options, Row& row) {
  row.region = ValidUtf8(region.region);
  row.memory_level = options.memory_level;
  row.hardware = options.hardware;
  row.source = "likwid";
  row.device = std::to_string(region.gpu);
  row.calls = region.parts.front().reading->calls;
  if (region.process == nullptr) return;
  const RunProcess& process = *region.process;
  row.executable = ValidUtf8(std::filesystem::path(process.executable).filename().string());
  if (process.rank) row.rank = std::to_string(*process.rank);
  row.host = ValidUtf8(process.host);
  if (process.pid != 0) row.process = std::to_string(process.pid);
  for (const RunDevice& device : process.devices) {
    if (region.gpu < 0 || device.device != static_cast<uint32_t>(region.gpu)) continue;
    if (row.hardware.empty()) row.hardware = device.name;
    row.device_uuid = device.uuid;
  }
}

// What the process's notes say of this region; empty: nothing.
std::string ToldOfRegion(const MarkerRegion& region) {
  if (region.process == nullptr) return "";
  for (const RunNote& note : region.process->notes) {
    if (note.about == "regions" && note.text.starts_with("region " + region.region + ": ")) {
      return note.text;
    }
  }
  return "";
}

Row MakeRow(const MarkerRegion& region, const TableOptions& options) {
  Row row;
  Verdict verdict;
  FillIdentity(region, options, row);
  const std::vector<MarkerPart> parts = LikeTheFirst(region, verdict);
  MissingEvents missing;
  FillMetrics(parts, missing, row);
  const bool any = std::any_of(row.metrics.begin(), row.metrics.end(),
                               [](const auto& metric) { return metric.second.has_value(); });
  const std::string told = any ? "" : ToldOfRegion(region);
  if (told.empty()) {
    missing.Tell(any ? Validity::kPartial : Validity::kMissing, verdict);
  } else {
    verdict.Add(Validity::kMissing, Quoted(told));
  }
  row.measured_calls = any ? *row.calls : 0;
  if (any) JudgeScale(parts, verdict);
  FillTimes(parts, verdict, row);
  FillWork(options, verdict, row);
  FillRatios(verdict, row);
  row.validity = ValidityText(verdict.validity());
  row.reason = verdict.Reason();
  return row;
}

}  // namespace

std::vector<Row> MarkerRows(const Run& run, const TableOptions& options) {
  std::vector<Row> rows;
  for (const MarkerRegion& region : GroupMarkers(run)) rows.push_back(MakeRow(region, options));
  return rows;
}

}  // namespace rafter
