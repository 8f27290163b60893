// RunRegions is what a program's regions are for `rafter run`: marks of which
// library, of which NVTX domains, under which names, and which of them count.
//
//   Threads   one.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  Declare's line must not outlive it.
#pragma once

#include <string>
#include <vector>

#include "cupti/status.h"
#include "tools/command_line.h"
#include "tools/variables.h"

namespace rafter {

// Values of an option that may be given several times; in its variable a newline
// parts them.
struct TextsOption {
  std::vector<std::string> values;
  std::string origin;  // "--domain" or "RAFTER_DOMAIN"
};

struct RunRegions {
  TextOption source;        // "nvtx", "nvmarker", "both", "none"
  TextsOption domains;      // of NVTX; "default", "all" or a name
  TextsOption chosen;       // expressions for paths of regions that are counted
  TextsOption group_names;  // expressions for the part of a name that becomes "*"

  void Declare(CommandLine& line);

  // Completes the options from `variables`, and refuses values that there are
  // not and options that contradict each other. Without regions every kind of
  // launch is counted by itself: `granularity` becomes "kernel".
  Status Check(const Variables& variables, TextOption& granularity);

  // Whether LIKWID's NvMarker regions are wanted.
  bool has_nvmarker() const { return source.value == "nvmarker" || source.value == "both"; }

  // The first option that asks for anything but NvMarker regions, or nothing.
  std::string FirstGiven() const;

  // What the library is told: only what was asked for.
  Variables ForLibrary() const;
};

}  // namespace rafter
