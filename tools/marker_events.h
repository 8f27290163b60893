// MarkerEvents are the lists of LIKWID's events that marker files were counted with.
//
//   Threads   one.
//   Blocking  CheckEvents asks CUPTI: some 0.1 s for each chip that it has to look at,
//             which is one for events that the first chip has.
//   Memory    the names of one chip at a time.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/plan/likwid_events.h"
#include "cupti/library.h"
#include "cupti/status.h"

namespace rafter {

using EventGroups = std::vector<std::vector<ListedEvent>>;

// Reads one --events LIST.
Result<EventGroups> ReadEventList(const std::string& list);

// Whether CUPTI has every event on some chip; fails with the nearest names. What it
// cannot tell is a line in `notes`: that CUPTI is not at hand, and events that may be
// of NVML, which LIKWID counts as well.
Status CheckEvents(const EventGroups& groups, const CuptiSearch& search,
                   std::vector<std::string>& notes);

// The names alone.
std::vector<std::vector<std::string>> NamesOf(const EventGroups& groups);

}  // namespace rafter
