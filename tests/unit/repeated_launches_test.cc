// What rows say where CUPTI repeated each launch: ranges are launches, and a region
// is the sum over those inside it. Every expected number is worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/run_maker.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kMeasuredAlone[] = "kernels repeated by CUPTI, each measured alone";

// The range of one launch, by its number.
SlotValues LaunchSlot(uint32_t path, uint32_t number, Values values) {
  SlotValues slot = Slot(path, 0, std::move(values));
  slot.segments = 1;
  slot.range = number + 1;
  return slot;
}

// Passes that ended while the image was filled.
SlotValues Passes(uint32_t path, uint64_t passes) {
  SlotValues slot = Slot(path, passes, {});
  slot.segments = 0;
  return slot;
}

// Region "solve", called twice, with one launch of "f" and two of "g" in each call;
// the first image holds four launches, the second two.
class RepeatedLaunchRows : public ::testing::Test {
 protected:
  RepeatedLaunchRows() {
    maker_.device().wanted_sets = "memory,flop";
    maker_.device().sets = {MemorySet(), FlopSet()};
    Watch(maker_.Region(1, "solve", 2), 2, 6);
    AddLaunch(2, "f", 2);
    AddLaunch(3, "g", 4);
    AddSet("memory", [](double work) { return Memory(10 * work, 100 * work); });
    AddSet("flop", [](double work) { return Flop(work, 0, 0); });
  }

  static void Watch(RegionPath& region, uint64_t calls, uint64_t launches) {
    region.watched_calls = calls;
    region.launches = launches;
    region.least_launches = region.most_launches = launches / calls;
  }
  void AddLaunch(uint32_t path, const std::string& symbol, uint64_t launches) {
    RegionPath& region = maker_.Region(path, "", launches, 1);
    region.launch.emplace().symbol = symbol;
  }
  template <typename Make>
  void AddSet(const std::string& set, Make make) {
    const uint32_t chain = static_cast<uint32_t>(maker_.process().epochs.size() + 1);
    maker_
        .Epoch(set,
               {LaunchSlot(2, 0, make(1)), LaunchSlot(3, 1, make(2)), LaunchSlot(3, 2, make(4)),
                LaunchSlot(2, 3, make(1)), Passes(1, 1), Passes(2, 2), Passes(3, 2)})
        .chain = chain;
    maker_
        .Epoch(set,
               {LaunchSlot(3, 4, make(2)), LaunchSlot(3, 5, make(4)), Passes(1, 1), Passes(3, 2)})
        .chain = chain;
  }
  SlotValues& SlotOf(size_t epoch, size_t slot) {
    return maker_.process().epochs[epoch].slots[slot];
  }

  RunMaker maker_;
};

TEST_F(RepeatedLaunchRows, OfARegionAreTheSumOfItsLaunchesWithoutADuration) {
  const Row row = maker_.Make().rows.at(0);
  EXPECT_EQ(row.flop, 14);  // 1 + 2 + 4, twice
  EXPECT_EQ(row.traffic_bytes, 1400);
  EXPECT_EQ(row.flop_per_byte, 0.01);
  EXPECT_EQ(row.kernel_time_s, 140 / 1e9);
  EXPECT_EQ(row.metrics.at("gpu__time_duration.sum"), 140);
  EXPECT_FALSE(row.duration_s.has_value());
  EXPECT_FALSE(row.flop_per_s.has_value());
  EXPECT_FALSE(row.duration_spread.has_value());
  EXPECT_EQ(row.measured_calls, 2u);
  EXPECT_EQ(row.validity, "measured");
  EXPECT_THAT(row.reason, HasSubstr(kMeasuredAlone));
  EXPECT_THAT(row.reason, HasSubstr("Kernel Time is the sum over its launches"));
  EXPECT_THAT(row.reason, HasSubstr("no Duration and no performance"));
}

TEST_F(RepeatedLaunchRows, OfLaunchesHaveTheTimeInTheKernelAsTheirDuration) {
  const Row row = maker_.Make().rows.at(2);
  EXPECT_EQ(row.kernel, "g");
  EXPECT_EQ(row.calls, 4u);
  EXPECT_EQ(row.measured_calls, 4u);
  EXPECT_EQ(row.flop, 12);
  EXPECT_EQ(row.duration_s, 120 / 1e9);
  EXPECT_EQ(row.kernel_time_s, row.duration_s);
  EXPECT_EQ(row.flop_per_s, 12 / (120 / 1e9));
  EXPECT_EQ(row.validity, "measured");
  EXPECT_THAT(row.reason, HasSubstr(kMeasuredAlone));
  EXPECT_THAT(row.reason, Not(HasSubstr("Kernel Time")));
}

// Calls may do different work: every set has measured the same launches.
TEST_F(RepeatedLaunchRows, AreNotUnlikeWhereCallsLaunchDifferently) {
  maker_.process().paths[0].least_launches = 1;
  maker_.process().paths[0].most_launches = 5;
  EXPECT_EQ(maker_.Make().rows.at(0).validity, "measured");
  EXPECT_EQ(maker_.Make().rows.at(0).flop_per_byte, 0.01);
}

// A graph, or a launch of another thread, was seen in the region and not measured.
TEST_F(RepeatedLaunchRows, OfARegionWithALaunchThatWasNotMeasuredAreMissing) {
  maker_.process().paths[0].launches = 7;
  const Row row = maker_.Make().rows.at(0);
  EXPECT_FALSE(row.flop.has_value());
  EXPECT_FALSE(row.traffic_bytes.has_value());
  EXPECT_FALSE(row.kernel_time_s.has_value());
  EXPECT_EQ(row.validity, "missing");
  EXPECT_THAT(row.reason, HasSubstr("set flop measured 6 launches that are its own for certain, "
                                    "and 7 were seen in it: CUPTI repeats no CUDA graph"));
  EXPECT_EQ(maker_.Make().rows.at(2).flop, 12);
}

TEST_F(RepeatedLaunchRows, LackTheSetOfWhichAnImageWasLost) {
  maker_.process().epochs.pop_back();
  const Row row = maker_.Make().rows.at(0);
  EXPECT_EQ(row.traffic_bytes, 1400);
  EXPECT_FALSE(row.flop.has_value());
  EXPECT_EQ(row.validity, "partial");
  EXPECT_THAT(row.reason, HasSubstr("set flop measured 4 launches that are its own for certain, "
                                    "and 6 were seen in it"));
}

TEST_F(RepeatedLaunchRows, LeaveLaunchesOutThatTwoThreadsHadUnderWayAtOnce) {
  for (const size_t epoch : {1u, 3u}) SlotOf(epoch, 1).incomplete = 1;
  const Table table = maker_.Make();
  EXPECT_FALSE(table.rows.at(0).flop.has_value());
  const Row& row = table.rows.at(2);
  EXPECT_EQ(row.measured_calls, 3u);
  EXPECT_EQ(row.validity, "extrapolated");
  EXPECT_DOUBLE_EQ(*row.flop, 8.0 * 4 / 3);
  EXPECT_EQ(table.rows.at(1).flop, 2);  // the other kind is whole
}

// A call that was still open at the end has its launches among those of the region.
TEST_F(RepeatedLaunchRows, AreSpreadOverEveryCallWhoseLaunchesWereSeen) {
  SlotOf(1, 2).instances = 0;
  SlotOf(3, 2).instances = 0;
  const Row row = maker_.Make().rows.at(0);
  EXPECT_EQ(row.flop, 14);
  EXPECT_EQ(row.traffic_bytes, 1400);
}

TEST_F(RepeatedLaunchRows, OfARegionWithoutLaunchesAreNoWork) {
  Watch(maker_.Region(4, "idle", 3), 3, 0);
  for (const size_t epoch : {0u, 2u}) {
    maker_.process().epochs[epoch].slots.push_back(Passes(4, 3));
  }
  const Row row = RowOf(maker_.Make(), "idle");
  EXPECT_EQ(row.traffic_bytes, 0);
  EXPECT_EQ(row.kernel_time_s, 0);
  EXPECT_EQ(row.validity, "measured");
  EXPECT_THAT(row.reason, HasSubstr("no kernel was launched"));
}

TEST_F(RepeatedLaunchRows, AreMissingWhereImagesAreNotEvaluated) {
  for (Epoch& epoch : maker_.process().epochs) {
    for (SlotValues& slot : epoch.slots) slot.evaluated = false;
  }
  const Row row = maker_.Make().rows.at(0);
  EXPECT_EQ(row.validity, "missing");
  EXPECT_THAT(row.reason, HasSubstr("set flop was counted but not evaluated"));
}

}  // namespace
}  // namespace rafter
