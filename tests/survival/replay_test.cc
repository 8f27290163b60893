// `rafter run` over a program that is run several times, or whose launches are:
// what comes of it, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "collector/store/run_file.h"
#include "collector/table/replayed.h"
#include "collector/table/table.h"
#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Replay : public ::testing::Test {
 protected:
  // `rafter run OPTIONS -- cuda_target STORY`, in a folder that only it has.
  Outcome Go(std::vector<std::string> options, const std::string& story) {
    std::vector<std::string> words = {"run", "-o", "run.rafter"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", ProgramPath("cuda_target"), story});
    run_.emplace(RAFTER_PROGRAM, words);
    run_->Unset("RAFTER_QUIET");
    return run_->Go();
  }
  rafter::Run Read() {
    auto file = RunFile::OpenForReading(run_->folder() + "/here/run.rafter");
    EXPECT_TRUE(file.ok()) << file.status();
    auto run = (*file)->Read();
    EXPECT_TRUE(run.ok()) << run.status();
    return *std::move(run);
  }
  Table TableOfFile() { return BuildTable(JoinReplays(Read()).run, {}); }
  static int ExitStatus(const Outcome& outcome) {
    EXPECT_TRUE(WIFEXITED(outcome.status)) << StatusText(outcome.status);
    return WEXITSTATUS(outcome.status);
  }

  std::optional<ProgramRun> run_;
};

TEST_F(Replay, AProcessThatMarksNothingHasARowThatSaysSo) {
  const Outcome outcome = Go({}, "marks_nothing");
  EXPECT_EQ(ExitStatus(outcome), 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("): it marked no region in the default NVTX domain; "));
  const Table table = TableOfFile();
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].executable, "cuda_target");
  EXPECT_EQ(table.rows[0].validity, "missing");
  EXPECT_THAT(table.rows[0].reason, HasSubstr("--regions none"));
  EXPECT_THAT(table.rows[0].reason, Not(HasSubstr("see that it uses CUDA")));
}

TEST_F(Replay, EveryInstanceIsMeasuredInEverySet) {
  const Outcome outcome = Go({"--replay", "application", "--strict"}, "runs_two_of_each");
  EXPECT_EQ(ExitStatus(outcome), 0) << outcome.err;
  EXPECT_EQ(outcome.out, "two of each\n");  // of the first run alone
  EXPECT_THAT(outcome.err, HasSubstr("rafter: run 1 of 4: set time\n"));
  EXPECT_THAT(outcome.err, HasSubstr("rafter: run 4 of 4: set flop\n"));
  EXPECT_THAT(outcome.err, HasSubstr("3 regions of 1 process on Fake H200, 4 runs put together"));
  const Table table = TableOfFile();
  ASSERT_EQ(table.rows.size(), 3u);
  for (const Row& row : table.rows) {
    EXPECT_EQ(row.validity, "measured") << row.region << ": " << row.reason;
    EXPECT_EQ(row.calls, 2u);
    EXPECT_EQ(row.measured_calls, 2u);
  }
  const Row& copy = table.rows[1];
  EXPECT_EQ(copy.region, "step/copy");
  EXPECT_EQ(copy.duration_s, 2 * 100'000e-9);
  EXPECT_EQ(copy.traffic_bytes, 2 * 2000.0);
  EXPECT_EQ(copy.metrics.at("l1tex__t_bytes.sum"), 2 * 4000.0);
  EXPECT_EQ(copy.flop, 0.0);
  const Row& compute = table.rows[2];
  EXPECT_EQ(compute.traffic_bytes, 2 * 200.0);
  EXPECT_EQ(compute.flop, 2 * 2 * 5000.0);
  EXPECT_EQ(compute.duration_s, 2 * 100'000e-9);  // not that of the slowed kernel
  EXPECT_EQ(compute.kernel, "saxpy");
}

// Each launch is measured in every set, so that one run has them all. Kernels are
// then timed one by one: a region has a time in kernels, and no duration.
TEST_F(Replay, OfKernelsMeasuresEachLaunchInEverySet) {
  const Outcome outcome = Go({"--replay", "kernel", "--strict"}, "runs_two_of_each");
  EXPECT_EQ(ExitStatus(outcome), 0) << outcome.err;
  EXPECT_EQ(outcome.out, "two of each\n");
  const Table table = TableOfFile();
  ASSERT_EQ(table.rows.size(), 5u);
  for (const Row& row : table.rows) {
    EXPECT_EQ(row.validity, "measured") << row.region << ": " << row.reason;
    EXPECT_EQ(row.measured_calls, 2u);
    EXPECT_EQ(row.kernel_time_s, 2 * 100'000e-9) << row.region;
    EXPECT_EQ(row.duration_s.has_value(), row.kernel_id != "") << row.region;
    EXPECT_THAT(row.reason, HasSubstr("kernels repeated by CUPTI"));
  }
  const Row& step = table.rows[0];
  EXPECT_EQ(step.region, "step");
  EXPECT_EQ(step.traffic_bytes, 2 * 2000.0);
  EXPECT_EQ(step.metrics.at("l1tex__t_bytes.sum"), 2 * 4000.0);
  EXPECT_FALSE(step.flop_per_s.has_value());
  const Row& saxpy = table.rows[4];
  EXPECT_EQ(saxpy.region, "compute");
  EXPECT_EQ(saxpy.kernel, "saxpy");
  EXPECT_EQ(saxpy.flop, 2 * 2 * 5000.0);
  EXPECT_EQ(saxpy.traffic_bytes, 2 * 200.0);
  EXPECT_EQ(saxpy.duration_s, 2 * 100'000e-9);
}

// What the above is worth: in one run two calls are in two sets.
TEST_F(Replay, OneRunHasNotAllSets) {
  EXPECT_EQ(ExitStatus(Go({}, "runs_two_of_each")), 0);
  for (const Row& row : TableOfFile().rows) EXPECT_EQ(row.validity, "partial") << row.region;
}

TEST_F(Replay, ExactIsTheSameAndCountsOneSetInOneRun) {
  EXPECT_EQ(ExitStatus(Go({"--exact", "--strict"}, "runs_two_of_each")), 0);
  const rafter::Run all = Read();
  EXPECT_EQ(all.processes.size(), 4u);
  EXPECT_EQ(all.program_runs.size(), 4u);
  EXPECT_EQ(all.program_runs[3].sets, "flop");
  EXPECT_GT(all.program_runs[3].wall_ns, 0u);
  EXPECT_EQ(TableOfFile().rows[2].validity, "measured");
  const Outcome once = Go({"--exact", "--strict", "--set", "flop"}, "runs_two_of_each");
  EXPECT_EQ(ExitStatus(once), 0) << once.err;
  EXPECT_THAT(once.err, Not(HasSubstr("run 1 of")));
  const rafter::Run one = Read();
  ASSERT_EQ(one.processes.size(), 1u);
  EXPECT_EQ(one.processes[0].replay, 0u);
  EXPECT_EQ(TableOfFile().rows[2].flop, 2 * 2 * 5000.0);
}

TEST_F(Replay, PutsRunsOfOtherCallsTogetherByTheirMeanCalls) {
  const Outcome outcome =
      Go({"--replay", "application", "--csv", "a.csv"}, "runs_one_more_each_time");
  EXPECT_EQ(ExitStatus(outcome), 0);
  EXPECT_THAT(outcome.err, HasSubstr("not all runs called each region as often (region compute: 1 "
                                     "call in run 1 (set time), 2 calls in run 2 (set memory))"));
  const Table table = TableOfFile();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].validity, "measured") << table.rows[0].reason;
  const Row& compute = table.rows[1];
  EXPECT_EQ(compute.calls, 1u);
  EXPECT_EQ(compute.flop, 2 * 5000.0);
  EXPECT_EQ(compute.validity, "extrapolated");
  EXPECT_EQ(compute.reason, "counted of 1 call: time 1, memory 2, sm 3, flop 4");
  const Outcome exact = Go({"--exact", "--strict"}, "runs_one_more_each_time");
  EXPECT_EQ(ExitStatus(exact), 125);
  EXPECT_THAT(exact.err, HasSubstr("--exact: 1 of 2 rows lack instances in some set"));
}

TEST_F(Replay, RefusesRunsThatDidNotDoTheSameAndKeepsTheirRows) {
  const Outcome outcome =
      Go({"--replay", "application", "--csv", "a.csv"}, "goes_deeper_each_time");
  EXPECT_EQ(ExitStatus(outcome), 0);
  EXPECT_THAT(outcome.err, HasSubstr("region solve/compute: 1 call in run 1 (set time), 2 calls in "
                                     "run 2 (set memory); let every run do the same"));
  const Table table = TableOfFile();
  EXPECT_EQ(table.rows.size(), 8u);  // two regions in each of four runs
  EXPECT_EQ(table.rows[1].calls, 1u);
  EXPECT_EQ(table.rows[7].calls, 4u);
  EXPECT_EQ(ExitStatus(Go({"--exact", "--strict"}, "goes_deeper_each_time")), 125);
}

TEST_F(Replay, StopsAtARunThatEndsOtherwise) {
  const Outcome outcome = Go({"--exact"}, "fails_when_run_again");
  EXPECT_EQ(ExitStatus(outcome), 0);  // of the first run
  EXPECT_THAT(outcome.err, HasSubstr("not counted: sets sm, flop; run 2 was the last, since it "
                                     "ended with status 7, the first with 0"));
  EXPECT_THAT(outcome.err,
              HasSubstr("run 2 (set memory) ended with status 7, run 1 (set time) with 0"));
  EXPECT_EQ(Read().processes.size(), 2u);
}

TEST_F(Replay, SaysHowLongTheProgramTakesWithoutRafter) {
  const Outcome outcome = Go({"--measure-overhead"}, "counts_for_a_while");
  EXPECT_EQ(outcome.out, "counted\n");
  EXPECT_THAT(outcome.err, ::testing::ContainsRegex("counted 0\\.[3-9][0-9]* s, without Rafter "
                                                    "0\\.[3-9][0-9]* s, [0-9]\\.[0-9]+ times"));
  const rafter::Run run = Read();
  EXPECT_EQ(run.processes.size(), 1u);  // the run without us reports nothing
  ASSERT_EQ(run.program_runs.size(), 2u);
  EXPECT_EQ(run.program_runs[0].run, 0u);
}

}  // namespace
}  // namespace rafter::survival
