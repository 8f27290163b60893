#include "proto/frame.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "collector/ingest/frame_reader.h"
#include "proto/plan_cache.h"
#include "tests/unit/wire_stream.h"

namespace rafter {
namespace {

TEST(Frame, HeaderIsLittleEndianLengthTypeAndZero) {
  uint8_t bytes[kFrameHeaderBytes];
  WriteFrameHeader({0x01020304, 0x0506}, bytes);
  const uint8_t expected[] = {4, 3, 2, 1, 6, 5, 0, 0};
  EXPECT_EQ(std::memcmp(bytes, expected, sizeof(expected)), 0);
}

TEST(Frame, TheExampleInTheReadmeIsRight) {
  wire::Goodbye goodbye = MakeGoodbye();
  goodbye.set_end_ns(1000);
  const std::string bytes = WireStream().Add(wire::GOODBYE, goodbye).bytes;
  const unsigned char expected[] = {0x09, 0,   0,   0,   0x0a, 0,    0,    0,   0x0a,
                                    0x04, 'e', 'x', 'i', 't',  0x10, 0xe8, 0x07};
  EXPECT_EQ(bytes, std::string(reinterpret_cast<const char*>(expected), sizeof(expected)));
}

TEST(FrameReader, ReadsFramesThatComeByteByByte) {
  const std::string bytes =
      WireStream().AddRaw(3, "abc").AddRaw(4, "").AddRaw(65535, std::string(1000, 'x')).bytes;
  FrameReader reader;
  std::vector<std::pair<int, size_t>> seen;
  for (const char byte : bytes) {
    reader.Append({&byte, 1});
    while (true) {
      auto frame = reader.Next();
      ASSERT_TRUE(frame.ok());
      if (!frame->has_value()) break;
      seen.emplace_back((*frame)->type, (*frame)->message.size());
    }
  }
  const std::vector<std::pair<int, size_t>> expected = {{3, 3}, {4, 0}, {65535, 1000}};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(reader.pending_bytes(), 0u);
  EXPECT_EQ(reader.taken_bytes(), bytes.size());
}

TEST(FrameReader, KeepsAnIncompleteFrameForLater) {
  const std::string bytes = WireStream().AddRaw(3, "abcdef").bytes;
  FrameReader reader;
  reader.Append(std::string_view(bytes).substr(0, 10));
  EXPECT_FALSE(reader.Next()->has_value());
  EXPECT_EQ(reader.pending_bytes(), 10u);
  reader.Append(std::string_view(bytes).substr(10));
  EXPECT_EQ((*reader.Next())->message, "abcdef");
}

TEST(FrameReader, RefusesAFrameBeyondTheLimitBeforeItsBytesCome) {
  uint8_t header[kFrameHeaderBytes];
  WriteFrameHeader({kMaxFrameBytes + 1, 3}, header);
  FrameReader reader;
  reader.Append({reinterpret_cast<const char*>(header), sizeof(header)});
  const auto frame = reader.Next();
  ASSERT_FALSE(frame.ok());
  EXPECT_NE(std::string(frame.status().message()).find("67108865"), std::string::npos);
}

TEST(FrameReader, RefusesForeignBytes) {
  for (const char* foreign : {"GET / HTTP/1.1\r\n", "\x16\x03\x01\x02\x7f\x01\x03\x01"}) {
    FrameReader reader;
    reader.Append(foreign);
    EXPECT_FALSE(reader.Next().ok()) << foreign;
  }
  FrameReader zeros;
  zeros.Append(std::string(64, '\0'));
  EXPECT_FALSE(zeros.Next().ok());
}

TEST(PlanCacheFile, NamesChipVersionAndHashOfAvailabilityThenSets) {
  EXPECT_EQ(PlanCacheFile("GH100", 130001, "ab", 2, "time"),
            PlanCacheFile("GH100", 130001, "", 0, "abtime"));
  // FNV-1a 64 of nothing is its offset basis; of "foobar" a published vector.
  EXPECT_EQ(PlanCacheFile("GH100", 130001, "", 0, ""), "GH100-130001-r2-cbf29ce484222325.plan");
  EXPECT_EQ(PlanCacheFile("GH100", 130001, "foo", 3, "bar"),
            "GH100-130001-r2-85944171f73967e8.plan");
}

TEST(PlanCacheFile, NeverLeavesItsFolder) {
  const std::string name = PlanCacheFile("../../etc/passwd", 1, "", 0, "");
  EXPECT_EQ(name.find('/'), std::string::npos);
  EXPECT_EQ(name.find(".."), std::string::npos);
  EXPECT_LT(PlanCacheFile(std::string(5000, 'x'), 1, "", 0, "").size(), 100u);
}

}  // namespace
}  // namespace rafter
