#include "tools/run_input.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "tools/message.h"

namespace rafter {
namespace {

// The numbers of /dev/null, the same on every Linux.
constexpr unsigned kMemoryDevices = 1;
constexpr unsigned kNullDevice = 3;

std::string KindOf(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISDIR(mode)) return "a folder";
  return "a device";
}

}  // namespace

Result<RunInput> RunInput::Inspect(bool is_open, const std::string& option) {
  RunInput input;
  struct stat status = {};
  if (!is_open || fstat(STDIN_FILENO, &status) != 0) return input;
  if (S_ISCHR(status.st_mode) && major(status.st_rdev) == kMemoryDevices &&
      minor(status.st_rdev) == kNullDevice) {
    return input;
  }
  if (S_ISREG(status.st_mode)) {
    input.start_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
    return input;
  }
  if (isatty(STDIN_FILENO) == 1) {
    input.is_terminal_ = true;
    return input;
  }
  return Status::Failed(option + ": standard input is " + KindOf(status.st_mode) +
                        ", which only the first run could read; give a file (< FILE) or nothing "
                        "(< /dev/null)");
}

Status RunInput::Rewind() const {
  if (!start_.has_value() || lseek(STDIN_FILENO, *start_, SEEK_SET) == *start_) {
    return Status::Ok();
  }
  return Status::Failed("standard input: cannot be read from its start again (" + ErrnoText(errno) +
                        ")");
}

}  // namespace rafter
