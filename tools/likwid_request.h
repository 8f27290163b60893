// LikwidRequest is what `rafter run` was asked about the source of its counters:
// CUPTI, or LIKWID, and how LIKWID is to count.
//
//   Threads   one.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  Declare's line must not outlive it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/plan/likwid_groups.h"
#include "cupti/status.h"
#include "tools/command_line.h"
#include "tools/variables.h"

namespace rafter {

struct LikwidRequest {
  TextOption source;   // "cupti" or "likwid"; absent: cupti
  TextOption events;   // LIKWID's list
  TextOption library;  // liblikwid.so, or the folder that holds it
  TextOption scale;    // a number, or "auto"

  // What Check makes of them.
  std::vector<LikwidGroup> groups;    // of `events`, else empty
  std::optional<double> given_scale;  // of `scale`
  std::vector<unsigned> gpus;         // CUDA ordinals, as LIKWID is given them

  void Declare(CommandLine& line);

  // Refuses values that there are not, and options that only LIKWID uses where it
  // was not chosen. GPUs are those of LIKWID's own variables, else the first.
  Status Check(const Variables& variables);

  bool chosen() const { return source.value == "likwid"; }
  bool proves_scale() const { return scale.value == "auto"; }
};

struct RunRequest;

// Fails for the first option of `run` that has no meaning where LIKWID counts.
Status CheckOptionsForLikwid(const RunRequest& request);

}  // namespace rafter
