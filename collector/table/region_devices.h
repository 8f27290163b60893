// RegionDevices says on which GPUs of a process a region has a row, and which of
// its instances count there.
//
//   Threads   const after construction.
//   Blocking  never.
//   Memory    sums of each region and device.
//   Lifetime  must not outlive the RunProcess it was made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "collector/store/run.h"
#include "collector/table/region_tree.h"

namespace rafter {

class RegionDevices {
 public:
  // In place of a position: the row belongs to no device.
  static constexpr size_t kNone = SIZE_MAX;

  RegionDevices(const RunProcess& process, const RegionTree& tree);

  // Positions in process.devices, ascending: those that instances of the region
  // name or that counted in it; where there are none, those that counted in a
  // region below it; else the only device. Empty: it has no device.
  const std::vector<size_t>& Of(uint32_t path) const;

  // Instances of the region on one of these, or with kNone. Instances that name
  // no device count to the first, since such a one launched nothing that was
  // counted or there is one device only.
  const InstanceSums& On(uint32_t path, size_t position) const;

  // Whether an instance of the region names this device.
  bool IsNamed(uint32_t path, size_t position) const;

 private:
  using Place = std::pair<uint32_t, size_t>;  // path and position

  size_t PositionOf(uint32_t device) const;
  void NoteSlots(const RunProcess& process, const RegionTree& tree);
  void NoteInstances(const RegionPath& path);

  std::map<uint32_t, size_t> positions_;           // by index of the device
  std::map<Place, uint64_t> held_;                 // calls that own slots hold
  std::map<uint32_t, std::vector<size_t>> below_;  // devices that counted in the subtree
  std::map<Place, InstanceSums> sums_;
  std::set<Place> named_;
  std::map<uint32_t, std::vector<size_t>> devices_;
};

}  // namespace rafter
