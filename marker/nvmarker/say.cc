#include "marker/nvmarker/say.h"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <cstdlib>

namespace rafter {

void Say(const std::string& text) {
  const std::string line = "rafter: " + text + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

std::string OwnLibraryPath() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&Say), &info) == 0 || info.dli_fname == nullptr) {
    return "";
  }
  char resolved[PATH_MAX];
  return realpath(info.dli_fname, resolved) == nullptr ? info.dli_fname : resolved;
}

}  // namespace rafter
