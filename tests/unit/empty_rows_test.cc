// Rows of commands and processes that gave no region.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "collector/store/uncounted.h"
#include "tests/unit/run_maker.h"

namespace rafter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Row OnlyRow(const Table& table) {
  EXPECT_EQ(table.rows.size(), 1u);
  return table.rows.empty() ? Row{} : table.rows.front();
}

TEST(EmptyRows, HoldOnlyTheProgramOfACommandThatNobodyCameOf) {
  rafter::Run run;
  run.command = "'/opt/it'\\''s here/bench' --size 3";
  const Table table = BuildTable(run, {.hardware = "given"});
  const Row row = OnlyRow(table);
  EXPECT_EQ(row.executable, "bench");
  EXPECT_EQ(row.validity, "missing");
  EXPECT_EQ(row.reason,
            "no process of it started CUDA or marked a region; see that it uses the GPU and marks "
            "regions; if it uses OpenCL or Vulkan, its work runs in a context that CUPTI does not "
            "see");
  // Nothing else: the same row, with those three cells, is as wide and as empty.
  Table bare;
  bare.rows.emplace_back();
  bare.rows[0].executable = row.executable;
  bare.rows[0].validity = row.validity;
  bare.rows[0].reason = row.reason;
  EXPECT_EQ(ToCsv(table), ToCsv(bare));
}

TEST(EmptyRows, SayHowACommandEndedThatNobodyCameOf) {
  rafter::Run run;
  run.command = "./bench";
  run.exit_status = 2;
  EXPECT_THAT(OnlyRow(BuildTable(run, {})).reason,
              StartsWith("no process of it started CUDA or marked a region before it ended with "
                         "status 2; see that it uses the GPU"));
  run.exit_status = 139;
  EXPECT_EQ(OnlyRow(BuildTable(run, {})).reason,
            "no process of it reached Rafter before it ended with status 139; see that it ends "
            "well without Rafter");
}

TEST(EmptyRows, AreNotMadeWhereNobodyKnowsWhatWasRun) {
  EXPECT_TRUE(BuildTable(rafter::Run{}, {}).rows.empty());
}

TEST(EmptyRows, DoNotSayThatNothingWasMarkedWhereItWasLost) {
  rafter::Run run;
  run.command = "./bench";
  run.losses["streams refused"] = 2;
  EXPECT_THAT(OnlyRow(BuildTable(run, {})).reason,
              StartsWith("no process of it reached Rafter; lost: 2 streams refused; "));
  RunMaker maker;
  maker.process().losses["paths dropped"] = 3;
  EXPECT_EQ(OnlyRow(maker.Make()).reason, "no region of it is known; lost: 3 paths dropped");
}

TEST(EmptyRows, NameTheHardwareOfAProcessThatMarkedNothing) {
  RunMaker maker;
  maker.process().rank = 3;
  const Row row = OnlyRow(maker.Make());
  EXPECT_EQ(row.executable, "bench");
  EXPECT_EQ(row.hardware, "NVIDIA H200");
  EXPECT_EQ(row.device_uuid, "GPU-1");
  EXPECT_EQ(row.process, "77");
  EXPECT_EQ(row.rank, "3");
  EXPECT_EQ(row.region, "");
  EXPECT_FALSE(row.calls.has_value());
  EXPECT_EQ(row.validity, "missing");
  EXPECT_EQ(row.reason,
            "it marked no region in the default NVTX domain; mark some with nvtxRangePush, take "
            "others with --domain NAME, or run it with --regions none for a row of each kind of "
            "launch");
  EXPECT_EQ(OnlyRow(maker.Make({.hardware = "given"})).hardware, "given");
  maker.AddDevice();  // of two, none is the one
  EXPECT_EQ(OnlyRow(maker.Make()).device_uuid, "");
  EXPECT_EQ(OnlyRow(maker.Make()).hardware, "NVIDIA H200");
}

TEST(EmptyRows, SayWhatWouldHaveBeenAMark) {
  RunMaker maker;
  maker.process().environment["RAFTER_DOMAIN"] = "NCCL";
  EXPECT_THAT(OnlyRow(maker.Make()).reason, HasSubstr("in the NVTX domains that were asked for"));
  maker.process().environment["RAFTER_DOMAIN"] = "all";
  EXPECT_THAT(OnlyRow(maker.Make()).reason,
              AllOf(StartsWith("it marked no region; "), Not(HasSubstr("--domain"))));
  maker.process().environment["RAFTER_REGIONS"] = "nvmarker";
  EXPECT_THAT(OnlyRow(maker.Make()).reason, StartsWith("it marked no NvMarker region; "));
  maker.process().environment["RAFTER_REGIONS"] = "none";
  EXPECT_EQ(OnlyRow(maker.Make()).reason, "it launched nothing that could be counted");
}

TEST(EmptyRows, SpeakOfOtherContextsWhereNoGpuIsKnown) {
  RunMaker maker;
  maker.process().devices.clear();
  EXPECT_THAT(OnlyRow(maker.Make()).reason,
              HasSubstr("; no GPU of it is known, so see that it uses CUDA; if it uses "));
  RegionPath& region = maker.Region(1, "solve", 2);
  region.counted_calls = 0;
  region.uncounted[std::string(kNoContext)] = 2;
  const Row row = OnlyRow(maker.Make());
  EXPECT_EQ(row.region, "solve");
  EXPECT_EQ(row.calls, 2u);
  EXPECT_EQ(row.hardware, "");
  EXPECT_FALSE(row.duration_s || row.flop || row.traffic_bytes);
  EXPECT_EQ(row.validity, "missing");
  EXPECT_EQ(row.reason,
            "2 calls not counted: no CUDA context was current; no GPU of it is known, so see that "
            "it uses CUDA; if it uses OpenCL or Vulkan, its work runs in a context that CUPTI does "
            "not see");
}

TEST(EmptyRows, SayThatTheTurnOfAProcessNeverCame) {
  RunMaker maker;
  maker.process().devices.clear();
  RegionPath& region = maker.Region(1, "solve", 6);
  region.counted_calls = 0;
  region.uncounted[std::string(kNotOurTurn)] = 6;
  EXPECT_EQ(OnlyRow(maker.Make()).reason,
            "6 calls not counted: another process, context or profiler had the counters of the "
            "GPU; its turn to count did not come; let it run for longer, or give it a GPU of its "
            "own");
}

TEST(EmptyRows, SayWhyAFailureLeftNoCounters) {
  RunMaker maker;
  maker.process().devices.clear();
  maker.process().notes.push_back({"failure", "counters", "counters off: no rights"});
  maker.Region(1, "solve", 2).counted_calls = 0;
  EXPECT_EQ(OnlyRow(maker.Make()).reason, "counters off: no rights");
}

TEST(EmptyRows, TellRegionsThatNeverEndedFromNone) {
  RunMaker maker;
  maker.Region(1, "endless", 0);
  EXPECT_EQ(OnlyRow(maker.Make()).reason,
            "no region of it came to an end; let the program end by itself");
}

}  // namespace
}  // namespace rafter
