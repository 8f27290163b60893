// Stands in for the header of LIKWID 5.0 to 5.2: names of functions and
// macros, as programs see them.
#pragma once

#ifdef LIKWID_NVMON
#ifdef __cplusplus
extern "C" {
#endif
void likwid_gpuMarkerInit(void);
void likwid_gpuMarkerClose(void);
int likwid_gpuMarkerRegisterRegion(const char* regionTag);
int likwid_gpuMarkerStartRegion(const char* regionTag);
int likwid_gpuMarkerStopRegion(const char* regionTag);
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
