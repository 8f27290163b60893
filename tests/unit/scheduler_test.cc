#include "inject/counters/scheduler.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/scheduler_simulator.h"

namespace rafter {
namespace {

uint64_t Ppm(double share) { return static_cast<uint64_t>(share * 1e6); }

using Action = Scheduler::Action;

constexpr PathId kA{1};
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint32_t kKinds = 8;

// Eight kinds of regions in turn, 1 ms each, half of them arithmetic.
void RunKinds(SchedulerSimulator& program, uint64_t seconds) {
  for (uint64_t i = 0; program.program_ns() < seconds * kSecond; ++i) {
    const auto path = static_cast<uint32_t>(i % kKinds) + 1;
    program.Run({path, kMs, path % 2 == 0 ? 1.0 : 0.0});
  }
}

// --- which set is next ------------------------------------------------------------

TEST(Scheduler, MeasuresOnceInEverySetAndThenASecondUndisturbedTime) {
  for (int instances = 4; instances <= 30; ++instances) {
    SchedulerSimulator program({.overhead_ppm = 0});
    std::vector<int> sets;
    for (int i = 0; i < instances; ++i) sets.push_back(program.Run({1}));
    std::vector<int> first(sets.begin(), sets.begin() + std::min(instances, 5));
    std::vector<int> wanted{0, 1, 2, 3, 0};
    wanted.resize(first.size());
    EXPECT_EQ(first, wanted) << instances;
  }
}

TEST(Scheduler, GivesRegionsThatAlternateEverySet) {
  SchedulerSimulator program({.overhead_ppm = 0});
  for (int i = 0; i < 12; ++i) {
    for (const uint32_t path : {1, 2}) program.Run({path});
  }
  for (const uint32_t path : {1, 2}) {
    for (size_t set = 0; set < 4; ++set) EXPECT_GE(program.Instances(path, set), 1u) << set;
    EXPECT_GE(program.Instances(path, 0), 2u);
  }
}

TEST(Scheduler, EndsAPauseAtOnceForARegionThatIsNew) {
  SchedulerSimulator program({.overhead_ppm = 0});
  for (int i = 0; i < 1000; ++i) program.Run({1});
  ASSERT_TRUE(program.paused());
  for (int i = 0; i < 5; ++i) program.Run({2});
  for (size_t set = 0; set < 4; ++set) EXPECT_GE(program.Instances(2, set), 1u) << set;
}

TEST(Scheduler, DoesNotWaitForARegionThatNeverComesAgain) {
  SchedulerSimulator program;
  program.Run({2});
  for (int i = 0; i < 2000; ++i) program.Run({1});
  EXPECT_TRUE(program.paused());
  EXPECT_EQ(program.Instances(2, 0), 1u);
  for (size_t set = 0; set < 4; ++set) EXPECT_GE(program.Instances(1, set), 1u) << set;
}

TEST(Scheduler, CountsTheFirstOfTenThousandNamesInEverySetAndOthersAsTheBudgetHasRoom) {
  constexpr uint32_t kNames = 10'000;
  const auto instances = [&](uint64_t overhead_ppm) {
    SchedulerSimulator program({.overhead_ppm = overhead_ppm});
    for (int round = 0; round < 4; ++round) {
      for (uint32_t name = 1; name <= kNames; ++name) program.Run({name, 10'000, 0});
    }
    for (size_t set = 0; set < 4; ++set) {
      EXPECT_GE(program.Instances(set), Scheduler::kMostMandatory) << set;
      EXPECT_LE(program.Instances(set), kNames) << set;
    }
    return program.Instances(1);
  };
  EXPECT_EQ(instances(0), Scheduler::kMostMandatory);
  EXPECT_GT(instances(1'000'000'000), Scheduler::kMostMandatory);
}

TEST(Scheduler, ReplaysARecordedRunInWhichEachRegionMeetsEverySet) {
  std::ifstream trace(RAFTER_SOURCE_DIR "/tests/unit/data/fixture-h200.trace");
  ASSERT_TRUE(trace);
  SchedulerSimulator program;
  std::map<std::string, uint32_t> paths;
  std::map<uint32_t, std::vector<int>> sets;
  uint64_t start_ns = 0;
  uint64_t duration_ns = 0;
  uint64_t end_ns = 0;
  std::string name;
  while (trace >> start_ns >> duration_ns >> name) {
    const uint32_t path =
        paths.emplace(name, static_cast<uint32_t>(paths.size()) + 1).first->second;
    if (start_ns > end_ns) program.Idle(start_ns - end_ns);
    sets[path].push_back(program.Run({path, duration_ns, 0}));
    end_ns = start_ns + duration_ns;
  }
  ASSERT_EQ(paths.size(), 20u);
  for (const auto& [path, chosen] : sets) {
    ASSERT_EQ(chosen.size(), 20u);
    for (size_t set = 0; set < 4; ++set) EXPECT_GE(program.Instances(path, set), 1u) << path;
    EXPECT_GE(program.Instances(path, 0), 2u) << path;
  }
  // The run takes a second: 50 ms of budget, in which no second round fits.
  EXPECT_LE(program.added_ns() - program.mandatory_ns(), 50 * kMs + 20 * kMs);
}

// --- what may be spent ------------------------------------------------------------

class SchedulerBudget : public testing::TestWithParam<double> {};

TEST_P(SchedulerBudget, HoldsOverThirtySeconds) {
  SchedulerSimulator program({.overhead_ppm = Ppm(GetParam())});
  RunKinds(program, 30);
  EXPECT_LE(program.Overhead(), GetParam() + 0.002);
  for (uint32_t path = 1; path <= kKinds; ++path) {
    for (size_t set = 0; set < 4; ++set) EXPECT_GE(program.Instances(path, set), 1u);
    EXPECT_GE(program.Instances(path, 0), 2u);
  }
  EXPECT_LT(program.mandatory_ns(), kSecond);
  RecordProperty("overhead", std::to_string(program.Overhead()));
}
INSTANTIATE_TEST_SUITE_P(Percent, SchedulerBudget,
                         testing::Values(0.0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.2));

TEST(Scheduler, CountsOnlyFirstInstancesInDearSetsWhenNothingMayBeSpent) {
  SchedulerSimulator program({.overhead_ppm = 0});
  RunKinds(program, 30);
  for (uint32_t path = 1; path <= kKinds; ++path) {
    for (size_t set = 1; set < 4; ++set) {
      // In memory and flop a border is free while the set runs for another region.
      EXPECT_LE(program.Instances(path, set), set == 2 ? 1u : 3u) << path << " " << set;
    }
  }
  EXPECT_LE(program.added_ns() - program.mandatory_ns(), 10 * kMs);
}

TEST(Scheduler, GivesDearSetsUpFirstAsTheBudgetShrinks) {
  uint64_t dear_before = ~uint64_t{0};
  for (const double overhead : {0.2, 0.02, 0.003, 0.0}) {
    SchedulerSimulator program({.overhead_ppm = Ppm(overhead)});
    RunKinds(program, 60);
    const uint64_t dear = program.Instances(3);
    EXPECT_LE(dear, dear_before) << overhead;
    EXPECT_GE(program.Instances(0), program.Instances(1)) << overhead;
    EXPECT_GE(program.Instances(1), program.Instances(2)) << overhead;
    dear_before = dear;
  }
}

TEST(Scheduler, MeasuresMoreInDearSetsWhereMoreMayBeSpent) {
  SchedulerSimulator thrifty({.overhead_ppm = 5'000});
  SchedulerSimulator generous({.overhead_ppm = 200'000});
  RunKinds(thrifty, 30);
  RunKinds(generous, 30);
  EXPECT_GT(generous.Instances(2), thrifty.Instances(2));
  EXPECT_GT(generous.Instances(3), thrifty.Instances(3));
}

TEST(Scheduler, WantsMoreInstancesAsTimePasses) {
  SchedulerSimulator program({.overhead_ppm = 50'000});
  RunKinds(program, 10);
  const uint64_t early = program.Instances(1, 1);
  RunKinds(program, 65);
  EXPECT_GE(program.Instances(1, 1), early + 4);
  EXPECT_LE(program.Instances(1, 1), 3u + 7);
}

TEST(Scheduler, KeepsTheBudgetWhenAChangeBecomesMuchDearer) {
  SchedulerSimulator program({.overhead_ppm = 50'000});
  RunKinds(program, 10);
  program.dearer = [](uint64_t ns) { return ns * 20; };
  RunKinds(program, 60);
  // One change of up to 0.8 s may be begun before its price is known.
  const uint64_t run_ns = program.program_ns() + program.added_ns();
  EXPECT_LE(program.added_ns() - program.mandatory_ns(), run_ns / 20 + 800 * kMs);
}

TEST(Scheduler, KeepsTheBudgetWithVeryUnlikeRegionsSomeOfThemLate) {
  SchedulerSimulator program({.overhead_ppm = 50'000});
  for (int i = 0; program.program_ns() < 120 * kSecond; ++i) {
    program.Run({1, 10'000, 1});
    if (i % 50 == 0) program.Run({2, 100 * kMs, 0});
    if (i % 400 == 0) program.Run({3, kSecond, 0});
    if (program.program_ns() > 60 * kSecond) program.Run({4, 5 * kMs, 1});
    if (i == 4000) program.Run({5, 20 * kMs, 1});  // once
  }
  for (const uint32_t path : {1, 2, 3, 4}) {
    for (size_t set = 0; set < 4; ++set) EXPECT_GE(program.Instances(path, set), 1u) << path;
  }
  uint64_t once = 0;
  for (size_t set = 0; set < 4; ++set) once += program.Instances(5, set);
  EXPECT_EQ(once, 1u);
  EXPECT_LE(program.Overhead(), 0.052);
}

TEST(Scheduler, BuysNoFurtherRoundForACheapSetWhenItsEpochIsFull) {
  // One set only: time. A full epoch is no reason to change at any price.
  std::vector<SimulatedSet> dear{{"time", 300 * kMs, 300 * kMs, 3'000}};
  SchedulerSimulator program({.overhead_ppm = 0}, dear);
  for (int i = 0; i < 40; ++i) {
    for (uint32_t path = 1; path <= 2 * RangeBorders::kSlots; ++path) program.Run({path, kMs});
  }
  for (uint32_t path = 1; path <= 2 * RangeBorders::kSlots; ++path) {
    EXPECT_GE(program.Instances(path, 0), 2u);
  }
  EXPECT_EQ(program.added_ns() - program.mandatory_ns(),
            (program.Instances(0) - 4 * RangeBorders::kSlots) * 3'000 + 300 * kMs);
}

TEST(Scheduler, ForgetsWhatTheFirstStartOfAProcessTook) {
  auto scheduler = std::make_unique<Scheduler>();
  scheduler->Start({{"time"}, {"memory"}}, {}, 0);
  scheduler->PassTook(0, 210 * kMs);
  scheduler->PassTook(1, 24 * kMs);
  scheduler->PassTook(0, kMs / 10);
  EXPECT_LT(scheduler->ChangeNs(1, 0), 20 * kMs);
}

TEST(Scheduler, ChargesBordersInEverySet) {
  auto scheduler = std::make_unique<Scheduler>();
  scheduler->Start({{"time"}, {"sm"}}, {}, 0);
  scheduler->BorderTook(0, 3'000);
  scheduler->BorderTook(1, kMs);
  EXPECT_EQ(scheduler->spent_ns(), kMs + 3'000);
  EXPECT_EQ(scheduler->border_ns(), kMs + 3'000);
}

TEST(Scheduler, ChargesASlowInstanceOnceAndWithoutWhatIsChargedAlready) {
  auto scheduler = std::make_unique<Scheduler>();
  scheduler->Start({{"time"}, {"flop"}}, {}, 0);
  for (int i = 0; i < 2; ++i) scheduler->Attempted(kA, 0, kMs, true, true);
  scheduler->Attempted(kA, 1, 45 * kMs, true, true);
  EXPECT_EQ(scheduler->spent_ns(), 0u);  // an instance inside another is part of that
  scheduler->Slowed(kA, 1, 45 * kMs, 4 * kMs);
  EXPECT_EQ(scheduler->spent_ns(), 40 * kMs);
  EXPECT_EQ(scheduler->slowed_ns(), 40 * kMs);
}

TEST(Scheduler, ChargesNothingWhereCallsDifferInLengthByThemselves) {
  auto scheduler = std::make_unique<Scheduler>();
  scheduler->Start({{"time"}, {"memory"}}, {}, 0);
  for (const uint64_t ms : {50, 1, 100, 1, 1, 1}) {
    scheduler->Attempted(kA, 0, ms * kMs, true, true);
  }
  scheduler->Slowed(kA, 1, 80 * kMs, 0);
  EXPECT_EQ(scheduler->slowed_ns(), 0u);
  scheduler->Slowed(kA, 1, 180 * kMs, 0);
  EXPECT_GE(scheduler->slowed_ns(), 80 * kMs);
  EXPECT_LE(scheduler->slowed_ns(), 100 * kMs);
}

TEST(Scheduler, BelievesOneLongCallForAWhileOnly) {
  auto scheduler = std::make_unique<Scheduler>();
  scheduler->Start({{"time"}, {"flop"}}, {}, 0);
  for (int i = 0; i < 3; ++i) scheduler->Attempted(kA, 0, i == 2 ? 100 * kMs : kMs, true, true);
  for (int i = 0; i < 200; ++i) scheduler->Attempted(kA, 0, kMs, true, true);
  scheduler->Slowed(kA, 1, 45 * kMs, 0);
  EXPECT_EQ(scheduler->slowed_ns(), 44 * kMs);
}

// --- what the user asks for -------------------------------------------------------

TEST(Scheduler, CountsEveryInstanceWhenAskedTo) {
  SchedulerSimulator program({.overhead_ppm = 0, .exact = true});
  RunKinds(program, 3);
  EXPECT_EQ(program.Counted(), 3000u);
  for (size_t set = 0; set < 4; ++set) EXPECT_GT(program.Instances(set), 500u) << set;
  EXPECT_FALSE(program.paused());
}

TEST(Scheduler, SkipsTheFirstInstancesOfEachRegion) {
  SchedulerSimulator program({.overhead_ppm = 0, .exact = false, .skip = 3});
  std::vector<int> sets;
  for (int i = 0; i < 7; ++i) sets.push_back(program.Run({1}));
  EXPECT_EQ(sets, (std::vector<int>{-1, -1, -1, 0, 1, 2, 3}));
  EXPECT_EQ(program.Run({2}), -1);

  auto scheduler = std::make_unique<Scheduler>();
  scheduler->Start({{"time"}}, {.skip = 1}, 0);
  scheduler->Seen(kA, 5);
  EXPECT_EQ(scheduler->AtBegin(kA, {}).action, Action::kSkipped);
  EXPECT_EQ(scheduler->last_lacking_ns(), 0u);  // it lacks nothing yet
  scheduler->Seen(kA, 0);
  EXPECT_EQ(scheduler->AtBegin(kA, {}).action, Action::kCount);
}

// --- sets that are given up -------------------------------------------------------

TEST(Scheduler, NeverChoosesASetThatWasGivenUp) {
  for (const bool exact : {false, true}) {
    SchedulerSimulator program({.overhead_ppm = 200'000, .exact = exact});
    program.scheduler().GiveUp("flop");
    RunKinds(program, 5);
    EXPECT_EQ(program.Instances(3), 0u);
    EXPECT_GT(program.Instances(2), 0u);
  }
}

TEST(Scheduler, LeavesASetThatIsGivenUpWhileItRuns) {
  SchedulerSimulator program({.overhead_ppm = 0});
  for (int i = 0; i < 4; ++i) program.Run({1});
  ASSERT_EQ(program.pass(), 3u);
  program.scheduler().GiveUp("flop");
  for (int i = 0; i < 100; ++i) EXPECT_NE(program.Run({1}), 3);
}

TEST(Scheduler, PausesForGoodWhenItsOnlySetIsGivenUp) {
  SchedulerSimulator program({.overhead_ppm = 500'000}, {SetsOfH200()[3]});
  program.Run({1});
  program.scheduler().GiveUp("flop");
  for (int i = 0; i < 3000; ++i) EXPECT_EQ(program.Run({1}), -1);
  EXPECT_TRUE(program.paused());
}

TEST(Scheduler, RemembersOnTheNextContextWhatWasMeasuredAndGivenUp) {
  auto scheduler = std::make_unique<Scheduler>();
  scheduler->Start({{"time"}, {"flop"}}, {}, 0);
  scheduler->Attempted(kA, 0, kMs, true, true);
  scheduler->GiveUp("flop");
  scheduler->Start({{"time"}, {"flop"}}, {}, kSecond);
  EXPECT_TRUE(scheduler->given_up(1));
  EXPECT_FALSE(scheduler->given_up(0));
  EXPECT_EQ(scheduler->attempts(kA, 0), 1);
  EXPECT_EQ(scheduler->AllowedNs(2 * kSecond), kSecond / 10);  // of the time since the first
}

TEST(Scheduler, SaysWhenARegionWasLastSeenThatLacksAFirstInstance) {
  auto scheduler = std::make_unique<Scheduler>();
  scheduler->Seen(kA, 5);  // before there are sets, everything lacks
  EXPECT_EQ(scheduler->last_lacking_ns(), 5u);
  scheduler->Start({{"time"}, {"flop"}}, {}, 0);
  scheduler->Seen(kA, 10);
  EXPECT_EQ(scheduler->last_lacking_ns(), 10u);
  scheduler->Attempted(kA, 0, kMs, true, true);
  EXPECT_TRUE(scheduler->LacksFirst(kA));
  scheduler->Attempted(kA, 1, kMs, false, false);
  scheduler->Seen(kA, 20);
  EXPECT_EQ(scheduler->last_lacking_ns(), 10u);
}

}  // namespace
}  // namespace rafter
