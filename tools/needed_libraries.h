// NeededLibraries asks the dynamic loader which libraries a command's programs
// need and do not find. Nothing of the programs is run.
//
//   Threads   one.
//   Blocking  until the loader has answered, at most kLoaderPatience for all of
//             a command's programs together.
//   Memory    at most kMaxLoaderBytes of answer.
//   Lifetime  the loader has ended when a call returns.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "tools/variables.h"

namespace rafter {

// A program with hundreds of libraries on a slow network takes about a second.
inline constexpr std::chrono::milliseconds kLoaderPatience{5000};
inline constexpr size_t kMaxLoaderBytes = 1 << 20;

// Programs of one command that are looked at: launchers and what they start.
inline constexpr size_t kMostPrograms = 16;

// The path of its dynamic loader, as a 64-bit ELF file names it; empty for a
// static program, a script, or what else has none.
std::string LoaderOf(const std::string& path);

// What a command needs.
struct NeededLibraries {
  struct Missing {
    std::string program;  // path
    std::string library;  // "liblikwid.so.5.5", as the program asks for it
  };
  std::vector<Missing> missing;  // each library once
  std::string trouble;           // why not all is known; empty: it is
};

// Asks glibc's loader, no other, for the libraries whose names begin with `prefix`, of the first
// word and of each later one that names a program, since it may be what a launcher starts: as a
// path, or in PATH. `environment` is what the command gets.
NeededLibraries FindMissingLibraries(const std::vector<std::string>& command,
                                     const Variables& environment, const std::string& prefix);

}  // namespace rafter
