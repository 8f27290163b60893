// LogicalEpochs are the epochs of one device as rows see them: the epochs of a
// chain count as one, and where each call has slots of its own, each call as
// one of its own.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    a pointer for each slot.
//   Lifetime  points into the RunProcess it was made from.
#pragma once

#include <cstddef>
#include <vector>

#include "collector/store/run.h"

namespace rafter {

struct LogicalEpoch {
  size_t set = 0;                        // position in the device's sets
  std::vector<const SlotValues*> slots;  // a path may have several: they add up
  bool is_whole = true;                  // false: the first epoch of the chain did not arrive
};

// In the order of their first epochs. Epochs of a set that is not in the
// device's plan are left out.
std::vector<LogicalEpoch> LogicalEpochs(const RunProcess& process, const RunDevice& device);

}  // namespace rafter
