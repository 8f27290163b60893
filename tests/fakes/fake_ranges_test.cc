// Range sessions of the fake behave as gpu-facts.md section 4 says of the real.
#include <cupti.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "tests/fakes/ranges_fixture.h"

namespace rafter {
namespace {

TEST_F(FakeRangesTest, EnableNeedsTheProfilerInitialised) {
  EXPECT_EQ(Enable(context_, object_), 15);
  EXPECT_EQ(ProfilerInitialize(), 0);
  EXPECT_EQ(Enable(context_, object_), 0);
}

TEST_F(FakeRangesTest, NothingWorksWithoutTheDriver) {
  fakecuda_reset();
  EXPECT_EQ(ProfilerInitialize(), 999);
  EXPECT_EQ(Enable(context_, object_), 15);
  RAFTER_CUPTI_PARAMS(*table_, CUpti_Device_GetChipName_Params, chip);
  EXPECT_EQ(table_->cuptiDeviceGetChipName(&chip), 15);
}

TEST_F(FakeRangesTest, TheSameNameSumsWithinOneEpoch) {
  Arm({{kTime, kDram}});
  Epoch([&] {
    for (int i = 0; i < 3; ++i) {
      Push("a");
      Launch("dram_read=100,dram_write=50,ns=1000");
      Pop();
    }
    Push("empty");
    Pop();
    Launch("dram_read=1000000");  // outside
  });
  EXPECT_EQ(Names(), (std::vector<std::string>{"a", "empty"}));
  EXPECT_EQ(Value(0, kDram), 450);
  EXPECT_EQ(Value(0, kTime), 3000);
  EXPECT_EQ(Value(1, kDram), 0);
}

TEST_F(FakeRangesTest, EpochsDecodedIntoOneImageGiveTheMean) {
  Arm({{kDram}});
  for (const char* script : {"dram=1", "dram=2", "dram=3"}) {
    Epoch([&] {
      Push("a");
      Launch(script);
      Pop();
    });
  }
  EXPECT_EQ(Value(0, kDram), 2);
  ASSERT_EQ(InitialiseImage(), 0);
  Epoch([&] {
    Push("a");
    Launch("dram=3");
    Pop();
  });
  EXPECT_EQ(Value(0, kDram), 3);
}

TEST_F(FakeRangesTest, EachStopStepsToTheNextPass) {
  Arm({{kTime}, {kDram}, {kFfma}});
  const auto work = [&] {
    Push("a");
    Launch("ffma=7,dram=5,ns=10");
    Pop();
  };
  Epoch(work);
  EXPECT_EQ(next_pass_, 1u);
  EXPECT_EQ(Value(0, kTime), 10);
  EXPECT_EQ(Value(0, kDram), std::nullopt);
  Epoch(work);
  EXPECT_EQ(Value(0, kDram), 5);
  EXPECT_EQ(Value(0, kFfma), std::nullopt);
  Epoch(work);
  EXPECT_EQ(next_pass_, 0u);
  EXPECT_EQ(Value(0, kFfma), 7);
}

TEST_F(FakeRangesTest, NamesBeyondTheSlotsAreDroppedSilently) {
  Arm({{kDram}}, 2);
  Epoch([&] {
    for (const char* name : {"a", "b", "c"}) {
      EXPECT_EQ(Push(name), 0);
      EXPECT_EQ(Pop(), 0);
    }
  });
  EXPECT_EQ(Names().size(), 2u);
  EXPECT_EQ(dropped_, 0u);
}

TEST_F(FakeRangesTest, AHardwarePassKeepsTwiceTheRangesItWasToldToAndDropsTheRestSilently) {
  Arm({{kTime}}, 4);
  Epoch([&] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(Push("a"), 0);
      Launch("ns=10");
      EXPECT_EQ(Pop(), 0);
    }
  });
  EXPECT_EQ(Value(0, kTime), 80);  // 8 of 20
  EXPECT_EQ(dropped_, 0u);
}

TEST_F(FakeRangesTest, AnotherConfigurationOnTheSameObjectCountsNothing) {
  Arm({{kDram}});
  config_ = (*host_->Plan("GH100", {}, {{kTime}})).image;
  ASSERT_EQ(SetConfig(1, CUPTI_UserReplay, 8), 0);
  Epoch([&] {
    Push("a");
    Launch("ns=10");
    Pop();
  });
  EXPECT_EQ(Value(0, kTime), std::nullopt);
}

TEST_F(FakeRangesTest, RefusesKernelReplayAndDeeperLevels) {
  Arm({{kDram}});
  EXPECT_EQ(SetConfig(1, CUPTI_KernelReplay, 8), 7);
  EXPECT_EQ(SetConfig(2, CUPTI_UserReplay, 8), 1);
}

TEST_F(FakeRangesTest, OneStackForAllThreadsOfAContext) {
  Arm({{kDram}});
  Epoch([&] {
    std::thread([&] { Push("a"); }).join();
    Push("b");  // nests into a
    std::thread([&] {
      cuCtxSetCurrent(context_);
      Launch("dram=5");
    }).join();
    Pop();
    Launch("dram=6");
    Pop();
    EXPECT_EQ(Pop(), 1);
  });
  EXPECT_EQ(Names(), std::vector<std::string>{"a"});
  EXPECT_EQ(Value(0, kDram), 11);
}

TEST_F(FakeRangesTest, ASecondSessionOnTheGpuIsBusyAndItsRangesAnswerOne) {
  Arm({{kDram}});
  ASSERT_EQ(Start(), 0);
  ASSERT_EQ(cuCtxCreate_v4(&context_, nullptr, 0, 0), CUDA_SUCCESS);
  Arm({{kDram}});
  EXPECT_EQ(Start(), 26);
  EXPECT_EQ(Push("a"), 1);
  EXPECT_EQ(Pop(), 1);
}

TEST_F(FakeRangesTest, OtherProcessesShareTheOneSessionOfAGpu) {
  BeginOther(false);
  Arm({{kDram}});
  EXPECT_EQ(Start(), 26);
  EndOther();
  EXPECT_EQ(Start(), 0) << "the other process is gone";
  ExpectNoLockLeft();
}

TEST_F(FakeRangesTest, APatchedLaunchBlocksOnlyInsideARange) {
  Arm({{kFfma}});
  const auto timed = [&] {
    const auto start = std::chrono::steady_clock::now();
    Launch("ffma=1,ns=1000,sass_ns=30000000");
    return std::chrono::steady_clock::now() - start;
  };
  Epoch([&] {
    EXPECT_LT(timed(), std::chrono::milliseconds(15));
    Push("a");
    EXPECT_GT(timed(), std::chrono::milliseconds(25));
    Pop();
  });
}

TEST_F(FakeRangesTest, AWaitingKernelInAPatchedRangeNeverMeetsItsPartner) {
  setenv("RAFTER_FAKE_GIVE_UP_MS", "100", 1);
  fakecuda_reset();
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate_v4(&context_, nullptr, 0, 0), CUDA_SUCCESS);
  Arm({{kFfma}});
  CUstream other = nullptr;
  cuStreamCreate(&other, 0);
  Epoch([&] {
    Push("a");
    const auto start = std::chrono::steady_clock::now();
    Launch("wait=partner");
    EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(90));
    Launch("set=partner", other);
    Pop();
  });
}

TEST_F(FakeRangesTest, ClocksAndPeaksAreConstant) {
  Arm({{"gpc__cycles_elapsed.avg.per_second", "dram__bytes.sum.peak_sustained",
        "sm__warps_active.avg.pct_of_peak_sustained_active", "gr__ctas_launched.sum"}});
  Epoch([&] {
    Push("a");
    Launch("warps=50,ns=1000");
    Pop();
  });
  EXPECT_NEAR(*Value(0, "gpc__cycles_elapsed.avg.per_second"), 1.98e9, 1);
  EXPECT_EQ(Value(0, "dram__bytes.sum.peak_sustained"), 1536);
  EXPECT_EQ(Value(0, "sm__warps_active.avg.pct_of_peak_sustained_active"), 50);
  EXPECT_EQ(Value(0, "gr__ctas_launched.sum"), 4);
}

struct Seen {
  std::vector<std::string> events;
  CUcontext context = nullptr;
};

void OnCallback(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                const void* data) {
  auto* seen = static_cast<Seen*>(userdata);
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    seen->context = static_cast<const CUpti_ResourceData*>(data)->context;
    seen->events.push_back(cbid == CUPTI_CBID_RESOURCE_CONTEXT_CREATED ? "created" : "destroying");
    return;
  }
  const auto* call = static_cast<const CUpti_CallbackData*>(data);
  const auto* params = static_cast<const cuLaunchKernel_params*>(call->functionParams);
  seen->events.push_back(std::string(call->callbackSite == CUPTI_API_ENTER ? "enter " : "exit ") +
                         call->symbolName + " " + std::to_string(params->gridDimX));
}

TEST_F(FakeRangesTest, TellsTheOneSubscriberOfLaunchesAndContexts) {
  Seen seen;
  CUpti_SubscriberHandle handle = nullptr, second = nullptr;
  ASSERT_EQ(table_->cuptiSubscribe(&handle, OnCallback, &seen), CUPTI_SUCCESS);
  EXPECT_EQ(static_cast<int>(table_->cuptiSubscribe(&second, OnCallback, &seen)), 39);
  ASSERT_EQ(table_->cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_RESOURCE), CUPTI_SUCCESS);
  ASSERT_EQ(table_->cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API,
                                        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel),
            CUPTI_SUCCESS);
  CUcontext context = nullptr;
  cuCtxCreate_v4(&context, nullptr, 0, 0);
  EXPECT_EQ(seen.context, context);
  Launch("saxpy:ffma=1");
  cuCtxDestroy_v2(context);
  EXPECT_EQ(seen.events,
            (std::vector<std::string>{"created", "enter saxpy 4", "exit saxpy 4", "destroying"}));
  ASSERT_EQ(table_->cuptiUnsubscribe(handle), CUPTI_SUCCESS);
  Launch("saxpy:ffma=1");
  EXPECT_EQ(seen.events.size(), 4u);
  EXPECT_EQ(table_->cuptiSubscribe(&handle, OnCallback, &seen), CUPTI_SUCCESS);
}

TEST_F(FakeRangesTest, AvailabilityIsRefusedWhileASessionIsOpen) {
  Arm({{kDram}});
  RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_GetCounterAvailability_Params, params);
  params.ctx = context_;
  ASSERT_EQ(table_->cuptiProfilerGetCounterAvailability(&params), CUPTI_SUCCESS);
  std::vector<uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  ASSERT_EQ(table_->cuptiProfilerGetCounterAvailability(&params), CUPTI_SUCCESS);
  EXPECT_TRUE(host_->Plan("GH100", image, {{kDram}}).ok());
  ASSERT_EQ(Start(), 0);
  EXPECT_NE(table_->cuptiProfilerGetCounterAvailability(&params), CUPTI_SUCCESS);
}

}  // namespace
}  // namespace rafter
