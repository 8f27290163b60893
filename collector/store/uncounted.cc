#include "collector/store/uncounted.h"

#include <array>

namespace rafter {
namespace {

// By number of wire.Uncounted; collector/ingest checks that they agree.
constexpr std::array<std::string_view, 17> kReasons = {
    "",
    kNoContext,
    kCountingOff,
    "a change of counters was under way",
    "more regions, or borders, in one epoch than it holds",
    "work on a CUDA context that did not count it",
    "the counters were still being set up",
    "another thread's region was open at the same time",
    "still open when the process ended",
    "CUPTI refused the range",
    kResting,
    "the set of counters was left out",
    kPartial,
    kNotOurTurn,
    "among the first calls, which --skip leaves out",
    kCrossed,
    kNotChosen,
};

}  // namespace

std::string_view UncountedReason(uint32_t uncounted) {
  return uncounted < kReasons.size() ? kReasons[uncounted] : "unknown reason";
}

}  // namespace rafter
