// What `rafter run` says of its own cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/run_cost.h"

namespace rafter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr uint64_t kMs = 1'000'000;

RunProcess Costing(uint32_t pid, const RunCost& cost) {
  RunProcess process;
  process.pid = pid;
  process.executable = "/opt/bench";
  process.cost = cost;
  return process;
}

TEST(CostLines, AccountForOneProcess) {
  rafter::Run run;
  run.processes = {Costing(7, {13'400 * kMs, 480 * kMs, 110 * kMs, 20 * kMs, 10 * kMs})};
  EXPECT_THAT(CostLines(run),
              ElementsAre("counting cost 0.62 s of 13.4 s (4.6 %): set-up 0.48 s, changes of sets "
                          "0.11 s, borders 0.02 s, slowed kernels 0.01 s; without it about 12.8 s "
                          "(estimated from the run itself)"));
}

TEST(CostLines, NameTheDearestOfSeveralProcessesAndTheSum) {
  rafter::Run run;
  run.processes = {Costing(7, {10'000 * kMs, 400 * kMs, 0, 0, 0}),
                   Costing(8, {10'000 * kMs, 2'600 * kMs, 0, 0, 0})};
  EXPECT_THAT(CostLines(run),
              ElementsAre("counting cost most in bench (pid 8): 2.60 s of 10.0 s (26 %): set-up "
                          "2.60 s; without it about 7.40 s; 3.00 s in all 2 processes (estimated "
                          "from the run itself)"));
}

TEST(CostLines, SayNothingWhereNoProcessSaidAnything) {
  rafter::Run run;
  run.processes.emplace_back();
  EXPECT_THAT(CostLines(run), IsEmpty());
}

TEST(CostLines, PromiseNoTimeWhereThreadsAddUpToMoreThanTheWhole) {
  rafter::Run run;
  run.processes = {Costing(7, {100 * kMs, 80 * kMs, 80 * kMs, 0, 0})};
  EXPECT_THAT(CostLines(run)[0], HasSubstr("0.16 s of 0.10 s (160 %)"));
  EXPECT_THAT(CostLines(run)[0], Not(HasSubstr("without it")));
}

TEST(CostLines, TellTheRunsOfAReplayApart) {
  rafter::Run run;
  run.processes = {Costing(7, {1000 * kMs, 10 * kMs, 0, 0, 0}),
                   Costing(8, {1000 * kMs, 20 * kMs, 0, 0, 0})};
  run.processes[0].replay = 1;
  run.processes[1].replay = 2;
  run.program_runs = {{1, "time", 0, 1}, {2, "flop", 0, 1}};
  EXPECT_THAT(CostLines(run), ElementsAre(HasSubstr("run 1 (set time): counting cost 0.01 s"),
                                          HasSubstr("run 2 (set flop): counting cost 0.02 s")));
}

TEST(CostLines, NameNoPartThatIsNothing) {
  rafter::Run run;
  run.processes = {Costing(7, {900 * kMs, 400'000, 0, 499'999, 2 * kMs})};
  EXPECT_THAT(CostLines(run)[0],
              HasSubstr("0.003 s of 0.90 s (0.3 %): slowed kernels 0.002 s; without it about"));
}

TEST(OverheadLines, GiveBothTimesAndTheRatio) {
  EXPECT_THAT(OverheadLines({{1, "", 0, 13'400 * kMs}, {0, "", 0, 12'500 * kMs}}),
              ElementsAre("counted 13.4 s, without Rafter 12.5 s, 1.072 times as long (one pair of "
                          "runs, the counted one first: chance and warm caches are in it)"));
  EXPECT_THAT(OverheadLines({{1, "", 0, 13'400 * kMs}}), IsEmpty());
  EXPECT_THAT(OverheadLines({{1, "", 0, 30 * kMs}, {0, "", 0, 4 * kMs}})[0],
              HasSubstr(" 7.5 times as long"));
}

TEST(OverheadLines, RefuseARunThatEndedOtherwise) {
  const auto lines = OverheadLines({{1, "", 0, 13'400 * kMs}, {0, "", 3, 10 * kMs}});
  EXPECT_THAT(lines, ElementsAre(HasSubstr("the run without Rafter ended with status 3, the "
                                           "counted one with 0")));
  EXPECT_THAT(lines[0], Not(HasSubstr("times as long")));
}

TEST(SecondsText, KeepsThreeDigits) {
  EXPECT_EQ(SecondsText(0.0004), "0.000 s");
  EXPECT_EQ(SecondsText(0.005), "0.005 s");
  EXPECT_EQ(SecondsText(0.62), "0.62 s");
  EXPECT_EQ(SecondsText(13.4), "13.4 s");
  EXPECT_EQ(SecondsText(1234), "1234 s");
}

}  // namespace
}  // namespace rafter
