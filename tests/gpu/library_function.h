// FindFunction takes a function out of a library that was opened at run time.
//
//   Threads   any.
//   Blocking  never.
//   Memory    none.
//   Lifetime  of the library.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace rafter {

// Exits with a message where `library`, which is called `library_name`, has no `name`.
template <typename Function>
void FindFunction(void* library, const char* library_name, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function != nullptr) return;
  std::fprintf(stderr, "%s has no %s\n", library_name, name);
  std::exit(1);
}

}  // namespace rafter
