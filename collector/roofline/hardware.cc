#include "collector/roofline/hardware.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "collector/roofline/points.h"

namespace rafter {
namespace {

// Executables of one hardware that a note names, and points of each; more are counted.
constexpr size_t kMostExecutables = 12;
constexpr size_t kMostPoints = 12;

// Those with most points, in the order in which they are given.
std::vector<std::string> MostDrawn(const std::vector<std::string>& several, const Table& table,
                                   const Roofline& roofline) {
  std::map<std::string, size_t> points;
  for (const RooflinePoint& point : roofline.points) ++points[table.rows[point.row].hardware];
  std::vector<std::string> ranked = several;
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const auto& a, const auto& b) { return points[a] > points[b]; });
  ranked.resize(std::min(ranked.size(), kMostHardware));
  const std::set<std::string> most(ranked.begin(), ranked.end());
  std::vector<std::string> drawn;
  std::copy_if(several.begin(), several.end(), std::back_inserter(drawn),
               [&](const std::string& name) { return most.contains(name); });
  return drawn;
}

std::string Texts(const std::vector<std::string>& hardware) {
  std::vector<std::string> texts;
  for (const std::string& name : hardware) texts.push_back(HardwareText(name));
  return Listed(texts, texts.size());
}

// Moves the roofs of other hardware than `drawn` to `left_out`.
template <typename Roof>
void LeaveOut(const std::vector<std::string>& drawn, std::vector<Roof>& roofs,
              std::vector<Roof>& left_out) {
  const auto rest = std::stable_partition(roofs.begin(), roofs.end(), [&](const Roof& roof) {
    return !roof.hardware || std::find(drawn.begin(), drawn.end(), *roof.hardware) != drawn.end();
  });
  left_out.assign(std::make_move_iterator(rest), std::make_move_iterator(roofs.end()));
  roofs.erase(rest, roofs.end());
}

template <typename Roof>
std::vector<std::string> WithoutRoof(const std::vector<std::string>& hardware,
                                     const std::vector<Roof>& roofs) {
  std::vector<std::string> without;
  std::copy_if(hardware.begin(), hardware.end(), std::back_inserter(without),
               [&](const std::string& name) {
                 return std::none_of(roofs.begin(), roofs.end(), [&](const Roof& roof) {
                   return !roof.hardware || *roof.hardware == name;
                 });
               });
  return without;
}

// Where no hardware has a roof of a kind, NotesOf says it.
template <typename Roof>
void NoteWithoutRoof(const std::string& kind, const std::string& peak,
                     const std::vector<std::string>& hardware, const std::vector<Roof>& roofs,
                     std::vector<std::string>& notes) {
  const std::vector<std::string> without = WithoutRoof(hardware, roofs);
  if (without.empty() || roofs.empty()) return;
  notes.push_back("no " + kind + " roof of " + Texts(without) + ": its rows have no " + peak);
}

// Whether a label has the name in it, and all of it on the plot.
bool Says(const std::string& label, const std::string& name) {
  return !name.empty() && label.size() <= kMostPlotCharacters &&
         label.find(name) != std::string::npos;
}

std::vector<std::string> WithRoof(const std::vector<std::string>& several,
                                  const Roofline& roofline) {
  std::vector<std::string> owners;
  const auto own = [](const std::string& name) {
    return [&name](const auto& roof) { return roof.hardware == name; };
  };
  std::copy_if(several.begin(), several.end(), std::back_inserter(owners), [&](const auto& name) {
    return std::any_of(roofline.compute.begin(), roofline.compute.end(), own(name)) ||
           std::any_of(roofline.memory.begin(), roofline.memory.end(), own(name));
  });
  return owners;
}

bool IsGiven(const Roofline& roofline) {
  const auto counts_for_all = [](const auto& roof) { return !roof.hardware; };
  return std::any_of(roofline.compute.begin(), roofline.compute.end(), counts_for_all) ||
         std::any_of(roofline.memory.begin(), roofline.memory.end(), counts_for_all);
}

// Points of one executable whose labels do not name it.
struct ExecutableNote {
  std::string name;  // empty: the rows have none
  std::vector<std::string> labels;
};

// "bench (solve; init), solver".
std::string ExecutablesText(const std::vector<ExecutableNote>& executables) {
  std::vector<std::string> texts;
  for (const ExecutableNote& each : executables) {
    const std::string labels = Listed(each.labels, kMostPoints, "; ");
    const bool has_both = !each.name.empty() && !labels.empty();
    texts.push_back(has_both ? each.name + " (" + labels + ")" : each.name + labels);
  }
  return Listed(texts, kMostExecutables);
}

// "of NVIDIA H200: bench (solve; init)"; nothing where each label has the hardware's name.
void NoteExecutables(const std::vector<std::string>& several, const Table& table,
                     const Roofline& roofline, std::vector<std::string>& notes) {
  std::map<std::string, std::vector<ExecutableNote>> of_hardware;
  std::map<std::pair<std::string, std::string>, size_t> places;
  bool all_say_it = true;
  for (const RooflinePoint& point : roofline.points) {
    const std::string& hardware = table.rows[point.row].hardware;
    if (!Says(point.label, hardware)) all_say_it = false;
    std::vector<ExecutableNote>& executables = of_hardware[hardware];
    const auto [place, is_new] =
        places.try_emplace({hardware, point.executable}, executables.size());
    if (is_new) executables.push_back({point.executable, {}});
    if (!Says(point.label, point.executable)) {
      executables[place->second].labels.push_back(point.label);
    }
  }
  if (all_say_it) return;
  for (const std::string& hardware : several) {
    if (of_hardware[hardware].empty()) continue;
    notes.push_back("of " + HardwareText(hardware) + ": " + ExecutablesText(of_hardware[hardware]));
  }
}

}  // namespace

std::vector<std::string> NamesIn(const Table& table, std::string Row::*field) {
  std::vector<std::string> names;
  std::set<std::string_view> known;
  for (const Row& row : table.rows) {
    const std::string& name = row.*field;
    if (!name.empty() && known.insert(name).second) names.push_back(name);
  }
  return names;
}

std::string Listed(const std::vector<std::string>& names, size_t most, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i) {
    if (i > 0) text += separator;
    text += names[i];
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::vector<std::string> SeveralHardware(const Table& table) {
  std::vector<std::string> names = NamesIn(table, &Row::hardware);
  if (names.size() < 2) return {};
  const bool any_unnamed = std::any_of(table.rows.begin(), table.rows.end(),
                                       [](const Row& row) { return row.hardware.empty(); });
  if (any_unnamed) names.push_back("");
  return names;
}

bool IsOf(const RoofHardware& hardware, const Row& row) {
  return !hardware || *hardware == row.hardware;
}

bool Meet(const ComputeRoof& compute, const MemoryRoof& memory) {
  return !compute.hardware || !memory.hardware || *compute.hardware == *memory.hardware;
}

std::string HardwareText(const std::string& hardware) {
  return hardware.empty() ? "unnamed hardware" : hardware;
}

void TellHardware(const Table& table, Roofline& roofline) {
  const std::vector<std::string> several = SeveralHardware(table);
  if (several.empty()) return;
  std::vector<std::string> notes;
  if (IsGiven(roofline)) {
    notes.push_back("rows of different hardware (" + Texts(several) +
                    "): roofs that were given count for all of them");
  }
  NoteWithoutRoof("compute", "peak performance", several, roofline.compute, notes);
  NoteWithoutRoof("memory", "peak bandwidth", several, roofline.memory, notes);
  const std::vector<std::string> owners = WithRoof(several, roofline);
  roofline.hardware = MostDrawn(owners, table, roofline);
  LeaveOut(roofline.hardware, roofline.compute, roofline.left_out.compute);
  LeaveOut(roofline.hardware, roofline.memory, roofline.left_out.memory);
  if (roofline.hardware.size() < owners.size()) {
    std::vector<std::string> others;
    std::copy_if(owners.begin(), owners.end(), std::back_inserter(others), [&](const auto& name) {
      return std::find(roofline.hardware.begin(), roofline.hardware.end(), name) ==
             roofline.hardware.end();
    });
    notes.push_back("roofs of " + Texts(others) + " are left out: at most " +
                    std::to_string(kMostHardware) +
                    " kinds of hardware have theirs on the chart, those with most points");
  }
  NoteExecutables(several, table, roofline, notes);
  roofline.notes.insert(roofline.notes.begin(), notes.begin(), notes.end());
}

}  // namespace rafter
