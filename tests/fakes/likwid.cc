// The fake liblikwid.so: what reference/likwid.md, sections 1 and 3, says of
// LIKWID's GPU markers. Built twice: with the names of 5.4 on, and of 5.2.
#include "tests/fakes/likwid.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/fakes/likwid_counters.h"

#ifdef RAFTER_FAKE_LIKWID_OLD
#define MARKER(name) likwid_gpuMarker##name
#define VARIABLE(name_now, name_old) name_old
#else
#define MARKER(name) nvmon_marker##name
#define VARIABLE(name_now, name_old) name_now
#endif

namespace rafter::fakes {
namespace {

constexpr int kFault = -14;

struct Region {
  bool started = false;
  double start_s = 0;
  double time_s = 0;
  int count = 0;
  std::vector<std::vector<double>> begin;  // [gpu][event]
  std::vector<std::vector<double>> total;
};

struct Library {
  LikwidCounters counters;
  bool ready = false;
  bool freed = false;
  long main_thread = -1;
  int first_device = -1;
  std::map<std::string, Region> regions;
  std::vector<std::string> order;
};

Library& The() {
  static auto* const library = new Library;
  return *library;
}

double Now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool IsMain() { return syscall(SYS_gettid) == The().main_thread; }

// Whoever comes after CLOSE reads what was freed.
void DieIfFreed() {
  if (!The().freed) return;
  std::fputs("fake LIKWID: regions are used after they were freed\n", stderr);
  std::abort();
}

int CurrentDevice() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return -1;
  const auto get = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuCtxGetDevice"));
  int device = -1;
  return get != nullptr && get(&device) == 0 ? device : -1;
}

Region& RegionOf(const char* tag) {
  const auto [known, added] = The().regions.try_emplace(tag);
  if (added) {
    The().order.push_back(tag);
    for (const LikwidGpu& gpu : The().counters.gpus()) {
      known->second.begin.emplace_back(gpu.images[0].running.size());
      known->second.total.emplace_back(gpu.images[0].running.size());
    }
  }
  return known->second;
}

void Read() {
  The().counters.Stop();
  The().counters.Start();
}

// LIKWID keeps the file open, so that it is empty until a normal exit.
int Write(const char* path) {
  DieIfFreed();
  if (The().order.empty()) return kFault;
  FILE* file = std::fopen(path, "w");
  if (file == nullptr) return kFault;
  const auto& gpus = The().counters.gpus();
  std::fprintf(file, "%zu %zu %zu\n", gpus.size(), The().order.size(),
               The().counters.groups().size());
  for (size_t at = 0; at < The().order.size(); ++at) {
    std::fprintf(file, "%zu:%s-0\n", at, The().order[at].c_str());
  }
  const bool no_clock = std::getenv("RAFTER_FAKE_LIKWID_NO_CLOCK") != nullptr;
  for (size_t at = 0; at < The().order.size(); ++at) {
    const Region& region = The().regions[The().order[at]];
    for (size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      std::fprintf(file, "%zu 0 %d %d %e %zu ", at, gpus[gpu].ordinal, region.count,
                   no_clock ? HUGE_VAL : region.time_s, region.total[gpu].size());
      for (const double value : region.total[gpu]) std::fprintf(file, "%e ", value);
      std::fprintf(file, "\n");
    }
  }
  The().freed = true;
  return 0;
}

}  // namespace
}  // namespace rafter::fakes

using namespace rafter::fakes;  // NOLINT(google-build-using-namespace): a library of C names

extern "C" {

void fake_likwid_work(int gpu, double units) {
  const std::lock_guard<std::recursive_mutex> lock(The().counters.mutex());
  The().counters.Work(static_cast<size_t>(gpu), units);
}
void fake_likwid_stray(double units) { The().counters.Stray(units); }
int fake_likwid_first_device() { return The().first_device; }

int nvmon_setupCounters(int group) {
  const std::lock_guard<std::recursive_mutex> lock(The().counters.mutex());
  The().counters.SetUp(group);
  return 0;
}
int nvmon_startCounters() {
  const std::lock_guard<std::recursive_mutex> lock(The().counters.mutex());
  The().counters.Start();
  return 0;
}
int nvmon_stopCounters() {
  const std::lock_guard<std::recursive_mutex> lock(The().counters.mutex());
  The().counters.Stop();
  return 0;
}
int nvmon_readCounters() {
  const std::lock_guard<std::recursive_mutex> lock(The().counters.mutex());
  Read();
  return 0;
}
#ifndef RAFTER_FAKE_LIKWID_LACKS_SWITCH
int nvmon_switchActiveGroup(int group) {
  nvmon_stopCounters();
  nvmon_setupCounters(group);
  return nvmon_startCounters();
}
#endif
int nvmon_getIdOfActiveGroup() { return The().ready ? The().counters.active_group() : kFault; }
int nvmon_getNumberOfGPUs() {
  return The().ready ? static_cast<int>(The().counters.gpus().size()) : kFault;
}
int nvmon_getNumberOfEvents(int group) {
  if (!The().ready || group < 0) return kFault;
  return static_cast<int>(The().counters.groups()[static_cast<size_t>(group)].events.size());
}
double nvmon_getResult(int group, int event, int gpu) {
  const LikwidGpu& found = The().counters.gpus()[static_cast<size_t>(gpu)];
  return found.images[static_cast<size_t>(group)].running[static_cast<size_t>(event)];
}
double nvmon_getLastResult(int group, int event, int gpu) {
  const LikwidGpu& found = The().counters.gpus()[static_cast<size_t>(gpu)];
  return found.images[static_cast<size_t>(group)].last[static_cast<size_t>(event)];
}
char* nvmon_getEventName(int group, int event) {
  const LikwidGroup& found = The().counters.groups()[static_cast<size_t>(group)];
  return const_cast<char*>(found.events[static_cast<size_t>(event)].name.c_str());
}

void MARKER(Init)() {
  if (The().ready) return;
  const char* events = std::getenv(VARIABLE("LIKWID_NVMON_EVENTS", "LIKWID_GEVENTS"));
  const char* gpus = std::getenv(VARIABLE("LIKWID_NVMON_GPUS", "LIKWID_GPUS"));
  if (events == nullptr || gpus == nullptr ||
      std::getenv(VARIABLE("LIKWID_NVMON_FILEPATH", "LIKWID_GPUFILEPATH")) == nullptr) {
    std::fputs("fake LIKWID: running without GPU markers\n", stderr);
    return;
  }
  The().main_thread = syscall(SYS_gettid);
  The().counters.Define(events, gpus);
  The().first_device = CurrentDevice();
  The().ready = true;
  nvmon_setupCounters(0);
  nvmon_startCounters();
}

void MARKER(NextGroup)() {
  if (!The().ready || !IsMain()) return;
  const auto groups = static_cast<int>(The().counters.groups().size());
  // The marker half believes to be in group 0 for ever.
  if (groups > 1) {
    nvmon_stopCounters();
    nvmon_setupCounters(1);
    nvmon_startCounters();
  }
}

void MARKER(Close)() {
  if (!The().ready || !IsMain()) return;
  nvmon_stopCounters();
  const char* path = std::getenv(VARIABLE("LIKWID_NVMON_FILEPATH", "LIKWID_GPUFILEPATH"));
  if (path != nullptr) Write(path);
}

int MARKER(RegisterRegion)(const char* tag) {
  if (!The().ready) return kFault;
  if (!IsMain()) return 0;
  DieIfFreed();
  RegionOf(tag);
  return 0;
}

int MARKER(StartRegion)(const char* tag) {
  if (!The().ready) return kFault;
  if (!IsMain()) return 0;
  DieIfFreed();
  const std::lock_guard<std::recursive_mutex> lock(The().counters.mutex());
  Read();
  Region& region = RegionOf(tag);
  if (region.started) return kFault;
  for (size_t gpu = 0; gpu < region.begin.size(); ++gpu) {
    region.begin[gpu] = The().counters.gpus()[gpu].images[0].running;
  }
  region.started = true;
  region.start_s = Now_s();
  return 0;
}

int MARKER(StopRegion)(const char* tag) {
  if (!The().ready) return kFault;
  if (!IsMain()) return 0;
  DieIfFreed();
  const double now_s = Now_s();
  const std::lock_guard<std::recursive_mutex> lock(The().counters.mutex());
  Read();
  const auto known = The().regions.find(tag);
  if (known == The().regions.end() || !known->second.started) return kFault;
  Region& region = known->second;
  region.started = false;
  region.time_s += now_s - region.start_s;
  ++region.count;
  for (size_t gpu = 0; gpu < region.total.size(); ++gpu) {
    const std::vector<double>& running = The().counters.gpus()[gpu].images[0].running;
    for (size_t event = 0; event < running.size(); ++event) {
      region.total[gpu][event] += running[event] - region.begin[gpu][event];
    }
  }
  return 0;
}

int MARKER(ResetRegion)(const char* tag) {
  if (!The().ready) return kFault;
  if (!IsMain()) return 0;
  const auto known = The().regions.find(tag);
  if (known == The().regions.end() || known->second.started || known->second.count == 0) {
    return kFault;
  }
  for (std::vector<double>& total : known->second.total) total.assign(total.size(), 0);
  known->second.count = 0;
  known->second.time_s = 0;
  return 0;
}

void MARKER(GetRegion)(const char* tag, int* gpus, int* events, double** values, double* time_s,
                       int* count) {
  if (!The().ready || !IsMain()) {
    *gpus = 0;
    *events = 0;
    return;
  }
  DieIfFreed();
  const auto known = The().regions.find(tag);
  *gpus = std::min(*gpus, nvmon_getNumberOfGPUs());
  *events = std::min(*events, nvmon_getNumberOfEvents(0));
  if (known == The().regions.end()) return;
  const bool no_clock = std::getenv("RAFTER_FAKE_LIKWID_NO_CLOCK") != nullptr;
  for (int gpu = 0; gpu < *gpus; ++gpu) {
    if (count != nullptr) count[gpu] = known->second.count;
    if (time_s != nullptr) time_s[gpu] = no_clock ? HUGE_VAL : known->second.time_s;
    for (int event = 0; event < *events; ++event) {
      values[gpu][event] =
          known->second.total[static_cast<size_t>(gpu)][static_cast<size_t>(event)];
    }
  }
}

#ifndef RAFTER_FAKE_LIKWID_OLD
int nvmon_markerWriteFile(const char* path) { return path == nullptr ? kFault : Write(path); }
#endif

// Enough of the CPU markers for programs to be linked.
void likwid_markerInit() {}
void likwid_markerThreadInit() {}
void likwid_markerClose() {}
int likwid_markerStartRegion(const char*) { return 0; }
int likwid_markerStopRegion(const char*) { return 0; }
int likwid_pinThread(int) { return 1; }
int likwid_getProcessorId() { return 0; }
}
