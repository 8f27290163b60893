// The rest of LIKWID's marker names, for programs linked to a LIKWID that is not
// here: markers of the CPU and of AMD's GPUs answer as LIKWID does when it is off,
// and pinning pins.
#include <sched.h>

#include "marker/nvmarker/fence.h"
#include "marker/nvmarker/form.h"

#define RAFTER_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using rafter::FencedVoid;
using rafter::Form;
using rafter::kMarkerFault;

void CpuOff() {
  FencedVoid([] {
    Form().NoteUncounted(
        "the program has LIKWID's CPU markers; they are not counted, since LIKWID is not on this "
        "machine");
  });
}

void RocmOff() {
  FencedVoid([] {
    Form().NoteUncounted(
        "the program has LIKWID's ROCm markers; they are not counted, since LIKWID is not on this "
        "machine");
  });
}

int CpuFault() {
  CpuOff();
  return kMarkerFault;
}

int RocmFault() {
  RocmOff();
  return kMarkerFault;
}

// Answers 1 when the thread is there, as LIKWID does.
int Pin(int processor) {
  if (processor < 0 || processor >= CPU_SETSIZE) return 0;
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  CPU_SET(processor, &wanted);
  return sched_setaffinity(0, sizeof wanted, &wanted) == 0 ? 1 : 0;
}

void NoEvents(int* number) {
  if (number != nullptr) *number = 0;
}

}  // namespace

RAFTER_EXPORT void likwid_markerInit() { CpuOff(); }
RAFTER_EXPORT void likwid_markerThreadInit() { CpuOff(); }
RAFTER_EXPORT void likwid_markerNextGroup() { CpuOff(); }
RAFTER_EXPORT void likwid_markerClose() {}
RAFTER_EXPORT int likwid_markerWriteFile(const char*) { return CpuFault(); }
RAFTER_EXPORT int likwid_markerRegisterRegion(const char*) { return CpuFault(); }
RAFTER_EXPORT int likwid_markerStartRegion(const char*) { return CpuFault(); }
RAFTER_EXPORT int likwid_markerStopRegion(const char*) { return CpuFault(); }
RAFTER_EXPORT int likwid_markerResetRegion(const char*) { return CpuFault(); }
RAFTER_EXPORT void likwid_markerGetRegion(const char*, int* events, double*, double* time_s,
                                          int* count) {
  CpuOff();
  NoEvents(events);
  NoEvents(count);
  if (time_s != nullptr) *time_s = 0;
}
RAFTER_EXPORT int likwid_getProcessorId() { return sched_getcpu(); }
RAFTER_EXPORT int likwid_pinProcess(int processor) { return Pin(processor); }
RAFTER_EXPORT int likwid_pinThread(int processor) { return Pin(processor); }

RAFTER_EXPORT void likwid_markerinit_() { CpuOff(); }
RAFTER_EXPORT void likwid_markerthreadinit_() { CpuOff(); }
RAFTER_EXPORT void likwid_markernextgroup_() { CpuOff(); }
RAFTER_EXPORT void likwid_markerclose_() {}
RAFTER_EXPORT void likwid_markerwritefile_(const char*, int) { CpuOff(); }
RAFTER_EXPORT void likwid_markerregisterregion_(const char*, int) { CpuOff(); }
RAFTER_EXPORT void likwid_markerstartregion_(const char*, int) { CpuOff(); }
RAFTER_EXPORT void likwid_markerstopregion_(const char*, int) { CpuOff(); }
RAFTER_EXPORT void likwid_markerresetregion_(const char*, int) { CpuOff(); }
RAFTER_EXPORT void likwid_markergetregion_(const char* tag, int* events, double* values,
                                           double* time_s, int* count, int) {
  likwid_markerGetRegion(tag, events, values, time_s, count);
}

RAFTER_EXPORT void rocmon_markerInit() { RocmOff(); }
RAFTER_EXPORT void rocmon_markerThreadInit() { RocmOff(); }
RAFTER_EXPORT void rocmon_markerNextGroup() { RocmOff(); }
RAFTER_EXPORT void rocmon_markerClose() {}
RAFTER_EXPORT int rocmon_markerWriteFile(const char*) { return RocmFault(); }
RAFTER_EXPORT int rocmon_markerRegisterRegion(const char*) { return RocmFault(); }
RAFTER_EXPORT int rocmon_markerStartRegion(const char*) { return RocmFault(); }
RAFTER_EXPORT int rocmon_markerStopRegion(const char*) { return RocmFault(); }
RAFTER_EXPORT int rocmon_markerResetRegion(const char*) { return RocmFault(); }
RAFTER_EXPORT void rocmon_markerGetRegion(const char*, int* gpus, int* events, double**, double*,
                                          int*) {
  RocmOff();
  NoEvents(gpus);
  NoEvents(events);
}

RAFTER_EXPORT void likwid_rocmmarkerinit_() { RocmOff(); }
RAFTER_EXPORT void likwid_rocmmarkernextgroup_() { RocmOff(); }
RAFTER_EXPORT void likwid_rocmmarkerclose_() {}
RAFTER_EXPORT int likwid_rocmmarkerwritefile_(const char*, int) { return RocmFault(); }
RAFTER_EXPORT void likwid_rocmmarkerregisterregion_(const char*, int) { RocmOff(); }
RAFTER_EXPORT void likwid_rocmmarkerstartregion_(const char*, int) { RocmOff(); }
RAFTER_EXPORT void likwid_rocmmarkerstopregion_(const char*, int) { RocmOff(); }
RAFTER_EXPORT void likwid_rocmmarkerresetregion_(const char*, int) { RocmOff(); }
