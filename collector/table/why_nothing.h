// WhyNothing says why a region has no number from a set, and what to type to get
// one.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  FindSet points into the values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/table/verdict.h"

namespace rafter {

// Null where the values have no such set.
const SetValues* FindSet(const RegionValues& values, std::string_view name);

// Notes of the process about one thing, with their remedies.
std::vector<std::string> NotesAbout(const RunProcess& process, std::string_view about);

// Why the region has no number from a set that was asked for; empty: the set had
// no turn while it ran.
std::string WhyNothingIn(const Evidence& evidence, const std::string& set);

// Of sets that had no turn while the region ran.
std::string WhyNoTurn(const Evidence& evidence, const std::vector<std::string>& sets);

}  // namespace rafter
