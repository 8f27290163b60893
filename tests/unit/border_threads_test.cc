// Many threads at once: what must hold whatever they do.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/borders_fixture.h"

namespace rafter {
namespace {

constexpr uint64_t kMs = 1'000'000;

class BorderThreads : public BordersTest {
 protected:
  static constexpr int kThreads = 4;
  static constexpr size_t kDepth = 3;

  // The same numbers in every run, of its own for each thread.
  class Dice {
   public:
    explicit Dice(uint32_t seed) : state_(seed * 2654435761u + 1) {}
    uint32_t Next(uint32_t below) {
      state_ = state_ * 1664525u + 1013904223u;
      return (state_ >> 16) % below;
    }

   private:
    uint32_t state_;
  };

  void Keep(const FinishedRegion& finished) {
    const std::lock_guard<std::mutex> lock(mutex_);
    finished_.push_back(finished);
  }

  void EndTop(const void* owner, std::vector<Open>& stack) {
    const Open open = stack.back();
    stack.pop_back();
    Keep(End(owner, open));
  }

  // Regions begin and end at random, nested and not.
  void RunAtRandom(int thread, int steps, int names) {
    Dice dice(static_cast<uint32_t>(thread) + 1);
    std::vector<Open> stack;
    for (int i = 0; i < steps; ++i) {
      const bool begin = stack.size() < kDepth && (stack.empty() || dice.Next(2) == 0);
      if (begin) {
        const Open* around = stack.empty() ? nullptr : &stack.back();
        const std::string name(1, static_cast<char>('a' + dice.Next(static_cast<uint32_t>(names))));
        const PathId path = Path(name.c_str(), around == nullptr ? PathId::kNone : around->path);
        stack.push_back(Begin(&owners_[static_cast<size_t>(thread)], path, around));
      } else {
        EndTop(&owners_[static_cast<size_t>(thread)], stack);
      }
    }
    while (!stack.empty()) EndTop(&owners_[static_cast<size_t>(thread)], stack);
  }

  void RunAll(int threads, int steps, int names) {
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([this, thread, steps, names] { RunAtRandom(thread, steps, names); });
    }
    for (std::thread& thread : running) thread.join();
  }

  void CheckWhatMustHold() {
    EXPECT_FALSE(borders_->AnythingOpen());
    recorder_.Stop();
    recorder_.ServeOnce(*borders_);
    std::vector<EndedEpoch> epochs = recorder_.epochs;
    if (Running()) epochs.push_back(borders_->CloseEpoch());
    int open = 0;
    for (const std::string& entry : log_) {
      open += entry == "-" ? -1 : 1;
      ASSERT_TRUE(open == 0 || open == 1);  // ranges never nest
    }
    EXPECT_EQ(open, 0);

    std::map<uint32_t, std::map<PathId, uint64_t>> whole;
    for (const FinishedRegion& finished : finished_) {
      if (finished.epoch == 0) {
        EXPECT_NE(finished.uncounted, Uncounted::kCounted);
      } else {
        EXPECT_EQ(finished.uncounted, Uncounted::kCounted);
        ++whole[finished.epoch][finished.path];
      }
    }
    std::map<uint32_t, uint32_t> chains;
    uint64_t ranges = 0;
    for (const EndedEpoch& epoch : epochs) {
      EXPECT_LE(Ranges(epoch), RangeBorders::kRangesPerEpoch);
      EXPECT_LE(epoch.slots.size(), RangeBorders::kSlots);
      ranges += Ranges(epoch);
      if (epoch.chain != 0) ++chains[epoch.chain];
      for (const EpochSlot& slot : epoch.slots) {
        EXPECT_LE(slot.cut_segments, slot.segments);
        if (paths_->Entry(slot.path)->member_count > 0) {
          EXPECT_EQ(slot.instances, slot.segments);
          continue;
        }
        EXPECT_EQ(slot.instances, whole[epoch.epoch][slot.path]);
        whole[epoch.epoch].erase(slot.path);
      }
      for (const auto& [path, count] : whole[epoch.epoch]) EXPECT_EQ(count, 0u);
      whole.erase(epoch.epoch);
    }
    EXPECT_TRUE(whole.empty());  // the epoch of every whole call exists
    EXPECT_EQ(ranges * 2, log_.size());
    for (const auto& [first, length] : chains) EXPECT_LE(length, RangeBorders::kMaxChain);
  }

  std::mutex mutex_;
  std::vector<FinishedRegion> finished_;
  std::array<int, kThreads> owners_{};
};

TEST_F(BorderThreads, KeepTheirBooksWithFourAtRandom) {
  Arm({{"time", 3}, {"memory", 3}, {"sm", 2}, {"flop", 2, false, true}},
      {.overhead_ppm = 1'000'000'000});
  recorder_.Serve(*borders_, true);
  RunAll(kThreads, 5'000, 2);
  CheckWhatMustHold();
}

TEST_F(BorderThreads, KeepTheirBooksWithOneAtRandomAndLoseNothing) {
  Arm({{"time", 3}, {"memory", 3}, {"sm", 2}, {"flop", 2, false, true}},
      {.overhead_ppm = 1'000'000'000});
  recorder_.Serve(*borders_);
  RunAll(1, 20'000, 4);
  for (const FinishedRegion& finished : finished_) {
    EXPECT_NE(finished.uncounted, Uncounted::kNoSlot);
    EXPECT_NE(finished.uncounted, Uncounted::kOverlapped);
  }
  CheckWhatMustHold();
}

TEST_F(BorderThreads, KeepTheirBooksWhileOthersWantTheGpuAndASetIsGivenUp) {
  Arm({{"time", 3}, {"flop", 2, false, true}}, {.overhead_ppm = 1'000'000'000});
  recorder_.wanted = true;
  recorder_.Serve(*borders_, true);
  std::thread gives_up([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    borders_->GiveUpPatching();
  });
  RunAll(kThreads, 5'000, 2);
  gives_up.join();
  CheckWhatMustHold();
}

TEST_F(BorderThreads, CountEveryCallOfOneThreadWhereAskedTo) {
  Arm({{"time"}, {"memory"}}, {.overhead_ppm = 0, .exact = true});
  recorder_.Serve(*borders_);
  std::vector<Open> stack;
  for (int i = 0; i < 500; ++i) {
    const PathId outer = Path("outer");
    const Open open = Begin(&owners_[0], outer);
    for (int inside = 0; inside < i % 7; ++inside) {
      EXPECT_NE(Run(&owners_[0], Path("inner", outer), &open).epoch, 0u);
    }
    EXPECT_NE(End(&owners_[0], open).epoch, 0u);
  }
}

// Two threads, one of which always has a region open: neither is ever alone.
TEST_F(BorderThreads, VisitEverySetThoughSomethingIsAlwaysOpen) {
  Arm({{"time", 2}, {"memory", 2}}, {.overhead_ppm = 0});
  recorder_.Serve(*borders_);
  const PathId a = Path("a");
  const PathId b = Path("b");
  Open open_a = Begin(&owners_[0], a);
  for (int i = 0; i < 3000; ++i) {
    const Open open_b = Begin(&owners_[1], b);
    End(&owners_[0], open_a);
    open_a = Begin(&owners_[0], a);
    End(&owners_[1], open_b);
  }
  End(&owners_[0], open_a);
  recorder_.Stop();
  std::map<uint32_t, uint64_t> stretches;
  for (const EndedEpoch& epoch : recorder_.epochs) {
    for (const EpochSlot& slot : epoch.slots) {
      if (paths_->Entry(slot.path)->member_count > 0) stretches[epoch.pass] += slot.instances;
    }
  }
  EXPECT_GT(stretches[0], 0u);
  EXPECT_GT(stretches[1], 0u);
}

TEST_F(BorderThreads, ChargeTimeForWhichSeveralWaitOnce) {
  Arm({{"time"}, {"memory"}}, {.overhead_ppm = 0});
  recorder_.stalled = true;
  recorder_.Serve(*borders_);
  Run(&owners_[0], Path("a"));
  const uint64_t start_ns = NowNs();
  std::vector<std::thread> waiting;
  for (int thread = 0; thread < kThreads; ++thread) {
    waiting.emplace_back([this, thread] { Run(&owners_[static_cast<size_t>(thread)], Path("a")); });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  recorder_.stalled = false;
  for (std::thread& thread : waiting) thread.join();
  EXPECT_GT(borders_->costs().rotation_ns, 50 * kMs);
  EXPECT_LE(borders_->costs().rotation_ns, NowNs() - start_ns);
}

TEST_F(BorderThreads, ArmANewContextWhileRegionsAreOpen) {
  for (int life = 0; life < 20; ++life) {
    Arm({{"time", 3}, {"memory", 3}}, {.overhead_ppm = 1'000'000'000});
    recorder_.Serve(*borders_);
    std::vector<std::thread> running;
    for (int thread = 0; thread < kThreads; ++thread) {
      running.emplace_back([this, thread] { RunAtRandom(thread, 400, 3); });
    }
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    recorder_.Stop();  // who ends the context owns the range session
    recorder_.ServeOnce(*borders_);
    if (borders_->Retire(true)) borders_->CloseEpoch();
    Arm({{"time", 3}, {"memory", 3}}, {.overhead_ppm = 1'000'000'000});
    recorder_.Serve(*borders_);
    for (std::thread& thread : running) thread.join();
    EXPECT_FALSE(borders_->AnythingOpen());
    // Nothing is left that the next region would be taken to run beside.
    FinishedRegion alone;
    for (int i = 0; i < 4; ++i) {
      const Open open = Begin(&owners_[0], Path("alone"));
      alone = End(&owners_[0], open);
      EXPECT_NE(alone.uncounted, Uncounted::kOverlapped);
    }
    recorder_.Stop();
    recorder_.ServeOnce(*borders_);
    if (borders_->Retire(true)) borders_->CloseEpoch();
  }
}

}  // namespace
}  // namespace rafter
