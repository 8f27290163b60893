#include "inject/counters/scheduler.h"

#include <gtest/gtest.h>

#include <map>

namespace rafter {
namespace {

using Action = Scheduler::Action;

constexpr PathId kA{1};
constexpr PathId kB{2};

std::vector<ScheduledPass> FourSets() {
  std::vector<ScheduledPass> passes;
  for (const char* set : {"time", "memory", "sm", "flop"}) {
    passes.push_back({set, Scheduler::QuotaOf(set), false});
  }
  return passes;
}

// Runs regions one after the other as the borders do, with room for all, and
// keeps how many rotations that took.
class Program {
 public:
  explicit Program(std::vector<ScheduledPass> passes) {
    scheduler_ = std::make_unique<Scheduler>();
    scheduler_->Start(std::move(passes));
  }
  // Returns the pass in which the region was counted, or -1.
  int Run(PathId path, bool has_room = true, bool has_share = true) {
    now_.has_room = has_room;
    now_.has_share = has_share;
    const auto decision = scheduler_->AtBegin(path, now_);
    if (decision.action != Action::kCount) ++now_.skips;
    if (decision.action == Action::kPause) now_ = {.pass = now_.pass, .paused = true};
    if (decision.action == Action::kRotate) {
      now_ = {.pass = decision.pass};
      ++rotations_;
    }
    if (decision.action == Action::kSkip || decision.action == Action::kPause) return -1;
    scheduler_->Attempted(path, now_.pass);
    return static_cast<int>(now_.pass);
  }
  size_t pass() const { return now_.pass; }
  bool paused() const { return now_.paused; }
  void Age(uint64_t age_ns) { now_.age_ns = age_ns; }
  int rotations() const { return rotations_; }
  Scheduler& scheduler() { return *scheduler_; }

 private:
  std::unique_ptr<Scheduler> scheduler_;
  Scheduler::Situation now_;
  int rotations_ = 0;
};

TEST(Scheduler, MeasuresAShortProgramOnceInEverySetBeforeAnySecondTime) {
  Program program(FourSets());
  std::vector<int> passes;
  for (int i = 0; i < 4; ++i) passes.push_back(program.Run(kA));
  EXPECT_EQ(passes, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Scheduler, GivesBothOfTwoAlternatingRegionsEverySet) {
  Program program(FourSets());
  std::map<PathId, std::map<int, int>> seen;
  for (int i = 0; i < 40; ++i) {
    for (const PathId path : {kA, kB}) ++seen[path][program.Run(path)];
  }
  for (const PathId path : {kA, kB}) {
    EXPECT_GE(seen[path][0], 8);
    EXPECT_EQ(seen[path][1], 3);
    EXPECT_EQ(seen[path][2], 2);
    EXPECT_EQ(seen[path][3], 2);
  }
}

TEST(Scheduler, FillsTheQuotasOfOneRegionInAFewRotations) {
  Program program(FourSets());
  for (int i = 0; i < 15; ++i) EXPECT_GE(program.Run(kA), 0) << i;
  EXPECT_LE(program.rotations(), 6);
}

TEST(Scheduler, PausesOnceNothingIsLackingAndItsShareIsUsed) {
  Program program(FourSets());
  for (int i = 0; i < 15; ++i) program.Run(kA);
  for (int i = 0; i < 200; ++i) program.Run(kA, true, program.pass() != 0);
  EXPECT_TRUE(program.paused());
  EXPECT_EQ(program.pass(), 0u);
  const int rotations = program.rotations();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(program.Run(kA), -1);
  EXPECT_EQ(program.rotations(), rotations);
}

TEST(Scheduler, EndsAPauseAfterAWhileWithAFreshEpochOfTheFirstPass) {
  Program program(FourSets());
  for (int i = 0; i < 200; ++i) program.Run(kA, true, program.pass() != 0);
  ASSERT_TRUE(program.paused());
  program.Age(Scheduler::kPauseNs + 1);
  EXPECT_EQ(program.Run(kA), 0);
  EXPECT_FALSE(program.paused());
}

TEST(Scheduler, EndsAPauseAtOnceForARegionThatIsNew) {
  Program program(FourSets());
  for (int i = 0; i < 200; ++i) program.Run(kA, true, program.pass() != 0);
  ASSERT_TRUE(program.paused());
  std::map<int, int> seen;
  for (int i = 0; i < 10; ++i) ++seen[program.Run(kB)];
  for (int pass = 0; pass < 4; ++pass) EXPECT_GE(seen[pass], 1) << pass;
}

TEST(Scheduler, GoesRoundTheCycleWhenAnEpochIsFullAndTheRegionLacksOnlyThisPass) {
  Scheduler scheduler;
  scheduler.Start({{"time", 8, false}});
  EXPECT_EQ(scheduler.AtBegin(kA, {.has_room = false}), (Scheduler::Decision{Action::kRotate, 0}));
}

TEST(Scheduler, NeverChoosesASetThatWasGivenUp) {
  Program program(FourSets());
  program.scheduler().GiveUp("flop");
  for (int i = 0; i < 50; ++i) EXPECT_NE(program.Run(kA), 3);
}

TEST(Scheduler, LeavesASetThatIsGivenUpWhileItRuns) {
  Program program(FourSets());
  for (int i = 0; i < 4; ++i) program.Run(kA);
  ASSERT_EQ(program.pass(), 3u);
  program.scheduler().GiveUp("flop");
  EXPECT_NE(program.Run(kA), 3);
}

TEST(Scheduler, KeepsASetGivenUpOnTheNextContext) {
  auto scheduler = std::make_unique<Scheduler>();
  scheduler->Start(FourSets());
  scheduler->GiveUp("flop");
  scheduler->Start(FourSets());
  EXPECT_TRUE(scheduler->given_up(3));
  EXPECT_FALSE(scheduler->given_up(2));
}

TEST(Scheduler, PausesForGoodWhenItsOnlySetIsGivenUp) {
  Program program({{"flop", 2, false}});
  program.Run(kA);
  program.scheduler().GiveUp("flop");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(program.Run(kA), -1);
  EXPECT_TRUE(program.paused());
  program.Age(Scheduler::kPauseNs + 1);
  EXPECT_EQ(program.Run(kA), -1);
}

TEST(Scheduler, DoesNotWaitForARegionThatNeverComesAgain) {
  Program program(FourSets());
  program.Run(kB);  // once, at the start
  for (int i = 0; i < 200; ++i) program.Run(kA, true, program.pass() != 0);
  EXPECT_TRUE(program.paused());
}

}  // namespace
}  // namespace rafter
