#include "collector/compare/conflicts.h"

#include <cmath>
#include <optional>
#include <set>
#include <utility>

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

std::string Against(const std::string& what, const std::string& base, const std::string& now) {
  return what + " differs: " + base + " in BASE, " + now + " in NEW";
}

struct Names {
  std::set<std::string> base;
  std::set<std::string> now;

  bool known() const { return !base.empty() && !now.empty(); }
  // Who does not tell: "BASE does", "NEW does", "neither does".
  std::string Untold() const {
    return base.empty() ? now.empty() ? "neither side tells" : "BASE does not tell"
                        : "NEW does not tell";
  }
};

// What matched rows have in a column; with `different`, only of rows in which it
// differs.
template <typename TextOf>
Names NamesOf(const Comparison& comparison, bool different, TextOf text_of) {
  Names names;
  for (const ComparedRow& row : comparison.rows) {
    const std::string base = text_of(comparison.base.table.rows[row.base]);
    const std::string now = text_of(comparison.now.table.rows[row.now]);
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
std::optional<Clocks> MeanClocks(const Comparison& comparison, std::optional<double> Row::*clock) {
  Clocks clocks;
  double base_s = 0;
  double now_s = 0;
  for (const ComparedRow& row : comparison.rows) {
    const Row& base = comparison.base.table.rows[row.base];
    const Row& now = comparison.now.table.rows[row.now];
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

void AddClock(const Comparison& comparison, const std::string& name,
              std::optional<double> Row::*clock, std::vector<std::string>& conflicts) {
  const std::optional<Clocks> clocks = MeanClocks(comparison, clock);
  if (!clocks || !(clocks->base_hz > 0)) return;
  const double ratio = clocks->now_hz / clocks->base_hz;
  if (std::fabs(ratio - 1) <= kOtherClockShare) return;
  conflicts.push_back(Against(name, SiText(clocks->base_hz, "Hz"), SiText(clocks->now_hz, "Hz")) +
                      " (" + RatioChangeText(ratio) + ", " + PercentText(100 * kOtherClockShare) +
                      " are allowed)");
}

Names VersionsOf(const Comparison& comparison, std::string DeviceVersions::*field) {
  Names names;
  for (const DeviceVersions& versions : comparison.base.versions) {
    if (!(versions.*field).empty()) names.base.insert(versions.*field);
  }
  for (const DeviceVersions& versions : comparison.now.versions) {
    if (!(versions.*field).empty()) names.now.insert(versions.*field);
  }
  return names;
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
  std::vector<std::string> conflicts;
  const auto add_if_different = [&](const std::string& what, const Names& names) {
    if (!names.known() || names.base == names.now) return;
    conflicts.push_back(Against(what, NamesText(names.base), NamesText(names.now)));
  };
  add_if_different("GPU", NamesOf(comparison, true, HardwareOf));
  add_if_different("kind of GPU", NamesOf(comparison, true, KindOfGpu));
  AddClock(comparison, "SM clock", &Row::sm_clock_hz, conflicts);
  AddClock(comparison, "DRAM clock", &Row::dram_clock_hz, conflicts);
  add_if_different("driver", VersionsOf(comparison, &DeviceVersions::driver));
  add_if_different("CUPTI", VersionsOf(comparison, &DeviceVersions::cupti));
  return conflicts;
}

std::vector<std::string> NotesOnSides(const Comparison& comparison) {
  std::vector<std::string> notes;
  if (comparison.rows.empty()) {
    AddMissingColumns(comparison, notes);
    return notes;
  }
  const auto add_if_untold = [&](const std::string& what, const Names& names) {
    if (!names.known()) notes.push_back(what + " not held against each other: " + names.Untold());
  };
  add_if_untold("GPUs", NamesOf(comparison, false, HardwareOf));
  if (!MeanClocks(comparison, &Row::sm_clock_hz)) {
    notes.push_back("clocks not held against each other: no row has SM Clock on both sides");
  }
  add_if_untold("drivers and CUPTIs", VersionsOf(comparison, &DeviceVersions::driver));
  const Names sources = NamesOf(comparison, false, [](const Row& row) { return row.source; });
  if (sources.base.empty() != sources.now.empty()) {
    const bool in_base = sources.base.empty();
    notes.push_back(std::string(in_base ? "BASE" : "NEW") +
                    " has no Source: its times may be of another kind than those of " +
                    (in_base ? "NEW" : "BASE"));
  }
  AddMissingColumns(comparison, notes);
  const Names uuids = NamesOf(comparison, true, UuidOf);
  if (uuids.known() && uuids.base != uuids.now) {
    notes.push_back("another GPU of the same name: " + NamesText(uuids.base) + " in BASE, " +
                    NamesText(uuids.now) + " in NEW");
  }
  const Names programs = NamesOf(comparison, true, [](const Row& row) { return row.executable; });
  if (programs.known()) {
    notes.push_back("two programs are compared: " + NamesText(programs.base) + " in BASE, " +
                    NamesText(programs.now) + " in NEW");
  }
  return notes;
}

}  // namespace rafter
