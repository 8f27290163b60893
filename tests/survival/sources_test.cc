// What is counted of regions of several sources, and of programs without any.
#include <gtest/gtest.h>

#include <string>

#include "tests/survival/counted_stream.h"
#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

CountedStream Told(ProgramRun& run, const std::string& says) {
  const Outcome outcome = run.Enter(kCuda | kNvtx).Limit(60).Go();
  EXPECT_FALSE(outcome.timed_out) << "hung";
  EXPECT_EQ(StatusText(outcome.status), "exit status 0");
  EXPECT_EQ(outcome.out, says + "\n");
  EXPECT_EQ(outcome.err, "");
  return CountedStream::Of(run);
}

TEST(Sources, ARegionThatOutlivesTheOneAroundItLosesItsCountsAndNobodyElseDoes) {
  ProgramRun run("cuda_target", {"crosses_domains"});
  run.Set("RAFTER_DOMAIN", "all").Set("RAFTER_OVERHEAD", "100");
  const CountedStream stream = Told(run, "crossed");
  // What ran after "first" had ended is of what is around both.
  ExpectExact(stream, "around/first", "memory", kDramMetric, 11);
  ExpectExact(stream, "around/first", "flop", kFfmaMetric, 11);
  ExpectExact(stream, "around", "memory", kDramMetric, 111);
  ExpectExact(stream, "around", "flop", kFfmaMetric, 111);
  ExpectExact(stream, "alone", "memory", kDramMetric, 1);
  EXPECT_EQ(stream.Calls("around/first/late"), 400u);
  EXPECT_EQ(stream.Uncounted("around/first/late", wire::COUNTED), 0u)
      << stream.Why("around/first/late");
  EXPECT_GT(stream.Uncounted("around/first/late", wire::CROSSED), 0u)
      << stream.Why("around/first/late");
}

TEST(Sources, RegionsThatWereNotChosenGiveTheirWorkToWhatIsAroundThem) {
  ProgramRun run("cuda_target", {"nests_three_regions"});
  run.Set("RAFTER_REGION", "^outer$\n/inner$").Set("RAFTER_OVERHEAD", "100");
  const CountedStream stream = Told(run, "nested");
  ExpectExact(stream, "outer", "memory", kDramMetric, 111);
  ExpectExact(stream, "outer/middle/inner", "memory", kDramMetric, 100);
  ExpectExact(stream, "outer/middle/inner", "flop", kFfmaMetric, 100);
  EXPECT_EQ(stream.Uncounted("outer/middle", wire::NOT_CHOSEN), 400u) << stream.Why("outer/middle");
  EXPECT_EQ(stream.Measured("outer/middle", "memory"), 0u);
}

TEST(Sources, ARegionThatBeganBeforeCudaCountsFromItsFirstLaunchOn) {
  for (const auto& [set, metric] :
       {std::pair("memory", kDramMetric), std::pair("flop", kFfmaMetric)}) {
    ProgramRun run("cuda_target", {"begins_a_region_before_cuda"});
    const CountedStream stream = Told(run.Set("RAFTER_SET", set), "began early");
    EXPECT_EQ(stream.Calls("main"), 1u);
    ExpectExact(stream, "main", set, metric, 50);
  }
}

TEST(Sources, ARegionOfAThreadWithoutAContextCountsAndTheOneAroundItSaysWhyNot) {
  ProgramRun run("cuda_target", {"works_on_a_thread_without_a_context"});
  const CountedStream stream = Told(run.Set("RAFTER_SET", "memory"), "on a thread");
  ExpectExact(stream, "before", "memory", kDramMetric, 10);
  ExpectExact(stream, "outer/on the thread", "memory", kDramMetric, 50);
  // It launched inside a region that is counted, and beside it.
  EXPECT_EQ(stream.Uncounted("outer", wire::COUNTED), 0u) << stream.Why("outer");
}

TEST(Sources, LaunchesOfAProgramWithoutRegionsCountByKind) {
  ProgramRun run("cuda_target", {"marks_no_region"});
  run.Set("RAFTER_REGIONS", "none").Set("RAFTER_OVERHEAD", "100");
  const CountedStream stream = Told(run, "unmarked");
  EXPECT_EQ(stream.Calls("k1"), 400u) << stream.Why("k1");
  EXPECT_EQ(stream.Calls("k10"), 800u) << stream.Why("k10");
  for (const char* set : {"time", "memory", "sm", "flop"}) {
    EXPECT_GT(stream.Measured("k1", set), 0u) << set << ": " << stream.Why("k1");
  }
  ExpectExact(stream, "k1", "memory", kDramMetric, 1);
  ExpectExact(stream, "k1", "flop", kFfmaMetric, 1);
  ExpectExact(stream, "k10", "memory", kDramMetric, 10);
}

TEST(Sources, RegionsOfAProgramThatIsCountedWithoutThemAreNoRegions) {
  ProgramRun run("cuda_target", {"nests_three_regions"});
  run.Set("RAFTER_REGIONS", "none");
  const CountedStream stream = Told(run, "nested");
  EXPECT_EQ(stream.Calls("outer"), 0u);
  EXPECT_EQ(stream.Calls("k1"), 400u);
  EXPECT_EQ(stream.Calls("k100"), 400u);
}

}  // namespace
}  // namespace rafter::survival
