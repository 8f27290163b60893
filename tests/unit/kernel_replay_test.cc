#include "inject/counters/kernel_replay.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace rafter {
namespace {

constexpr PathId kLaunch{7};
constexpr PathId kOther{8};

class Replays : public testing::Test {
 protected:
  Replays() { replay_.Resume(1); }

  // One launch after the other; whether the last one filled the image.
  bool Launch(int times = 1, PathId path = kLaunch, bool failed = false) {
    bool full = false;
    for (int i = 0; i < times; ++i) {
      replay_.Begin(path);
      full = replay_.End(failed);
    }
    return full;
  }
  // The image, which holds the launches of these numbers.
  KernelReplay::Books Read(const std::vector<uint32_t>& numbers) {
    KernelReplay::Books books = replay_.Take();
    replay_.Check(books, numbers);
    replay_.Resume(++epochs_);
    return books;
  }
  static std::vector<uint32_t> From(uint32_t first, uint32_t count) {
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < count; ++i) numbers.push_back(first + i);
    return numbers;
  }
  // Numbers of the ranges that belong to launches.
  static std::vector<uint32_t> Owned(const KernelReplay::Books& books) {
    std::vector<uint32_t> numbers;
    for (const EpochSlot& slot : books.slots) {
      if (slot.segments > 0) numbers.push_back(slot.range - 1);
    }
    return numbers;
  }

  KernelReplay replay_;
  uint32_t epochs_ = 1;
};

TEST_F(Replays, NameLaunchesByTheirRunningNumber) {
  EXPECT_FALSE(Launch(3));
  Launch(1, PathId::kNone);  // outside of regions it has a number too
  Launch(1, kOther);
  EXPECT_EQ(Owned(Read(From(0, 5))), (std::vector<uint32_t>{0, 1, 2, 4}));
  Launch();
  EXPECT_EQ(Owned(Read({5})), (std::vector<uint32_t>{5}));
  EXPECT_EQ(replay_.ambiguous(), 0u);
}

TEST_F(Replays, AskForTheImageToBeReadWhenItIsFull) {
  EXPECT_FALSE(Launch(KernelReplay::kLaunches - 1));
  EXPECT_TRUE(Launch());
}

TEST_F(Replays, HaveNoNumberForALaunchThatFails) {
  Launch(2);
  Launch(1, kOther, true);
  Launch();
  EXPECT_EQ(Owned(Read(From(0, 3))), From(0, 3));
}

TEST_F(Replays, AttributeNoneOfAnImageThatHoldsOthersAndFindTheirWayAgain) {
  Launch(3);
  const KernelReplay::Books unlike = Read(From(0, 4));  // one that was not seen
  EXPECT_TRUE(Owned(unlike).empty());
  EXPECT_EQ(unlike.slots[0].incomplete, 1u);
  EXPECT_EQ(replay_.ambiguous(), 3u);
  Launch(2);
  EXPECT_EQ(Owned(Read(From(4, 2))), From(4, 2));
  Launch(2);
  EXPECT_TRUE(Owned(Read({})).empty());  // neither was one for CUPTI
  Launch();
  EXPECT_EQ(Owned(Read({6})), (std::vector<uint32_t>{6}));
}

TEST_F(Replays, AttributeNeitherOfTwoLaunchesAtOnce) {
  replay_.Begin(kLaunch);
  replay_.Begin(kOther);
  replay_.End(false);
  replay_.End(false);
  EXPECT_TRUE(Owned(Read(From(0, 2))).empty());
  Launch();
  replay_.Stray();  // of a thread that cannot be told from others
  EXPECT_TRUE(Owned(Read(From(2, 2))).empty());
}

TEST_F(Replays, BeginNoLaunchWhileAnImageIsRead) {
  Launch(KernelReplay::kLaunches);
  std::atomic<bool> begun{false};
  std::thread program([&] {
    replay_.Begin(kOther);
    begun = true;
    replay_.End(false);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(begun);
  EXPECT_EQ(Owned(Read(From(0, 16))), From(0, 16));
  program.join();
  EXPECT_EQ(Owned(Read({16})), (std::vector<uint32_t>{16}));
}

TEST_F(Replays, SayInWhichImageACallEndsAndCountNoneAfterTheLast) {
  EXPECT_EQ(replay_.Count(kOther), 1u);
  const KernelReplay::Books books = Read({});
  ASSERT_EQ(books.slots.size(), 1u);
  EXPECT_EQ(books.slots[0].instances, 1u);
  EXPECT_EQ(replay_.Count(kOther), 2u);
  replay_.Resume(0);
  EXPECT_EQ(replay_.Count(kOther), 0u);
}

TEST_F(Replays, NumberTheLaunchesOfAFreshContextFromTheStart) {
  Launch(2);
  Read(From(0, 2));
  replay_.Restart();
  Launch();
  EXPECT_EQ(Owned(Read({0})), (std::vector<uint32_t>{0}));
}

}  // namespace
}  // namespace rafter
