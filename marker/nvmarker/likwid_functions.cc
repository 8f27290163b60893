#include "marker/nvmarker/likwid_functions.h"

#include <dlfcn.h>
#include <sys/stat.h>

namespace rafter {
namespace {

constexpr const char* kSonames[] = {"liblikwid.so.5.5", "liblikwid.so.5.4", "liblikwid.so.5.3",
                                    "liblikwid.so.5.2", "liblikwid.so"};

// By this name LIKWID is told from our own libraries, which have its marker names.
constexpr const char* kOnlyInLikwid = "nvmon_switchActiveGroup";

bool IsFolder(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

void* Open(const std::string& path) { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }

void* OpenWanted(const std::string& wanted) {
  if (!IsFolder(wanted)) return Open(wanted);
  for (const char* soname : kSonames) {
    if (void* library = Open(wanted + "/" + soname)) return library;
  }
  return nullptr;
}

void* OpenInstalled() {
  for (const char* soname : kSonames) {
    if (void* library = Open(soname)) return library;
  }
  return nullptr;
}

std::string PathOf(const void* address) {
  Dl_info info;
  return dladdr(address, &info) == 0 || info.dli_fname == nullptr ? "" : info.dli_fname;
}

// What the program is linked to comes first: its calls would have gone there.
void* Find(const std::string& wanted, std::string& problem) {
  if (dlsym(RTLD_NEXT, kOnlyInLikwid) != nullptr) return RTLD_NEXT;
  void* library = wanted.empty() ? OpenInstalled() : OpenWanted(wanted);
  if (library != nullptr) return library;
  problem = wanted.empty() ? "no liblikwid.so.5.5 to 5.2 is on this machine, or none that loads"
                           : "RAFTER_LIKWID_PATH=" + wanted + " holds no LIKWID that loads";
  const char* reason = dlerror();
  if (reason != nullptr) problem += std::string(" (") + reason + ")";
  problem += "; set RAFTER_LIKWID_PATH to its folder";
  return nullptr;
}

class Loader {
 public:
  explicit Loader(void* library) : library_(library) {}

  // Returns whether one of the names is there.
  template <typename Function>
  bool Take(Function& function, const char* name, const char* of_old = nullptr) {
    void* found = dlsym(library_, name);
    if (found == nullptr && of_old != nullptr) found = dlsym(library_, of_old);
    function = reinterpret_cast<Function>(found);
    return found != nullptr;
  }
  template <typename Function>
  void Need(Function& function, const char* name, const char* of_old = nullptr) {
    if (!Take(function, name, of_old) && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* const library_;
  std::string missing_;
};

}  // namespace

void LikwidFunctions::Load(const std::string& wanted) {
  void* library = Find(wanted, problem);
  if (library == nullptr) return;
  Loader loader(library);
  loader.Need(switch_group, kOnlyInLikwid);
  if (switch_group != nullptr) path = PathOf(reinterpret_cast<const void*>(switch_group));
  loader.Need(init, "nvmon_markerInit", "likwid_gpuMarkerInit");
  loader.Need(close, "nvmon_markerClose", "likwid_gpuMarkerClose");
  loader.Need(register_region, "nvmon_markerRegisterRegion", "likwid_gpuMarkerRegisterRegion");
  loader.Need(start_region, "nvmon_markerStartRegion", "likwid_gpuMarkerStartRegion");
  loader.Need(stop_region, "nvmon_markerStopRegion", "likwid_gpuMarkerStopRegion");
  loader.Need(reset_region, "nvmon_markerResetRegion", "likwid_gpuMarkerResetRegion");
  loader.Need(get_region, "nvmon_markerGetRegion", "likwid_gpuMarkerGetRegion");
  loader.Need(active_group, "nvmon_getIdOfActiveGroup");
  loader.Need(gpus, "nvmon_getNumberOfGPUs");
  loader.Need(events, "nvmon_getNumberOfEvents");
  loader.Take(write_file, "nvmon_markerWriteFile");
  loader.Take(last_result, "nvmon_getLastResult");
  loader.Take(event_name, "nvmon_getEventName");
  loader.Take(read_counters, "nvmon_readCounters");
  if (loader.missing().empty()) return;
  if (path.empty() && init != nullptr) path = PathOf(reinterpret_cast<const void*>(init));
  problem =
      (path.empty() ? "the LIKWID found" : path) + " has no " + loader.missing() +
      "; it needs LIKWID 5 built with NVIDIA_INTERFACE=true: set RAFTER_LIKWID_PATH to such a one";
}

}  // namespace rafter
