// Replayed makes one run out of an application replay, in which the program was
// run once for each set. Only runs that did the same are put together: the same
// regions with the same launches where both were watched. A region at the top may be
// called more often in one than in another, as in a benchmark that repeats itself for
// a while; what is inside it, then in proportion.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values; the given run is moved from.
//   Lifetime  plain values.
#pragma once

#include <string>

#include "collector/store/run.h"

namespace rafter {

struct Replayed {
  Run run;                  // in which each process has the sets of all of its runs
  size_t joined = 0;        // how many runs were put together; 0: it was no replay
  std::string refused;      // how the runs differ; `run` is then as it was given
  std::string other_calls;  // a region whose calls are as many as the first run's, while other
                            // runs had more or fewer; empty: there is none
};

// Processes of different runs are the same when executable, rank, host and place
// in the order of appearance agree; regions when the names from the top, with
// their domains, do. Instances are then paired by index: each set has counted
// the same ones.
Replayed JoinReplays(Run run);

}  // namespace rafter
