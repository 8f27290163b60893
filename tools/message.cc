#include "tools/message.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include <system_error>

#include "collector/store/utf8.h"
#include "tools/exit_status.h"

namespace rafter {
namespace {

constexpr size_t kUsualColumns = 80;

}  // namespace

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void Say(std::string_view line) { WriteAll(STDERR_FILENO, "rafter: " + OneLine(line) + "\n"); }

int SayWrongUse(std::string_view line) {
  Say(line);
  return kWrongUse;
}

bool Print(std::string_view text) {
  if (WriteAll(STDOUT_FILENO, text)) return true;
  Say("standard output: " + ErrnoText(errno) + "; what was asked for is incomplete");
  return false;
}

size_t TerminalColumns(int descriptor) {
  winsize size = {};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualColumns;
}

std::string CountText(size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string ErrnoText(int error) { return std::generic_category().message(error); }

}  // namespace rafter
