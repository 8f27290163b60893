#include "marker/nvtx_payload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "marker/nvtx_schema.h"
#include "tests/unit/nvtx_module.h"

namespace rafter {
namespace {

class NvtxPayloadTest : public ::testing::Test {
 protected:
  NvtxPayloadTest() {
    segment_.slotCount = kSlots;
    segment_.functionSlots = slots_;
    info_.nvtxVer = NVTX_VERSION;
    info_.structSize = sizeof info_;
    info_.moduleId = NVTX_EXT_PAYLOAD_MODULEID;
    info_.compatId = NVTX_EXT_PAYLOAD_COMPATID;
    info_.segmentsCount = 1;
    info_.segments = &segment_;
  }
  bool Attach() { return NvtxPayload::Attach(&info_, RecordedSink::sink()); }
  std::string Push(uint64_t schema, const void* data, size_t size) {
    using Function = int (*)(nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t);
    const nvtxPayloadData_t payload = {schema, size, data};
    reinterpret_cast<Function>(slots_[NVTX3EXT_CBID_nvtxRangePushPayload])(nullptr, &payload, 1);
    return RecordedSink::Take().at(0);
  }
  uint64_t Register(const nvtxPayloadSchemaAttr_t* schema) {
    using Function = uint64_t (*)(nvtxDomainHandle_t, const nvtxPayloadSchemaAttr_t*);
    return reinterpret_cast<Function>(slots_[NVTX3EXT_CBID_nvtxPayloadSchemaRegister])(nullptr,
                                                                                       schema);
  }
  // A schema with one entry for the message.
  uint64_t Register(nvtxPayloadSchemaEntry_t entry, size_t static_size = 0) {
    entry.flags |= NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE;
    nvtxPayloadSchemaAttr_t schema = {};
    schema.fieldMask =
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    schema.name = "schema";
    schema.entries = &entry;
    schema.numEntries = 1;
    schema.payloadStaticSize = static_size;
    return Register(&schema);
  }

  static constexpr size_t kSlots = 63;
  intptr_t slots_[kSlots + 4] = {};
  nvtxExtModuleSegment_t segment_ = {};
  nvtxExtModuleInfo_t info_ = {};
};

TEST_F(NvtxPayloadTest, FillsNothingBeyondTheNumberOfSlots) {
  segment_.slotCount = NVTX3EXT_CBID_nvtxRangePopPayload;
  ASSERT_TRUE(Attach());
  EXPECT_NE(slots_[NVTX3EXT_CBID_nvtxRangePushPayload], 0);
  for (size_t id = NVTX3EXT_CBID_nvtxRangePopPayload; id < kSlots; ++id) EXPECT_EQ(slots_[id], 0);
}

TEST_F(NvtxPayloadTest, LeavesOtherExtensionsAndOtherLayoutsAlone) {
  info_.moduleId = 3;
  EXPECT_TRUE(Attach());
  info_.moduleId = NVTX_EXT_PAYLOAD_MODULEID;
  info_.compatId = 0x0200;
  EXPECT_TRUE(Attach());
  info_.compatId = NVTX_EXT_PAYLOAD_COMPATID;
  info_.segmentsCount = 0;
  EXPECT_TRUE(Attach());
  for (const intptr_t slot : slots_) EXPECT_EQ(slot, 0);
  info_.structSize = 8;
  EXPECT_FALSE(Attach());
  EXPECT_FALSE(NvtxPayload::Attach(nullptr, RecordedSink::sink()));
}

TEST_F(NvtxPayloadTest, GivesEachSchemaAnIdAndKeepsTheProgramsOwn) {
  ASSERT_TRUE(Attach());
  nvtxPayloadSchemaAttr_t schema = {};
  const uint64_t first = Register(&schema);
  const uint64_t second = Register(&schema);
  EXPECT_GE(first, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
  EXPECT_NE(first, second);
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  schema.schemaId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 1;
  EXPECT_EQ(Register(&schema), schema.schemaId);
  schema.schemaId = 3;  // a predefined type's
  EXPECT_GT(Register(&schema), second);
}

TEST_F(NvtxPayloadTest, ReadsNoPayloadBeyondItsStatedSize) {
  ASSERT_TRUE(Attach());
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto* pages = static_cast<char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
  std::memset(pages, 'x', page);
  nvtxPayloadSchemaEntry_t entry = {};
  entry.type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
  entry.flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED;
  const uint64_t embedded = Register(entry);
  EXPECT_EQ(Push(embedded, pages + page - 5, 5), "push 0 xxxxx");
  EXPECT_EQ(Push(embedded, pages + page, 0), "push 0 schema");
  entry.flags = 0;
  entry.arrayOrUnionDetail = 100;
  EXPECT_EQ(Push(Register(entry), pages + page - 5, 5), "push 0 xxxxx");
  entry.arrayOrUnionDetail = 0;  // an address
  EXPECT_EQ(Push(Register(entry), pages + page - 5, 5), "push 0 schema");
  entry.flags = NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE;
  const uint64_t from_base = Register(entry);
  EXPECT_EQ(Push(from_base, pages + page - 16, 16), "push 0 schema");  // far outside
  const uint64_t eight = 8;
  std::memcpy(pages + page - 12, &eight, sizeof eight);
  EXPECT_EQ(Push(from_base, pages + page - 12, 12), "push 0 xxxx");
  EXPECT_EQ(Push(from_base, pages + page - 12, SIZE_MAX), "push 0 schema");  // nobody knows
  entry.flags = NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE;
  const uint64_t two = 2;
  std::memcpy(pages + page - 12, &two, sizeof two);
  EXPECT_EQ(Push(Register(entry), pages + page - 12, 12), "push 0 xx");
  EXPECT_EQ(Push(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, pages + page - 3, 3), "push 0 xxx");
  EXPECT_EQ(Push(NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, pages + page - 3, 3),
            "push 0 ");
  munmap(pages, 2 * page);
}

TEST_F(NvtxPayloadTest, PlacesEntriesAsACompilerDoes) {
  ASSERT_TRUE(Attach());
  struct {
    int8_t a = 1;
    double b = 2;
    int16_t c[3] = {3, 4, 5};
    const char* message = "placed";
  } data;
  nvtxPayloadSchemaEntry_t entries[4] = {};
  entries[0].type = NVTX_PAYLOAD_ENTRY_TYPE_INT8;
  entries[1].type = NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE;
  entries[2].type = NVTX_PAYLOAD_ENTRY_TYPE_INT16;
  entries[2].flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;
  entries[2].arrayOrUnionDetail = 3;
  entries[3].type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8;
  entries[3].flags = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE;
  nvtxPayloadSchemaAttr_t schema = {};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
  schema.name = "schema";
  schema.entries = entries;
  schema.numEntries = 4;
  EXPECT_EQ(Push(Register(&schema), &data, sizeof data), "push 0 placed");
  entries[1].type = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 77;  // a nested one of any size
  EXPECT_EQ(Push(Register(&schema), &data, sizeof data), "push 0 schema");
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME;  // the entries do not count
  EXPECT_EQ(Push(Register(&schema), &data, sizeof data), "push 0 schema");
}

TEST_F(NvtxPayloadTest, TakesAWideMessage) {
  ASSERT_TRUE(Attach());
  nvtxPayloadSchemaEntry_t entry = {};
  entry.type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32;
  const wchar_t* text = L"w\u00e9";
  EXPECT_EQ(Push(Register(entry), &text, sizeof text), "push 0 w\xC3\xA9");
}

TEST_F(NvtxPayloadTest, GoesOnWithIdsWhenNoMoreSchemasAreKept) {
  ASSERT_TRUE(Attach());
  nvtxPayloadSchemaAttr_t schema = {};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME;
  schema.name = "s";
  uint64_t last = 0;
  for (size_t i = 0; i < kMaxSchemas + 1; ++i) {
    const uint64_t id = Register(&schema);
    EXPECT_GT(id, last);
    last = id;
  }
  const std::vector<std::string> notes = RecordedSink::Take();
  ASSERT_FALSE(notes.empty());
  EXPECT_THAT(notes.back(), ::testing::StartsWith("note NVTX: more than 1,024 payload schemas"));
  EXPECT_EQ(Push(last, "x", 1), "push 0 ");
}

}  // namespace
}  // namespace rafter
