// MarkerEntry brings LIKWID's NvMarker calls to Rafter: libnvmarker.so stands
// before the program's own libraries, and where the program wants a LIKWID that
// is not installed, a stand-in lets it start.
//
//   Threads   one.
//   Blocking  as FindMissingLibraries does.
//   Memory    returns values.
//   Lifetime  the stand-in is in the private folder, and gone with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cupti/status.h"
#include "tools/private_folder.h"
#include "tools/run_regions.h"
#include "tools/variables.h"

namespace rafter {

// `folder` in front of `path`, a list that colons part; once.
std::string Prepended(const std::string& folder, const std::string& path);

// LD_PRELOAD with libnvmarker.so in front of what `environment` has there, once.
// Fails where the library is not there, or has a path that LD_PRELOAD cannot hold.
Result<std::string> MarkerPreload(const Variables& environment);

struct MarkerEntry {
  Variables set;                      // to add to the target's environment
  std::vector<std::string> notes;     // what a person should know
  std::vector<std::string> troubles;  // why not all NvMarker regions are seen
  bool has_stand_in = false;          // the program does not start without it
};

// `target` is the environment of `command` so far. `folder` is made where a
// stand-in needs it and there is none yet.
MarkerEntry EnterMarkers(const RunRegions& regions, const std::vector<std::string>& command,
                         const Variables& target, std::optional<PrivateFolder>& folder);

}  // namespace rafter
