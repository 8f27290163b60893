// RunInput is what a program that is run several times reads as its standard
// input: the same in every run, or the runs are not alike.
//
//   Threads   one.
//   Blocking  file system calls.
//   Memory    a few words.
//   Lifetime  descriptor 0 stays as it is.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "cupti/status.h"

namespace rafter {

class RunInput {
 public:
  // Looks at descriptor 0, `is_open` if Rafter was started with one. Fails for
  // what can be read once only: a pipe, a socket, a device. `option` is what
  // asks for several runs.
  static Result<RunInput> Inspect(bool is_open, const std::string& option);

  // Before each run: a file is read from the same place again.
  Status Rewind() const;

  // The program gets /dev/null instead: what is typed in one run would have to
  // be typed in all.
  bool is_terminal() const { return is_terminal_; }

 private:
  bool is_terminal_ = false;
  std::optional<off_t> start_;  // of a plain file
};

}  // namespace rafter
