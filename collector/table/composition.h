// Composition puts the value of a region together from its parts where no set
// saw a call of it whole, since sets changed while it was open: its own
// stretches, scaled from those that were measured to those that there were, and
// the totals of the regions directly below it.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    the slots of such regions, gathered by set.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "collector/table/logical_epochs.h"
#include "collector/table/region_devices.h"
#include "collector/table/region_tree.h"
#include "collector/table/region_values.h"

namespace rafter {

struct CompositionInput {
  const RunProcess& process;
  size_t position;  // of the device in process.devices
  const RegionTree& tree;
  const RegionDevices& devices;
  const std::vector<LogicalEpoch>& epochs;
  Share share;
};

// Fills `composed` of each set that measured stretches of a partial region, or
// of regions below it, but no call of it whole. `regions` holds what whole calls
// gave.
void ComposePartialRegions(const CompositionInput& input,
                           std::map<uint32_t, RegionValues>& regions);

}  // namespace rafter
