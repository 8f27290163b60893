// A program without CUDA and without NVTX.
#include "tests/survival/programs/story.h"

namespace rafter::survival {

void Work() {}

}  // namespace rafter::survival
