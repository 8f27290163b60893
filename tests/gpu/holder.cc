// rafter-holder is another profiler: it starts a session of CUPTI's range
// profiler on device 0, so that the GPU's counters are taken, says "holding",
// and lets go after some seconds. It takes no part in Rafter's own queue for
// the GPU.
#include <cuda.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "cupti/host.h"
#include "cupti/table.h"
#include "tests/gpu/options.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-holder [options]\n"
    "  --seconds N    time to hold the counters (default 3)\n"
    "  --wait N       seconds in which it goes on trying for them (default 20)\n";
constexpr int kExitNoDevice = 77;
constexpr const char* kMetric = "dram__bytes.sum";
constexpr size_t kRanges = 4;

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "rafter-holder: %s\n", why.c_str());
  std::exit(1);
}

void CheckCupti(CUptiResult status, const char* what) {
  if (status != CUPTI_SUCCESS) Fail(std::string(what) + ": CUPTI " + CuptiErrorText(status));
}

template <typename Function>
Function DriverFunction(void* driver, const char* name) {
  void* const found = dlsym(driver, name);
  if (found == nullptr) Fail(std::string("libcuda.so.1 has no ") + name);
  return reinterpret_cast<Function>(found);
}

// A context on device 0; exits with 77 where there is no device.
CUcontext OpenContext() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) {
    std::fprintf(stderr, "no CUDA device: %s\n", dlerror());
    std::exit(kExitNoDevice);
  }
  const int started = DriverFunction<decltype(&cuInit)>(driver, "cuInit")(0);
  if (started != CUDA_SUCCESS) {
    std::fprintf(stderr, "no CUDA device: cuInit answers %d\n", started);
    std::exit(kExitNoDevice);
  }
  CUcontext context = nullptr;
  const auto retain =
      DriverFunction<decltype(&cuDevicePrimaryCtxRetain)>(driver, "cuDevicePrimaryCtxRetain");
  if (retain(&context, 0) != CUDA_SUCCESS) Fail("cuDevicePrimaryCtxRetain failed");
  const auto set = DriverFunction<decltype(&cuCtxSetCurrent)>(driver, "cuCtxSetCurrent");
  if (set(context) != CUDA_SUCCESS) Fail("cuCtxSetCurrent failed");
  return context;
}

CuptiSearch SearchFromEnvironment() {
  const char* const path = std::getenv("RAFTER_CUPTI_PATH");
  const char* const home = std::getenv("CUDA_HOME");
  CuptiSearch search;
  search.override_path = path == nullptr ? "" : path;
  search.cuda_home = home == nullptr ? "" : home;
  return search;
}

// A session that is configured and not started.
class Session {
 public:
  Session(const CuptiTable& cupti, CUcontext context) : cupti_(cupti) {
    RAFTER_CUPTI_PARAMS(cupti_, CUpti_Profiler_Initialize_Params, initialize);
    CheckCupti(cupti_.cuptiProfilerInitialize(&initialize), "cuptiProfilerInitialize");
    Plan();
    RAFTER_CUPTI_PARAMS(cupti_, CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = context;
    CheckCupti(cupti_.cuptiRangeProfilerEnable(&enable), "cuptiRangeProfilerEnable");
    object_ = enable.pRangeProfilerObject;
    MakeImage();
    Configure();
  }

  CUptiResult Start() {
    RAFTER_CUPTI_PARAMS(cupti_, CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = object_;
    return cupti_.cuptiRangeProfilerStart(&start);
  }

  void Stop() {
    RAFTER_CUPTI_PARAMS(cupti_, CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = object_;
    CheckCupti(cupti_.cuptiRangeProfilerStop(&stop), "cuptiRangeProfilerStop");
    RAFTER_CUPTI_PARAMS(cupti_, CUpti_RangeProfiler_Disable_Params, disable);
    disable.pRangeProfilerObject = object_;
    CheckCupti(cupti_.cuptiRangeProfilerDisable(&disable), "cuptiRangeProfilerDisable");
  }

 private:
  void Plan() {
    RAFTER_CUPTI_PARAMS(cupti_, CUpti_Device_GetChipName_Params, chip);
    CheckCupti(cupti_.cuptiDeviceGetChipName(&chip), "cuptiDeviceGetChipName");
    auto host = CuptiHost::Open(SearchFromEnvironment());
    if (!host.ok()) Fail(std::string(host.status().message()));
    auto plan = (*host)->Plan(chip.pChipName, {}, {{kMetric}});
    if (!plan.ok()) Fail(std::string(plan.status().message()));
    configuration_ = plan->image;
  }

  void MakeImage() {
    const char* names[] = {kMetric};
    RAFTER_CUPTI_PARAMS(cupti_, CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = names;
    size.numMetrics = 1;
    size.maxNumOfRanges = kRanges;
    size.maxNumRangeTreeNodes = 2 * kRanges;
    CheckCupti(cupti_.cuptiRangeProfilerGetCounterDataSize(&size),
               "cuptiRangeProfilerGetCounterDataSize");
    image_.resize(size.counterDataSize);
    RAFTER_CUPTI_PARAMS(cupti_, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, fresh);
    fresh.pRangeProfilerObject = object_;
    fresh.counterDataSize = image_.size();
    fresh.pCounterData = image_.data();
    CheckCupti(cupti_.cuptiRangeProfilerCounterDataImageInitialize(&fresh),
               "cuptiRangeProfilerCounterDataImageInitialize");
  }

  void Configure() {
    RAFTER_CUPTI_PARAMS(cupti_, CUpti_RangeProfiler_SetConfig_Params, config);
    config.pRangeProfilerObject = object_;
    config.configSize = configuration_.size();
    config.pConfig = configuration_.data();
    config.counterDataImageSize = image_.size();
    config.pCounterDataImage = image_.data();
    config.range = CUPTI_UserRange;
    config.replayMode = CUPTI_UserReplay;
    config.maxRangesPerPass = kRanges;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    CheckCupti(cupti_.cuptiRangeProfilerSetConfig(&config), "cuptiRangeProfilerSetConfig");
  }

  const CuptiTable& cupti_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<uint8_t> configuration_;  // CUPTI keeps the pointers
  std::vector<uint8_t> image_;
};

int Main(int argc, char** argv) {
  unsigned long long seconds = 3;
  unsigned long long wait_s = 20;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--seconds")) {
      seconds = options.Number();
    } else if (options.Is("--wait")) {
      wait_s = options.Number();
    } else {
      options.Unknown();
    }
  }
  const CUcontext context = OpenContext();
  auto cupti = LoadCupti(SearchFromEnvironment());
  if (!cupti.ok()) Fail(std::string(cupti.status().message()));
  Session session(**cupti, context);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(wait_s);
  CUptiResult status = session.Start();
  while (status != CUPTI_SUCCESS && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    status = session.Start();
  }
  CheckCupti(status, "cuptiRangeProfilerStart");
  std::printf("holding\n");
  std::fflush(stdout);
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  session.Stop();
  std::printf("let go\n");
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
