// LikwidProof finds the factor between LIKWID's readings and the truth on this
// machine: it has LIKWID count a program of ours whose work is known.
//
//   Threads   one.
//   Blocking  until that program has ended, once for each group of events.
//   Memory    what LIKWID said of one run at a time.
//   Lifetime  one call.
#pragma once

#include <string>
#include <vector>

#include "collector/plan/likwid_groups.h"
#include "cupti/status.h"
#include "tools/child.h"
#include "tools/likwid_target.h"

namespace rafter {

struct LikwidScale {
  double scale = 0;
  std::vector<std::string> lines;  // what was compared, for -v
};

// Runs rafter-known-kernel, found beside this executable, in `target` with each of
// `groups`. Fails, with what was seen, where the factor is not the same for all of
// its regions and events, and where no group has an event of the known kernel's.
// `inherited`: the descriptors that reach programs here, as Spawn wants them.
Result<LikwidScale> ProveLikwidScale(const LikwidTarget& target,
                                     const std::vector<LikwidGroup>& groups,
                                     const HeldSignals& signals, const std::vector<int>& inherited);

}  // namespace rafter
