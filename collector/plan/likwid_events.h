// LikwidEvents are LIKWID's names for CUPTI's metrics, both ways, and its list of
// event groups. LIKWID writes a metric in capitals, with "_" for "__" and for ".":
// "dram__bytes.sum" is DRAM_BYTES_SUM.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rafter {

// "dram__bytes.sum" -> "DRAM_BYTES_SUM". Also of a name without roll-up.
std::string LikwidEventOf(std::string_view cupti_metric);

// The one of `metrics`, CUPTI's names, whose event this is. Nothing when there is
// none.
std::optional<std::string> MetricOfEvent(std::string_view event,
                                         const std::vector<std::string>& metrics);

// The metric by the rule of CUPTI's names alone, where no list is at hand: the first
// word is the unit, the last the roll-up. "DRAM_BYTES_SUM" -> "dram__bytes.sum". True
// of all names of the chips that the test asks CUPTI 13.0 for, but those of units with
// dots, and but for capitals, which are lost: a size in bytes, "32B", comes back as
// "32b". An event without roll-up comes back without one ("POWER_USAGE" ->
// "power__usage"): it is not CUPTI's.
std::string MetricOfEvent(std::string_view event);

// The roll-up at the end of an event, as LIKWID writes it: "SUM", "MAX_RATE"; empty
// where there is none, so that the event is not of CUPTI.
std::string_view RollUpOf(std::string_view event);

// Whether readings of the event may be added up over calls, as LIKWID does with all.
// It does so with averages, extremes and ratios too, and those then mean nothing.
bool AddsUp(std::string_view event);

// Whether the event counts whole instructions, exactly: its readings are whole
// numbers and the same in every run of the same work.
bool CountsInstructions(std::string_view event);

// More of either are of no list that LIKWID takes (30 events a group).
inline constexpr size_t kMostEventGroups = 64;
inline constexpr size_t kMostGroupEvents = 64;

// One event of a list.
struct ListedEvent {
  std::string name;
  bool has_counter = false;  // ":GPUn" stood behind it
};

// Groups of events in LIKWID's own writing: "EV1:GPU0,EV2:GPU1|EV3:GPU0". ":GPUn" may
// be missing and blanks may stand anywhere between. Fails where an event or a group
// is empty, a name holds other characters than CUPTI's, or one stands in a group twice.
absl::StatusOr<std::vector<std::vector<ListedEvent>>> ParseEventList(std::string_view list);

}  // namespace rafter
