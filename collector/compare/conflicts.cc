#include "collector/compare/conflicts.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "collector/compare/match.h"
#include "collector/table/number_text.h"
#include "collector/table/reason_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

constexpr size_t kMostNamed = 3;
constexpr size_t kMostNameCharacters = 60;

std::string NamesText(const std::set<std::string>& names) {
  std::vector<std::string> list;
  list.reserve(names.size());
  for (const std::string& name : names) list.push_back(OneLine(name, kMostNameCharacters));
  return Named(list, kMostNamed);
}

// Two runs, and what to call them: "BASE", or the file of one of several.
struct Pair {
  const ComparedSide& base;
  const ComparedSide& now;
  std::string base_name;
  std::string now_name;
  std::vector<MatchedRows> rows;
};

// One line for each thing, whatever number of pairs it holds of.
class Lines {
 public:
  void Add(const std::string& what, const std::string& text) {
    const auto [place, is_new] = place_.try_emplace(what, texts_.size());
    if (is_new) texts_.push_back({text, 0});
    ++texts_[place->second].pairs;
  }
  std::vector<std::string> Texts() const {
    std::vector<std::string> lines;
    for (const auto& [text, pairs] : texts_) {
      const std::string more = Count(pairs - 1) + (pairs == 2 ? " more pair" : " more pairs");
      lines.push_back(pairs < 2 ? text : text + " (and so of " + more + " of runs)");
    }
    return lines;
  }

 private:
  struct Said {
    std::string text;
    size_t pairs;
  };
  std::vector<Said> texts_;
  std::map<std::string, size_t> place_;
};

std::string InBoth(const Pair& pair, const std::string& base, const std::string& now) {
  return base + " in " + pair.base_name + ", " + now + " in " + pair.now_name;
}

struct Names {
  std::set<std::string> base;
  std::set<std::string> now;

  bool known() const { return !base.empty() && !now.empty(); }
  // "BASE does not tell", "neither side tells".
  std::string Untold(const Pair& pair) const {
    return base.empty() ? now.empty() ? "neither side tells" : pair.base_name + " does not tell"
                        : pair.now_name + " does not tell";
  }
};

// What matched rows have in a column; with `different`, only of rows in which it
// differs.
template <typename TextOf>
Names NamesOf(const Pair& pair, bool different, TextOf text_of) {
  Names names;
  for (const MatchedRows& row : pair.rows) {
    const std::string base = text_of(pair.base.table.rows[row.base]);
    const std::string now = text_of(pair.now.table.rows[row.now]);
    if (different && (base.empty() || now.empty() || base == now)) continue;
    if (!base.empty()) names.base.insert(base);
    if (!now.empty()) names.now.insert(now);
  }
  return names;
}

std::string HardwareOf(const Row& row) { return row.hardware; }
std::string UuidOf(const Row& row) { return row.device_uuid; }
// "GPU" or "MIG".
std::string KindOfGpu(const Row& row) {
  return row.device_uuid.starts_with("MIG-")   ? "a MIG slice"
         : row.device_uuid.starts_with("GPU-") ? "a whole GPU"
                                               : "";
}

// Over the rows in which both sides have a clock and a duration.
struct Clocks {
  double base_hz = 0;
  double now_hz = 0;
};
std::optional<Clocks> MeanClocks(const Pair& pair, std::optional<double> Row::*clock) {
  Clocks clocks;
  double base_s = 0;
  double now_s = 0;
  for (const MatchedRows& row : pair.rows) {
    const Row& base = pair.base.table.rows[row.base];
    const Row& now = pair.now.table.rows[row.now];
    if (!(base.*clock) || !(now.*clock) || !base.duration_s || !now.duration_s) continue;
    clocks.base_hz += *(base.*clock) * *base.duration_s;
    clocks.now_hz += *(now.*clock) * *now.duration_s;
    base_s += *base.duration_s;
    now_s += *now.duration_s;
  }
  if (!(base_s > 0) || !(now_s > 0)) return std::nullopt;
  clocks.base_hz /= base_s;
  clocks.now_hz /= now_s;
  return clocks;
}

void AddDifference(const Pair& pair, const std::string& what, const std::string& base,
                   const std::string& now, const std::string& more, Lines& lines) {
  lines.Add(what, what + " differs: " + InBoth(pair, base, now) + more);
}

void AddClock(const Pair& pair, const std::string& name, std::optional<double> Row::*clock,
              Lines& lines) {
  const std::optional<Clocks> clocks = MeanClocks(pair, clock);
  if (!clocks || !(clocks->base_hz > 0)) return;
  const double ratio = clocks->now_hz / clocks->base_hz;
  if (std::fabs(ratio - 1) <= kOtherClockShare) return;
  AddDifference(
      pair, name, SiText(clocks->base_hz, "Hz"), SiText(clocks->now_hz, "Hz"),
      " (" + RatioChangeText(ratio) + ", " + PercentText(100 * kOtherClockShare) + " are allowed)",
      lines);
}

Names VersionsOf(const Pair& pair, std::string DeviceVersions::*field) {
  Names names;
  for (const DeviceVersions& versions : pair.base.versions) {
    if (!(versions.*field).empty()) names.base.insert(versions.*field);
  }
  for (const DeviceVersions& versions : pair.now.versions) {
    if (!(versions.*field).empty()) names.now.insert(versions.*field);
  }
  return names;
}

// Two runs of a program never took the same time in every region.
constexpr size_t kLeastTimesOfCopy = 2;

void AddIfCopy(const Pair& pair, Lines& lines) {
  size_t times = 0;
  for (const MatchedRows& row : pair.rows) {
    const std::optional<double>& base = pair.base.table.rows[row.base].duration_s;
    const std::optional<double>& now = pair.now.table.rows[row.now].duration_s;
    if (!base && !now) continue;
    if (base != now) return;
    ++times;
  }
  if (times < kLeastTimesOfCopy) return;
  lines.Add("copy", pair.base_name + " and " + pair.now_name + " are one run given twice: all " +
                        Count(times) + " durations are the same to the last digit");
}

void AddConflicts(const Pair& pair, Lines& lines) {
  const auto add_if_different = [&](const std::string& what, const Names& names) {
    if (!names.known() || names.base == names.now) return;
    AddDifference(pair, what, NamesText(names.base), NamesText(names.now), "", lines);
  };
  add_if_different("GPU", NamesOf(pair, true, HardwareOf));
  add_if_different("kind of GPU", NamesOf(pair, true, KindOfGpu));
  AddClock(pair, "SM clock", &Row::sm_clock_hz, lines);
  AddClock(pair, "DRAM clock", &Row::dram_clock_hz, lines);
  add_if_different("driver", VersionsOf(pair, &DeviceVersions::driver));
  add_if_different("CUPTI", VersionsOf(pair, &DeviceVersions::cupti));
}

void AddUntold(const Pair& pair, Lines& lines) {
  const auto add_if_untold = [&](const std::string& what, const Names& names) {
    if (!names.known())
      lines.Add(what, what + " not held against each other: " + names.Untold(pair));
  };
  add_if_untold("GPUs", NamesOf(pair, false, HardwareOf));
  if (!MeanClocks(pair, &Row::sm_clock_hz)) {
    lines.Add("clocks", "clocks not held against each other: no row has SM Clock on both sides");
  }
  add_if_untold("drivers and CUPTIs", VersionsOf(pair, &DeviceVersions::driver));
  const Names sources = NamesOf(pair, false, [](const Row& row) { return row.source; });
  if (sources.base.empty() == sources.now.empty()) return;
  const bool in_base = sources.base.empty();
  lines.Add("source", (in_base ? pair.base_name : pair.now_name) +
                          " has no Source: its times may be of another kind than those of " +
                          (in_base ? pair.now_name : pair.base_name));
}

void AddOthers(const Pair& pair, Lines& lines) {
  const Names uuids = NamesOf(pair, true, UuidOf);
  if (uuids.known() && uuids.base != uuids.now) {
    lines.Add("uuid", "another GPU of the same name: " +
                          InBoth(pair, NamesText(uuids.base), NamesText(uuids.now)));
  }
  const Names programs = NamesOf(pair, true, [](const Row& row) { return row.executable; });
  if (programs.known()) {
    lines.Add("program", "two programs are compared: " +
                             InBoth(pair, NamesText(programs.base), NamesText(programs.now)));
  }
}

// The two sides, or each run of both sides with each later one.
std::vector<Pair> PairsOf(const Comparison& comparison) {
  std::vector<Pair> pairs;
  if (!comparison.runs) {
    pairs.push_back({comparison.base, comparison.now, "BASE", "NEW", {}});
    for (const ComparedRow& row : comparison.rows) pairs[0].rows.push_back({row.base, row.now});
    return pairs;
  }
  struct SideRun {
    const ComparedRun* run;
    size_t ComparedRow::*row;
  };
  std::vector<SideRun> runs;
  for (const ComparedRun& run : comparison.runs->base) runs.push_back({&run, &ComparedRow::base});
  for (const ComparedRun& run : comparison.runs->now) runs.push_back({&run, &ComparedRow::now});
  for (size_t i = 0; i < runs.size(); ++i) {
    for (size_t j = i + 1; j < runs.size(); ++j) {
      const ComparedSide& one = runs[i].run->run;
      const ComparedSide& other = runs[j].run->run;
      Pair pair{one, other, one.name, other.name, {}};
      for (const ComparedRow& row : comparison.rows) {
        const std::optional<size_t> in_one = runs[i].run->rows[row.*runs[i].row];
        const std::optional<size_t> in_other = runs[j].run->rows[row.*runs[j].row];
        if (in_one && in_other) pair.rows.push_back({*in_one, *in_other});
      }
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

// How many different texts a side has in a column.
size_t ValuesIn(const ComparedSide& side, std::string Row::*field) {
  std::set<std::string> values;
  for (const Row& row : side.table.rows) {
    if (!(row.*field).empty()) values.insert(row.*field);
  }
  return values.size();
}

// Columns that tell rows of one side apart and that the other side lacks, where rows
// were left alone.
void AddMissingColumns(const Comparison& comparison, std::vector<std::string>& notes) {
  if (comparison.lone.empty()) return;
  const std::pair<std::string Row::*, const char*> columns[] = {{&Row::rank, "Rank"},
                                                                {&Row::kernel_id, "Kernel ID"},
                                                                {&Row::process, "Process"},
                                                                {&Row::device, "Device"}};
  for (const auto& [field, name] : columns) {
    const size_t in_base = ValuesIn(comparison.base, field);
    const size_t in_new = ValuesIn(comparison.now, field);
    if ((in_base > 1) == (in_new > 1) || (in_base > 0 && in_new > 0)) continue;
    notes.push_back(std::string("only ") + (in_base > 0 ? "BASE" : "NEW") + " has " + name +
                    ", so that did not tell rows apart");
  }
}

}  // namespace

std::vector<std::string> ConflictsOf(const Comparison& comparison) {
  Lines lines;
  for (const Pair& pair : PairsOf(comparison)) {
    AddConflicts(pair, lines);
    if (comparison.runs) AddIfCopy(pair, lines);
  }
  return lines.Texts();
}

std::vector<std::string> NotesOnSides(const Comparison& comparison) {
  std::vector<std::string> notes;
  if (comparison.rows.empty()) {
    AddMissingColumns(comparison, notes);
    return notes;
  }
  const std::vector<Pair> pairs = PairsOf(comparison);
  Lines untold;
  for (const Pair& pair : pairs) AddUntold(pair, untold);
  notes = untold.Texts();
  AddMissingColumns(comparison, notes);
  Lines others;
  for (const Pair& pair : pairs) AddOthers(pair, others);
  for (std::string& text : others.Texts()) notes.push_back(std::move(text));
  return notes;
}

}  // namespace rafter
