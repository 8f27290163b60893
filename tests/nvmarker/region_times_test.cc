#include "marker/nvmarker/region_times.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

namespace rafter {
namespace {

TEST(RegionTimes, AddsUpCallsAndTime) {
  const auto times = std::make_unique<RegionTimes>();
  times->Opened("a", 100);
  times->Opened("b", 110);
  times->Closed("a", 150);
  times->Closed("b", 111);
  times->Opened("a", 200);
  times->Closed("a", 205);
  EXPECT_EQ(times->Of("a").calls, 2u);
  EXPECT_EQ(times->Of("a").time_ns, 55u);
  EXPECT_EQ(times->Of("b").time_ns, 1u);
  EXPECT_EQ(times->Of("c").calls, 0u);
}

TEST(RegionTimes, KeepsTheSameRegionOfTwoThreadsApart) {
  const auto times = std::make_unique<RegionTimes>();
  times->Opened("a", 100);
  std::thread([&] {
    times->Closed("a", 120);  // not open here
    times->Opened("a", 130);
    times->Closed("a", 140);
  }).join();
  times->Closed("a", 200);
  EXPECT_EQ(times->Of("a").calls, 2u);
  EXPECT_EQ(times->Of("a").time_ns, 110u);
}

TEST(RegionTimes, BeginsAnewAfterAReset) {
  const auto times = std::make_unique<RegionTimes>();
  times->Opened("a", 1);
  times->Closed("a", 2);
  times->Reset("a");
  EXPECT_EQ(times->Of("a").calls, 0u);
  times->Opened("a", 5);
  times->Closed("a", 8);
  EXPECT_EQ(times->Of("a").time_ns, 3u);
}

TEST(RegionTimes, KeepsNothingOfNamesBeyondItsRoom) {
  const auto times = std::make_unique<RegionTimes>();
  for (size_t name = 0; name < RegionTimes::kMaxNames + 10; ++name) {
    times->Opened(std::to_string(name), 1);
    times->Closed(std::to_string(name), 2);
  }
  EXPECT_EQ(times->Of("0").calls, 1u);
  EXPECT_EQ(times->Of(std::to_string(RegionTimes::kMaxNames - 1)).calls, 1u);
  EXPECT_EQ(times->Of(std::to_string(RegionTimes::kMaxNames + 9)).calls, 0u);
}

TEST(RegionTimes, LetsNoOpenRegionGoBelowItsRoom) {
  const auto times = std::make_unique<RegionTimes>();
  constexpr size_t kOpen = 512;
  for (size_t name = 0; name < kOpen; ++name) times->Opened(std::to_string(name), 1);
  for (size_t name = 0; name < kOpen; ++name) times->Closed(std::to_string(name), 2);
  for (size_t name = 0; name < kOpen; ++name) {
    EXPECT_EQ(times->Of(std::to_string(name)).calls, 1u) << name;
  }
}

}  // namespace
}  // namespace rafter
