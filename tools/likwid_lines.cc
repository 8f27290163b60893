#include "tools/likwid_lines.h"

#include <cstring>

#include "collector/table/marker_groups.h"
#include "tools/run_cost.h"

namespace rafter {

std::string EventsOf(const LikwidGroup& group) {
  std::string text;
  for (const std::string& event : group.events) text += (text.empty() ? "" : ",") + event;
  return text;
}

std::string TitleOf(const LikwidGroup& group) {
  return group.title.empty() ? EventsOf(group) : group.title;
}

std::string ProcessName(const RunProcess& process) {
  const std::string& path = process.executable;
  return path.substr(path.find_last_of('/') + 1) + " (pid " + std::to_string(process.pid) + ")";
}

std::string WhyNothingOfLikwid(const std::string& program, const Ending& ending, bool has_files) {
  if (ending.signal != 0 && !ending.timed_out) {
    return program + ": signal " + std::to_string(ending.signal) + " (" + strsignal(ending.signal) +
           ") ended it before anything that LIKWID counted was written; see that it runs without "
           "Rafter, and if so, that LIKWID counts in it by itself";
  }
  if (has_files) return program + ": nothing that LIKWID counted in it can be read; see above";
  return program +
         ": it called no LIKWID marker, or ended by _exit before it closed them; build it with "
         "-DLIKWID_NVMON and NVMON_MARKER_INIT, _START, _STOP and _CLOSE (docs/likwid.md)";
}

std::vector<std::string> DurationLines(const Run& run) {
  std::vector<std::string> lines;
  for (const MarkerRegion& region : GroupMarkers(run)) {
    std::string times;
    size_t count = 0;
    for (const MarkerPart& part : region.parts) {
      if (!part.reading->time_s.has_value()) continue;
      times += (times.empty() ? "" : ", ") + SecondsText(*part.reading->time_s) + " in run " +
               std::to_string(part.markers->run);
      ++count;
    }
    if (count < 2) continue;
    lines.push_back("region " + region.region + ": " + times + "; the smallest is its duration");
  }
  return lines;
}

}  // namespace rafter
