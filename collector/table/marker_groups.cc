#include "collector/table/marker_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace rafter {
namespace {

// Executable, rank and host.
using Program = std::tuple<std::string, std::optional<uint32_t>, std::string>;

const RunProcess* FindProcess(const Run& run, int64_t id) {
  const auto found = std::find_if(run.processes.begin(), run.processes.end(),
                                  [id](const RunProcess& each) { return each.id == id; });
  return found == run.processes.end() ? nullptr : &*found;
}

// Says which processes are one program, run several times: by a number for each.
class Programs {
 public:
  explicit Programs(const Run& run) {
    for (const MarkerReadings& markers : run.markers) {
      if (programs_.contains(markers.process)) continue;
      const RunProcess* process = FindProcess(run, markers.process);
      // One that stands alone is a program by itself.
      if (markers.run == 0 || process == nullptr) {
        programs_[markers.process] = next_++;
        continue;
      }
      const Program program{process->executable, process->rank, process->host};
      const size_t place = places_[{program, markers.run}]++;
      const auto [number, is_new] = numbers_.try_emplace({program, place}, next_);
      if (is_new) ++next_;
      programs_[markers.process] = number->second;
    }
  }

  size_t Of(int64_t process) const { return programs_.at(process); }

 private:
  size_t next_ = 0;
  std::map<int64_t, size_t> programs_;
  std::map<std::pair<Program, uint32_t>, size_t> places_;
  std::map<std::pair<Program, size_t>, size_t> numbers_;
};

}  // namespace

std::vector<MarkerRegion> GroupMarkers(const Run& run) {
  const Programs programs(run);
  std::vector<MarkerRegion> regions;
  std::map<std::tuple<size_t, std::string, int>, size_t> known;
  for (const MarkerReadings& markers : run.markers) {
    const size_t program = programs.Of(markers.process);
    for (const MarkerReading& reading : markers.readings) {
      const auto [place, is_new] =
          known.try_emplace({program, reading.region, reading.gpu}, regions.size());
      if (is_new) {
        regions.push_back({FindProcess(run, markers.process), reading.region, reading.gpu, {}});
      }
      regions[place->second].parts.push_back({&markers, &reading});
    }
  }
  return regions;
}

size_t RegionsOf(const MarkerReadings& markers) {
  std::set<std::string_view> regions;
  for (const MarkerReading& reading : markers.readings) regions.insert(reading.region);
  return regions.size();
}

}  // namespace rafter
