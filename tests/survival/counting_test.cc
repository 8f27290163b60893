// What is counted of long and nested regions, and what the variables change.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <tuple>
#include <utility>

#include "tests/survival/counted_stream.h"
#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

constexpr unsigned kWays = kCuda | kNvtx;

// Runs the story; what it printed is `says`.
CountedStream Told(ProgramRun& run, const std::string& says) {
  const Outcome outcome = run.Enter(kWays).Limit(60).Go();
  EXPECT_FALSE(outcome.timed_out) << "hung";
  EXPECT_EQ(StatusText(outcome.status), "exit status 0");
  EXPECT_EQ(outcome.out, says + "\n");
  EXPECT_EQ(outcome.err, "");
  return CountedStream::Of(run);
}

TEST(LongRegion, AroundEverythingLeavesWhatIsInsideCountedInEverySet) {
  ProgramRun run("cuda_target", {"has_one_region_around_everything"});
  const CountedStream stream = Told(run, "around");
  for (const char* set : {"time", "memory", "sm"}) {
    ExpectExact(stream, "program/step/inner", set, kTimeMetric, 1000);
    ExpectExact(stream, "program/step", set, kTimeMetric, 2000);
  }
  ExpectExact(stream, "program/step", "memory", kDramMetric, 2000);
  ExpectExact(stream, "program/step", "flop", kFfmaMetric, 10);
  EXPECT_EQ(stream.Calls("program"), 1u);
  EXPECT_EQ(stream.Uncounted("program", wire::PARTIAL), 1u) << stream.Why("program");
}

TEST(LongRegion, WithThreeHundredBordersInsideIsCountedAsAWhole) {
  ProgramRun run("cuda_target", {"crosses_300_borders_in_a_call"});
  const CountedStream stream = Told(run, "300 borders");
  for (const char* set : {"time", "memory", "sm"}) {
    ExpectExact(stream, "step", set, kTimeMetric, 15'000);
    ExpectExact(stream, "step/inner", set, kTimeMetric, 100);
  }
  ExpectExact(stream, "step", "memory", kDramMetric, 1500);
  ExpectExact(stream, "step", "flop", kFfmaMetric, 750);
  EXPECT_EQ(stream.Calls("step"), 40u);
  EXPECT_EQ(stream.Calls("step/inner"), 6000u);
}

TEST(Threads, ThatOverlapForLongNeverGiveWrongCounts) {
  ProgramRun run("cuda_target", {"lets_threads_overlap_for_long"});
  const CountedStream stream = Told(run, "overlapped");
  // Nothing of what ran beside the other is a whole call of either.
  for (const char* region : {"first", "second", "first/inner", "second/inner"}) {
    EXPECT_EQ(stream.Uncounted(region, wire::COUNTED), 0u) << stream.Why(region);
  }
  ExpectExact(stream, "alone", "time", kTimeMetric, 500);
  ExpectExact(stream, "alone", "memory", kDramMetric, 10);
  ExpectExact(stream, "alone", "flop", kFfmaMetric, 1);
}

// Their kernels have no FLOP counts, so none are given; the rest is exact.
TEST(Graphs, AreCountedInAllSetsButFlop) {
  ProgramRun run("cuda_target", {"launches_graphs"});
  const CountedStream stream = Told(run, "graphs");
  for (const char* set : {"time", "memory", "sm"}) {
    ExpectExact(stream, "graph", set, kTimeMetric, 2000);
    ExpectExact(stream, "kernel", set, kTimeMetric, 100);
  }
  ExpectExact(stream, "graph", "memory", kDramMetric, 2000);
  EXPECT_EQ(stream.Measured("graph", "flop"), 0u);
  EXPECT_TRUE(stream.Noted("launches CUDA graphs", wire::WARNING)) << stream.NoteTexts();
}

TEST(Graphs, AreAKindOfLaunchOfTheirOwn) {
  ProgramRun run("cuda_target", {"launches_graphs"});
  run.Set("RAFTER_GRANULARITY", "kernel");
  const CountedStream stream = Told(run, "graphs");
  ExpectExact(stream, "graph/", "memory", kDramMetric, 2000);
  ExpectExact(stream, "kernel/alone", "memory", kDramMetric, 10);
  EXPECT_EQ(stream.Calls("graph/"), stream.Calls("graph"));
}

// --- variables ------------------------------------------------------------------

TEST(Variables, ExactCountsEveryCall) {
  for (const char* set : {"memory", "flop", "time,memory,sm,flop"}) {
    SCOPED_TRACE(set);
    ProgramRun run("cuda_target", {"calls_a_region_some_times"});
    run.Set("RAFTER_EXACT", "1").Set("RAFTER_SET", set).Set("SURVIVAL_TIMES", "2000");
    const CountedStream stream = Told(run, "called");
    for (const char* region : {"outer", "outer/inner"}) {
      const uint64_t calls = stream.Calls(region);
      EXPECT_EQ(calls, region == std::string("outer") ? 2000u : 4000u);
      EXPECT_EQ(stream.Uncounted(region, wire::COUNTED), calls) << stream.Why(region);
    }
    if (set == std::string("memory")) {
      EXPECT_EQ(stream.Measured("outer", "memory"), 2000u) << stream.Why("outer");
      ExpectExact(stream, "outer", "memory", kDramMetric, 2000);
    }
    if (set == std::string("flop")) {
      EXPECT_EQ(stream.Measured("outer/inner", "flop"), 4000u) << stream.Why("outer/inner");
      ExpectExact(stream, "outer", "flop", kFfmaMetric, 10);
    }
    if (set == std::string("time,memory,sm,flop")) {
      for (const char* one : {"time", "memory", "sm", "flop"}) {
        EXPECT_GT(stream.Measured("outer", one), 0u) << one;
      }
    }
  }
}

TEST(Variables, GranularityOfInstancesGivesEachCallValuesOfItsOwn) {
  ProgramRun run("cuda_target", {"calls_a_region_some_times"});
  run.Set("RAFTER_GRANULARITY", "instance").Set("RAFTER_OVERHEAD", "100");
  const CountedStream stream = Told(run, "called");
  EXPECT_GT(stream.Groups("outer", "time", kTimeMetric).size(), 2u);
  for (const auto& [region, set, metric, each, calls] :
       {std::tuple{"outer", "memory", kDramMetric, 2000., 1u},
        {"outer", "flop", kFfmaMetric, 10., 1u},
        {"outer/inner", "memory", kDramMetric, 1000., 2u},
        {"outer", "time", kTimeMetric, 2000., 1u}}) {
    const auto groups = stream.Groups(region, set, metric);
    EXPECT_GE(groups.size(), 1u) << region << " " << set;
    for (const CountedStream::Group& group : groups) {
      EXPECT_EQ(group.instances, calls) << region << " " << set;
      EXPECT_EQ(group.value, each * calls) << region << " " << set;
    }
  }
}

TEST(Variables, GranularityOfKernelsGivesEachKindAPlaceOfItsOwn) {
  ProgramRun run("cuda_target", {"launches_two_kinds"});
  run.Set("RAFTER_GRANULARITY", "kernel");
  const CountedStream stream = Told(run, "two kinds");
  for (const char* set : {"time", "memory", "sm"}) {
    ExpectExact(stream, "pair/first_kind", set, kTimeMetric, 1000);
    ExpectExact(stream, "pair/second_kind", set, kTimeMetric, 2000);
    ExpectExact(stream, "pair", set, kTimeMetric, 5000);
  }
  ExpectExact(stream, "pair/first_kind", "memory", kDramMetric, 1000);
  ExpectExact(stream, "pair/second_kind", "flop", kFfmaMetric, 7);
  ExpectExact(stream, "pair", "flop", kFfmaMetric, 19);
  bool described = false;
  for (const auto& [number, path] : stream.paths()) {
    if (!path.has_launch() || path.launch().symbol() != "first_kind") continue;
    described = true;
    EXPECT_EQ(path.launch().grid_x(), 8u);
    EXPECT_EQ(path.launch().block_x(), 128u);
    EXPECT_EQ(path.launch().registers(), 40u);
    EXPECT_EQ(path.launch().static_shared_bytes(), 512u);
  }
  EXPECT_TRUE(described);
  // No launch is lost while counting rests, and none stays open.
  EXPECT_EQ(stream.paths().size(), 3u);
  EXPECT_GT(stream.Uncounted("pair", wire::RESTING), 0u);
  EXPECT_EQ(stream.Calls("pair/first_kind"), stream.Calls("pair")) << stream.Why("pair/first_kind");
  EXPECT_EQ(stream.Calls("pair/second_kind"), 2 * stream.Calls("pair"));
}

TEST(Variables, SkipLeavesTheFirstCallsOfEachRegionOut) {
  ProgramRun run("cuda_target", {"calls_a_region_some_times"});
  run.Set("RAFTER_SKIP", "5");
  const CountedStream stream = Told(run, "called");
  EXPECT_EQ(stream.Uncounted("outer", wire::SKIPPED), 5u) << stream.Why("outer");
  ExpectExact(stream, "outer", "memory", kDramMetric, 2000);
  ExpectExact(stream, "outer", "flop", kFfmaMetric, 10);
  ExpectExact(stream, "outer/inner", "memory", kDramMetric, 1000);
}

TEST(Variables, RanksLeaveEveryOtherRankAlone) {
  ProgramRun wanted("cuda_target", {"counts_known_work"});
  wanted.Set("RAFTER_RANKS", "0,8-15").Set("PMI_RANK", "9");
  EXPECT_GE(Told(wanted, "counted").Measured("copy", "flop"), 1u);
  for (const char* rank : {"7", "16", "none"}) {  // "none": of no job
    ProgramRun other("cuda_target", {"counts_known_work"});
    other.Set("RAFTER_RANKS", "0,8-15").Set("PMI_RANK", rank).Enter(kWays);
    const Outcome outcome = other.Go();
    EXPECT_EQ(StatusText(outcome.status), "exit status 0");
    EXPECT_EQ(outcome.out, "counted\n");
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(other.FilesEndingIn(".spool").empty()) << rank;
  }
}

TEST(Variables, RanksThatAreNoneAreSaidAndEveryRankIsCounted) {
  ProgramRun run("cuda_target", {"counts_known_work"});
  run.Set("RAFTER_RANKS", "0..8").Set("PMI_RANK", "9").Unset("RAFTER_QUIET");
  const Outcome outcome = run.Enter(kWays).Limit(60).Go();
  EXPECT_NE(outcome.err.find("RAFTER_RANKS=0..8 is no list of ranks"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(run.FilesEndingIn(".spool").size(), 1u);
}

TEST(Variables, NoOverheadStillMeasuresEachRegionOnceInEverySet) {
  ProgramRun run("cuda_target", {"counts_known_work"});
  run.Set("RAFTER_OVERHEAD", "0");
  const CountedStream stream = Told(run, "counted");
  for (const char* region : {"copy", "outer"}) {
    for (const char* set : {"memory", "sm", "flop"}) {
      const uint64_t measured = stream.Measured(region, set);
      EXPECT_GE(measured, 1u) << region << " " << set << "; " << stream.Why(region);
      EXPECT_LE(measured, 3u) << region << " " << set;
    }
    EXPECT_GT(stream.Uncounted(region, wire::RESTING), 100u) << stream.Why(region);
  }
  ExpectExact(stream, "copy", "memory", kDramMetric, 1000);
  ExpectExact(stream, "outer", "flop", kFfmaMetric, 5000);
}

TEST(Variables, OfNoSenseAreNamed) {
  const struct {
    const char* name;
    const char* value;
    const char* says;
  } wrong[] = {
      {"RAFTER_OVERHEAD", "much", "RAFTER_OVERHEAD=much is not a number from 0 to 100"},
      {"RAFTER_OVERHEAD", "-1", "RAFTER_OVERHEAD=-1 is not"},
      {"RAFTER_OVERHEAD", "nan", "RAFTER_OVERHEAD=nan is not"},
      {"RAFTER_SKIP", "-3", "RAFTER_SKIP=-3 is not a whole number"},
      {"RAFTER_GRANULARITY", "warp", "RAFTER_GRANULARITY=warp is not region, instance or kernel"},
      {"RAFTER_REPLAY", "twice", "RAFTER_REPLAY=twice is not none or kernel"},
      {"RAFTER_SET", "time,flops", "flops"},
      {"RAFTER_EXACT", "maybe", "RAFTER_EXACT=maybe is not 1 or 0"},
      {"RAFTER_VERBOSE", "very", "RAFTER_VERBOSE=very is not 1 or 0"},
  };
  for (const auto& one : wrong) {
    SCOPED_TRACE(std::string(one.name) + "=" + one.value);
    ProgramRun run("cuda_target", {"calls_a_region_some_times"});
    run.Set(one.name, one.value).Unset("RAFTER_QUIET").Enter(kWays);
    const Outcome outcome = run.Go();
    EXPECT_EQ(outcome.out, "called\n");
    EXPECT_NE(outcome.err.find(one.says), std::string::npos) << outcome.err;
    const CountedStream stream = CountedStream::Of(run);
    EXPECT_NE(stream.NoteTexts().find(one.says), std::string::npos) << stream.NoteTexts();
    EXPECT_EQ(stream.Calls("outer"), 300u);
  }
}

TEST(Variables, ExactSaysWhichSetsItDidNotComeTo) {
  ProgramRun run("cuda_target", {"calls_a_region_some_times"});
  run.Set("RAFTER_EXACT", "1").Set("SURVIVAL_TIMES", "5");
  const CountedStream stream = Told(run, "called");
  EXPECT_EQ(stream.Measured("outer", "time"), 5u);
  EXPECT_TRUE(stream.Noted("RAFTER_EXACT=1 did not come to memory, sm, flop", wire::INFORMATION))
      << stream.NoteTexts();
}

// --- launches that are repeated -----------------------------------------------------

TEST(Replay, OfKernelsMeasuresEveryLaunchInEverySet) {
  ProgramRun run("cuda_target", {"launches_two_kinds"});
  run.Set("RAFTER_REPLAY", "kernel").Set("SURVIVAL_MS", "300");
  const CountedStream stream = Told(run, "two kinds");
  for (const char* set : {"time", "memory", "sm"}) {
    ExpectExact(stream, "pair/first_kind", set, kTimeMetric, 1000);
    ExpectExact(stream, "pair/second_kind", set, kTimeMetric, 2000);
    ExpectExact(stream, "pair", set, kTimeMetric, 5000);
  }
  ExpectExact(stream, "pair", "memory", kDramMetric, 7000);
  ExpectExact(stream, "pair", "flop", kFfmaMetric, 19);
  EXPECT_EQ(stream.Measured("pair", "memory"), stream.Calls("pair")) << stream.Why("pair");
}

// Which of two launches at once CUPTI took first is not known.
TEST(Replay, OfKernelsOnTwoThreadsGivesNoWrongNumbers) {
  ProgramRun run("cuda_target", {"launches_on_two_threads"});
  run.Set("RAFTER_REPLAY", "kernel");
  const CountedStream stream = Told(run, "two threads");
  for (const auto& [region, each] : {std::pair{"first", 1000.}, {"second", 3000.}}) {
    for (const CountedStream::Group& group : stream.Groups(region, "memory", kDramMetric)) {
      EXPECT_EQ(group.value, each * static_cast<double>(group.instances)) << region;
    }
    EXPECT_GT(stream.Calls(region), 10u);
  }
  EXPECT_TRUE(stream.Noted("launches belong to no region", wire::WARNING)) << stream.NoteTexts();
}

// --- memory -----------------------------------------------------------------------

long PeakKib(const char* names, const char* times) {
  ProgramRun run("cuda_target", {"calls_many_regions"});
  run.Set("SURVIVAL_NAMES", names).Set("SURVIVAL_TIMES", times).Enter(kWays).Limit(60);
  const Outcome outcome = run.Go();
  EXPECT_EQ(StatusText(outcome.status), "exit status 0");
  EXPECT_EQ(outcome.out, "many\n");
  const CountedStream stream = CountedStream::Of(run);
  EXPECT_TRUE(stream.whole());
  EXPECT_EQ(stream.Calls("region 0"), std::stoul(times)) << stream.Why("region 0");
  long kib = 0;
  EXPECT_EQ(std::sscanf(outcome.aside.c_str(), "VmHWM: %ld kB", &kib), 1) << outcome.aside;
  return kib;
}

constexpr long kFlatKib = 6 << 10;

TEST(Memory, StaysFlatOverAMillionCalls) {
  const long few = PeakKib("1", "100000");
  const long many = PeakKib("1", "1000000");
  EXPECT_LT(many, few + kFlatKib) << few << " KiB";
}

TEST(Memory, StaysFlatOverTenThousandNames) {
  const long once = PeakKib("10000", "1");
  const long often = PeakKib("10000", "20");
  EXPECT_LT(often, once + kFlatKib) << once << " KiB";
  const long few = PeakKib("1000", "1");
  EXPECT_LT(once, few + 9 * 1000) << "more than 1 KB a name; " << few << " KiB for a thousand";
}

}  // namespace
}  // namespace rafter::survival
