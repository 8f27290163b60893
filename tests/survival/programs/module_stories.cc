// Programs that load and unload modules.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/survival/programs/story.h"

namespace rafter::survival {
namespace {

int UsePlugin(int times) {
  const char* path = std::getenv("SURVIVAL_PLUGIN");
  for (int i = 0; i < times; ++i) {
    void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) return std::puts(dlerror()), 1;
    auto* work = reinterpret_cast<int (*)()>(dlsym(plugin, "PluginWork"));
    if (work == nullptr) return 1;
    work();
    dlclose(plugin);
  }
  return 0;
}

SURVIVAL_STORY(unloads_a_plugin_that_marked_regions) {
  if (UsePlugin(3) != 0) return 1;
  Prologue();
  if (UsePlugin(20) != 0) return 1;
  Work();
  std::puts("plugged and unplugged");
  return 20;
}

// The program drops every reference to us that it can get.
SURVIVAL_STORY(unloads_us) {
  Prologue();
  const char* path = std::getenv("SURVIVAL_INJECT");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  for (int i = 0; library != nullptr && i < 10; ++i) {
    if (dlclose(library) != 0) break;
  }
  Work();
  WriteMaps();
  std::puts("unloaded");
  return 0;
}

}  // namespace
}  // namespace rafter::survival
