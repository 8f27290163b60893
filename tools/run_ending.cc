#include "tools/run_ending.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "tools/exit_status.h"
#include "tools/message.h"

namespace rafter {

int SayStartFailed(const std::string& program, int error) {
  const bool is_path = program.find('/') != std::string::npos;
  if (error == ENOENT && is_path && access(program.c_str(), F_OK) == 0) {
    Say(program + ": its interpreter is not there; look at its first line");
    return kNotExecutable;
  }
  if (error == ENOENT || error == ENOTDIR) {
    Say(program + ": not found" +
        (is_path ? "; check the path" : " in PATH; check the name, or give a path"));
    return kNotFound;
  }
  Say(program + ": cannot be executed (" + ErrnoText(error) +
      "); check its rights and that it is a program");
  return kNotExecutable;
}

void SayEnding(const std::string& program, const Ending& ending, std::optional<double> timeout_s,
               bool quiet) {
  if (ending.timed_out) {
    std::string seconds = std::to_string(timeout_s.value_or(0));
    seconds.erase(seconds.find_last_not_of('0') + 1);
    if (seconds.ends_with('.')) seconds.pop_back();
    Say(program + ": still ran after " + seconds + " s (--timeout); it was sent SIGTERM" +
        (ending.signal == SIGKILL ? " and SIGKILL" : "") + ", what it did until then is kept");
  } else if (ending.signal != 0 && !quiet) {
    Say(program + ": ended by signal " + std::to_string(ending.signal) + " (" +
        strsignal(ending.signal) + ")");
  }
}

std::string WhyNoMoreRuns(const Ending& last) {
  if (last.timed_out) return "the program ran into --timeout";
  if (last.signal != 0) return "the program was ended by signal " + std::to_string(last.signal);
  if (last.interrupted) return "a signal asked for the end";
  return "";
}

}  // namespace rafter
