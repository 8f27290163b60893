// How epochs begin, go on in a chain, are left and cut.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/borders_fixture.h"

namespace rafter {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr SchedulerPolicy kAnyPrice{.overhead_ppm = 1'000'000'000};
constexpr SchedulerPolicy kOnlyFirst{.overhead_ppm = 0};

class BorderEpochs : public BordersTest {
 protected:
  // A call of `outer` with `count` calls of `inner` inside.
  FinishedRegion RunNested(PathId outer, PathId inner, int count) {
    const Open open = Begin(&thread_a_, outer);
    for (int i = 0; i < count; ++i) Run(&thread_a_, inner, &open);
    return End(&thread_a_, open);
  }
  // All epochs, the running one too.
  std::vector<EndedEpoch> AllEpochs() {
    recorder_.Stop();
    std::vector<EndedEpoch> epochs = recorder_.epochs;
    if (Running()) epochs.push_back(borders_->CloseEpoch());
    return epochs;
  }
  static EpochSlot Sum(const std::vector<EndedEpoch>& epochs, PathId path, int pass = -1) {
    EpochSlot sum;
    for (const EndedEpoch& epoch : epochs) {
      if (pass >= 0 && epoch.pass != static_cast<uint32_t>(pass)) continue;
      const EpochSlot slot = SlotOf(epoch, path);
      sum.instances += slot.instances;
      sum.incomplete += slot.incomplete;
      sum.segments += slot.segments;
      sum.cut_segments += slot.cut_segments;
    }
    return sum;
  }
  // Whole calls in epochs that hold no part of another: those that a row is made of.
  static uint64_t Useful(const std::vector<EndedEpoch>& epochs, PathId path, int pass) {
    std::vector<EndedEpoch> clean;
    for (const EndedEpoch& epoch : epochs) {
      if (SlotOf(epoch, path).incomplete == 0) clean.push_back(epoch);
    }
    return Sum(clean, path, pass).instances;
  }
  void Pause() {
    borders_->Tick(NowNs() + RangeBorders::kIdleNs + kMs, false);
    recorder_.ServeOnce(*borders_);
    ASSERT_EQ(borders_->state(), RangeBorders::State::kPaused);
  }
};

// --- chains -----------------------------------------------------------------------

TEST_F(BorderEpochs, ChainForACallWithMoreBordersThanOneHolds) {
  Arm({{"time"}});
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  EXPECT_NE(RunNested(outer, inner, 100).epoch, 0u);
  const std::vector<EndedEpoch> epochs = AllEpochs();
  ASSERT_EQ(epochs.size(), 4u);
  for (const EndedEpoch& epoch : epochs) {
    EXPECT_EQ(epoch.chain, epochs.front().epoch);
    EXPECT_EQ(epoch.pass, 0u);
    EXPECT_LE(Ranges(epoch), RangeBorders::kRangesPerEpoch);
  }
  EXPECT_EQ(Sum(epochs, outer).segments, 101u);
  EXPECT_EQ(Sum(epochs, outer).instances, 1u);
  EXPECT_EQ(Sum(epochs, outer).incomplete, 0u);
  EXPECT_EQ(Sum(epochs, inner).instances, 100u);
  EXPECT_EQ(Sum(epochs, inner).incomplete, 0u);
}

TEST_F(BorderEpochs, StandAloneWhereNothingWasOpenBetweenThem) {
  Arm({{"time"}, {"memory"}}, kOnlyFirst);
  recorder_.Serve(*borders_);
  for (int i = 0; i < 2; ++i) Run(&thread_a_, Path("a"));
  for (const EndedEpoch& epoch : AllEpochs()) EXPECT_EQ(epoch.chain, 0u);
}

TEST_F(BorderEpochs, LeaveACallThatOutgrowsAChainAndCountWhatIsInsideByItself) {
  Arm({{"time"}, {"memory"}}, kOnlyFirst);
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  EXPECT_EQ(RunNested(outer, inner, 600).uncounted, Uncounted::kPartial);
  EXPECT_TRUE(paths_->Entry(outer)->outgrown.load());
  EXPECT_FALSE(paths_->Entry(inner)->outgrown.load());
  const std::vector<EndedEpoch> epochs = AllEpochs();
  std::map<uint32_t, uint32_t> length;
  for (const EndedEpoch& epoch : epochs) {
    if (epoch.chain == 0) continue;
    EXPECT_LE(++length[epoch.chain], RangeBorders::kMaxChain);
  }
  EXPECT_GE(Sum(epochs, inner, 1).instances, 1u);  // lacked memory
  EXPECT_EQ(Sum(epochs, outer).instances, 0u);
  for (const EndedEpoch& epoch : epochs) {
    if (SlotOf(epoch, inner).instances > 0 && epoch.chain == 0) {
      EXPECT_GE(SlotOf(epoch, outer).incomplete, 1u);
    }
  }
}

TEST_F(BorderEpochs, TryNoChainAgainForARegionThatOutgrewOne) {
  Arm({{"time"}}, kOnlyFirst);
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  RunNested(outer, inner, 600);
  for (int i = 0; i < 6; ++i) RunNested(outer, inner, 600);
  EXPECT_TRUE(paths_->Entry(outer)->outgrown.load());
  EXPECT_LE(AllEpochs().size(), RangeBorders::kMaxChain + 1u);
}

TEST_F(BorderEpochs, MeasureARegionAgainThatFitsThisTime) {
  Arm({{"time"}, {"memory"}}, kOnlyFirst);
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  RunNested(outer, inner, 600);
  for (int i = 0; i < 4; ++i) RunNested(outer, inner, 1);
  EXPECT_FALSE(paths_->Entry(outer)->outgrown.load());
  const std::vector<EndedEpoch> epochs = AllEpochs();
  // Rule 1 holds for it too: once in every set, whatever it costs.
  EXPECT_GE(Useful(epochs, outer, 1), 1u);
}

TEST_F(BorderEpochs, LetNoCallBeginInAChainThatIsHalfUsedUp) {
  Arm({{"time", 100}, {"memory", 100}}, kAnyPrice);
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  for (int i = 0; i < 40; ++i) {
    EXPECT_NE(RunNested(outer, inner, 40).epoch, 0u) << i;
    EXPECT_FALSE(paths_->Entry(outer)->outgrown.load()) << i;
  }
}

TEST_F(BorderEpochs, GoRoundTheSetsWhenEveryCallIsCountedAndCallsDoNotFitEvenly) {
  Arm({{"time"}, {"memory"}}, {.overhead_ppm = 0, .exact = true});
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  for (int i = 0; i < 60; ++i) EXPECT_NE(RunNested(outer, inner, 2).epoch, 0u) << i;
  const std::vector<EndedEpoch> epochs = AllEpochs();
  EXPECT_GT(Sum(epochs, outer, 1).instances, 10u);
  EXPECT_EQ(Sum(epochs, outer).instances, 60u);
  EXPECT_EQ(Sum(epochs, inner).instances, 120u);
}

TEST_F(BorderEpochs, KeepNamesFreeForAllThatGoesOnLater) {
  Arm({{"time", 200}}, kAnyPrice);
  recorder_.Serve(*borders_);
  for (size_t i = 0; i < RangeBorders::kSlots - 2; ++i) {
    Run(&thread_a_, Path(("region" + std::to_string(i)).c_str()));
  }
  const PathId a = Path("a");
  const PathId b = Path("b", a);
  const PathId c = Path("c", b);
  const Open open_a = Begin(&thread_a_, a);
  const Open open_b = Begin(&thread_a_, b, &open_a);
  EXPECT_NE(Run(&thread_a_, c, &open_b).epoch, 0u);  // in the next epoch of the chain
  EXPECT_NE(End(&thread_a_, open_b).epoch, 0u);
  EXPECT_NE(End(&thread_a_, open_a).epoch, 0u);
  const std::vector<EndedEpoch> epochs = AllEpochs();
  ASSERT_EQ(epochs.size(), 2u);
  EXPECT_EQ(epochs[1].slots.size(), 3u);
}

TEST_F(BorderEpochs, MarkACallThatEndsWhileAChainGoesToItsNextEpoch) {
  Arm({{"time", 200}}, kAnyPrice);
  recorder_.change_ns = 200 * kMs;
  recorder_.Serve(*borders_);
  const PathId beside = Path("beside");
  const PathId outer = Path("outer");
  Run(&thread_b_, beside);  // whole, in the first epoch
  Open open_beside = Begin(&thread_b_, beside);
  std::thread ends([&] {
    WaitFor([&] { return borders_->state() == RangeBorders::State::kRotating; });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    End(&thread_b_, open_beside);
  });
  RunNested(outer, Path("inner", outer), 40);
  ends.join();
  const std::vector<EndedEpoch> epochs = AllEpochs();
  ASSERT_NE(epochs.front().chain, 0u);
  EXPECT_EQ(Sum(epochs, beside).instances, 1u);
  EXPECT_GE(Sum(epochs, beside).incomplete, 1u);
}

TEST_F(BorderEpochs, CountNoCallWholeThatWentOnWhileAChangeWasLate) {
  Arm({{"time", 200}}, kAnyPrice);
  recorder_.stalled = true;
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  const Open open = Begin(&thread_a_, outer);
  FinishedRegion last;
  do {
    last = Run(&thread_a_, inner, &open);
  } while (last.epoch != 0);
  EXPECT_EQ(last.uncounted, Uncounted::kRotating);
  recorder_.stalled = false;
  WaitFor([&] { return Running(); });
  Run(&thread_a_, inner, &open);
  EXPECT_EQ(End(&thread_a_, open).epoch, 0u);
  const std::vector<EndedEpoch> epochs = AllEpochs();
  ASSERT_EQ(epochs.size(), 2u);
  EXPECT_EQ(Sum(epochs, outer).instances, 0u);
  EXPECT_GE(Sum(epochs, outer).incomplete, 1u);
}

// --- time passes ------------------------------------------------------------------

TEST_F(BorderEpochs, EndWhenNothingHappensForLong) {
  Arm({{"time"}});
  Run(&thread_a_, Path("a"));
  borders_->Tick(NowNs() + RangeBorders::kIdleNs / 2, false);
  EXPECT_TRUE(Running());
  borders_->Tick(NowNs() + RangeBorders::kIdleNs + kMs, false);
  recorder_.ServeOnce(*borders_);
  EXPECT_EQ(borders_->state(), RangeBorders::State::kPaused);
  ASSERT_EQ(recorder_.epochs.size(), 1u);
  EXPECT_EQ(SlotOf(recorder_.epochs[0], Path("a")).instances, 1u);
}

TEST_F(BorderEpochs, DoNotEndWhileARegionIsOpenThatLacksNothing) {
  Arm({{"time"}});
  for (int i = 0; i < 2; ++i) Run(&thread_a_, Path("a"));
  const Open open = Begin(&thread_a_, Path("a"));
  borders_->Tick(NowNs() + 20 * RangeBorders::kIdleNs, false);
  EXPECT_TRUE(Running());
  EXPECT_NE(End(&thread_a_, open).epoch, 0u);
}

TEST_F(BorderEpochs, GiveWayToOthersBetweenCallsAndOnlyAfterTheBoundInsideOne) {
  Arm({{"time"}});
  const PathId a = Path("a");
  const Open open = Begin(&thread_a_, a);
  borders_->Tick(NowNs() + RangeBorders::kOpenBoundNs / 2, true);
  EXPECT_TRUE(Running());
  borders_->Tick(NowNs() + RangeBorders::kOpenBoundNs + kMs, true);
  recorder_.ServeOnce(*borders_);
  EXPECT_EQ(borders_->state(), RangeBorders::State::kPaused);
  EXPECT_EQ(End(&thread_a_, open).uncounted, Uncounted::kPartial);
  const EpochSlot slot = SlotOf(recorder_.epochs.at(0), a);
  EXPECT_EQ(slot.incomplete, 1u);
  EXPECT_EQ(slot.cut_segments, 1u);
  Run(&thread_a_, Path("b"));  // the pause goes on
  EXPECT_EQ(log_, (std::vector<std::string>{"+1", "-"}));

  Arm({{"time"}});
  Run(&thread_a_, a);
  borders_->Tick(NowNs() + kMs, true);
  recorder_.ServeOnce(*borders_);
  EXPECT_EQ(borders_->state(), RangeBorders::State::kPaused);
}

TEST_F(BorderEpochs, ChangeSetsInsideARegionThatShowsNoBorder) {
  Arm({{"time"}, {"memory"}, {"sm"}}, kOnlyFirst);
  const PathId a = Path("a");
  const Open open = Begin(&thread_a_, a);
  borders_->Tick(NowNs() + RangeBorders::kOpenBoundNs / 2, false);
  EXPECT_EQ(borders_->TakeRequest().work, RangeBorders::Work::kNone);
  borders_->Tick(NowNs() + RangeBorders::kOpenBoundNs + kMs, false);
  recorder_.ServeOnce(*borders_);
  for (int step = 0; step < 5; ++step) {  // two more, then the first set keeps the rest
    borders_->Tick(NowNs() + RangeBorders::kInsideNs / 2, false);
    EXPECT_EQ(borders_->TakeRequest().work, RangeBorders::Work::kNone);
    borders_->Tick(NowNs() + RangeBorders::kInsideNs + kMs, false);
    recorder_.ServeOnce(*borders_);
  }
  EXPECT_EQ(End(&thread_a_, open).uncounted, Uncounted::kPartial);
  const std::vector<EndedEpoch> epochs = AllEpochs();
  ASSERT_EQ(epochs.size(), 4u);
  for (size_t i = 0; i < epochs.size(); ++i) {
    EXPECT_EQ(epochs[i].pass, i % 3);
    EXPECT_EQ(epochs[i].chain, 0u);
    const EpochSlot slot = SlotOf(epochs[i], a);
    EXPECT_EQ(slot.segments, 1u) << i;
    EXPECT_EQ(slot.cut_segments, 1u) << i;
    EXPECT_GE(slot.incomplete, 1u) << i;
    EXPECT_EQ(slot.instances, 0u) << i;
  }
}

TEST_F(BorderEpochs, NeverCutARegionWhereEveryCallIsCounted) {
  Arm({{"time"}, {"memory"}}, {.overhead_ppm = 0, .exact = true});
  const Open open = Begin(&thread_a_, Path("a"));
  borders_->Tick(NowNs() + 10 * RangeBorders::kOpenBoundNs, false);
  EXPECT_NE(End(&thread_a_, open).epoch, 0u);
}

// A region may be open for longer than the bound: the one test that waits for it.
TEST_F(BorderEpochs, GiveARegionItsFirstInstancesWhoseFirstCallWasTooLong) {
  Arm({{"time", 8}, {"memory", 3}}, kOnlyFirst);
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  const Open open = Begin(&thread_a_, outer);
  std::this_thread::sleep_for(std::chrono::nanoseconds(RangeBorders::kOpenBoundNs + 100 * kMs));
  EXPECT_NE(Run(&thread_a_, inner, &open).epoch, 0u);
  EXPECT_EQ(End(&thread_a_, open).uncounted, Uncounted::kPartial);
  EXPECT_TRUE(paths_->Entry(outer)->outgrown.load());
  for (int i = 0; i < 8; ++i) RunNested(outer, inner, 1);
  EXPECT_FALSE(paths_->Entry(outer)->outgrown.load());
  const std::vector<EndedEpoch> epochs = AllEpochs();
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_GE(Useful(epochs, outer, pass), 1u) << pass;
    EXPECT_GE(Useful(epochs, inner, pass), 1u) << pass;
  }
}

// --- inside what is not counted ---------------------------------------------------

TEST_F(BorderEpochs, CountWhatLacksASetInsideARestingCallAndDoNotEnlargeThat) {
  Arm({{"time", 1}, {"memory", 1}}, kOnlyFirst);
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  for (int i = 0; i < 300; ++i) Run(&thread_a_, outer);
  const Open open = Begin(&thread_a_, outer);
  ASSERT_EQ(open.share.uncounted, Uncounted::kResting);
  const FinishedRegion lone = Run(&thread_a_, inner, &open);
  EXPECT_NE(lone.epoch, 0u);
  EXPECT_EQ(End(&thread_a_, open).uncounted, Uncounted::kResting);
  const std::vector<EndedEpoch> epochs = AllEpochs();
  for (const EndedEpoch& epoch : epochs) {
    if (epoch.epoch != lone.epoch) continue;
    EXPECT_EQ(SlotOf(epoch, inner).instances, 1u);
    EXPECT_GE(SlotOf(epoch, outer).incomplete, 1u);
  }
}

TEST_F(BorderEpochs, KeepACallOpenInWhichSomethingRestsAndLeaveAllOfThatOutOfItsRange) {
  Arm({{"time", 1}, {"memory", 1}}, kOnlyFirst);
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId middle = Path("middle", outer);
  paths_->Entry(outer)->outgrown = true;
  const Open open_outer = Begin(&thread_a_, outer);
  for (int i = 0; i < 300; ++i) Run(&thread_a_, middle, &open_outer);
  const Open open_middle = Begin(&thread_a_, middle, &open_outer);
  ASSERT_EQ(open_middle.share.uncounted, Uncounted::kResting);
  EXPECT_EQ(log_.back(), "-");  // the range of `outer` holds nothing of `middle`
  EXPECT_EQ(Run(&thread_a_, Path("inner", middle), &open_middle).uncounted, Uncounted::kResting);
  EXPECT_EQ(borders_->InnermostPath(), outer);
  EXPECT_EQ(Run(&thread_b_, Path("beside")).uncounted, Uncounted::kOverlapped);
  End(&thread_a_, open_middle);
  End(&thread_a_, open_outer);
  EXPECT_FALSE(borders_->AnythingOpen());
}

TEST_F(BorderEpochs, TakeNoStretchOfManyForACallWhenPathsHaveRunOut) {
  Arm({{"time"}});
  for (size_t i = 0; i < PathTable::kMaxPaths; ++i) Path(("name" + std::to_string(i)).c_str());
  const PathId a = Path("name1");
  const PathId b = Path("name2");
  const Open open_a = Begin(&thread_a_, a);
  const Open open_b = Begin(&thread_b_, b);
  End(&thread_a_, open_a);
  End(&thread_b_, open_b);
  for (const EpochSlot& slot : borders_->CloseEpoch().slots) EXPECT_EQ(slot.instances, 0u);
}

TEST_F(BorderEpochs, DoNotLetAPlaceAroundTakeTheLastNameFromARegion) {
  Arm({{"time", 200}});
  Open early{Path("main"), {}};
  early.share.uncounted = Uncounted::kNoContext;
  for (size_t i = 0; i + 1 < RangeBorders::kSlots; ++i) {
    Run(&thread_a_, Path(("region" + std::to_string(i)).c_str()));
  }
  const PathId inner = Path("inner", early.path);
  EXPECT_NE(Run(&thread_a_, inner, &early).epoch, 0u);
  EXPECT_EQ(SlotOf(borders_->CloseEpoch(), inner).instances, 1u);
}

TEST_F(BorderEpochs, MarkThePlacesAroundARegionThatHaveNoPartInTheContext) {
  Arm({{"time", 200}}, kAnyPrice);
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  Run(&thread_a_, inner);  // `outer` works on another context in this call
  EXPECT_NE(RunNested(outer, inner, 1).epoch, 0u);
  const std::vector<EndedEpoch> epochs = AllEpochs();
  EXPECT_EQ(Useful(epochs, outer, 0), 1u);
  for (const EndedEpoch& epoch : epochs) {
    // Else it would hold two of `inner`.
    if (SlotOf(epoch, outer).instances == 0) continue;
    EXPECT_EQ(SlotOf(epoch, inner).instances, 1u);
  }
}

TEST_F(BorderEpochs, GiveEachOutermostCallSlotsOfItsOwnWhereAskedTo) {
  slot_for_each_call_ = true;
  Arm({{"time", 200}});
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  for (int i = 0; i < 2; ++i) RunNested(outer, inner, 2);
  EXPECT_EQ(log_, (std::vector<std::string>{"+1.1", "-",    "+2.1", "-",    "+1.1", "-",    "+2.1",
                                            "-",    "+1.1", "-",    "+1.2", "-",    "+2.2", "-",
                                            "+1.2", "-",    "+2.2", "-",    "+1.2", "-"}));
  const EndedEpoch epoch = borders_->CloseEpoch();
  ASSERT_EQ(epoch.slots.size(), 4u);
  for (const EpochSlot& slot : epoch.slots) {
    EXPECT_EQ(slot.instances, slot.path == outer ? 1u : 2u);
    EXPECT_EQ(slot.incomplete, 0u);
    EXPECT_TRUE(slot.call == 1 || slot.call == 2);
  }
}

TEST_F(BorderEpochs, HoldRecursionDeeperThanTheyHaveNames) {
  Arm({{"time", 200}}, kAnyPrice);
  recorder_.Serve(*borders_);
  constexpr size_t kDepth = 2 * RangeBorders::kSlots;
  for (int call = 0; call < 3; ++call) {
    std::vector<Open> stack;
    for (size_t depth = 0; depth < kDepth; ++depth) {
      const Open* around = stack.empty() ? nullptr : &stack.back();
      const PathId path = Path("f", around == nullptr ? PathId::kNone : around->path);
      stack.push_back(Begin(&thread_a_, path, around));
    }
    while (!stack.empty()) {
      const Open open = stack.back();
      stack.pop_back();
      End(&thread_a_, open);
    }
    EXPECT_FALSE(borders_->AnythingOpen());
  }
  for (const EndedEpoch& epoch : AllEpochs()) {
    EXPECT_LE(Ranges(epoch), RangeBorders::kRangesPerEpoch);
    EXPECT_LE(epoch.slots.size(), RangeBorders::kSlots);
  }
}

// --- what counting costs ----------------------------------------------------------

TEST_F(BorderEpochs, ChargeWhatASetSlowsOnceThoughRegionsNest) {
  Arm({{"time", 2}, {"flop", 2}}, kOnlyFirst);
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  host_ns_ = kMs;
  RunNested(outer, inner, 1);
  host_ns_ = 45 * kMs;
  RunNested(outer, inner, 1);
  EXPECT_GT(borders_->costs().slowed_ns, 40 * kMs);
  EXPECT_LE(borders_->costs().slowed_ns, 44 * kMs);
}

TEST_F(BorderEpochs, ChargeWhatASetSlowsThoughNoCallIsWhole) {
  Arm({{"time", 2}, {"flop", 2}}, kOnlyFirst);
  recorder_.Serve(*borders_);
  for (const uint64_t host_ns : {kMs, 45 * kMs}) {
    host_ns_ = host_ns;
    const Open open_a = Begin(&thread_a_, Path("a"));
    const Open open_b = Begin(&thread_b_, Path("b"));
    EXPECT_EQ(End(&thread_a_, open_a).uncounted, Uncounted::kOverlapped);
    EXPECT_EQ(End(&thread_b_, open_b).uncounted, Uncounted::kOverlapped);
  }
  EXPECT_GT(borders_->costs().slowed_ns, 40 * kMs);
}

// --- contexts come and go ---------------------------------------------------------

TEST_F(BorderEpochs, TakeACallFromBeforeANewContextForOneThatRunsBeside) {
  Arm({{"time", 200}});
  const Open old = Begin(&thread_a_, Path("old"));
  EXPECT_TRUE(borders_->Retire(true));
  borders_->CloseEpoch();
  Arm({{"time", 200}}, kAnyPrice);
  recorder_.Serve(*borders_);
  const PathId other = Path("other");
  EXPECT_EQ(Run(&thread_b_, other).uncounted, Uncounted::kOverlapped);
  End(&thread_a_, old);
  EXPECT_NE(Run(&thread_b_, other).epoch, 0u);
  EXPECT_FALSE(borders_->AnythingOpen());
}

TEST_F(BorderEpochs, UnwindCallsThatEndBetweenTwoContexts) {
  Arm({{"time", 200}});
  const PathId outer = Path("outer");
  const Open open_outer = Begin(&thread_a_, outer);
  const Open open_inner = Begin(&thread_a_, Path("inner", outer), &open_outer);
  EXPECT_TRUE(borders_->Retire(true));
  borders_->CloseEpoch();
  End(&thread_a_, open_inner);
  End(&thread_a_, open_outer);
  EXPECT_FALSE(borders_->AnythingOpen());
  Arm({{"time", 200}});
  EXPECT_NE(Run(&thread_b_, Path("other")).epoch, 0u);
}

TEST_F(BorderEpochs, HaveNothingToEndWhenTheNextOneWasOnlyAskedFor) {
  Arm({{"time"}, {"memory"}});
  Run(&thread_a_, Path("a"));
  Pause();
  recorder_.woken = false;
  std::thread target([&] { Begin(&thread_a_, Path("a")); });
  WaitFor([&] { return recorder_.woken.load(); });
  EXPECT_FALSE(borders_->Retire(false));
  target.join();
}

}  // namespace
}  // namespace rafter
