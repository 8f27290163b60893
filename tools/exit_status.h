// ExitStatus names what Rafter's commands answer to the shell (cli.md).
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    none.
//   Lifetime  plain values.
#pragma once

#include <sys/wait.h>

namespace rafter {

inline constexpr int kDone = 0;
inline constexpr int kIncomplete = 1;    // done, but something asked for is missing
inline constexpr int kWrongUse = 2;      // nothing was done
inline constexpr int kNotCounted = 125;  // `run --strict`: counters were not obtained
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;
inline constexpr int kSignalBase = 128;  // plus the number of the signal

// What a shell would report for a status that waitpid gave.
inline int ShellStatus(int wait_status) {
  return WIFSIGNALED(wait_status) ? kSignalBase + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace rafter
