// Says whose markers it calls.
#include <cstdio>

extern "C" const char* CpuMarker();
extern "C" const char* NvMarker();

int main() {
  std::printf("%s %s\n", CpuMarker(), NvMarker());
  return 0;
}
