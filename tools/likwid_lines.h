// LikwidLines are what `rafter run --source likwid` has to say.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/plan/likwid_groups.h"
#include "collector/store/run.h"
#include "tools/child.h"

namespace rafter {

// "DRAM_BYTES_SUM,L2_BYTES_SUM".
std::string EventsOf(const LikwidGroup& group);

// What a run of the program is called: its title, or its events.
std::string TitleOf(const LikwidGroup& group);

// "bench (pid 12)".
std::string ProcessName(const RunProcess& process);

// Why no process of a run left a result that can be read. `has_files`: there are
// some that cannot, which was said.
std::string WhyNothingOfLikwid(const std::string& program, const Ending& ending, bool has_files);

// For each region that was timed in several runs: how long it took in each.
std::vector<std::string> DurationLines(const Run& run);

}  // namespace rafter
