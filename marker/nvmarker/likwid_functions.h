// LikwidFunctions is the real LIKWID, found at run time and never linked: the
// copy that the program is linked to, else one that is named or installed.
//
//   Threads   Load: one, once; afterwards any may read.
//   Blocking  loading a library.
//   Memory    one table of pointers; the library is never closed.
//   Lifetime  a member of LikwidForm, which is never destroyed.
#pragma once

#include <string>

namespace rafter {

struct LikwidFunctions {
  // Of LIKWID's manual. The marker functions have an older name each, by which
  // they are looked for second.
  void (*init)() = nullptr;
  void (*close)() = nullptr;
  int (*register_region)(const char*) = nullptr;
  int (*start_region)(const char*) = nullptr;
  int (*stop_region)(const char*) = nullptr;
  int (*reset_region)(const char*) = nullptr;
  void (*get_region)(const char*, int*, int*, double**, double*, int*) = nullptr;
  int (*switch_group)(int) = nullptr;
  int (*active_group)() = nullptr;
  int (*gpus)() = nullptr;
  int (*events)(int) = nullptr;

  // May be missing: LIKWID before 5.4 writes no file on demand; the others only prove
  // that borders were empty and that this LIKWID takes means.
  int (*write_file)(const char*) = nullptr;
  double (*last_result)(int, int, int) = nullptr;
  char* (*event_name)(int, int) = nullptr;
  int (*read_counters)() = nullptr;

  std::string path;     // of the library; empty: none was found
  std::string problem;  // empty: all that must be there is

  // `wanted`: the library or its folder, tried before installed ones.
  void Load(const std::string& wanted);
};

}  // namespace rafter
