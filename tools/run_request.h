// RunRequest is what `rafter run` was asked to do, checked as far as that can be
// done before the program starts.
//
//   Threads   one.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/command_line.h"
#include "tools/likwid_request.h"
#include "tools/row_choices.h"
#include "tools/run_counting.h"
#include "tools/run_regions.h"
#include "tools/table_input.h"
#include "tools/variables.h"

namespace rafter {

struct RunRequest {
  TextOption output;
  TextOption csv;
  std::vector<std::string> charts;
  TextOption sets;
  TextOption metrics;
  TextOption collector;
  RunCounting counting;
  RunRegions regions;
  LikwidRequest likwid;
  std::vector<std::string> sets_by_run;  // of an application replay, else empty
  TableChoices choices;
  RowChoices rows;
  std::optional<double> peak_flop_per_s;
  std::optional<double> peak_bytes_per_s;
  std::optional<double> timeout_s;
  bool force = false;
  bool strict = false;
  bool quiet = false;
  bool verbose = false;
  std::vector<std::string> program;  // never empty once it was read

  // The option that asks for the program to be run several times, or nothing.
  std::string several_runs() const;

  bool is_rank = false;              // this `rafter run` is itself a rank of a job
  bool is_of_unwanted_rank = false;  // likewise, and none that --ranks wants
};

// The list of sets that the program will be asked for: --set, or the default,
// and --metrics behind it. Both were checked.
std::string WantedSetsOf(const RunRequest& request);

// Reads and checks. Returns the exit status where the command ends here. The
// names of files have their macros expanded and `request.output` is always set
// unless a running collector is used.
std::optional<int> ReadRunRequest(std::vector<std::string> words, const Variables& variables,
                                  RunRequest& request);

}  // namespace rafter
