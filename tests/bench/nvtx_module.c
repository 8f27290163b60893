/* One NVTX push and pop in a module of its own. */
#include <nvtx3/nvToolsExt.h>

void PushPop(const char* name) {
  nvtxRangePushA(name);
  nvtxRangePop();
}
