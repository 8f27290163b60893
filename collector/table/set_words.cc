#include "collector/table/set_words.h"

#include <algorithm>

#include "collector/table/formulas.h"

namespace rafter {
namespace {

constexpr std::string_view kMetrics = "metrics";
constexpr std::string_view kTensorPrefix = "tensor.";

// Sets named in one reason; more are counted.
constexpr size_t kMostNamedSets = 6;

// Runs that a reason tells to type one by one.
constexpr size_t kMostRuns = 3;

// The items of the list of sets that was asked for.
std::vector<std::string> WantedItems(const RunDevice& device) {
  std::vector<std::string> items;
  std::string_view list = device.wanted_sets;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    if (!item.empty()) items.emplace_back(item);
    list = comma == std::string_view::npos ? "" : list.substr(comma + 1);
  }
  return items;
}

bool Contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// "occupancy" of "occupancy.2"; a name that ends otherwise is itself.
std::string_view WithoutPass(std::string_view set) {
  const size_t dot = set.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == set.size()) return set;
  const std::string_view number = set.substr(dot + 1);
  const bool is_number = number.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? set.substr(0, dot) : set;
}

// The set that was asked for as a whole and that this is a pass of; empty: none.
std::string WholeOf(const RunDevice& device, std::string_view set) {
  const std::string_view base = WithoutPass(set);
  if (base == kMetrics) return std::string(base);
  if (base.starts_with(kTensorPrefix) && IsWantedWhole(device, "tensor")) return "tensor";
  return IsWantedWhole(device, base) ? std::string(base) : std::string();
}

// As "--set" takes it: metrics by their names, since the number of their pass says
// nothing to another run.
std::string AsOption(const RunDevice& device, const FoldedSet& set) {
  if (WithoutPass(set.name) != kMetrics) return set.name;
  std::string text;
  for (const CounterSet& planned : device.sets) {
    if (!Contains(set.passes, planned.name)) continue;
    for (const Counter& counter : planned.counters) {
      if (counter.metric == kGpuTimeMetric) continue;
      text += (text.empty() ? "metrics:" : "+") + counter.metric;
    }
  }
  return text.empty() ? set.name : text;
}

}  // namespace

std::vector<std::string> WantedSets(const RunDevice& device) {
  std::vector<std::string> names;
  const auto is_planned = [&](std::string_view name) {
    return std::any_of(device.sets.begin(), device.sets.end(),
                       [&](const CounterSet& planned) { return planned.name == name; });
  };
  for (const std::string& item : WantedItems(device)) {
    // "metrics:NAME+NAME" is the set "metrics".
    const std::string set = item.substr(0, item.find(':'));
    const size_t before = names.size();
    for (const CounterSet& planned : device.sets) {
      if (planned.name == set || planned.name.starts_with(set + ".")) names.push_back(planned.name);
    }
    if (names.size() > before) continue;
    // The first pass of a set that takes one here goes by the name of the set.
    const std::string_view base = WithoutPass(set);
    names.emplace_back(set.ends_with(".1") && is_planned(base) ? base : set);
  }
  if (!names.empty()) return names;
  for (const CounterSet& set : device.sets) names.push_back(set.name);
  return names;
}

bool IsWantedWhole(const RunDevice& device, std::string_view set) {
  return Contains(WantedItems(device), set);
}

std::vector<FoldedSet> FoldSets(const RunDevice& device, const std::vector<std::string>& sets) {
  std::vector<FoldedSet> folded;
  for (const std::string& set : sets) {
    const std::string whole = WholeOf(device, set);
    std::vector<std::string> passes;
    for (const CounterSet& planned : device.sets) {
      if (!whole.empty() && WholeOf(device, planned.name) == whole) passes.push_back(planned.name);
    }
    const bool all = passes.size() > 1 &&
                     std::all_of(passes.begin(), passes.end(),
                                 [&](const std::string& pass) { return Contains(sets, pass); });
    if (!all) {
      folded.push_back({set, {set}});
    } else if (set == passes.front()) {
      folded.push_back({whole, passes});
    }
  }
  return folded;
}

std::string SetsText(const RunDevice& device, const std::vector<std::string>& sets) {
  const std::vector<FoldedSet> folded = FoldSets(device, sets);
  std::string text = folded.size() == 1 ? "set " : "sets ";
  for (size_t i = 0; i < std::min(folded.size(), kMostNamedSets); ++i) {
    text += (i == 0 ? "" : ", ") + folded[i].name;
  }
  if (folded.size() <= kMostNamedSets) return text;
  return text + " and " + std::to_string(folded.size() - kMostNamedSets) + " more";
}

std::string CommandFor(const RunDevice& device, const std::vector<std::string>& sets,
                       size_t at_once, const std::string& program) {
  const std::vector<FoldedSet> folded = FoldSets(device, sets);
  std::vector<std::string> runs;
  size_t room = 0;
  const auto add = [&](const FoldedSet& set) {
    if (set.passes.size() > room) {
      runs.emplace_back();
      room = at_once;
    }
    runs.back() += (runs.back().empty() ? "--set " : ",") + AsOption(device, set);
    room -= set.passes.size();
  };
  for (const FoldedSet& set : folded) {
    if (set.passes.size() <= at_once) {
      add(set);
    } else {
      for (const std::string& pass : set.passes) add({pass, {pass}});
    }
  }
  if (runs.size() > kMostRuns) {
    std::string list;
    for (const FoldedSet& set : folded) list += (list.empty() ? "" : ",") + AsOption(device, set);
    return "rafter run --replay application --set " + list + " -- " + program;
  }
  std::string text = "rafter run " + runs[0] + " -- " + program;
  for (size_t i = 1; i < runs.size(); ++i) text += (i == 1 ? " (then with " : ", ") + runs[i];
  return runs.size() > 1 ? text + ")" : text;
}

}  // namespace rafter
