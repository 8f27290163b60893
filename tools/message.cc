#include "tools/message.h"

#include <unistd.h>
#include <cerrno>

#include <system_error>

#include "tools/exit_status.h"

namespace rafter {

std::string SingleLine(std::string_view line) {
  while (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  std::string text(line);
  for (char& character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f) character = ' ';
  }
  return text;
}

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void Say(std::string_view line) { WriteAll(STDERR_FILENO, "rafter: " + SingleLine(line) + "\n"); }

int SayWrongUse(std::string_view line) {
  Say(line);
  return kWrongUse;
}

bool Print(std::string_view text) {
  if (WriteAll(STDOUT_FILENO, text)) return true;
  Say("standard output: " + ErrnoText(errno) + "; what was asked for is incomplete");
  return false;
}

std::string CountText(size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string ErrnoText(int error) { return std::generic_category().message(error); }

}  // namespace rafter
