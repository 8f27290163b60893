#include "collector/table/device_sharing.h"

#include <algorithm>

namespace rafter {

DeviceSharing::DeviceSharing(const Run& run) {
  for (const RunProcess& process : run.processes) {
    std::map<uint32_t, const RunDevice*> devices;
    for (const RunDevice& device : process.devices) devices[device.device] = &device;
    for (const RegionPath& path : process.paths) {
      // An instance that names no device is the only one's, or nobody's.
      if (path.by_device.empty() && devices.size() == 1) {
        Note(process, *devices.begin()->second, path);
      }
      for (const auto& [number, instances] : path.by_device) {
        const auto device = number > 0            ? devices.find(number - 1)
                            : devices.size() == 1 ? devices.begin()
                                                  : devices.end();
        if (device != devices.end()) Note(process, *device->second, instances);
      }
    }
  }
}

DeviceSharing::Use DeviceSharing::SpanOf(const RunProcess& process, const InstanceSums& instances) {
  const uint64_t to_wall_clock_ns = process.realtime_ns - process.monotonic_ns;
  return {&process, instances.first_start_ns + to_wall_clock_ns,
          instances.last_end_ns + to_wall_clock_ns};
}

void DeviceSharing::Note(const RunProcess& process, const RunDevice& device,
                         const InstanceSums& instances) {
  if (device.uuid.empty() || instances.last_end_ns == 0) return;
  const Use span = SpanOf(process, instances);
  std::vector<Use>& uses = uses_[device.uuid];
  if (uses.empty() || uses.back().process != &process) {
    uses.push_back(span);
    return;
  }
  uses.back().start_ns = std::min(uses.back().start_ns, span.start_ns);
  uses.back().end_ns = std::max(uses.back().end_ns, span.end_ns);
}

std::vector<const RunProcess*> DeviceSharing::Others(const RunProcess& process,
                                                     const RunDevice& device,
                                                     const InstanceSums& instances) const {
  std::vector<const RunProcess*> others;
  const auto uses = uses_.find(device.uuid);
  if (uses == uses_.end() || instances.last_end_ns == 0) return others;
  const Use span = SpanOf(process, instances);
  for (const Use& use : uses->second) {
    if (use.process == &process) continue;
    if (std::max(use.start_ns, span.start_ns) < std::min(use.end_ns, span.end_ns)) {
      others.push_back(use.process);
    }
  }
  return others;
}

}  // namespace rafter
