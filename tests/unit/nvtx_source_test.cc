#include "marker/nvtx_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/nvtx_module.h"

namespace rafter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class NvtxSourceTest : public ::testing::Test {
 protected:
  bool Attach(NvtxSource::Door door = NvtxSource::Door::kNvtx3) {
    const bool attached = NvtxSource::Attach(module_.door(), RecordedSink::sink(), nullptr, door);
    RecordedSink::level = 0;
    RecordedSink::number = 1;
    return attached;
  }
  template <typename Function>
  Function Core(unsigned int id) {
    return module_.Get<Function>(NVTX_CB_MODULE_CORE, id);
  }
  template <typename Function>
  Function Core2(unsigned int id) {
    return module_.Get<Function>(NVTX_CB_MODULE_CORE2, id);
  }
  void MarkEx(const nvtxEventAttributes_t& attributes) {
    Core<nvtxMarkEx_impl_fntype>(NVTX_CBID_CORE_MarkEx)(&attributes);
  }
  static nvtxEventAttributes_t Attributes(const char* name) {
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.category = 9;
    attributes.payloadType = NVTX_PAYLOAD_TYPE_INT32;
    attributes.payload.iValue = -1;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    return attributes;
  }

  HandMadeModule module_;
};

TEST_F(NvtxSourceTest, FillsNothingBeyondTheSizesOfTables) {
  module_.Resize(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePop);  // the last one is left out
  module_.Resize(NVTX_CB_MODULE_CORE2, 3);
  ASSERT_TRUE(Attach());
  EXPECT_FALSE(module_.IsUntouched(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushW));
  for (unsigned int id = NVTX_CBID_CORE_RangePop; id < HandMadeModule::kRoom; ++id) {
    EXPECT_TRUE(module_.IsUntouched(NVTX_CB_MODULE_CORE, id)) << id;
  }
  EXPECT_FALSE(module_.IsUntouched(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangeStartEx));
  for (unsigned int id = 3; id < HandMadeModule::kRoom; ++id) {
    EXPECT_TRUE(module_.IsUntouched(NVTX_CB_MODULE_CORE2, id)) << id;
  }
}

TEST_F(NvtxSourceTest, LeavesAloneWhatMarksNoRegions) {
  ASSERT_TRUE(Attach());
  for (const int module :
       {NVTX_CB_MODULE_CUDA, NVTX_CB_MODULE_OPENCL, NVTX_CB_MODULE_CUDART, NVTX_CB_MODULE_SYNC}) {
    for (unsigned int id = 0; id < HandMadeModule::kRoom; ++id) {
      EXPECT_TRUE(module_.IsUntouched(module, id)) << module << ' ' << id;
    }
  }
  EXPECT_TRUE(module_.IsUntouched(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_NameOsThreadA));
  EXPECT_TRUE(module_.IsUntouched(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainResourceCreate));
  EXPECT_TRUE(module_.IsUntouched(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_Initialize));
}

TEST_F(NvtxSourceTest, TakesAModuleWithoutDomains) {
  module_.Resize(NVTX_CB_MODULE_CORE2, 0);
  module_.Resize(NVTX_CB_MODULE_SYNC, 0);
  ASSERT_TRUE(Attach(NvtxSource::Door::kNvtx2));
  EXPECT_EQ(Core<nvtxRangePushA_impl_fntype>(NVTX_CBID_CORE_RangePushA)("old"), 0);
  EXPECT_THAT(RecordedSink::Take(), ElementsAre("push 0 old"));
}

TEST_F(NvtxSourceTest, RefusesTablesOfAnotherKindAndSaysSo) {
  module_.SetStructSize(8);
  EXPECT_FALSE(Attach());
  EXPECT_EQ(RecordedSink::Take().size(), 1u);
  module_.SetStructSize(24);  // the kind that libnvToolsExt offers by its old door
  EXPECT_FALSE(Attach(NvtxSource::Door::kNvtx2));
  EXPECT_TRUE(module_.IsUntouched(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushA));
  EXPECT_THAT(
      RecordedSink::Take(),
      ElementsAre(::testing::StartsWith("note NVTX: a module offers tables that Rafter does not")));
  module_.SetStructSize(24);  // by the new door: a later NVTX 3
  EXPECT_TRUE(Attach());
  EXPECT_FALSE(NvtxSource::Attach(nullptr, RecordedSink::sink(), nullptr));
}

TEST_F(NvtxSourceTest, ReadsNoFieldBeyondTheStatedSize) {
  ASSERT_TRUE(Attach());
  nvtxEventAttributes_t attributes = Attributes("name");
  const auto told = [&](size_t size) {
    attributes.size = static_cast<uint16_t>(size);
    MarkEx(attributes);
    return RecordedSink::Take().at(0);
  };
  EXPECT_EQ(told(0), "mark 0 ");
  EXPECT_EQ(told(7), "mark 0 ");
  EXPECT_EQ(told(8), "mark 0  #9");
  EXPECT_EQ(told(31), "mark 0  #9");
  EXPECT_EQ(told(32), "mark 0  #9 signed:18446744073709551615");
  EXPECT_EQ(told(47), "mark 0  #9 signed:18446744073709551615");
  EXPECT_EQ(told(48), "mark 0 name #9 signed:18446744073709551615");
  EXPECT_EQ(told(400), "mark 0 name #9 signed:18446744073709551615");
}

TEST_F(NvtxSourceTest, DoesNotTouchThePageBehindAShortStructure) {
  ASSERT_TRUE(Attach());
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto* pages = static_cast<char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
  for (const uint16_t size : {4, 8, 16, 32, 40}) {
    const nvtxEventAttributes_t whole = Attributes("name");
    std::memcpy(pages + page - size, &whole, size);
    std::memcpy(pages + page - size + 2, &size, sizeof size);
    Core<nvtxRangePushEx_impl_fntype>(NVTX_CBID_CORE_RangePushEx)(
        reinterpret_cast<nvtxEventAttributes_t*>(pages + page - size));
  }
  EXPECT_EQ(RecordedSink::Take().size(), 5u);
  munmap(pages, 2 * page);
}

TEST_F(NvtxSourceTest, TakesAnyVersionAndNoAttributesAtAll) {
  ASSERT_TRUE(Attach());
  nvtxEventAttributes_t attributes = Attributes("name");
  attributes.version = 777;
  attributes.payloadType = 0;
  MarkEx(attributes);
  Core<nvtxMarkEx_impl_fntype>(NVTX_CBID_CORE_MarkEx)(nullptr);
  EXPECT_THAT(RecordedSink::Take(), ElementsAre("mark 0 name #9", "mark 0 "));
}

TEST_F(NvtxSourceTest, AnswersWithTheLevelOfTheSink) {
  ASSERT_TRUE(Attach());
  for (const int level : {0, 5, -1, -2}) {
    RecordedSink::level = level;
    EXPECT_EQ(Core<nvtxRangePushA_impl_fntype>(NVTX_CBID_CORE_RangePushA)("a"), level);
    EXPECT_EQ(Core<nvtxRangePop_impl_fntype>(NVTX_CBID_CORE_RangePop)(), level);
  }
  RecordedSink::Take();
  EXPECT_EQ(Core<nvtxRangeStartA_impl_fntype>(NVTX_CBID_CORE_RangeStartA)("a"), 77u);
  Core<nvtxRangeEnd_impl_fntype>(NVTX_CBID_CORE_RangeEnd)(77);
  Core2<nvtxDomainRangeEnd_impl_fntype>(NVTX_CBID_CORE2_DomainRangeEnd)(nullptr, 78);
  EXPECT_THAT(RecordedSink::Take(), ElementsAre("start 0 a", "end 77", "end 78"));
}

TEST_F(NvtxSourceTest, TakesHandlesThatAnotherModuleMade) {
  ASSERT_TRUE(Attach());
  RecordedSink::number = 3;
  const auto domain = Core2<nvtxDomainCreateA_impl_fntype>(NVTX_CBID_CORE2_DomainCreateA)("d");
  const auto string = Core2<nvtxDomainRegisterStringA_impl_fntype>(
      NVTX_CBID_CORE2_DomainRegisterStringA)(domain, "registered");
  HandMadeModule other;
  ASSERT_TRUE(NvtxSource::Attach(other.door(), RecordedSink::sink(), nullptr));
  nvtxEventAttributes_t attributes = Attributes("");
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = string;
  attributes.payloadType = 0;
  attributes.category = 0;
  other.Get<nvtxDomainMarkEx_impl_fntype>(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainMarkEx)(
      domain, &attributes);
  EXPECT_THAT(RecordedSink::Take(), ElementsAre("domain d", "mark 3 registered"));
}

TEST_F(NvtxSourceTest, FollowsNoHandleThatItDidNotMake) {
  ASSERT_TRUE(Attach());
  nvtxEventAttributes_t attributes = Attributes("");
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.payloadType = 0;
  attributes.category = 0;
  for (const uintptr_t bits : {uintptr_t{1}, uintptr_t{0xDEAD0000}, ~uintptr_t{0}}) {
    attributes.message.registered = reinterpret_cast<nvtxStringHandle_t>(bits);
    Core2<nvtxDomainMarkEx_impl_fntype>(NVTX_CBID_CORE2_DomainMarkEx)(
        reinterpret_cast<nvtxDomainHandle_t>(bits), &attributes);
    EXPECT_THAT(RecordedSink::Take(), ElementsAre("mark untracked (unknown registered string)"));
  }
}

TEST_F(NvtxSourceTest, SaysThatADomainIsNotTracked) {
  ASSERT_TRUE(Attach());
  RecordedSink::number = kUntrackedDomain;
  const auto domain = Core2<nvtxDomainCreateA_impl_fntype>(NVTX_CBID_CORE2_DomainCreateA)("d");
  ASSERT_NE(domain, nullptr);  // null would be the default domain
  const std::vector<std::string> lines = RecordedSink::Take();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[1], ::testing::StartsWith("note NVTX: the program makes more domains"));
  Core2<nvtxDomainRangePop_impl_fntype>(NVTX_CBID_CORE2_DomainRangePop)(domain);
  EXPECT_THAT(RecordedSink::Take(), ElementsAre("pop untracked "));
}

TEST_F(NvtxSourceTest, NamesTheRegionsOfStringsThatFoundNoRoom) {
  ASSERT_TRUE(Attach());
  const auto keep =
      Core2<nvtxDomainRegisterStringA_impl_fntype>(NVTX_CBID_CORE2_DomainRegisterStringA);
  const std::string large(kMaxRegisteredBytes / 17, 'x');
  for (int i = 0; i < 17 && RecordedSink::lines().empty(); ++i) {
    EXPECT_NE(keep(nullptr, large.c_str()), nullptr);
  }
  const std::vector<std::string> lines = RecordedSink::Take();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], ::testing::StartsWith("note NVTX: more than 16 MiB"));
  nvtxEventAttributes_t attributes = Attributes("");
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = keep(nullptr, large.c_str());
  attributes.payloadType = 0;
  attributes.category = 0;
  RecordedSink::Take();
  MarkEx(attributes);
  EXPECT_THAT(RecordedSink::Take(), ElementsAre("mark 0 (more registered strings than are kept)"));
}

TEST_F(NvtxSourceTest, GivesNoNameToCategoryZero) {
  ASSERT_TRUE(Attach());
  const auto name = Core<nvtxNameCategoryA_impl_fntype>(NVTX_CBID_CORE_NameCategoryA);
  name(0, "none");
  EXPECT_THAT(RecordedSink::Take(), IsEmpty());
  name(5, "five");
  EXPECT_THAT(RecordedSink::Take(), ElementsAre("category 0 five #5"));
}

}  // namespace
}  // namespace rafter
