// CounterImage is a counter-data image put together again from what travels:
// patches over zeros for the baseline, patches over the baseline for an epoch.
// Trusts nothing: what would not fit is refused before it is written.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns images of at most kMaxImageBytes.
//   Lifetime  plain values.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/frame.h"
#include "proto/rafter.pb.h"

namespace rafter {

// An image that is all patches must fit into one frame.
inline constexpr size_t kMaxImageBytes = kMaxFrameBytes;

// Distinct range names of one epoch; the first Start with 4096 takes 3 to 5 s
// (gpu-facts.md, section 3), so nobody has more.
inline constexpr uint32_t kMaxSlots = 4096;

absl::StatusOr<std::vector<uint8_t>> RebuildBaseline(const wire::Baseline& baseline);

absl::StatusOr<std::vector<uint8_t>> RebuildImage(const std::vector<uint8_t>& baseline,
                                                  const wire::Image& image);

}  // namespace rafter
