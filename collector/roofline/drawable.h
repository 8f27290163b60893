// Drawable is what of a roofline has a place on a log-log chart, whatever the
// chart's format.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "collector/roofline/roofline.h"

namespace rafter {

// Without roofs and points whose numbers are not above 0; such points are
// listed instead, so that one bad number cannot hide the rest. Fails when
// neither roofs nor points are left, and says why.
absl::StatusOr<Roofline> Drawable(const Roofline& roofline);

// The roofline's notes, and why a kind of roof is not there.
std::vector<std::string> NotesOf(const Roofline& roofline);

}  // namespace rafter
