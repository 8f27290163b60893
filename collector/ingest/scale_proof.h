// ScaleProof compares what LIKWID says of a known kernel with the work that it
// did, and so finds the factor between the two (docs/likwid.md).
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "collector/ingest/marker_result.h"
#include "cupti/status.h"

namespace rafter {

// The factor where every border starts LIKWID's image afresh.
inline constexpr double kKeptScale = 2;

// Relative deviation from it that is allowed: none but rounding for instructions,
// which are counted exactly, and what caches keep back for bytes.
inline constexpr double kInstructionTolerance = 1e-6;
inline constexpr double kByteTolerance = 0.02;

// Work of one region of the known kernel program, as it prints it: "work REGION
// EVENT AMOUNT", an amount in the event's own unit (thread instructions, bytes).
struct KnownAmount {
  std::string region;
  std::string event;
  double amount = 0;
};
Result<std::vector<KnownAmount>> ReadKnownAmounts(std::string_view text);

struct ScaleProof {
  double mean = 0;      // of true/reported over all that was compared; the scale that it proves is
                        // kKeptScale, from which caches and rounding part it
  size_t compared = 0;  // pairs of a region that did work and an event
  double worst_share = 0;  // largest relative deviation of one of them from kKeptScale
};

// Events of which the truth knows nothing are not compared. Fails, with all that
// was seen, where a region's factor is not kKeptScale, where a region without
// work has a reading, or where nothing could be compared.
Result<ScaleProof> ProveScale(const std::vector<KnownAmount>& truth,
                              const std::vector<std::string>& events, const MarkerResult& result);

}  // namespace rafter
