// Which set each run of an application replay counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/temporary_folder.h"
#include "tools/run_sets.h"

namespace rafter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SetsByRun, TakesEachSetOnceFromCheapToDear) {
  EXPECT_THAT(*SetsByRun("", ""), ElementsAre("time", "memory", "sm", "flop"));
  EXPECT_THAT(*SetsByRun("flop,time,flop", ""), ElementsAre("time", "flop"));
  EXPECT_THAT(SetsByRun("flob", "").status().message(), HasSubstr("flop"));
}

TEST(SetsByRun, GivesMetricsByNameARunOfTheirOwn) {
  EXPECT_THAT(*SetsByRun("memory", "dram__bytes.sum,lts__t_bytes.sum"),
              ElementsAre("memory", "metrics:dram__bytes.sum+lts__t_bytes.sum"));
}

TEST(FormatsOf, AsksForEachChipThatTheRunSawAndNamesASetOnce) {
  TemporaryFolder folder;
  auto file = RunFile::Create(folder / "a.rafter", RunFile::Existing::kRefuse);
  ASSERT_TRUE(file.ok()) << file.status();
  const CuptiSearch fakes = {
      .override_path = RAFTER_BINARY_DIR "/fakes", .cuda_home = "", .reuse_mapped = false};
  const auto none = FormatsOf(**file, fakes, "memory");
  if (!none.ok()) GTEST_SKIP() << none.status().message();
  EXPECT_TRUE(none->empty());
  for (uint32_t pid = 1; pid <= 2; ++pid) {
    RunProcess process;
    process.pid = pid;
    const int64_t id = *(*file)->AddProcess(process);
    RunDevice device;
    device.chip = "GH100";
    ASSERT_TRUE((*file)->AddDevice(id, device, {}).ok());
  }
  EXPECT_THAT(*FormatsOf(**file, fakes, "memory"), ElementsAre("memory"));
  EXPECT_THAT(FormatsOf(**file, fakes, "nothing").status().message(), HasSubstr("nothing"));
}

}  // namespace
}  // namespace rafter
