// A program with markers, for `rafter run --source likwid`:
//   marker_program [none|close|crash|say VARIABLE|cat|exit N]...
// One after the other: nothing, INIT and CLOSE, a crash, a variable to standard
// output, standard input to standard output, the end with a status.
#include <dlfcn.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void CallMarker(const char* name) {
  const auto marker = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, name));
  if (marker != nullptr) marker();
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* const next = i + 1 < argc ? argv[i + 1] : "";
    if (word == "close") {
      CallMarker("nvmon_markerInit");
      CallMarker("nvmon_markerClose");
    } else if (word == "crash") {
      std::raise(SIGSEGV);
    } else if (word == "say") {
      const char* const value = std::getenv(next);
      std::printf("%s=%s\n", next, value == nullptr ? "" : value);
      ++i;
    } else if (word == "cat") {
      for (int c = std::getchar(); c != EOF; c = std::getchar()) std::putchar(c);
    } else if (word == "exit") {
      return std::atoi(next);
    }
  }
  return 0;
}
