// RunningCollector asks whether a collector listens at a socket.
//
//   Threads   any.
//   Blocking  never: a collector whose queue is full counts as one that answers.
//   Memory    none.
//   Lifetime  plain function.
#pragma once

#include <string>

#include "cupti/status.h"

namespace rafter {

// Fails, with what that means for a program, when none answers at `path`.
Status AskRunningCollector(const std::string& path);

}  // namespace rafter
