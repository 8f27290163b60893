#include "tools/run_cost.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

namespace rafter {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

// A part that would be printed as 0.000 s is not named.
constexpr uint64_t kLeastNamedNs = 500'000;

double Seconds(uint64_t ns) { return static_cast<double>(ns) / kNanosecondsPerSecond; }

std::string Fixed(double number, int decimals) {
  std::array<char, 64> text = {};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  return text.data();
}

std::string PercentText(double share) {
  const double percent = 100 * share;
  return Fixed(percent, percent < 9.95 ? 1 : 0) + " %";
}

// "1.046", "12.3": a pair of runs tells no more.
std::string RatioText(double ratio) { return Fixed(ratio, ratio < 2 ? 3 : 1); }

std::string NameOf(const RunProcess& process) {
  const std::string& path = process.executable;
  return path.substr(path.find_last_of('/') + 1) + " (pid " + std::to_string(process.pid) + ")";
}

// "0.62 s of 13.4 s (4.8 %): set-up 0.48 s, ...; without it about 12.8 s".
std::string AccountOf(const RunCost& cost) {
  const uint64_t total_ns = cost.total_ns();
  std::string text = SecondsText(Seconds(total_ns)) + " of " + SecondsText(Seconds(cost.wall_ns));
  if (cost.wall_ns > 0) text += " (" + PercentText(Seconds(total_ns) / Seconds(cost.wall_ns)) + ")";
  const std::pair<const char*, uint64_t> parts[] = {{"set-up", cost.set_up_ns},
                                                    {"changes of sets", cost.rotation_ns},
                                                    {"borders", cost.border_ns},
                                                    {"slowed kernels", cost.slowed_ns}};
  std::string between = ": ";
  for (const auto& [name, ns] : parts) {
    if (ns < kLeastNamedNs) continue;
    text += between + name + " " + SecondsText(Seconds(ns));
    between = ", ";
  }
  // Several threads held up at once may add up to more than the whole.
  if (total_ns >= cost.wall_ns) return text;
  return text + "; without it about " + SecondsText(Seconds(cost.wall_ns - total_ns));
}

std::string NameOf(const ProgramRun& run) {
  return "run " + std::to_string(run.run) + (run.sets.empty() ? "" : " (set " + run.sets + ")");
}

std::string CostLine(const std::vector<const RunProcess*>& processes) {
  const auto less = [](const RunProcess* a, const RunProcess* b) {
    return a->cost->total_ns() < b->cost->total_ns();
  };
  const RunProcess& dearest = **std::max_element(processes.begin(), processes.end(), less);
  const std::string how = " (estimated from the run itself)";
  if (processes.size() == 1) return "counting cost " + AccountOf(*dearest.cost) + how;
  double sum_s = 0;
  for (const RunProcess* process : processes) sum_s += Seconds(process->cost->total_ns());
  return "counting cost most in " + NameOf(dearest) + ": " + AccountOf(*dearest.cost) + "; " +
         SecondsText(sum_s) + " in all " + std::to_string(processes.size()) + " processes" + how;
}

}  // namespace

std::string SecondsText(double seconds) {
  const int decimals = seconds < 0.01 ? 3 : seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0;
  return Fixed(seconds, decimals) + " s";
}

std::vector<std::string> CostLines(const Run& run) {
  std::map<uint32_t, std::vector<const RunProcess*>> by_replay;
  for (const RunProcess& process : run.processes) {
    if (process.cost.has_value()) by_replay[process.replay].push_back(&process);
  }
  std::vector<std::string> lines;
  for (const auto& [replay, processes] : by_replay) {
    std::string name;
    for (const ProgramRun& each : run.program_runs) {
      if (replay != 0 && each.run == replay) name = NameOf(each) + ": ";
    }
    lines.push_back(name + CostLine(processes));
  }
  return lines;
}

std::vector<std::string> OverheadLines(const std::vector<ProgramRun>& runs) {
  const auto without =
      std::find_if(runs.begin(), runs.end(), [](const ProgramRun& each) { return each.run == 0; });
  std::vector<std::string> lines;
  if (without == runs.end()) return lines;
  const double without_s = Seconds(without->wall_ns);
  const bool several = runs.size() > 2;
  for (const ProgramRun& run : runs) {
    if (run.run == 0) continue;
    const std::string name = several ? NameOf(run) + ": " : "";
    if (run.exit_status != without->exit_status) {
      lines.push_back(name + "the run without Rafter ended with status " +
                      std::to_string(without->exit_status) + ", the counted one with " +
                      std::to_string(run.exit_status) +
                      ", so their times are not held against each other; see that the program "
                      "can be run twice");
      continue;
    }
    const double counted_s = Seconds(run.wall_ns);
    std::string line =
        name + "counted " + SecondsText(counted_s) + ", without Rafter " + SecondsText(without_s);
    if (without_s > 0) line += ", " + RatioText(counted_s / without_s) + " times as long";
    line += " (one pair of runs, the counted one first: chance and warm caches are in it)";
    if (run.exit_status != 0) line += "; both ended with status " + std::to_string(run.exit_status);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace rafter
