// Stands for libnvmarker.so: takes NvMarkers over and leaves CPU markers alone.
extern "C" const char* NvMarker() { return "nvmarker"; }
