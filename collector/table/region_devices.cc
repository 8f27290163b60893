#include "collector/table/region_devices.h"

#include <algorithm>

namespace rafter {
namespace {

void AddOnce(size_t position, std::vector<size_t>& positions) {
  const auto place = std::lower_bound(positions.begin(), positions.end(), position);
  if (place == positions.end() || *place != position) positions.insert(place, position);
}

}  // namespace

RegionDevices::RegionDevices(const RunProcess& process, const RegionTree& tree) {
  for (size_t i = 0; i < process.devices.size(); ++i) positions_[process.devices[i].device] = i;
  NoteSlots(process, tree);
  for (const RegionPath& path : process.paths) NoteInstances(path);
  if (process.devices.size() < 2) return;
  // Instances that found the target's queue full name no device, but where they
  // were counted the slots know them.
  for (const auto& [place, calls] : held_) {
    InstanceSums& sums = sums_[place];
    sums.calls = std::max(sums.calls, calls);
  }
}

size_t RegionDevices::PositionOf(uint32_t device) const {
  const auto found = positions_.find(device);
  return found == positions_.end() ? kNone : found->second;
}

void RegionDevices::NoteSlots(const RunProcess& process, const RegionTree& tree) {
  for (const Epoch& epoch : process.epochs) {
    const size_t position = PositionOf(epoch.device);
    if (position == kNone) continue;
    for (const SlotValues& slot : epoch.slots) {
      uint64_t& calls = held_[{slot.path, position}];
      calls += std::min(slot.instances, UINT64_MAX - calls);
      for (const uint32_t path : tree.WithAncestors(slot.path)) AddOnce(position, below_[path]);
    }
  }
}

void RegionDevices::NoteInstances(const RegionPath& path) {
  std::vector<size_t>& devices = devices_[path.path];
  InstanceSums unnamed;
  if (path.by_device.empty()) unnamed = path;
  for (const auto& [device, sums] : path.by_device) {
    const size_t position = device == 0 ? kNone : PositionOf(device - 1);
    if (position == kNone) {
      unnamed.Add(sums);
      continue;
    }
    AddOnce(position, devices);
    sums_[{path.path, position}].Add(sums);
    named_.insert({path.path, position});
  }
  for (const auto& [device, position] : positions_) {
    if (held_.contains({path.path, position})) AddOnce(position, devices);
  }
  if (devices.empty()) {
    const auto below = below_.find(path.path);
    if (below != below_.end()) devices = below->second;
  }
  if (devices.empty() && positions_.size() == 1) devices = {positions_.begin()->second};
  sums_[{path.path, devices.empty() ? kNone : devices.front()}].Add(unnamed);
}

const std::vector<size_t>& RegionDevices::Of(uint32_t path) const {
  static const auto* const none = new std::vector<size_t>;
  const auto found = devices_.find(path);
  return found == devices_.end() ? *none : found->second;
}

const InstanceSums& RegionDevices::On(uint32_t path, size_t position) const {
  static const auto* const none = new InstanceSums;
  const auto found = sums_.find({path, position});
  return found == sums_.end() ? *none : found->second;
}

bool RegionDevices::IsNamed(uint32_t path, size_t position) const {
  return named_.contains({path, position});
}

}  // namespace rafter
