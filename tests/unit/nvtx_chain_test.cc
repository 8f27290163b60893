// Two tools on one module: the fake one of tests/fakes comes after us.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "marker/nvtx_handles.h"
#include "marker/nvtx_source.h"
#include "tests/unit/nvtx_module.h"

namespace rafter {
namespace {

using ::testing::ElementsAre;

constexpr char kFakeTool[] = RAFTER_BINARY_DIR "/fakes/nvtx_tool.so";

class NvtxChainTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(NvtxSource::Attach(module_.door(), RecordedSink::sink(), kFakeTool));
    RecordedSink::Take();
    RecordedSink::level = 3;
    RecordedSink::range = 77;
  }
  template <typename Function>
  Function Core(unsigned int id) {
    return module_.Get<Function>(NVTX_CB_MODULE_CORE, id);
  }
  template <typename Function>
  Function Core2(unsigned int id) {
    return module_.Get<Function>(NVTX_CB_MODULE_CORE2, id);
  }
  HandMadeModule module_;
};

TEST_F(NvtxChainTest, GivesOurLevelWhereWeTrackElseTheTools) {
  const auto push = Core<nvtxRangePushA_impl_fntype>(NVTX_CBID_CORE_RangePushA);
  const auto pop = Core<nvtxRangePop_impl_fntype>(NVTX_CBID_CORE_RangePop);
  EXPECT_EQ(push("a"), 3);
  EXPECT_EQ(pop(), 3);
  RecordedSink::level = -2;
  EXPECT_EQ(push("a"), 100);  // the fake tool counts from there
  EXPECT_EQ(pop(), 100);
}

TEST_F(NvtxChainTest, EndsARangeInEachToolByTheToolsOwnId) {
  const auto start = Core<nvtxRangeStartA_impl_fntype>(NVTX_CBID_CORE_RangeStartA);
  const auto end = Core<nvtxRangeEnd_impl_fntype>(NVTX_CBID_CORE_RangeEnd);
  const nvtxRangeId_t first = start("a");
  RecordedSink::range = 78;
  const nvtxRangeId_t second = start("b");
  EXPECT_NE(first, second);
  end(first);
  end(second);
  end(first);  // once more: the sink counts it, the tool does not hear it
  EXPECT_THAT(RecordedSink::Take(),
              ElementsAre("start 0 a", "start 0 b", "end 77", "end 78", "end 0"));
}

TEST_F(NvtxChainTest, GivesTheToolsIdWhereWeDoNotTrack) {
  const auto start = Core<nvtxRangeStartA_impl_fntype>(NVTX_CBID_CORE_RangeStartA);
  for (const uint64_t untracked : {uint64_t{0}, ~uint64_t{0}}) {
    RecordedSink::range = untracked;
    const nvtxRangeId_t theirs = start("a");
    EXPECT_GT(theirs, 1000u);
    EXPECT_LT(theirs, 2000u);
    RecordedSink::Take();
    Core<nvtxRangeEnd_impl_fntype>(NVTX_CBID_CORE_RangeEnd)(theirs);
    EXPECT_TRUE(RecordedSink::Take().empty());
  }
}

TEST_F(NvtxChainTest, LeavesRangesToTheToolWhenTooManyAreOpen) {
  const auto start = Core<nvtxRangeStartA_impl_fntype>(NVTX_CBID_CORE_RangeStartA);
  const auto end = Core<nvtxRangeEnd_impl_fntype>(NVTX_CBID_CORE_RangeEnd);
  std::vector<nvtxRangeId_t> open;
  for (size_t i = 0; i < kMaxPairs + 1; ++i) open.push_back(start("a"));
  EXPECT_THAT(RecordedSink::Take().back(), ::testing::StartsWith("note NVTX: more than 1,024"));
  EXPECT_LT(open.back(), 3000u);  // the tool's
  for (const nvtxRangeId_t id : open) end(id);
  EXPECT_EQ(RecordedSink::Take().size(), kMaxPairs);
}

TEST_F(NvtxChainTest, KnowsADomainAndAStringByTheHandlesOfTheTool) {
  RecordedSink::number = 5;
  const auto domain = Core2<nvtxDomainCreateA_impl_fntype>(NVTX_CBID_CORE2_DomainCreateA)("d");
  nvtxEventAttributes_t attributes = {};
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = Core2<nvtxDomainRegisterStringW_impl_fntype>(
      NVTX_CBID_CORE2_DomainRegisterStringW)(domain, L"wide");
  Core2<nvtxDomainMarkEx_impl_fntype>(NVTX_CBID_CORE2_DomainMarkEx)(domain, &attributes);
  EXPECT_THAT(RecordedSink::Take(), ElementsAre("domain d", "mark 5 wide"));
}

TEST_F(NvtxChainTest, KeepsHandlesApartThatManyThreadsMake) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEach; ++i) {
        const std::string name = std::to_string(thread) + ' ' + std::to_string(i);
        const nvtxStringHandle_t ours = KeepString({name.data(), name.size()});
        const auto theirs = reinterpret_cast<nvtxStringHandle_t>(
            uintptr_t{0x100000} + static_cast<uintptr_t>(thread * kEach + i) * 16);
        CallString(theirs, ours);
        const NameBytes found = NameOf(theirs);
        if (std::string(found.data, found.size) != name) ++wrong;
        const RangePair pair = {static_cast<uint64_t>(thread), static_cast<uint64_t>(i)};
        const int place = TakePair();
        if (place < 0) continue;
        const nvtxRangeId_t id = OpenPair(place, pair);
        RangePair back;
        if (!ClosePair(id, back) || back.ours != pair.ours || back.theirs != pair.theirs) ++wrong;
        if (ClosePair(id, back)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(NvtxChainTest, PutsTheToolsOwnFunctionsWhereWeHaveNone) {
  EXPECT_FALSE(module_.IsUntouched(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_NameOsThreadA));
  EXPECT_FALSE(module_.IsUntouched(NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuDeviceA));
  EXPECT_TRUE(module_.IsUntouched(NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_NameCuDeviceW));
  EXPECT_TRUE(module_.IsUntouched(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_Initialize));
}

TEST_F(NvtxChainTest, LeavesTheToolOutOfMoreModulesThanAreKept) {
  for (size_t i = 0; i < kMaxToolModules && RecordedSink::lines().empty(); ++i) {
    HandMadeModule module;
    ASSERT_TRUE(NvtxSource::Attach(module.door(), RecordedSink::sink(), kFakeTool));
  }
  RecordedSink::Take();
  HandMadeModule last;
  ASSERT_TRUE(NvtxSource::Attach(last.door(), RecordedSink::sink(), kFakeTool));
  EXPECT_THAT(RecordedSink::Take(),
              ElementsAre(::testing::HasSubstr("more than 128 modules with NVTX")));
  RecordedSink::level = -2;
  const auto push =
      last.Get<nvtxRangePushA_impl_fntype>(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushA);
  EXPECT_EQ(push("ours alone"), -2);
}

}  // namespace
}  // namespace rafter
