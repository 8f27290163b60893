// Programs that are run several times over, and do the same each time or not.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/survival/programs/gpu.h"
#include "tests/survival/programs/story.h"

namespace rafter::survival {
namespace {

constexpr const char* kCopy = "copy:dram_read=1000,dram_write=1000,l2=3000,l1=4000,ns=100000";
constexpr const char* kCompute = "saxpy:ffma=5000,dram_read=200,ns=100000,sass_ns=400000";

// Two calls of each region: as many as are measured in the dearest set.
SURVIVAL_STORY(runs_two_of_each) {
  OpenGpu();
  for (int i = 0; i < 2; ++i) {
    nvtxRangePushA("step");
    RunRegion("copy", kCopy, 1);
    nvtxRangePop();
  }
  RunRegion("compute", kCompute, 2);
  WriteMaps();
  std::puts("two of each");
  return 0;
}

// How often this story was told here, this time included: the file "runs" says it.
int CountRuns() {
  int runs = 0;
  std::ifstream("runs") >> runs;
  std::ofstream("runs") << ++runs;
  return runs;
}

// A call of "compute" more in every run.
SURVIVAL_STORY(runs_one_more_each_time) {
  const int runs = CountRuns();
  OpenGpu();
  RunRegion("copy", kCopy, 2);
  RunRegion("compute", kCompute, runs);
  std::puts("one more");
  return 0;
}

// The same inside one call of "solve".
SURVIVAL_STORY(goes_deeper_each_time) {
  const int runs = CountRuns();
  OpenGpu();
  nvtxRangePushA("solve");
  RunRegion("compute", kCompute, runs);
  nvtxRangePop();
  std::puts("deeper");
  return 0;
}

// Well in the first run, then no more.
SURVIVAL_STORY(fails_when_run_again) {
  const bool again = std::ifstream("again").good();
  std::ofstream("again") << "yes";
  OpenGpu();
  RunRegion("copy", kCopy, 2);
  return again ? 7 : 0;
}

}  // namespace
}  // namespace rafter::survival
