// Without a collector what happened is in the spool file, by whichever way we
// got in and however the program ended.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "proto/frame.h"
#include "proto/rafter.pb.h"
#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

struct Spool {
  bool whole = false;  // it ends with a frame's end
  wire::Hello hello;
  size_t instances = 0;
  size_t images = 0;
  std::set<std::string> regions;
  bool said_goodbye = false;
};

Spool ReadSpool(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string bytes = stream.str();
  Spool spool;
  size_t at = kSpoolHeaderBytes;
  while (at + kFrameHeaderBytes <= bytes.size()) {
    FrameHeader header;
    const auto* start = reinterpret_cast<const uint8_t*>(bytes.data()) + at;
    if (ReadFrameHeader(start, header) != FrameFault::kNone) return spool;
    at += kFrameHeaderBytes;
    if (at + header.length > bytes.size()) return spool;
    const std::string message = bytes.substr(at, header.length);
    at += header.length;
    wire::Batch batch;
    wire::Names names;
    if (header.type == wire::HELLO) spool.hello.ParseFromString(message);
    if (header.type == wire::BATCH && batch.ParseFromString(message)) {
      spool.instances += static_cast<size_t>(batch.instances_size());
    }
    if (header.type == wire::NAMES && names.ParseFromString(message)) {
      for (const wire::Path& path_message : names.paths())
        spool.regions.insert(path_message.name());
    }
    spool.images += header.type == wire::IMAGE;
    spool.said_goodbye |= header.type == wire::GOODBYE;
  }
  spool.whole = at == bytes.size();
  return spool;
}

Spool OnlySpoolOf(const std::string& program, const std::string& story, unsigned entries) {
  ProgramRun run(program, {story});
  const Outcome outcome = run.Enter(entries).Go();
  EXPECT_TRUE(outcome.was_there);
  const std::vector<std::string> spools = run.FilesEndingIn(".spool");
  EXPECT_EQ(spools.size(), 1u);
  return spools.empty() ? Spool() : ReadSpool(spools.front());
}

struct Way {
  const char* program;
  unsigned entries;
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.program << " by " << EntryName(way.entries);
}

const Way kWays[] = {
    {"nvtx_target", kNvtx},
    {"nvtx_target", kPreload},
    {"nvtx_target", kNvtx | kPreload},
    {"cuda_target", kCuda},
    {"cuda_target", kNvtx},
    {"cuda_target", kPreload},
    {"cuda_target", kCuda | kNvtx},
    {"cuda_target", kCuda | kNvtx | kPreload},
};

class SpoolEntry : public ::testing::TestWithParam<Way> {};

TEST_P(SpoolEntry, RecordsEveryRegionOfTheProgram) {
  const auto& [program, entries] = GetParam();
  const bool has_cuda = std::string(program) == "cuda_target";
  const Spool spool = OnlySpoolOf(program, "returns_43", entries);
  EXPECT_TRUE(spool.whole);
  EXPECT_TRUE(spool.said_goodbye);
  // Work of either program: one around ten or twenty, and a start/end range.
  EXPECT_EQ(spool.instances, has_cuda ? 21u : 12u);
  EXPECT_TRUE(spool.regions.contains("outer"));
  EXPECT_TRUE(spool.regions.contains(has_cuda ? "compute" : "from here to there"));
  ASSERT_EQ(spool.hello.arguments_size(), 2);
  EXPECT_EQ(spool.hello.arguments(1), "returns_43");
}

INSTANTIATE_TEST_SUITE_P(Survival, SpoolEntry, ::testing::ValuesIn(kWays),
                         [](const auto& parameter) {
                           return std::string(parameter.param.program).substr(0, 4) + "_" +
                                  EntryName(parameter.param.entries);
                         });

// Counters are on in the same program: images of the epochs are there as well.
TEST(Spool, HoldsImagesWhereCountersCount) {
  const Spool spool = OnlySpoolOf("cuda_target", "counts_for_a_while", kCuda | kNvtx);
  EXPECT_TRUE(spool.whole);
  EXPECT_GT(spool.images, 3u);
}

class SpoolEnding : public ::testing::TestWithParam<std::string> {};

// Nothing runs at these ends: what had been closed a while before must be there.
TEST_P(SpoolEnding, WithoutGoodbyeKeepsWhatWasClosedBefore) {
  for (const char* program : {"nvtx_target", "cuda_target"}) {
    const Spool spool = OnlySpoolOf(program, GetParam(), kCuda | kNvtx);
    EXPECT_TRUE(spool.whole) << program;
    EXPECT_GE(spool.instances, 12u) << program;
    EXPECT_TRUE(spool.regions.contains("outer")) << program;
  }
}

INSTANTIATE_TEST_SUITE_P(Survival, SpoolEnding,
                         ::testing::Values("is_killed_a_while_later", "aborts_a_while_later",
                                           "underscore_exits_a_while_later"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace rafter::survival
