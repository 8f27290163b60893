// SetWords name sets in reasons and commands, few words for many passes: a set that
// takes several is one word where all of them are meant.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns strings.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "collector/store/run.h"

namespace rafter {

// Sets that were asked for, pass by pass where they take several ("tensor" ->
// "tensor.bf16", "tensor.fp16.1", ...): the wanted ones, else the planned ones.
std::vector<std::string> WantedSets(const RunDevice& device);

// Whether all passes of a set were asked for, and not just some by name.
bool IsWantedWhole(const RunDevice& device, std::string_view set);

// A set, or all passes of one that was asked for as a whole.
struct FoldedSet {
  std::string name;                 // "speed-of-light"
  std::vector<std::string> passes;  // "speed-of-light.1", ...
};
std::vector<FoldedSet> FoldSets(const RunDevice& device, const std::vector<std::string>& sets);

// "set flop", "sets time, speed-of-light, tensor and 3 more".
std::string SetsText(const RunDevice& device, const std::vector<std::string>& sets);

// The `rafter run` that gets the sets when one run has room for `at_once` passes; where
// it would take many runs, the one that makes them itself.
std::string CommandFor(const RunDevice& device, const std::vector<std::string>& sets,
                       size_t at_once, const std::string& program);

}  // namespace rafter
