#include "inject/counters/range_borders.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "inject/clock.h"
#include "tests/fakes/opening_cupti.h"

namespace rafter {
namespace {

// What reaches CUPTI, in order: "+1" opens a range named 1, "-" closes one.
std::vector<std::string>* g_log = nullptr;
CUptiResult g_push_answer = CUPTI_SUCCESS;

CuptiTable RecordingCupti() {
  CuptiTable table = OpeningCupti();
  table.cuptiRangeProfilerPushRange = [](CUpti_RangeProfiler_PushRange_Params* params) {
    if (g_push_answer == CUPTI_SUCCESS) g_log->push_back("+" + std::string(params->pRangeName));
    return g_push_answer;
  };
  table.cuptiRangeProfilerPopRange = [](CUpti_RangeProfiler_PopRange_Params*) {
    g_log->push_back("-");
    return CUPTI_SUCCESS;
  };
  return table;
}

// Arms and changes passes on a thread of its own, as the recorder does.
class FakeRecorder final : public RangeBorders::Recorder {
 public:
  void Wake() noexcept override { woken = true; }
  void Overlapped(const FinishedRegion& stretch) noexcept override { overlaps.push_back(stretch); }

  void Serve(RangeBorders& borders) {
    thread_ = std::thread([this, &borders] {
      while (!done_) {
        const RangeBorders::Request request = borders.TakeRequest();
        if (request.work == RangeBorders::Work::kRotate) {
          epochs.push_back(borders.CloseEpoch());
          borders.Resume(request.target_pass);
        }
        if (request.work == RangeBorders::Work::kPause) {
          epochs.push_back(borders.CloseEpoch());
          borders.Paused();
          ++pauses_;
        }
        if (request.work == RangeBorders::Work::kArm) {  // our context lives
          ++refusals;
          borders.Paused();
        }
        std::this_thread::yield();
      }
    });
  }
  void Stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
  }

  void WaitForPauses(int count) {
    while (pauses_ < count) std::this_thread::yield();
  }

  std::atomic<bool> woken{false};
  std::atomic<int> refusals{0};
  std::vector<FinishedRegion> overlaps;
  std::vector<EndedEpoch> epochs;

 private:
  std::atomic<bool> done_{false};
  std::atomic<int> pauses_{0};
  std::thread thread_;
};

class Borders : public testing::Test {
 protected:
  void SetUp() override {
    log_.clear();
    g_log = &log_;
    g_push_answer = CUPTI_SUCCESS;
    paths_ = std::make_unique<PathTable>();
    borders_ = std::make_unique<RangeBorders>(*paths_, recorder_);
    DeviceFacts facts;
    ASSERT_TRUE(session_.Open(&cupti_, &context_, facts).ok());
  }
  void TearDown() override { recorder_.Stop(); }

  void Arm(std::vector<ScheduledPass> passes = {{"time", 200, false}}, uint32_t flop_first = 0,
           uint32_t flop_passes = 0) {
    borders_->Armed(&session_, std::move(passes), flop_first, flop_passes);
  }
  PathId Path(const char* name, PathId parent = PathId::kNone) {
    return paths_->Find(parent, 0, name);
  }
  OpenRegion Begin(const void* owner, PathId path, const OpenRegion* around = nullptr) {
    OpenRegion open;
    open.path = path;
    borders_->Begin(owner, around, &context_, open);
    return open;
  }
  FinishedRegion End(const void* owner, const OpenRegion& open, PathId enclosing = PathId::kNone) {
    FinishedRegion finished;
    finished.path = open.path;
    borders_->End(owner, enclosing, open, finished);
    return finished;
  }
  const EpochSlot* SlotOf(const EndedEpoch& epoch, PathId path) {
    for (const EpochSlot& slot : epoch.slots) {
      if (slot.path == path) return &slot;
    }
    return nullptr;
  }

  CuptiTable cupti_ = RecordingCupti();
  std::vector<std::string> log_;
  std::unique_ptr<PathTable> paths_;
  FakeRecorder recorder_;
  RangeSession session_;
  std::unique_ptr<RangeBorders> borders_;
  int context_ = 0;
  int thread_a_ = 0;
  int thread_b_ = 0;
};

TEST_F(Borders, CloseTheOpenRangeAndOpenOneForTheNewStack) {
  Arm();
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  const OpenRegion open_outer = Begin(&thread_a_, outer);
  const OpenRegion open_inner = Begin(&thread_a_, inner, &open_outer);
  EXPECT_NE(End(&thread_a_, open_inner, outer).epoch, 0u);
  EXPECT_NE(End(&thread_a_, open_outer).epoch, 0u);
  EXPECT_EQ(log_, (std::vector<std::string>{"+1", "-", "+2", "-", "+1", "-"}));
  const EndedEpoch epoch = borders_->CloseEpoch();
  EXPECT_EQ(SlotOf(epoch, outer)->instances, 1u);
  EXPECT_EQ(SlotOf(epoch, outer)->segments, 2u);
  EXPECT_EQ(SlotOf(epoch, inner)->instances, 1u);
  EXPECT_EQ(SlotOf(epoch, inner)->segments, 1u);
}

TEST_F(Borders, NameStretchesThatThreadsShareByAllOfThemAndCountNeitherCall) {
  Arm();
  const PathId a = Path("a");
  const PathId b = Path("b");
  const OpenRegion open_a = Begin(&thread_a_, a);
  const OpenRegion open_b = Begin(&thread_b_, b);
  const FinishedRegion end_a = End(&thread_a_, open_a);
  const FinishedRegion end_b = End(&thread_b_, open_b);
  EXPECT_EQ(end_a.uncounted, Uncounted::kOverlapped);
  EXPECT_EQ(end_b.uncounted, Uncounted::kOverlapped);
  EXPECT_EQ(log_, (std::vector<std::string>{"+1", "-", "+3", "-", "+2", "-"}));
  ASSERT_EQ(recorder_.overlaps.size(), 1u);
  EXPECT_EQ(paths_->Entry(recorder_.overlaps[0].path)->member_count, 2u);
  const EndedEpoch epoch = borders_->CloseEpoch();
  EXPECT_EQ(SlotOf(epoch, a)->instances, 0u);
  EXPECT_EQ(SlotOf(epoch, a)->incomplete, 1u);
  EXPECT_EQ(SlotOf(epoch, PathId{3})->instances, 1u);
}

TEST_F(Borders, NeverOpenMoreRangesInAnEpochThanCuptiHolds) {
  Arm({{"time", 255, false}});
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  const OpenRegion open_outer = Begin(&thread_a_, outer);
  for (size_t i = 0; i < RangeBorders::kRangesPerEpoch; ++i) {
    const OpenRegion open_inner = Begin(&thread_a_, inner, &open_outer);
    End(&thread_a_, open_inner, outer);
  }
  const FinishedRegion end_outer = End(&thread_a_, open_outer);
  EXPECT_EQ(end_outer.epoch, 0u);
  EXPECT_EQ(end_outer.uncounted, Uncounted::kNoSlot);
  const auto opened = std::count_if(log_.begin(), log_.end(),
                                    [](const std::string& entry) { return entry[0] == '+'; });
  EXPECT_EQ(static_cast<size_t>(opened), RangeBorders::kRangesPerEpoch);
  EXPECT_EQ(SlotOf(borders_->CloseEpoch(), outer)->incomplete, 1u);
}

TEST_F(Borders, EndTheEpochWhenNamesOutnumberSlotsAndLoseNone) {
  Arm({{"time", 1, false}});
  recorder_.Serve(*borders_);
  for (size_t i = 0; i < 3 * RangeBorders::kSlots; ++i) {
    const OpenRegion open = Begin(&thread_a_, Path(("region" + std::to_string(i)).c_str()));
    EXPECT_NE(End(&thread_a_, open).epoch, 0u) << i;
  }
  recorder_.Stop();
  ASSERT_EQ(recorder_.epochs.size(), 2u);
  for (const EndedEpoch& epoch : recorder_.epochs) {
    EXPECT_EQ(epoch.slots.size(), RangeBorders::kSlots);
  }
}

TEST_F(Borders, MeasureARegionInEverySetWithinOneRun) {
  Arm({{"time", 8, false}, {"memory", 3, false}, {"sm", 2, false}, {"flop", 2, false}}, 3, 1);
  recorder_.Serve(*borders_);
  const PathId a = Path("a");
  for (int i = 0; i < 4; ++i) End(&thread_a_, Begin(&thread_a_, a));
  recorder_.Stop();
  ASSERT_EQ(recorder_.epochs.size(), 3u);
  for (uint32_t pass = 0; pass < 3; ++pass) {
    EXPECT_EQ(recorder_.epochs[pass].pass, pass);
    EXPECT_EQ(SlotOf(recorder_.epochs[pass], a)->instances, 1u);
  }
}

TEST_F(Borders, LeaveACallOutOfWhichAPartWentToAnotherContext) {
  Arm();
  const OpenRegion open = Begin(&thread_a_, Path("a"));
  borders_->ForeignLaunch();
  const FinishedRegion end = End(&thread_a_, open);
  EXPECT_EQ(end.epoch, 0u);
  EXPECT_EQ(end.uncounted, Uncounted::kOtherDevice);
  EXPECT_EQ(SlotOf(borders_->CloseEpoch(), Path("a"))->incomplete, 1u);
}

TEST_F(Borders, CountARegionInsideOneThatBeganBeforeThereWasAContext) {
  const PathId outer = Path("main");
  const PathId inner = Path("step", outer);
  OpenRegion early;
  early.path = outer;
  borders_->Begin(&thread_a_, nullptr, nullptr, early);
  EXPECT_EQ(early.uncounted, Uncounted::kNoContext);
  Arm();
  const OpenRegion open = Begin(&thread_a_, inner, &early);
  EXPECT_NE(End(&thread_a_, open).epoch, 0u);
  EXPECT_EQ(End(&thread_a_, early).uncounted, Uncounted::kNoContext);
  const EndedEpoch epoch = borders_->CloseEpoch();
  EXPECT_EQ(SlotOf(epoch, inner)->instances, 1u);
  // Its share must not enlarge calls of `main` that this epoch counts whole.
  EXPECT_EQ(SlotOf(epoch, outer)->incomplete, 1u);
}

TEST_F(Borders, LeaveWhatIsInsideASkippedCallUncounted) {
  Arm({{"time", 1, false}});
  recorder_.Serve(*borders_);
  const PathId outer = Path("outer");
  for (int i = 0; i < 300; ++i) {  // its share of the resting epoch is used up
    End(&thread_a_, Begin(&thread_a_, outer));
  }
  const OpenRegion open_outer = Begin(&thread_a_, outer);
  ASSERT_EQ(open_outer.uncounted, Uncounted::kResting);
  const OpenRegion open_inner = Begin(&thread_a_, Path("inner", outer), &open_outer);
  EXPECT_EQ(open_inner.uncounted, Uncounted::kResting);
}

TEST_F(Borders, TurnCountersOffForGoodWhenCuptiRefusesARange) {
  Arm();
  g_push_answer = CUPTI_ERROR_INVALID_PARAMETER;
  const OpenRegion open = Begin(&thread_a_, Path("a"));
  EXPECT_NE(End(&thread_a_, open).uncounted, Uncounted::kCounted);
  g_push_answer = CUPTI_SUCCESS;
  EXPECT_EQ(Begin(&thread_a_, Path("b")).uncounted, Uncounted::kCountersOff);
}

TEST_F(Borders, CloseAFlopRangeAtOnceWhenFlopIsGivenUp) {
  Arm({{"flop", 2, false}}, 0, 1);
  const OpenRegion open = Begin(&thread_a_, Path("a"));
  EXPECT_TRUE(borders_->FlopRangeOpen());
  borders_->GiveUp("flop");
  EXPECT_FALSE(borders_->FlopRangeOpen());
  EXPECT_EQ(log_, (std::vector<std::string>{"+1", "-"}));
  EXPECT_EQ(End(&thread_a_, open).uncounted, Uncounted::kLeftOut);
}

TEST_F(Borders, MarkWhatIsStillOpenAtTheEndAsIncomplete) {
  Arm();
  const PathId outer = Path("outer");
  const OpenRegion open_outer = Begin(&thread_a_, outer);
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
  const OpenRegion open_b = Begin(&thread_b_, b);  // has what it needs, in both sets
  ASSERT_EQ(open_b.uncounted, Uncounted::kResting);
  const OpenRegion open_a = Begin(&thread_a_, a);  // lacks this set; holds the work of b as well
  ASSERT_TRUE(open_a.borders);
  EXPECT_EQ(End(&thread_b_, open_b).uncounted, Uncounted::kResting);
  EXPECT_EQ(End(&thread_a_, open_a).uncounted, Uncounted::kOverlapped);
  const FinishedRegion alone = End(&thread_a_, Begin(&thread_a_, a));
  EXPECT_NE(alone.epoch, 0u);
}

TEST_F(Borders, CountACallWholeBesideOneOnAnotherDevice) {
  Arm();
  OpenRegion other;
  other.path = Path("other");
  borders_->Begin(&thread_b_, nullptr, &thread_b_, other);
  ASSERT_EQ(other.uncounted, Uncounted::kOtherDevice);
  EXPECT_NE(End(&thread_a_, Begin(&thread_a_, Path("a"))).epoch, 0u);
}

TEST_F(Borders, CountNoCallWholeInWhichItsThreadEnds) {
  Arm();
  const PathId a = Path("a");
  End(&thread_a_, Begin(&thread_a_, a));
  const OpenRegion open = Begin(&thread_a_, a);
  FinishedRegion finished;
  borders_->End(&thread_a_, PathId::kNone, open, finished, true);
  EXPECT_EQ(finished.uncounted, Uncounted::kTruncated);
  EXPECT_EQ(finished.epoch, 0u);
  const EndedEpoch epoch = borders_->CloseEpoch();
  EXPECT_EQ(SlotOf(epoch, a)->instances, 1u);
  EXPECT_EQ(SlotOf(epoch, a)->incomplete, 1u);
}

TEST_F(Borders, LeaveACallBehindThatWasOpenWhenItsContextWent) {
  Arm();
  const PathId outer = Path("outer");
  const PathId inner = Path("inner", outer);
  const OpenRegion open_outer = Begin(&thread_a_, outer);
  EXPECT_TRUE(borders_->Retire(true));
  borders_->CloseEpoch();
  log_.clear();
  Arm();  // on a new context
  const OpenRegion open_inner = Begin(&thread_a_, inner, &open_outer);
  const PathId enclosing = RangeBorders::Enclosing(&open_outer, open_inner);
  EXPECT_EQ(enclosing, PathId::kNone);
  EXPECT_NE(End(&thread_a_, open_inner, enclosing).epoch, 0u);
  EXPECT_EQ(End(&thread_a_, open_outer).epoch, 0u);
  EXPECT_EQ(log_, (std::vector<std::string>{"+2", "-"}));  // nothing is open, nothing of `outer`
  const EndedEpoch epoch = borders_->CloseEpoch();
  EXPECT_EQ(SlotOf(epoch, outer)->incomplete, 1u);
  EXPECT_EQ(SlotOf(epoch, inner)->instances, 1u);
}

TEST_F(Borders, WithdrawAtTheEndWhatTheRecorderHasNotBegun) {
  Arm({{"time", 1, false}, {"memory", 1, false}});
  End(&thread_a_, Begin(&thread_a_, Path("a")));
  OpenRegion second;
  std::thread target([&] { second = Begin(&thread_a_, Path("a")); });  // asks for a rotation
  while (!recorder_.woken) std::this_thread::yield();
  const uint64_t before = NowNs();
  EXPECT_TRUE(borders_->Retire(false));
  target.join();
  EXPECT_LT(NowNs() - before, RangeBorders::kRotationDeadlineNs / 2);
  EXPECT_EQ(second.uncounted, Uncounted::kCountersOff);
  EXPECT_EQ(borders_->TakeRequest().work, RangeBorders::Work::kNone);
  EXPECT_EQ(SlotOf(borders_->CloseEpoch(), Path("a"))->instances, 1u);
}

TEST_F(Borders, StayOffWhenSetUpEndsTooLate) {
  borders_->Off();
  Arm();
  EXPECT_EQ(Begin(&thread_a_, Path("a")).uncounted, Uncounted::kCountersOff);
  EXPECT_TRUE(log_.empty());
}

TEST_F(Borders, AskOnceForEachOtherContextWhileCountingPauses) {
  Arm({{"time", 1, false}});
  recorder_.Serve(*borders_);
  const PathId a = Path("a");
  for (int i = 0; i < 300; ++i) End(&thread_a_, Begin(&thread_a_, a));
  recorder_.WaitForPauses(1);
  for (int i = 0; i < 20; ++i) {
    for (int* context : {&thread_a_, &thread_b_}) {
      OpenRegion open;
      open.path = a;
      borders_->Begin(&thread_b_, nullptr, context, open);
      EXPECT_EQ(open.uncounted, Uncounted::kOtherDevice);
      End(&thread_b_, open);
    }
  }
  recorder_.Stop();
  EXPECT_EQ(recorder_.refusals, 2);
}

}  // namespace
}  // namespace rafter
