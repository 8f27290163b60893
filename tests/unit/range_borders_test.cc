#include "inject/counters/range_borders.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/unit/borders_fixture.h"

namespace rafter {
namespace {

class Borders : public BordersTest {};

TEST_F(Borders, CloseTheOpenRangeAndOpenOneForTheNewStack) {
  Arm();
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  const Open open_outer = Begin(&thread_a_, outer);
  const Open open_inner = Begin(&thread_a_, inner, &open_outer);
  EXPECT_NE(End(&thread_a_, open_inner).epoch, 0u);
  EXPECT_NE(End(&thread_a_, open_outer).epoch, 0u);
  EXPECT_EQ(log_, (std::vector<std::string>{"+1", "-", "+2", "-", "+1", "-"}));
  const EndedEpoch epoch = borders_->CloseEpoch();
  EXPECT_EQ(SlotOf(epoch, outer).instances, 1u);
  EXPECT_EQ(SlotOf(epoch, outer).segments, 2u);
  EXPECT_EQ(SlotOf(epoch, inner).instances, 1u);
  EXPECT_EQ(SlotOf(epoch, inner).segments, 1u);
}

TEST_F(Borders, NameStretchesThatThreadsShareByAllOfThemAndCountNeitherCall) {
  Arm();
  const PathId a = Path("a");
  const PathId b = Path("b");
  const Open open_a = Begin(&thread_a_, a);
  const Open open_b = Begin(&thread_b_, b);
  const FinishedRegion end_a = End(&thread_a_, open_a);
  const FinishedRegion end_b = End(&thread_b_, open_b);
  EXPECT_EQ(end_a.uncounted, Uncounted::kOverlapped);
  EXPECT_EQ(end_b.uncounted, Uncounted::kOverlapped);
  EXPECT_EQ(log_, (std::vector<std::string>{"+1", "-", "+3", "-", "+2", "-"}));
  ASSERT_EQ(recorder_.overlaps.size(), 1u);
  EXPECT_EQ(paths_->Entry(recorder_.overlaps[0].path)->member_count, 2u);
  const EndedEpoch epoch = borders_->CloseEpoch();
  EXPECT_EQ(SlotOf(epoch, a).instances, 0u);
  EXPECT_EQ(SlotOf(epoch, a).incomplete, 1u);
  EXPECT_EQ(SlotOf(epoch, PathId{3}).instances, 1u);
}

TEST_F(Borders, NeverOpenMoreRangesInAnEpochThanCuptiHolds) {
  Arm({{"time"}}, {.exact = true});
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  for (int call = 0; call < 100; ++call) {
    const Open open_outer = Begin(&thread_a_, outer);
    for (int i = 0; i < call; ++i) Run(&thread_a_, inner, &open_outer);
    EXPECT_NE(End(&thread_a_, open_outer).uncounted, Uncounted::kNoSlot);
  }
  recorder_.Stop();
  EXPECT_GT(recorder_.epochs.size(), 20u);
  for (const EndedEpoch& epoch : recorder_.epochs) {
    EXPECT_LE(Ranges(epoch), RangeBorders::kRangesPerEpoch);
  }
}

TEST_F(Borders, EndTheEpochWhenNamesOutnumberSlotsAndLoseNone) {
  Arm({{"time", 1, false}});
  recorder_.Serve(*borders_);
  for (size_t i = 0; i < 3 * RangeBorders::kSlots; ++i) {
    const Open open = Begin(&thread_a_, Path(("region" + std::to_string(i)).c_str()));
    EXPECT_NE(End(&thread_a_, open).epoch, 0u) << i;
  }
  recorder_.Stop();
  ASSERT_EQ(recorder_.epochs.size(), 2u);
  for (const EndedEpoch& epoch : recorder_.epochs) {
    EXPECT_EQ(epoch.slots.size(), RangeBorders::kSlots);
  }
}

TEST_F(Borders, MeasureARegionInEverySetWithinOneRun) {
  Arm({{"time", 8}, {"memory", 3}, {"sm", 2}, {"flop", 2, false, true}});
  recorder_.Serve(*borders_);
  const PathId a = Path("a");
  for (int i = 0; i < 4; ++i) End(&thread_a_, Begin(&thread_a_, a));
  recorder_.Stop();
  ASSERT_EQ(recorder_.epochs.size(), 3u);
  for (uint32_t pass = 0; pass < 3; ++pass) {
    EXPECT_EQ(recorder_.epochs[pass].pass, pass);
    EXPECT_EQ(SlotOf(recorder_.epochs[pass], a).instances, 1u);
  }
}

TEST_F(Borders, LeaveACallOutOfWhichAPartWentToAnotherContext) {
  Arm();
  const Open open = Begin(&thread_a_, Path("a"));
  borders_->ForeignLaunch();
  const FinishedRegion end = End(&thread_a_, open);
  EXPECT_EQ(end.epoch, 0u);
  EXPECT_EQ(end.uncounted, Uncounted::kOtherDevice);
  EXPECT_EQ(SlotOf(borders_->CloseEpoch(), Path("a")).incomplete, 1u);
}

TEST_F(Borders, CountARegionInsideOneThatBeganBeforeThereWasAContext) {
  const PathId outer = Path("main");
  const PathId inner = Path("step", outer);
  Open early{outer, {}};
  early.share.uncounted = Uncounted::kNoContext;
  Arm();
  const Open open = Begin(&thread_a_, inner, &early);
  EXPECT_NE(End(&thread_a_, open).epoch, 0u);
  EXPECT_EQ(End(&thread_a_, early).uncounted, Uncounted::kNoContext);
  const EndedEpoch epoch = borders_->CloseEpoch();
  EXPECT_EQ(SlotOf(epoch, inner).instances, 1u);
  // Its share must not enlarge calls of `main` that this epoch counts whole.
  EXPECT_EQ(SlotOf(epoch, outer).incomplete, 1u);
}

TEST_F(Borders, SkipCallsOfEachRegionByItself) {
  Arm({{"time"}}, {.overhead_ppm = 1'000'000, .exact = false, .skip = 1});
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  const Open open_outer = Begin(&thread_a_, outer);
  ASSERT_EQ(open_outer.share.uncounted, Uncounted::kSkipped);
  EXPECT_EQ(Run(&thread_a_, inner, &open_outer).uncounted, Uncounted::kSkipped);
  EXPECT_TRUE(log_.empty());
  EXPECT_NE(Run(&thread_a_, inner, &open_outer).epoch, 0u);
  EXPECT_EQ(End(&thread_a_, open_outer).uncounted, Uncounted::kSkipped);
  const EndedEpoch epoch = borders_->CloseEpoch();
  EXPECT_EQ(SlotOf(epoch, inner).instances, 1u);
  EXPECT_EQ(SlotOf(epoch, outer).instances, 0u);
  EXPECT_EQ(SlotOf(epoch, outer).incomplete, 1u);
}

TEST_F(Borders, CountWhatBeginsInsideACallThatFoundNoneReady) {
  Arm();
  const PathId outer = Path("main");
  for (const Uncounted why : {Uncounted::kNotArmed, Uncounted::kRotating, Uncounted::kNoSlot}) {
    Open early{outer, {}};
    early.share.uncounted = why;
    const FinishedRegion inner = Run(&thread_a_, Path("step", outer), &early);
    EXPECT_EQ(inner.uncounted, Uncounted::kCounted) << static_cast<int>(why);
    EXPECT_NE(inner.epoch, 0u);
    EXPECT_EQ(End(&thread_a_, early).uncounted, why);
  }
}

TEST_F(Borders, TurnCountersOffForGoodWhenCuptiRefusesARange) {
  Arm();
  g_push_answer = CUPTI_ERROR_INVALID_PARAMETER;
  const Open open = Begin(&thread_a_, Path("a"));
  EXPECT_NE(End(&thread_a_, open).uncounted, Uncounted::kCounted);
  g_push_answer = CUPTI_SUCCESS;
  EXPECT_EQ(Begin(&thread_a_, Path("b")).share.uncounted, Uncounted::kCountersOff);
}

TEST_F(Borders, CloseAFlopRangeAtOnceWhenFlopIsGivenUp) {
  Arm({{"flop", 2, false, true}});
  const Open open = Begin(&thread_a_, Path("a"));
  EXPECT_TRUE(borders_->BlockingRangeOpen());
  EXPECT_EQ(borders_->GiveUpPatching(), (std::vector<std::string>{"flop"}));
  EXPECT_FALSE(borders_->BlockingRangeOpen());
  EXPECT_EQ(log_, (std::vector<std::string>{"+1", "-"}));
  EXPECT_EQ(End(&thread_a_, open).uncounted, Uncounted::kLeftOut);
}

TEST_F(Borders, MarkWhatIsStillOpenAtTheEndAsIncomplete) {
  Arm();
  const PathId outer = Path("outer");
  const Open open_outer = Begin(&thread_a_, outer);
  Begin(&thread_a_, Path("inner", outer), &open_outer);
  EXPECT_TRUE(borders_->Retire(false));
  const EndedEpoch epoch = borders_->CloseEpoch();
  for (const EpochSlot& slot : epoch.slots) {
    EXPECT_EQ(slot.instances, 0u);
    EXPECT_EQ(slot.incomplete, 1u);
  }
  EXPECT_EQ(log_.back(), "-");
  EXPECT_FALSE(borders_->Retire(false));
}

TEST_F(Borders, CountNoCallWholeBesideOneThatIsLeftUncounted) {
  Arm({{"time", 1, false}, {"memory", 1, false}});
  recorder_.Serve(*borders_);
  const PathId a = Path("a");
  const PathId b = Path("b");
  for (int i = 0; i < 2; ++i) End(&thread_b_, Begin(&thread_b_, b));
  const Open open_b = Begin(&thread_b_, b);  // has what it needs, in both sets
  ASSERT_EQ(open_b.share.uncounted, Uncounted::kResting);
  const Open open_a = Begin(&thread_a_, a);  // lacks this set; holds the work of b as well
  ASSERT_TRUE(open_a.share.borders);
  EXPECT_EQ(End(&thread_b_, open_b).uncounted, Uncounted::kResting);
  EXPECT_EQ(End(&thread_a_, open_a).uncounted, Uncounted::kOverlapped);
  const FinishedRegion alone = End(&thread_a_, Begin(&thread_a_, a));
  EXPECT_NE(alone.epoch, 0u);
}

TEST_F(Borders, CountNoCallWholeInWhichItsThreadEnds) {
  Arm();
  const PathId a = Path("a");
  End(&thread_a_, Begin(&thread_a_, a));
  const Open open = Begin(&thread_a_, a);
  const FinishedRegion finished = End(&thread_a_, open, true);
  EXPECT_EQ(finished.uncounted, Uncounted::kTruncated);
  EXPECT_EQ(finished.epoch, 0u);
  const EndedEpoch epoch = borders_->CloseEpoch();
  EXPECT_EQ(SlotOf(epoch, a).instances, 1u);
  EXPECT_EQ(SlotOf(epoch, a).incomplete, 1u);
}

TEST_F(Borders, LeaveACallBehindThatWasOpenWhenItsContextWent) {
  Arm();
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  const Open open_outer = Begin(&thread_a_, outer);
  EXPECT_TRUE(borders_->Retire(true));
  borders_->CloseEpoch();
  log_.clear();
  Arm();  // on a new context
  const Open open_inner = Begin(&thread_a_, inner, &open_outer);
  EXPECT_NE(End(&thread_a_, open_inner).epoch, 0u);
  EXPECT_EQ(End(&thread_a_, open_outer).uncounted, Uncounted::kPartial);
  EXPECT_EQ(log_, (std::vector<std::string>{"+2", "-"}));  // nothing is open, nothing of `outer`
  const EndedEpoch epoch = borders_->CloseEpoch();
  EXPECT_EQ(SlotOf(epoch, outer).incomplete, 1u);
  EXPECT_EQ(SlotOf(epoch, inner).instances, 1u);
}

TEST_F(Borders, CountAgainInsideACallThatBeganWhileOthersHadTheGpu) {
  Arm();
  const PathId outer = Path("outer");
  const PathId middle = Path("middle", outer);
  const Open open_outer = Begin(&thread_a_, outer);
  borders_->NotOurTurn();
  const Open open_middle = Begin(&thread_a_, middle, &open_outer);
  ASSERT_EQ(open_middle.share.uncounted, Uncounted::kNotOurTurn);
  Arm();  // the GPU is ours again
  const FinishedRegion inner = Run(&thread_a_, Path("inner", middle), &open_middle);
  EXPECT_EQ(inner.uncounted, Uncounted::kCounted);  // nothing runs beside it
  EXPECT_EQ(End(&thread_a_, open_middle).uncounted, Uncounted::kNotOurTurn);
  EXPECT_EQ(End(&thread_a_, open_outer).uncounted, Uncounted::kPartial);
  EXPECT_EQ(Run(&thread_b_, Path("alone")).uncounted, Uncounted::kCounted);
}

TEST_F(Borders, AskCuptiNothingOfAContextThatHasGone) {
  Arm();
  const Open open = Begin(&thread_a_, Path("a"));
  EXPECT_FALSE(borders_->MayMove());
  log_.clear();
  borders_->Abandon();
  EXPECT_TRUE(borders_->MayMove());
  EXPECT_EQ(End(&thread_a_, open).uncounted, Uncounted::kPartial);
  EXPECT_TRUE(log_.empty());
  Arm();
  EXPECT_EQ(Run(&thread_a_, Path("a")).uncounted, Uncounted::kCounted);
}

TEST_F(Borders, SayWhetherARegionLackedSomethingOfLate) {
  Arm({{"time"}, {"memory"}});
  EXPECT_FALSE(borders_->LackedWithin(1'000'000'000));
  End(&thread_a_, Begin(&thread_a_, Path("a")));
  EXPECT_TRUE(borders_->LackedWithin(1'000'000'000));
  EXPECT_FALSE(borders_->LackedWithin(0));
}

TEST_F(Borders, WithdrawAtTheEndWhatTheRecorderHasNotBegun) {
  Arm({{"time", 1, false}, {"memory", 1, false}});
  End(&thread_a_, Begin(&thread_a_, Path("a")));
  Open second;
  std::thread target([&] { second = Begin(&thread_a_, Path("a")); });  // asks for a rotation
  while (!recorder_.woken) std::this_thread::yield();
  const uint64_t before = NowNs();
  EXPECT_TRUE(borders_->Retire(false));
  target.join();
  EXPECT_LT(NowNs() - before, RangeBorders::kRotationDeadlineNs / 2);
  EXPECT_EQ(second.share.uncounted, Uncounted::kCountersOff);
  EXPECT_EQ(borders_->TakeRequest().work, RangeBorders::Work::kNone);
  EXPECT_EQ(SlotOf(borders_->CloseEpoch(), Path("a")).instances, 1u);
}

TEST_F(Borders, StayOffWhenSetUpEndsTooLate) {
  borders_->Off();
  Arm();
  EXPECT_EQ(Begin(&thread_a_, Path("a")).share.uncounted, Uncounted::kCountersOff);
  EXPECT_TRUE(log_.empty());
}

}  // namespace
}  // namespace rafter
