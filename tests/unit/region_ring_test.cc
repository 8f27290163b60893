#include "inject/record/region_ring.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace rafter {
namespace {

TEST(RegionRing, ReturnsRegionsInOrder) {
  auto ring = std::make_unique<RegionRing>();
  for (uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(ring->TryPush({.start_ns = i}));
  FinishedRegion region;
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(ring->TryPop(region));
    EXPECT_EQ(region.start_ns, i);
  }
  EXPECT_FALSE(ring->TryPop(region));
}

TEST(RegionRing, RefusesWhenFullAndTakesAgainAfterAPop) {
  auto ring = std::make_unique<RegionRing>();
  for (size_t i = 0; i < RegionRing::kCapacity; ++i) ASSERT_TRUE(ring->TryPush({}));
  EXPECT_FALSE(ring->TryPush({}));
  FinishedRegion region;
  ASSERT_TRUE(ring->TryPop(region));
  EXPECT_TRUE(ring->TryPush({}));
  EXPECT_FALSE(ring->TryPush({}));
}

TEST(RegionRing, LosesNothingBetweenManyThreadsAndOneReader) {
  auto ring = std::make_unique<RegionRing>();
  constexpr uint64_t kThreads = 8;
  constexpr uint64_t kEach = 50'000;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < kEach; ++i) {
        while (!ring->TryPush({.start_ns = i, .thread = static_cast<uint32_t>(t)})) {
          std::this_thread::yield();
        }
      }
    });
  }
  std::vector<uint64_t> next(kThreads, 0);
  uint64_t got = 0;
  FinishedRegion region;
  while (got < kThreads * kEach) {
    if (!ring->TryPop(region)) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(region.start_ns, next[region.thread]++);  // each thread's own order holds
    ++got;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(ring->TryPop(region));
}

}  // namespace
}  // namespace rafter
