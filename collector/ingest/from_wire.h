// FromWire turns messages of the wire into what the store keeps. Text becomes
// UTF-8, whatever the target sent.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values; one text is at most kMaxTextBytes.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/store/run.h"
#include "collector/store/run_file.h"
#include "proto/rafter.pb.h"

namespace rafter {

// Region names of 1 MB occur and are kept whole; longer text is cut.
inline constexpr size_t kMaxTextBytes = 1u << 20;

// Of one process. Command lines of build systems reach thousands.
inline constexpr int kMaxArguments = 16384;
inline constexpr int kMaxVariables = 1024;

// Nanoseconds beyond this (292 years) are no time of a machine's.
inline constexpr uint64_t kMostNs = INT64_MAX;

// UTF-8: each byte that does not belong, and NUL, becomes U+FFFD.
std::string Utf8Text(std::string_view bytes);

RunProcess ToProcess(const wire::Hello& hello);
RunDevice ToDevice(const wire::Device& device);
// Puts sets, missing metrics, origin and error of `plan` into `device`.
void PutPlan(const wire::Plan& plan, RunDevice& device);
RegionPath ToPath(const wire::Path& path);
StoredInstance ToInstance(const wire::Instance& instance);
StoredMark ToMark(const wire::Mark& mark);
RunKernel ToKernel(const wire::Kernel& kernel);
RunNote ToNote(const wire::Note& note);
RunCost ToCost(const wire::Cost& cost);
// Without its set; nothing for slots that make no sense (path 0, one twice,
// more cut stretches than stretches) or a chain that begins later.
std::optional<Epoch> ToEpoch(const wire::Image& image);

}  // namespace rafter
