// Stands in for the header of LIKWID 5.3, whose macros name functions that it no longer
// has: names of functions and macros, as programs see them.
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
#define LIKWID_NVMARKER_INIT likwid_gpuMarkerInit()
#define LIKWID_NVMARKER_CLOSE likwid_gpuMarkerClose()
#define LIKWID_NVMARKER_REGISTER(regionTag) likwid_gpuMarkerRegisterRegion(regionTag)
#define LIKWID_NVMARKER_START(regionTag) likwid_gpuMarkerStartRegion(regionTag)
#define LIKWID_NVMARKER_STOP(regionTag) likwid_gpuMarkerStopRegion(regionTag)
#else
#define LIKWID_NVMARKER_INIT
#define LIKWID_NVMARKER_CLOSE
#define LIKWID_NVMARKER_REGISTER(regionTag)
#define LIKWID_NVMARKER_START(regionTag)
#define LIKWID_NVMARKER_STOP(regionTag)
#endif

// For AMD GPUs, since 5.3.
#define ROCMON_MARKER_INIT
