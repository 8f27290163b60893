/* LIKWID's GPU markers as a program has them: the functions of both generations
 * and what the macros stand for, written out. */
#pragma once

#ifdef OLD_NAMES
void likwid_gpuMarkerInit(void);
void likwid_gpuMarkerThreadInit(void);
void likwid_gpuMarkerNextGroup(void);
void likwid_gpuMarkerClose(void);
int likwid_gpuMarkerRegisterRegion(const char* tag);
int likwid_gpuMarkerStartRegion(const char* tag);
int likwid_gpuMarkerStopRegion(const char* tag);
int likwid_gpuMarkerResetRegion(const char* tag);
void likwid_gpuMarkerGetRegion(const char* tag, int* gpus, int* events, double** values,
                               double* time, int* count);
#define MARKER_INIT likwid_gpuMarkerInit()
#define MARKER_SWITCH likwid_gpuMarkerNextGroup()
#define MARKER_CLOSE likwid_gpuMarkerClose()
#define MARKER_REGISTER(tag) likwid_gpuMarkerRegisterRegion(tag)
#define MARKER_START(tag) likwid_gpuMarkerStartRegion(tag)
#define MARKER_STOP(tag) likwid_gpuMarkerStopRegion(tag)
#define MARKER_RESET(tag) likwid_gpuMarkerResetRegion(tag)
#define MARKER_GET(tag, gpus, events, values, time, count) \
  likwid_gpuMarkerGetRegion(tag, gpus, events, values, time, count)
#else
void nvmon_markerInit(void);
void nvmon_markerNextGroup(void);
void nvmon_markerClose(void);
int nvmon_markerRegisterRegion(const char* tag);
int nvmon_markerStartRegion(const char* tag);
int nvmon_markerStopRegion(const char* tag);
int nvmon_markerResetRegion(const char* tag);
void nvmon_markerGetRegion(const char* tag, int* gpus, int* events, double** values, double* time,
                           int* count);
int nvmon_markerWriteFile(const char* path);
#define MARKER_INIT nvmon_markerInit()
#define MARKER_SWITCH nvmon_markerNextGroup()
#define MARKER_CLOSE nvmon_markerClose()
#define MARKER_REGISTER(tag) nvmon_markerRegisterRegion(tag)
#define MARKER_START(tag) nvmon_markerStartRegion(tag)
#define MARKER_STOP(tag) nvmon_markerStopRegion(tag)
#define MARKER_RESET(tag) nvmon_markerResetRegion(tag)
#define MARKER_GET(tag, gpus, events, values, time, count) \
  nvmon_markerGetRegion(tag, gpus, events, values, time, count)
#define MARKER_WRITE_FILE(path) nvmon_markerWriteFile(path)
#endif

/* Of the CPU. */
void likwid_markerInit(void);
void likwid_markerThreadInit(void);
void likwid_markerClose(void);
int likwid_markerStartRegion(const char* tag);
int likwid_markerStopRegion(const char* tag);
int likwid_pinThread(int processor);
int likwid_getProcessorId(void);

/* What Fortran calls, where it is there: a text and its length. */
void likwid_nvmarkerstartregion_(const char* tag, int length) __attribute__((weak));
void likwid_nvmarkerstopregion_(const char* tag, int length) __attribute__((weak));

/* Of the counters, where LIKWID itself is there. */
int nvmon_getIdOfActiveGroup(void) __attribute__((weak));
int nvmon_switchActiveGroup(int group) __attribute__((weak));
