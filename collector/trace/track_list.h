// TrackList is the tracks of one process: made when they are first used, numbered
// in that order.
//
//   Threads   one.
//   Blocking  as the writer's sink does.
//   Memory    one number for each track.
//   Lifetime  the writer and the process must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "collector/store/run.h"
#include "collector/trace/packet_writer.h"

namespace rafter {

class TrackList {
 public:
  // `pid` names the process in the trace: its own where no other process of the run
  // has the same.
  TrackList(PacketWriter& writer, const RunProcess& process, int32_t pid);

  uint64_t process() const { return process_track_; }

  // Thread 0 stands for several threads at once. Lanes from 1 on hold what crosses.
  uint64_t Thread(uint32_t thread, size_t lane);

  // What was counted when on a device.
  uint64_t Epochs(const RunDevice& device, size_t lane);

  // A rate, by position in EpochRates::Kinds().
  uint64_t Rate(const RunDevice& device, size_t kind);

 private:
  perfetto::TrackDescriptor Child(const std::string& name) const;

  PacketWriter& writer_;
  const RunProcess& described_;
  int32_t pid_;
  uint64_t process_track_;
  std::map<std::pair<uint32_t, size_t>, uint64_t> threads_;
  std::map<std::pair<uint32_t, size_t>, uint64_t> epochs_;
  std::map<std::pair<uint32_t, size_t>, uint64_t> rates_;
};

}  // namespace rafter
