// RunCounting is how `rafter run` was asked to count: how exactly, how finely, at
// what cost, and in how many runs of the program.
//
//   Threads   one.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  Declare's line must not outlive it.
#pragma once

#include <string>
#include <vector>

#include "cupti/status.h"
#include "proto/rank_spans.h"
#include "tools/command_line.h"
#include "tools/variables.h"

namespace rafter {

struct RunCounting {
  TextOption overhead;                 // percent, "5" or "2.5"
  TextOption granularity;              // "region", "instance", "kernel"
  TextOption replay;                   // "none", "kernel", "application"
  TextOption skip;                     // a whole number
  TextOption ranks;                    // "0,8-15"
  std::vector<RankSpan> wanted_ranks;  // of `ranks`, once it was checked
  bool exact = false;
  std::string exact_origin = "--exact";  // or the variable that said it
  bool measure_overhead = false;

  // `replay_default` is what stands in for --replay, as --help says it.
  void Declare(CommandLine& line, const std::string& replay_default = "none");
  // What only one command can be asked for.
  void DeclareMeasuring(CommandLine& line);

  // Completes the options from `variables`, and refuses values that there are
  // not and options that contradict each other.
  Status Check(const Variables& variables);

  // Whether the program is run once for each set.
  bool replays() const { return exact || replay.value == "application"; }

  // What the library is told; names that must not reach it have empty values.
  Variables ForLibrary() const;
};

}  // namespace rafter
