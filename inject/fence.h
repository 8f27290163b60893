// Guarded is the one fence between the target and us: no exception leaves, errno
// is what it was, and a call that comes back through our own CUDA work is
// skipped.
//
//   Threads   any.
//   Blocking  as the body does.
//   Memory    one thread-local word.
//   Lifetime  plain functions.
#pragma once

#include <errno.h>

#include <utility>

#include "inject/health.h"

namespace rafter {

inline constinit thread_local bool t_inside_library = false;

template <typename Body>
void Guarded(Body&& body) noexcept {
  if (t_inside_library) {
    Health().Lost(Loss::kReentered);
    return;
  }
  t_inside_library = true;
  const int program_errno = errno;
  try {
    std::forward<Body>(body)();
  } catch (...) {
    Health().Lost(Loss::kExceptions);
  }
  errno = program_errno;
  t_inside_library = false;
}

}  // namespace rafter
