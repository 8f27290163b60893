// A region's event that has a name and nothing else.
//
//   Threads   pure function.
//   Blocking  never.
//   Memory    the name must outlive the event.
//   Lifetime  plain value.
#pragma once

#include <string_view>

#include "marker/region_sink.h"

namespace rafter {

inline RegionEvent Event(std::string_view name) { return {{name.data(), name.size()}, 0, {}}; }

}  // namespace rafter
