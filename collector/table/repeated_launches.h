// RepeatedLaunches makes values of launches that CUPTI repeated until every set
// had measured them. Each launch has a range of its own; a region is the sum over
// the launches inside it, where each of them is known.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <optional>

#include "collector/store/run.h"
#include "collector/table/logical_epochs.h"
#include "collector/table/region_values.h"
#include "collector/table/slot_fold.h"

namespace rafter {

// Whether ranges of the epoch are launches, numbered by CUPTI.
bool HasRepeatedLaunches(const LogicalEpoch& epoch);

// Adds to `values` what the launches in `gathered` say of `region`, whose
// instances on the device are `instances`. Launches that two threads had under way
// at once are left out, as is a region of which not every launch that was seen
// inside it was measured.
void AddRepeatedLaunches(const Gathered& gathered, const RegionPath& region,
                         const InstanceSums& instances, SetValues& values);

}  // namespace rafter
