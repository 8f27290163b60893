// BatchRequest is what `rafter batch` was asked to do, checked as far as that can be
// done before any program starts.
//
//   Threads   one.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/likwid_request.h"
#include "tools/row_choices.h"
#include "tools/run_counting.h"
#include "tools/run_regions.h"
#include "tools/table_input.h"
#include "tools/variables.h"

namespace rafter {

struct BatchRequest {
  TextOption output;                  // BASE, of BASE.rafter and BASE.csv
  TextOption build_dir;               // searched for programs
  TextOption report_dir;              // of run files, reports and logs
  std::vector<std::string> paths;     // below build_dir; empty: all of it
  std::vector<std::string> patterns;  // of names; any of them
  std::vector<std::string> excluded;  // of names; none of them
  std::vector<std::string> target_args;
  std::vector<std::string> tables;  // of --from-csv
  std::vector<std::string> charts;
  bool dry_run = false;
  bool force = false;
  bool skip_profile = false;
  bool no_csv = false;
  bool strict = false;
  bool quiet = false;
  bool verbose = false;

  // For `rafter run` of each program.
  TextOption sets;
  TextOption metrics;
  RunCounting counting;
  RunRegions regions;
  LikwidRequest likwid;
  std::optional<double> timeout_s;

  // For the table of all.
  TableChoices choices;
  RowChoices rows;

  // The options that each `rafter run` gets, without those of files and of --replay.
  std::vector<std::string> RunOptions() const;
  // Whether a program that one run does not count in every set is run once for each:
  // where nothing says otherwise.
  bool replays_where_needed() const;
  std::string csv() const { return *output.value + ".csv"; }
  std::string runs() const { return *output.value + ".rafter"; }
  // Whether there are runs to write there: tables of --from-csv are none.
  bool makes_runs() const { return !patterns.empty(); }
};

// Reads and checks. Returns the exit status where the command ends here.
// `output`, `build_dir` and `report_dir` are always set then.
std::optional<int> ReadBatchRequest(const std::vector<std::string>& words,
                                    const Variables& variables, BatchRequest& request);

}  // namespace rafter
