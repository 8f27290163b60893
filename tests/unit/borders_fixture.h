// BordersTest is RangeBorders over a CUPTI that writes down what it is asked, with a
// recorder of its own that changes passes.
//
//   Threads   the test's; with Serve one more, as the recorder is.
//   Blocking  WaitFor, until the recorder has done it.
//   Memory    what the borders take.
//   Lifetime  of one test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "inject/clock.h"
#include "inject/counters/range_borders.h"
#include "tests/fakes/opening_cupti.h"

namespace rafter {

// What reaches CUPTI, in order: "+1" opens a range named 1, "-" closes one.
inline std::vector<std::string>* g_log = nullptr;
inline CUptiResult g_push_answer = CUPTI_SUCCESS;

inline CuptiTable RecordingCupti() {
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

// Changes passes on a thread of its own, as the recorder does.
class FakeRecorder final : public RangeBorders::Recorder {
 public:
  void Wake() noexcept override { woken = true; }
  void Overlapped(const FinishedRegion& stretch) noexcept override { overlaps.push_back(stretch); }

  // `ticks`: time passes for the borders, and somebody waits for the GPU where `wanted`.
  void Serve(RangeBorders& borders, bool ticks = false) {
    done_ = false;
    thread_ = std::thread([this, &borders, ticks] {
      while (!done_) {
        if (!stalled) ServeOnce(borders);
        if (ticks && !stalled) borders.Tick(NowNs(), wanted);
        std::this_thread::yield();
      }
    });
  }
  void ServeOnce(RangeBorders& borders) {
    const RangeBorders::Request request = borders.TakeRequest();
    if (request.work == RangeBorders::Work::kRotate) {
      Close(borders);
      if (change_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(change_ns));
      running_ = true;
      borders.Resume(request.target_pass, ++epoch_);
    }
    if (request.work == RangeBorders::Work::kPause) {
      Close(borders);
      borders.Paused();
      ++pauses;
    }
  }
  void Stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
  }
  void Began(uint32_t epoch) {
    epoch_ = epoch;
    running_ = true;
  }

  std::atomic<bool> woken{false};
  std::atomic<bool> stalled{false};
  std::atomic<bool> wanted{false};
  std::atomic<uint64_t> change_ns{0};
  std::atomic<int> pauses{0};
  std::vector<FinishedRegion> overlaps;
  std::vector<EndedEpoch> epochs;  // read it after Stop

 private:
  void Close(RangeBorders& borders) {
    if (running_) epochs.push_back(borders.CloseEpoch());
    running_ = false;
  }

  std::atomic<bool> done_{false};
  std::atomic<bool> running_{false};
  std::atomic<uint32_t> epoch_{1};
  std::thread thread_;
};

class BordersTest : public testing::Test {
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

  void Arm(std::vector<ScheduledPass> passes = {{"time", 200}},
           SchedulerPolicy policy = {1'000'000}) {
    RangeBorders::Setup setup;
    setup.passes = std::move(passes);
    setup.policy = policy;
    setup.slot_for_each_call = slot_for_each_call_;
    borders_->Armed(&session_, setup, ++epochs_);
    recorder_.Began(epochs_);
  }
  PathId Path(const char* name, PathId parent = PathId::kNone) {
    return paths_->Find(parent, 0, name);
  }
  // A region that is open, as a thread's stack holds it.
  struct Open {
    PathId path = PathId::kNone;
    RegionShare share;
  };
  Open Begin(const void* owner, PathId path, const Open* around = nullptr) {
    Open open{path, {}};
    borders_->Begin(owner, around == nullptr ? nullptr : &around->share, path, open.share);
    return open;
  }
  FinishedRegion End(const void* owner, const Open& open, bool truncated = false) {
    FinishedRegion finished;
    finished.path = open.path;
    borders_->End(owner, open.path, host_ns_, open.share, finished, truncated);
    return finished;
  }
  // A region that holds nothing else.
  FinishedRegion Run(const void* owner, PathId path, const Open* around = nullptr) {
    const Open open = Begin(owner, path, around);
    return End(owner, open);
  }
  static EpochSlot SlotOf(const EndedEpoch& epoch, PathId path) {
    for (const EpochSlot& slot : epoch.slots) {
      if (slot.path == path) return slot;
    }
    return {};
  }
  static uint64_t Ranges(const EndedEpoch& epoch) {
    uint64_t sum = 0;
    for (const EpochSlot& slot : epoch.slots) sum += slot.segments;
    return sum;
  }
  template <typename Condition>
  static void WaitFor(Condition condition) {
    while (!condition()) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  bool Running() const { return borders_->state() == RangeBorders::State::kRunning; }

  CuptiTable cupti_ = RecordingCupti();
  std::vector<std::string> log_;
  std::unique_ptr<PathTable> paths_;
  FakeRecorder recorder_;
  RangeSession session_;
  std::unique_ptr<RangeBorders> borders_;
  int context_ = 0;
  int thread_a_ = 0;
  int thread_b_ = 0;
  bool slot_for_each_call_ = false;
  uint64_t host_ns_ = 1000;  // that every region says it took
  uint32_t epochs_ = 0;
};

}  // namespace rafter
