// FakeRangesTest drives a range session of the fake CUPTI step by step.
//
//   Threads   as the test does.
//   Blocking  as the fakes do.
//   Memory    one object, one image.
//   Lifetime  a test.
#pragma once

#include <cupti.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cupti/host.h"
#include "cupti/table.h"
#include "tests/fakes/link.h"

namespace rafter {

inline constexpr char kFfma[] = "sm__sass_thread_inst_executed_op_ffma_pred_on.sum";
inline constexpr char kDram[] = "dram__bytes.sum";
inline constexpr char kTime[] = "gpu__time_duration.sum";

class FakeRangesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fakecuda_reset();
    fakecupti_reset();
    CuptiSearch search;
    search.override_path = RAFTER_BINARY_DIR "/fakes";
    table_ = *LoadCupti(search);
    host_ = std::move(*CuptiHost::Open(search));
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v4(&context_, nullptr, 0, 0), CUDA_SUCCESS);
  }

  void TearDown() override {
    for (const char* variable : {"RAFTER_FAKE_STATE", "RAFTER_FAKE_GIVE_UP_MS"}) unsetenv(variable);
  }

  // Another process counts on the GPU until EndOther; both share $RAFTER_FAKE_STATE.
  void BeginOther(bool stops) {
    ASSERT_NE(mkdtemp(state_), nullptr);
    setenv("RAFTER_FAKE_STATE", state_, 1);
    int to_parent[2];
    int to_child[2];
    ASSERT_EQ(pipe(to_parent), 0);
    ASSERT_EQ(pipe(to_child), 0);
    other_ = fork();
    char byte = 0;
    if (other_ == 0) {
      fakecuda_reset();
      cuInit(0);
      cuCtxCreate_v4(&context_, nullptr, 0, 0);
      Arm({{kDram}});
      const int code = Start() + (stops ? Stop() : 0);
      [[maybe_unused]] ssize_t moved = write(to_parent[1], "x", 1);
      moved = read(to_child[0], &byte, 1);
      _exit(code);  // without Disable
    }
    ASSERT_EQ(read(to_parent[0], &byte, 1), 1);
    end_other_ = to_child[1];
  }
  void EndOther() {
    ASSERT_EQ(write(end_other_, "x", 1), 1);
    int status = -1;
    waitpid(other_, &status, 0);
    EXPECT_EQ(status, 0);
  }
  void ExpectNoLockLeft() {
    fakecupti_reset();
    EXPECT_EQ(rmdir(state_), 0) << "the lock's file is left";
  }

  int ProfilerInitialize() {
    RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_Initialize_Params, params);
    return table_->cuptiProfilerInitialize(&params);
  }

  int Enable(CUcontext context, CUpti_RangeProfiler_Object*& object) {
    RAFTER_CUPTI_PARAMS(*table_, CUpti_RangeProfiler_Enable_Params, params);
    params.ctx = context;
    const int code = table_->cuptiRangeProfilerEnable(&params);
    object = params.pRangeProfilerObject;
    return code;
  }

  // Plans `groups` and readies a session with `slots` for them.
  void Arm(const std::vector<std::vector<std::string>>& groups, size_t slots = 8) {
    ASSERT_EQ(ProfilerInitialize(), 0);
    ASSERT_EQ(Enable(context_, object_), 0);
    config_ = (*host_->Plan("GH100", {}, groups)).image;
    RAFTER_CUPTI_PARAMS(*table_, CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    const char* name = kTime;
    size.pRangeProfilerObject = object_;
    size.pMetricNames = &name;
    size.numMetrics = 1;
    size.maxNumOfRanges = slots;
    size.maxNumRangeTreeNodes = static_cast<uint32_t>(2 * slots);
    ASSERT_EQ(table_->cuptiRangeProfilerGetCounterDataSize(&size), CUPTI_SUCCESS);
    image_.resize(size.counterDataSize);
    ASSERT_EQ(InitialiseImage(), 0);
    ASSERT_EQ(SetConfig(1, CUPTI_UserReplay, slots), 0);
  }

  int InitialiseImage() {
    RAFTER_CUPTI_PARAMS(*table_, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, params);
    params.pRangeProfilerObject = object_;
    params.counterDataSize = image_.size();
    params.pCounterData = image_.data();
    return table_->cuptiRangeProfilerCounterDataImageInitialize(&params);
  }

  int SetConfig(uint16_t min_level, CUpti_ProfilerReplayMode mode, size_t slots,
                CUpti_ProfilerRange range = CUPTI_UserRange) {
    RAFTER_CUPTI_PARAMS(*table_, CUpti_RangeProfiler_SetConfig_Params, params);
    params.pRangeProfilerObject = object_;
    params.configSize = config_.size();
    params.pConfig = config_.data();
    params.counterDataImageSize = image_.size();
    params.pCounterDataImage = image_.data();
    params.range = range;
    params.replayMode = mode;
    params.maxRangesPerPass = slots;
    params.numNestingLevels = 1;
    params.minNestingLevel = min_level;
    params.passIndex = 7;  // does not choose
    return table_->cuptiRangeProfilerSetConfig(&params);
  }

  template <typename Params, typename Function>
  int OnObject(Function function, const char* type) {
    struct Padded : Params {
      unsigned char more[64];
    } params = {};
    params.structSize = CuptiStructSize(table_->version, type);
    params.pRangeProfilerObject = object_;
    const int code = function(&params);
    if constexpr (requires { params.numOfRangeDropped; }) dropped_ = params.numOfRangeDropped;
    if constexpr (requires { params.passIndex; }) next_pass_ = params.passIndex;
    return code;
  }
  int Start() {
    return OnObject<CUpti_RangeProfiler_Start_Params>(table_->cuptiRangeProfilerStart,
                                                      "CUpti_RangeProfiler_Start_Params");
  }
  int Stop() {
    return OnObject<CUpti_RangeProfiler_Stop_Params>(table_->cuptiRangeProfilerStop,
                                                     "CUpti_RangeProfiler_Stop_Params");
  }
  int Decode() {
    return OnObject<CUpti_RangeProfiler_DecodeData_Params>(table_->cuptiRangeProfilerDecodeData,
                                                           "CUpti_RangeProfiler_DecodeData_Params");
  }
  int Disable() {
    return OnObject<CUpti_RangeProfiler_Disable_Params>(table_->cuptiRangeProfilerDisable,
                                                        "CUpti_RangeProfiler_Disable_Params");
  }
  int Pop() {
    return OnObject<CUpti_RangeProfiler_PopRange_Params>(table_->cuptiRangeProfilerPopRange,
                                                         "CUpti_RangeProfiler_PopRange_Params");
  }
  int Push(const char* name) {
    RAFTER_CUPTI_PARAMS(*table_, CUpti_RangeProfiler_PushRange_Params, params);
    params.pRangeProfilerObject = object_;
    params.pRangeName = name;
    return table_->cuptiRangeProfilerPushRange(&params);
  }

  void Launch(const char* script, CUstream stream = nullptr) {
    CUfunction function = nullptr;
    ASSERT_EQ(cuModuleGetFunction(&function, nullptr, script), CUDA_SUCCESS);
    ASSERT_EQ(cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr),
              CUDA_SUCCESS);
  }

  // Starts, runs `body`, stops and decodes.
  template <typename Body>
  void Epoch(Body body) {
    ASSERT_EQ(Start(), 0);
    body();
    ASSERT_EQ(Stop(), 0);
    ASSERT_EQ(Decode(), 0);
  }

  std::vector<std::string> Names() { return *host_->RangeNames(image_); }
  std::optional<double> Value(size_t range, const char* metric) {
    return (*host_->Evaluate("GH100", {}, "", image_, range, {metric}))[0];
  }

  const CuptiTable* table_ = nullptr;
  std::unique_ptr<CuptiHost> host_;
  char state_[24] = "/tmp/fake_state.XXXXXX";
  pid_t other_ = -1;
  int end_other_ = -1;
  CUcontext context_ = nullptr;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<uint8_t> config_, image_;
  size_t dropped_ = 0, next_pass_ = 0;
};

}  // namespace rafter
