// TraceRegions writes the passes and marks of one process into its tracks.
//
//   Threads   one.
//   Blocking  as the run file and the writer's sink do.
//   Memory    the passes that are open at one moment; names.
//   Lifetime  what it was made from must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collector/store/run_file.h"
#include "collector/table/region_tree.h"
#include "collector/table/table.h"
#include "collector/trace/slice_lanes.h"
#include "collector/trace/trace.h"
#include "collector/trace/track_list.h"

namespace rafter {

// What the table says of a region on a device: validity and reason, by host, process,
// device and the region's full name.
using RegionVerdicts = std::map<std::tuple<std::string, std::string, std::string, std::string>,
                                std::pair<std::string, std::string>>;
RegionVerdicts VerdictsOf(const Table& table);

class TraceRegions {
 public:
  // `offset_ns` added to a time of the process gives ns since the Unix epoch.
  TraceRegions(PacketWriter& writer, TrackList& tracks, const RunProcess& process,
               const RegionVerdicts& verdicts, uint64_t offset_ns);

  absl::Status Write(RunFile& file, TraceCounts& counts);

 private:
  // One pass: as many rows of the run file as it has devices.
  using Pass = std::vector<StoredInstance>;

  absl::Status WritePasses(RunFile& file, TraceCounts& counts);
  absl::Status WriteMarks(RunFile& file, TraceCounts& counts);
  void Begin(const Pass& pass, TraceCounts& counts);
  void AnnotateDevice(const StoredInstance& instance, const std::string& prefix,
                      Annotations& annotations) const;
  void AnnotateRegion(const StoredInstance& instance, Annotations& annotations) const;
  void AnnotateGiven(const std::string& domain, uint32_t category, const StoredPayload& payload,
                     Annotations& annotations) const;
  std::string WhyNotCounted(const StoredInstance& instance) const;
  bool IsBelow(uint32_t path, uint32_t above) const;

  PacketWriter& writer_;
  TrackList& tracks_;
  const RunProcess& process_;
  const RegionVerdicts& verdicts_;
  uint64_t offset_ns_;
  RegionTree tree_;
  std::map<uint32_t, const Epoch*> epochs_;
  std::map<std::pair<std::string, uint32_t>, std::string> categories_;
  uint32_t thread_ = 0;
  SliceLanes lanes_;
};

}  // namespace rafter
