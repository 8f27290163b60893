// ToStatus makes a Status of what the collector's functions answer with.
//
//   Threads   pure function.
//   Blocking  never.
//   Memory    copies the message.
//   Lifetime  plain values.
#pragma once

#include <absl/status/status.h>

#include <string>

#include "cupti/status.h"

namespace rafter {

inline Status ToStatus(const absl::Status& status) {
  return status.ok() ? Status::Ok() : Status::Failed(std::string(status.message()));
}

}  // namespace rafter
