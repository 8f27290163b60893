// Who has a fake GPU's counters, ranges that CUPTI makes itself, and graphs, as
// measured on the H200.
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fakes/ranges_fixture.h"

namespace rafter {
namespace {

class FakeSharingTest : public FakeRangesTest {
 protected:
  void TearDown() override {
    FakeRangesTest::TearDown();
    unsetenv("RAFTER_FAKE_DEVICES");
  }

  // Another context and its session, armed; the first one's object stays in `first_`.
  void ArmSecond(int device = 0) {
    first_ = object_;
    first_image_ = std::move(image_);
    image_.clear();
    ASSERT_EQ(cuCtxCreate_v4(&context_, nullptr, 0, device), CUDA_SUCCESS);
    Arm({{kDram}});
  }
  void SwapSessions() {
    std::swap(object_, first_);
    image_.swap(first_image_);
  }

  CUpti_RangeProfiler_Object* first_ = nullptr;
  std::vector<uint8_t> first_image_;
};

TEST_F(FakeSharingTest, AContextThatHasStartedKeepsTheHardwareUntilItsDisable) {
  Arm({{kDram}});
  ASSERT_EQ(Start(), 0);
  ASSERT_EQ(Stop(), 0);
  ArmSecond();  // Enable and SetConfig succeed
  EXPECT_EQ(Start(), 26);
  SwapSessions();
  ASSERT_EQ(Disable(), 0);
  SwapSessions();
  EXPECT_EQ(Start(), 0) << "the same object, once the holder has let go";
  EXPECT_EQ(Push("a"), 0);
}

TEST_F(FakeSharingTest, AnObjectThatWasRefusedCanBeDisabledAndMadeAnew) {
  Arm({{kDram}});
  ASSERT_EQ(Start(), 0);
  ArmSecond();
  ASSERT_EQ(Start(), 26);
  ASSERT_EQ(Disable(), 0);
  ASSERT_EQ(Enable(context_, object_), 0);
  SwapSessions();
  EXPECT_EQ(Stop(), 0) << "the holder does not notice";
  EXPECT_EQ(Start(), 0);
}

TEST_F(FakeSharingTest, TwoDevicesOfOneProcessCountSideBySide) {
  setenv("RAFTER_FAKE_DEVICES", "2", 1);
  fakecuda_reset();
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate_v4(&context_, nullptr, 0, 0), CUDA_SUCCESS);
  CUcontext on_first = context_;
  Arm({{kDram}});
  ASSERT_EQ(Start(), 0);
  Push("a");
  ArmSecond(1);
  ASSERT_EQ(Start(), 0);
  Push("b");
  Launch("dram=7");
  Pop();
  ASSERT_EQ(Stop(), 0);
  ASSERT_EQ(Decode(), 0);
  EXPECT_EQ(Value(0, kDram), 7);
  SwapSessions();
  ASSERT_EQ(cuCtxSetCurrent(on_first), CUDA_SUCCESS);
  Launch("dram=5");
  Pop();
  ASSERT_EQ(Stop(), 0);
  ASSERT_EQ(Decode(), 0);
  EXPECT_EQ(Value(0, kDram), 5);
}

TEST_F(FakeSharingTest, AvailabilityIsBusyOnlyWhileAnotherProcessHasTheGpu) {
  BeginOther(true);
  ASSERT_EQ(ProfilerInitialize(), 0);
  RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_GetCounterAvailability_Params, params);
  params.ctx = context_;
  EXPECT_EQ(static_cast<int>(table_->cuptiProfilerGetCounterAvailability(&params)), 26);
  EndOther();
  EXPECT_EQ(table_->cuptiProfilerGetCounterAvailability(&params), CUPTI_SUCCESS);
  Arm({{kDram}});
  ASSERT_EQ(Start(), 0);
  CUcontext second = nullptr;
  ASSERT_EQ(cuCtxCreate_v4(&second, nullptr, 0, 0), CUDA_SUCCESS);
  params.ctx = second;
  EXPECT_EQ(table_->cuptiProfilerGetCounterAvailability(&params), CUPTI_SUCCESS)
      << "another context of the process";
  ExpectNoLockLeft();
}

// --- ranges that CUPTI makes ----------------------------------------------------

TEST_F(FakeSharingTest, AutoRangesAreNumberedOnTheContextAndHoldEveryPass) {
  Arm({{kTime}, {kDram}, {kFfma}}, 3);
  ASSERT_EQ(SetConfig(1, CUPTI_KernelReplay, 3, CUPTI_AutoRange), 0);
  Launch("dram=1000");  // not while started
  Epoch([&] {
    EXPECT_NE(Push("a"), 0);
    Launch("ffma=7,dram=5,ns=10");
    Launch("ffma=8,dram=6,ns=20");
  });
  EXPECT_EQ(Names(), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(Value(0, kTime), 10);
  EXPECT_EQ(Value(0, kDram), 5);
  EXPECT_EQ(Value(1, kFfma), 8);
  ASSERT_EQ(InitialiseImage(), 0);
  Epoch([&] {
    for (int i = 0; i < 5; ++i) Launch("ffma=1,ns=10");
  });
  EXPECT_EQ(Names(), (std::vector<std::string>{"2", "3", "4"})) << "three fit";
  EXPECT_EQ(dropped_, 0u);
  ASSERT_EQ(InitialiseImage(), 0);
  Epoch([&] { Launch("ffma=1,ns=10"); });
  EXPECT_EQ(Names(), (std::vector<std::string>{"7"})) << "those dropped have numbers too";
}

TEST_F(FakeSharingTest, AutoRangesOfTwoContextsAreNumberedEachForItself) {
  Arm({{kDram}});
  ASSERT_EQ(SetConfig(1, CUPTI_KernelReplay, 8, CUPTI_AutoRange), 0);
  Epoch([&] { Launch("dram=1"); });
  ASSERT_EQ(Disable(), 0);
  ArmSecond();
  ASSERT_EQ(SetConfig(1, CUPTI_KernelReplay, 8, CUPTI_AutoRange), 0);
  Epoch([&] { Launch("dram=2"); });
  EXPECT_EQ(Names(), std::vector<std::string>{"0"});
  EXPECT_EQ(Value(0, kDram), 2);
}

// --- graphs -----------------------------------------------------------------------

CUgraphExec GraphOf(const char* script) {
  CUfunction function = nullptr;
  cuModuleGetFunction(&function, nullptr, script);
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec ready = nullptr;
  CUDA_KERNEL_NODE_PARAMS kernel = {};
  kernel.func = function;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &kernel), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuGraphInstantiateWithFlags(&ready, graph, 0), CUDA_SUCCESS);
  return ready;
}

TEST_F(FakeSharingTest, AGraphIsCountedButForItsPatchedCounts) {
  Arm({{kDram}, {kFfma}});
  CUgraphExec graph = GraphOf("ffma=7,dram=5,ns=10");
  const auto work = [&] {
    Push("a");
    EXPECT_EQ(cuGraphLaunch(graph, nullptr), CUDA_SUCCESS);
    Pop();
  };
  Epoch(work);
  EXPECT_EQ(Value(0, kDram), 10) << "two kernels";
  ASSERT_EQ(InitialiseImage(), 0);
  Epoch(work);
  EXPECT_EQ(Value(0, kFfma), 0);
}

TEST_F(FakeSharingTest, AGraphMakesNoAutoRange) {
  Arm({{kDram}});
  ASSERT_EQ(SetConfig(1, CUPTI_KernelReplay, 8, CUPTI_AutoRange), 0);
  CUgraphExec graph = GraphOf("dram=5,ns=10");
  Epoch([&] { cuGraphLaunch(graph, nullptr); });
  EXPECT_TRUE(Names().empty());
}

// --- kernels ----------------------------------------------------------------------

TEST_F(FakeSharingTest, TheDriverTellsRegistersOfFunctionsAndOfKernelsThroughTheirFunction) {
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleGetFunction(&function, nullptr, "k:regs=40,shared=512"), CUDA_SUCCESS);
  int value = 0;
  ASSERT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function), CUDA_SUCCESS);
  EXPECT_EQ(value, 40);
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  ASSERT_EQ(cuLibraryLoadData(&library, "", nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "k:regs=41,shared=512"), CUDA_SUCCESS);
  EXPECT_NE(cuKernelGetFunction(&function, reinterpret_cast<CUkernel>(function)), CUDA_SUCCESS);
  ASSERT_EQ(cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
  ASSERT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function), CUDA_SUCCESS);
  EXPECT_EQ(value, 41);
  ASSERT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 512);
}

}  // namespace
}  // namespace rafter
