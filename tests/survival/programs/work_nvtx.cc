// A program that marks regions and has no CUDA.
#include <nvtx3/nvToolsExt.h>

#include "tests/survival/programs/story.h"

namespace rafter::survival {

void Work() {
  nvtxRangePushA("outer");
  for (int i = 0; i < 10; ++i) {
    nvtxRangePushA("inner");
    nvtxRangePop();
  }
  nvtxRangePop();
  const nvtxRangeId_t range = nvtxRangeStartA("from here to there");
  nvtxRangeEnd(range);
}

}  // namespace rafter::survival
