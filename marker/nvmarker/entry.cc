// LIKWID's GPU marker names, of all generations: nvmon_* since 5.3, likwid_gpu*
// before, and those that Fortran calls. Every call from outside is one fenced line.
#include "marker/nvmarker/fence.h"
#include "marker/nvmarker/form.h"
#include "marker/nvmarker/fortran_text.h"

#define RAFTER_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using rafter::Fenced;
using rafter::FencedVoid;
using rafter::Form;
using rafter::FortranText;
using rafter::kMarkerFault;

void Init() {
  FencedVoid([] { Form().Init(); });
}
void NextGroup() {
  FencedVoid([] { Form().NextGroup(); });
}
void Close() {
  FencedVoid([] { Form().Close(); });
}
int Register(const char* tag) {
  return Fenced(kMarkerFault, [tag] { return Form().Register(tag); });
}
int Start(const char* tag) {
  return Fenced(kMarkerFault, [tag] { return Form().Start(tag); });
}
int Stop(const char* tag) {
  return Fenced(kMarkerFault, [tag] { return Form().Stop(tag); });
}
int Reset(const char* tag) {
  return Fenced(kMarkerFault, [tag] { return Form().Reset(tag); });
}
int WriteFile(const char* path) {
  return Fenced(kMarkerFault, [path] { return Form().WriteFile(path); });
}
void Get(const char* tag, const rafter::RegionAnswer& answer) {
  FencedVoid([&] { Form().Get(tag, answer); });
}

// What a Fortran program gives, as C has it.
template <typename Call>
int WithText(const char* text, int length, Call call) {
  return Fenced(kMarkerFault, [&] { return call(FortranText(text, length).c_str()); });
}

}  // namespace

RAFTER_EXPORT void nvmon_markerInit() { Init(); }
RAFTER_EXPORT void nvmon_markerNextGroup() { NextGroup(); }
RAFTER_EXPORT void nvmon_markerClose() { Close(); }
RAFTER_EXPORT int nvmon_markerRegisterRegion(const char* tag) { return Register(tag); }
RAFTER_EXPORT int nvmon_markerStartRegion(const char* tag) { return Start(tag); }
RAFTER_EXPORT int nvmon_markerStopRegion(const char* tag) { return Stop(tag); }
RAFTER_EXPORT int nvmon_markerResetRegion(const char* tag) { return Reset(tag); }
RAFTER_EXPORT void nvmon_markerGetRegion(const char* tag, int* gpus, int* events, double** values,
                                         double* time_s, int* count) {
  Get(tag, {gpus, events, values, time_s, count});
}
RAFTER_EXPORT int nvmon_markerWriteFile(const char* path) { return WriteFile(path); }

RAFTER_EXPORT void likwid_gpuMarkerInit() { Init(); }
RAFTER_EXPORT void likwid_gpuMarkerThreadInit() {}
RAFTER_EXPORT void likwid_gpuMarkerNextGroup() { NextGroup(); }
RAFTER_EXPORT void likwid_gpuMarkerClose() { Close(); }
RAFTER_EXPORT int likwid_gpuMarkerRegisterRegion(const char* tag) { return Register(tag); }
RAFTER_EXPORT int likwid_gpuMarkerStartRegion(const char* tag) { return Start(tag); }
RAFTER_EXPORT int likwid_gpuMarkerStopRegion(const char* tag) { return Stop(tag); }
RAFTER_EXPORT int likwid_gpuMarkerResetRegion(const char* tag) { return Reset(tag); }
RAFTER_EXPORT void likwid_gpuMarkerGetRegion(const char* tag, int* gpus, int* events,
                                             double** values, double* time_s, int* count) {
  Get(tag, {gpus, events, values, time_s, count});
}

RAFTER_EXPORT void likwid_nvmarkerinit_() { Init(); }
RAFTER_EXPORT void likwid_nvmarkernextgroup_() { NextGroup(); }
RAFTER_EXPORT void likwid_nvmarkerclose_() { Close(); }
RAFTER_EXPORT void likwid_nvmarkerregisterregion_(const char* tag, int length) {
  WithText(tag, length, Register);
}
RAFTER_EXPORT void likwid_nvmarkerstartregion_(const char* tag, int length) {
  WithText(tag, length, Start);
}
RAFTER_EXPORT void likwid_nvmarkerstopregion_(const char* tag, int length) {
  WithText(tag, length, Stop);
}
RAFTER_EXPORT void likwid_nvmarkerresetregion_(const char* tag, int length) {
  WithText(tag, length, Reset);
}
RAFTER_EXPORT int likwid_nvmarkerwritefile_(const char* path, int length) {
  return WithText(path, length, WriteFile);
}
