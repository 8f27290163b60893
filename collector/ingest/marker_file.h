// MarkerFile reads what LIKWID's marker API wrote of a process:
//
//   1 2 1                                    GPUs regions groups
//   0:copy-0                                 region:tag-group, split at the last "-"
//   1:sum of all-0
//   0 0 0 3 1.25e-02 2 5.24e+07 1.04e+08     region group GPU calls seconds events values
//   1 0 0 1 4.00e-04 2 0.00e+00 2.00e+03
//
// Its events have no names in it: they are known by their order alone. All of LIKWID's
// releases write this. The file has seven digits, and is not to be trusted.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    some times the text; nothing is sized by a number in it.
//   Lifetime  plain values.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "collector/store/run.h"

namespace rafter {

// A longer file is refused unread: 8 GPUs, 30 events and 100,000 regions are 400 MB,
// but LIKWID keeps them in lists that it searches from the start.
inline constexpr size_t kMostMarkerFileBytes = 64u << 20;

// Bytes from the start that IsMarkerFile wants to see.
inline constexpr size_t kMarkerStartBytes = 256;

// Whether a file that starts like this can be a marker file, which has no magic: a
// line of three counts and, if anything follows, a region's number and ":".
bool IsMarkerFile(std::string_view start);

struct MarkerFile {
  MarkerReadings markers;  // scale and origin as they stand in a new one
  std::vector<std::string>
      notes;  // what is missing, broken or at odds with the header; a line each
};

// What is whole in `text`; `source` names it in messages. `events` has LIKWID's names
// by group. Fails where nothing can be known: an empty file, no header, groups or
// values of another number than the events, no reading that is whole.
absl::StatusOr<MarkerFile> ParseMarkerFile(std::string_view text, const std::string& source,
                                           const std::vector<std::vector<std::string>>& events);

}  // namespace rafter
