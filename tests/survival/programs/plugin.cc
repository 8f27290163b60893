// A module with NVTX of its own, loaded and unloaded by a program.
#include <nvtx3/nvToolsExt.h>

extern "C" __attribute__((visibility("default"))) int PluginWork() {
  nvtxRangePushA("in the plugin");
  nvtxRangePop();
  return 0;
}
