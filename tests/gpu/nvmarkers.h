// NvMarkers are LIKWID's marker functions, found in whatever library of the process has
// them: LIKWID itself, our shim, or none. So one program does for all of them.
//
//   Threads   any; LIKWID counts on the thread of Init alone.
//   Blocking  as the library does.
//   Memory    none.
//   Lifetime  functions live as long as their library.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace rafter {

struct NvMarkers {
  void (*init)() = nullptr;
  int (*start)(const char*) = nullptr;
  int (*stop)(const char*) = nullptr;
  void (*close)() = nullptr;

  bool found() const { return init != nullptr && start != nullptr && stop != nullptr; }

  // Of the newest names that are there.
  static NvMarkers Find() {
    NvMarkers markers;
    const auto find = [](auto& function, const char* name, const char* old_name) {
      void* symbol = dlsym(RTLD_DEFAULT, name);
      if (symbol == nullptr) symbol = dlsym(RTLD_DEFAULT, old_name);
      function = reinterpret_cast<std::decay_t<decltype(function)>>(symbol);
    };
    find(markers.init, "nvmon_markerInit", "likwid_gpuMarkerInit");
    find(markers.start, "nvmon_markerStartRegion", "likwid_gpuMarkerStartRegion");
    find(markers.stop, "nvmon_markerStopRegion", "likwid_gpuMarkerStopRegion");
    find(markers.close, "nvmon_markerClose", "likwid_gpuMarkerClose");
    return markers;
  }

  // Exits with 77 where there are none.
  static NvMarkers Require() {
    const NvMarkers markers = Find();
    if (markers.found()) return markers;
    std::fputs("no library of this process has LIKWID's marker functions; preload one\n", stderr);
    std::exit(77);
  }
};

}  // namespace rafter
