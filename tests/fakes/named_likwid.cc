// Stands for LIKWID, which may be missing, or for the stand-in that lets a program start without
// it: who answers a CPU marker and an NvMarker.
extern "C" {

const char* CpuMarker() { return RAFTER_FAKE_NAME; }
const char* NvMarker() { return RAFTER_FAKE_NAME; }

}  // extern "C"
