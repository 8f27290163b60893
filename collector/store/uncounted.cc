#include "collector/store/uncounted.h"

#include <array>

namespace rafter {
namespace {

// By number of wire.Uncounted; collector/ingest checks that they agree.
constexpr std::array<std::string_view, 15> kReasons = {
    "",
    "no CUDA context was current",
    kCountingOff,
    "a change of counters was under way",
    "more regions, or borders, in one epoch than it holds",
    "its CUDA context was not the counted one",
    "the counters were still being set up",
    "another thread's region was open at the same time",
    "it was still open when the process ended",
    "CUPTI refused the range",
    kResting,
    "its set of counters was left out",
    kPartial,
    "another process, context or profiler had the counters of its GPU",
    "it was one of the first calls, which were to be skipped",
};

}  // namespace

std::string_view UncountedReason(uint32_t uncounted) {
  return uncounted < kReasons.size() ? kReasons[uncounted] : "unknown reason";
}

}  // namespace rafter
