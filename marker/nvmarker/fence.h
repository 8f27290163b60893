// Fenced is the one fence between a marker call and us: no exception leaves, and
// errno is what it was.
//
//   Threads   any.
//   Blocking  as the body does.
//   Memory    none.
//   Lifetime  plain functions.
#pragma once

#include <errno.h>

#include <utility>

namespace rafter {

// Returns what the body returns, or `otherwise` when it fails: out of memory is
// the one way it can.
template <typename Body, typename Result>
Result Fenced(Result otherwise, Body&& body) noexcept {
  const int program_errno = errno;
  Result result = otherwise;
  try {
    result = std::forward<Body>(body)();
  } catch (...) {
  }
  errno = program_errno;
  return result;
}

template <typename Body>
void FencedVoid(Body&& body) noexcept {
  Fenced(0, [&] {
    std::forward<Body>(body)();
    return 0;
  });
}

}  // namespace rafter
