// LikwidRun is `rafter run --source likwid`: the program is run once for each
// group of events, LIKWID counts, and the numbers of all runs go into one run
// file.
//
//   Threads   one.
//   Blocking  until the program has ended, as often as there are groups.
//   Memory    what LIKWID said of one run at a time.
//   Lifetime  one call.
#pragma once

#include <vector>

#include "tools/run_request.h"
#include "tools/variables.h"

namespace rafter {

// Returns the exit status. `has_input`: descriptor 0 was open at the start;
// `inherited`: the descriptors that reach the program.
int RunWithLikwid(const RunRequest& request, const Variables& variables, bool has_input,
                  std::vector<int> inherited);

}  // namespace rafter
