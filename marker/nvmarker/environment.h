// Environment is what the variables ask of the marker libraries, read once at the
// first marker call. Nothing else in this folder reads the environment.
//
//   Threads   ReadEnvironment: whichever thread makes the first call.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  kept for good.
#pragma once

#include <string>
#include <vector>

namespace rafter {

struct MarkerEnvironment {
  bool quiet = false;         // RAFTER_QUIET: nothing on standard error
  bool likwid = false;        // RAFTER_NVMARKER=likwid: calls go on to LIKWID
  std::string wrong;          // RAFTER_NVMARKER, when it is neither likwid nor rafter
  std::string likwid_path;    // RAFTER_LIKWID_PATH: the library, or the folder that holds it
  std::string result;         // RAFTER_NVMARKER_RESULT, %p not yet put in
  std::vector<int> gpus;      // LIKWID_NVMON_GPUS, or LIKWID_GPUS of old: ordinals
  bool several_sets = false;  // LIKWID's list of events has more than one group
  std::string rank;           // digits; empty: no rank variable is set
};

MarkerEnvironment ReadEnvironment();

}  // namespace rafter
