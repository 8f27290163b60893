// The fake driver keeps the promises that other tests build on.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/fakes/link.h"
#include "tests/fakes/work.h"

namespace rafter::fakes {
namespace {

class FakeDriverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fakecuda_reset();
    fakecupti_reset();
  }

  CUcontext Context(CUdevice device = 0) {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    CUcontext context = nullptr;
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    return context;
  }

  CUresult Run(const char* script, CUstream stream = nullptr) {
    CUfunction function = nullptr;
    const CUresult found = cuModuleGetFunction(&function, nullptr, script);
    if (found != CUDA_SUCCESS) return found;
    return cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr);
  }
};

double SecondsOf(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(ParseKernelScript, ReadsWorkFromTheName) {
  KernelWork work;
  ASSERT_TRUE(ParseKernelScript("saxpy:ffma=1000,dram=4096,warps=50,ns=200,set=go", work));
  EXPECT_EQ(work.name, "saxpy");
  EXPECT_EQ(work.counts[kFfma], 1000u);
  EXPECT_EQ(work.counts[kDramReadBytes], 4096u);
  EXPECT_EQ(work.counts[kWarpPercentNs], 10'000u);
  EXPECT_EQ(work.patched_ns, 200u);
  EXPECT_EQ(work.sets, "go");
}

TEST(ParseKernelScript, RefusesWhatItDoesNotKnow) {
  KernelWork work;
  EXPECT_FALSE(ParseKernelScript("ffma=many", work));
  EXPECT_FALSE(ParseKernelScript("flops=1", work));
  EXPECT_TRUE(ParseKernelScript("_Z5saxpyPf", work));
}

TEST_F(FakeDriverTest, NeedsCuInitFirst) {
  int count = 0;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
}

TEST_F(FakeDriverTest, RefusesAChildForkedAfterCuInit) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  const pid_t child = fork();
  if (child == 0) _exit(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(FakeDriverTest, GivesEachDeviceAnIdentityOfItsOwn) {
  setenv("RAFTER_FAKE_DEVICES", "2", 1);
  fakecuda_reset();
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  CUuuid first, second;
  ASSERT_EQ(cuDeviceGetUuid_v2(&first, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGetUuid_v2(&second, 1), CUDA_SUCCESS);
  EXPECT_NE(std::string(first.bytes, 16), std::string(second.bytes, 16));
  EXPECT_EQ(cuDeviceGetUuid_v2(&second, 2), CUDA_ERROR_INVALID_DEVICE);
  unsetenv("RAFTER_FAKE_DEVICES");
}

TEST_F(FakeDriverTest, LaunchesReturnAtOnceAndSynchronizeWaits) {
  Context();
  EXPECT_LT(SecondsOf([&] { Run("ns=50000000"); }), 0.03);
  EXPECT_GT(SecondsOf([&] { cuCtxSynchronize(); }), 0.03);
}

TEST_F(FakeDriverTest, StreamsRunBesideEachOther) {
  Context();
  CUstream streams[4];
  for (CUstream& stream : streams) cuStreamCreate(&stream, 0);
  EXPECT_LT(SecondsOf([&] {
              for (CUstream stream : streams) Run("ns=40000000", stream);
              cuCtxSynchronize();
            }),
            0.12);
}

TEST_F(FakeDriverTest, AKernelThatWaitsMeetsItsLaterPartner) {
  Context();
  CUstream a = nullptr, b = nullptr;
  cuStreamCreate(&a, 0);
  cuStreamCreate(&b, 0);
  Run("wait=met,ns=1000", a);
  std::thread partner([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cuCtxSetCurrent(nullptr);
    Context();
    Run("set=met,ns=1000", b);
  });
  EXPECT_GT(SecondsOf([&] { cuCtxSynchronize(); }), 0.01);
  partner.join();
}

TEST_F(FakeDriverTest, AWordOfMemoryHoldsAStreamUntilItIsWritten) {
  Context();
  CUstream a = nullptr, b = nullptr;
  CUdeviceptr word = 0;
  cuMemAlloc_v2(&word, 4);
  cuStreamCreate(&a, 0);
  cuStreamCreate(&b, 0);
  cuStreamWaitValue32_v2(a, word, 1, 0);
  Run("ns=1000", a);
  cuStreamWriteValue32_v2(b, word, 1, 0);
  EXPECT_EQ(cuStreamSynchronize(a), CUDA_SUCCESS);
}

TEST_F(FakeDriverTest, AnswersAnyErrorFromTheCallThatIsNamed) {
  setenv("RAFTER_FAKE_CUDA_FAIL", "cuCtxSynchronize=700@2", 1);
  fakecuda_reset();
  Context();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(static_cast<int>(cuCtxSynchronize()), 700);
  unsetenv("RAFTER_FAKE_CUDA_FAIL");
}

TEST_F(FakeDriverTest, PassesOverAnInjectionLibraryThatIsNotThere) {
  setenv("CUDA_INJECTION64_PATH", "/nonexistent/libinject.so", 1);
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  unsetenv("CUDA_INJECTION64_PATH");
}

TEST_F(FakeDriverTest, APrimaryContextEndsWithItsLastOwner) {
  CUcontext context = Context();
  CUcontext again = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&again, 0), CUDA_SUCCESS);
  EXPECT_EQ(context, again);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  unsigned int version = 0;
  EXPECT_EQ(cuCtxGetApiVersion(context, &version), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetApiVersion(context, &version), CUDA_ERROR_INVALID_CONTEXT);
}

}  // namespace
}  // namespace rafter::fakes
