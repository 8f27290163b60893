// Uncounted turns the wire's reason for an instance without counters into
// words that tables and notes print.
//
//   Threads   pure function.
//   Blocking  never.
//   Memory    returns static text.
//   Lifetime  static.
#pragma once

#include <cstdint>
#include <string_view>

namespace rafter {

// Words for wire.Uncounted; "unknown reason" for a number this Rafter does not
// know, empty for COUNTED.
std::string_view UncountedReason(uint32_t uncounted);

// A pass beyond those that were wanted: no loss.
inline constexpr std::string_view kResting = "enough calls of it had been measured";

// Some sets have parts of it.
inline constexpr std::string_view kPartial = "sets changed while it was open";

// Others use its GPU as well.
inline constexpr std::string_view kNotOurTurn =
    "another process, context or profiler had the counters of the GPU";

// Two regions of different sources, or of NvMarker, that do not nest.
inline constexpr std::string_view kCrossed = "a region around it ended before it did";

// The user wants other regions.
inline constexpr std::string_view kNotChosen =
    "not among the regions that were chosen (--region); its work belongs to what is around it";

// It ran nothing on a GPU that counts.
inline constexpr std::string_view kNoContext = "no CUDA context was current";

// The process says why, in a note of its own.
inline constexpr std::string_view kCountingOff = "counting was off";

// An instance that names an epoch whose image never came.
inline constexpr std::string_view kEpochLost = "the counters of its epoch did not arrive";

// A pass that the target's full queue refused.
inline constexpr std::string_view kInstanceDropped = "the target's queue of records was full";

}  // namespace rafter
