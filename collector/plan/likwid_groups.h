// LikwidGroups are the events that LIKWID counts in one run of a program. It
// counts one pass a process, so what does not fit into one takes another run.
//
//   Threads   as CuptiHost.
//   Blocking  asks CUPTI's host half; ParseLikwidEvents and the text never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cupti/chip_metrics.h"
#include "cupti/status.h"

namespace rafter {

// LIKWID keeps a group's events in an array of this size and does not check it.
inline constexpr size_t kMostLikwidEvents = 30;

struct LikwidGroup {
  std::string title;                // "FLOP by precision"; empty: of a list that was given
  std::vector<std::string> events;  // LIKWID's names, "DRAM_BYTES_SUM"

  bool operator==(const LikwidGroup&) const = default;
};

struct LikwidPlan {
  std::vector<LikwidGroup> groups;
  std::vector<std::string> absent;  // events of the default that the chip lacks
};

// Reads a list in LIKWID's syntax: groups parted by '|', events by ',', each
// with or without ":GPUn". Only sums: LIKWID adds every event up over the calls
// of a region, as if it were one.
Result<std::vector<LikwidGroup>> ParseLikwidEvents(std::string_view list);

// What LIKWID is given: "A:GPU0,B:GPU1".
std::string LikwidEventsText(const LikwidGroup& group);

// FLOP by precision and DRAM traffic on `chip`: the FLOP in one group where one
// pass holds it, else one for each precision. Fails where it has none of it.
Result<LikwidPlan> DefaultLikwidGroups(const ChipMetrics& chip);

// The same where no chip is known: a group for each precision, each of which
// takes one pass on every chip of CUPTI 13.
std::vector<LikwidGroup> LikwidGroupsOfAnyChip();

// Fails for an event that the chip does not have, with the nearest names (LIKWID
// would crash), and for a group of several passes, with how to split it (LIKWID
// would not start).
Status CheckLikwidGroups(const ChipMetrics& chip, const std::vector<LikwidGroup>& groups);

}  // namespace rafter
