// Stands in for the header of LIKWID 5.4 and newer: names of functions and
// macros, as programs see them.
#pragma once

#ifdef LIKWID_NVMON
#ifdef __cplusplus
extern "C" {
#endif
void nvmon_markerInit(void);
void nvmon_markerClose(void);
int nvmon_markerRegisterRegion(const char* regionTag);
int nvmon_markerStartRegion(const char* regionTag);
int nvmon_markerStopRegion(const char* regionTag);
#ifdef __cplusplus
}
#endif
#define NVMON_MARKER_INIT nvmon_markerInit()
#define NVMON_MARKER_CLOSE nvmon_markerClose()
#define NVMON_MARKER_REGISTER(regionTag) nvmon_markerRegisterRegion(regionTag)
#define NVMON_MARKER_START(regionTag) nvmon_markerStartRegion(regionTag)
#define NVMON_MARKER_STOP(regionTag) nvmon_markerStopRegion(regionTag)
#else
#define NVMON_MARKER_INIT
#define NVMON_MARKER_CLOSE
#define NVMON_MARKER_REGISTER(regionTag)
#define NVMON_MARKER_START(regionTag)
#define NVMON_MARKER_STOP(regionTag)
#endif

// For AMD GPUs, since 5.3.
#define ROCMON_MARKER_INIT
