// DeviceSharing says which processes of a run used one GPU at the same time.
// Counters of the memory and of time see the work of all of them.
//
//   Threads   const after construction.
//   Blocking  never.
//   Memory    a span of time for each process and GPU.
//   Lifetime  must not outlive the Run it was made from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collector/store/run.h"

namespace rafter {

class DeviceSharing {
 public:
  explicit DeviceSharing(const Run& run);

  // Other processes of the run that had regions on this GPU while these
  // instances of `process` ran there, by the wall clock.
  std::vector<const RunProcess*> Others(const RunProcess& process, const RunDevice& device,
                                        const InstanceSums& instances) const;

 private:
  // Nanoseconds of the Unix epoch; empty while `end` is 0.
  struct Use {
    const RunProcess* process = nullptr;
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
  };

  static Use SpanOf(const RunProcess& process, const InstanceSums& instances);
  void Note(const RunProcess& process, const RunDevice& device, const InstanceSums& instances);

  std::map<std::string, std::vector<Use>> uses_;  // by UUID, one for each process
};

}  // namespace rafter
