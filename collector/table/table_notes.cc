#include "collector/table/table_notes.h"

#include <algorithm>

#include "collector/table/formulas.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

constexpr size_t kMostNoteCharacters = 400;

// "bench (pid 71 on node1, rank 3)".
std::string NameOf(const RunProcess& process) {
  const size_t slash = process.executable.rfind('/');
  std::string name =
      slash == std::string::npos ? process.executable : process.executable.substr(slash + 1);
  if (process.pid == 0) return name;  // known by its files only
  name += " (pid " + std::to_string(process.pid);
  if (!process.host.empty()) name += " on " + process.host;
  if (process.rank) name += ", rank " + std::to_string(*process.rank);
  return name + ")";
}

// Whether some row may hold tensor work that nothing counted.
bool LacksTensorFlop(const Table& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) {
    if (row.flop_tensor || row.validity == "missing" || !row.flop_fp32) return false;
    if (row.source == "likwid") return false;  // has its own list of events
    const auto instructions = row.metrics.find(std::string(kTensorInstructionMetric));
    return instructions == row.metrics.end() || instructions->second.value_or(1) > 0;
  });
}

}  // namespace

std::vector<std::string> TableNotes(const Run& run, const Table& table) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& text) {
    std::string note = OneLine(text, kMostNoteCharacters);
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  };
  for (const auto& [kind, count] : run.losses) {
    if (count > 0) add("collector: " + std::to_string(count) + " " + kind);
  }
  for (const RunProcess& process : run.processes) {
    for (const auto& [kind, count] : process.losses) {
      if (count > 0) add(NameOf(process) + ": " + std::to_string(count) + " " + kind);
    }
    for (const RunNote& note : process.notes) {
      if (note.severity != "information") {
        const std::string about = note.text.starts_with(note.about) ? "" : note.about + ": ";
        add(NameOf(process) + ": " + note.severity + ": " + about + note.text);
      }
    }
    const bool is_said =
        std::any_of(process.notes.begin(), process.notes.end(), [](const RunNote& note) {
          return note.text.find("without a goodbye") != std::string::npos;
        });
    if (process.ending.empty() && !is_said) {
      add(NameOf(process) + ": ended without a goodbye; its last regions may be missing");
    }
  }
  if (LacksTensorFlop(table)) {
    add("FLOP Tensor is missing: this run did not count every tensor format; --set tensor does");
  }
  return notes;
}

}  // namespace rafter
