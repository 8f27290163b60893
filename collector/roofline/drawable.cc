#include "collector/roofline/drawable.h"

#include <absl/status/status.h>

#include <algorithm>
#include <cmath>

#include "collector/table/utf8.h"

namespace rafter {
namespace {

constexpr size_t kMostNameCharacters = 90;

bool IsDrawable(double value) { return std::isfinite(value) && value > 0; }

std::string WhyEmpty(const Roofline& roofline) {
  std::string why = "the roofline has neither roofs nor points, so there is nothing to draw";
  if (roofline.undrawn.empty()) return why;
  const Undrawn& first = roofline.undrawn.front();
  const size_t cause = std::min(first.reason.find("; "), first.reason.find(" ("));
  return why + "; " + OneLine(first.label, kMostNameCharacters) + ": " +
         first.reason.substr(0, cause) + "; \"rafter report\" tells of all rows";
}

}  // namespace

absl::StatusOr<Roofline> Drawable(const Roofline& roofline) {
  Roofline drawable = roofline;
  drawable.compute.clear();
  drawable.memory.clear();
  drawable.points.clear();
  for (const ComputeRoof& roof : roofline.compute) {
    if (IsDrawable(roof.flop_per_s)) drawable.compute.push_back(roof);
  }
  for (const MemoryRoof& roof : roofline.memory) {
    if (IsDrawable(roof.bytes_per_s)) drawable.memory.push_back(roof);
  }
  for (const RooflinePoint& point : roofline.points) {
    if (IsDrawable(point.flop_per_byte) && IsDrawable(point.flop_per_s)) {
      drawable.points.push_back(point);
    } else {
      drawable.undrawn.push_back(
          {point.label, "intensity or performance is not a number above 0", point.row});
    }
  }
  if (drawable.compute.empty() && drawable.memory.empty() && drawable.points.empty()) {
    return absl::InvalidArgumentError(WhyEmpty(drawable));
  }
  return drawable;
}

std::vector<std::string> NotesOf(const Roofline& roofline) {
  std::vector<std::string> notes = roofline.notes;
  if (roofline.compute.empty()) {
    notes.push_back(
        "no compute roof: the table has no peak performance; give one with "
        "--peak-performance");
  }
  if (roofline.memory.empty()) {
    notes.push_back(
        "no memory roof: the table has no peak bandwidth; give one with "
        "--peak-bandwidth");
  }
  return notes;
}

}  // namespace rafter
