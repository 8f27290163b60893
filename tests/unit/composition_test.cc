// What a row makes of regions that no epoch holds in one piece: chains of
// epochs, calls with slots of their own, and regions whose sets changed while
// they were open. Every expected number is worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "collector/store/uncounted.h"
#include "tests/unit/run_maker.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A slot of a region that stays open: stretches, but no call of it whole.
SlotValues Open(uint32_t path, uint64_t segments, Values values, uint64_t cut = 0) {
  SlotValues slot = Slot(path, 0, std::move(values));
  slot.incomplete = 1;
  slot.segments = segments;
  slot.cut_segments = cut;
  return slot;
}

SlotValues OfCall(uint32_t call, SlotValues slot) {
  slot.call = call;
  return slot;
}

void MakePartial(RegionPath& region) {
  region.uncounted[std::string(kPartial)] = region.calls;
  region.counted_calls = 0;
}

// Values of one kind only, for sets of one amount.
CounterSet BytesSet() { return {"memory", 1, 1, {{"dram__bytes.sum", "byte", ""}}}; }

RunMaker BytesMaker() {
  RunMaker maker;
  maker.device().sets = {BytesSet()};
  maker.device().wanted_sets = "memory";
  return maker;
}

TEST(Chain, CountsAsOneEpoch) {
  for (const uint32_t chain_of_first : {0u, 1u}) {
    RunMaker maker = BytesMaker();
    maker.Region(1, "a", 2);
    maker.Region(2, "b", 6, 1);
    SlotValues begun = Slot(1, 0, {10.0});
    begun.segments = 3;
    maker.Epoch("memory", {begun, Slot(2, 2, {100.0})}).chain = chain_of_first;
    maker.Epoch("memory", {Slot(1, 1, {5.0}), Slot(2, 1, {50.0})}).chain = 1;
    const Table table = maker.Make();
    // (10 + 5) + (100 + 50) in one of two calls.
    EXPECT_EQ(RowOf(table, "a").traffic_bytes, 330);
    EXPECT_EQ(RowOf(table, "a").measured_calls, 1u);
    EXPECT_EQ(RowOf(table, "a").exclusive_traffic_bytes, 30);
    EXPECT_EQ(RowOf(table, "a/b").traffic_bytes, 300);  // 150 in three of six
    EXPECT_EQ(RowOf(table, "a").validity, "extrapolated");
  }
}

TEST(Chain, WithoutItsFirstEpochGivesNoValue) {
  RunMaker maker;
  maker.device().wanted_sets = "memory";
  maker.device().sets = {MemorySet()};
  maker.Region(1, "a", 2);
  maker.Epoch("memory", {Slot(1, 1, Memory(10, 100))});
  rafter::Epoch& later = maker.Epoch("memory", {Slot(1, 1, Memory(4, 40))});
  later.epoch = 4;
  later.chain = 3;  // was lost on the way
  const Row row = RowOf(maker.Make(), "a");
  EXPECT_EQ(row.traffic_bytes, 200);
  EXPECT_EQ(row.measured_calls, 1u);
  EXPECT_EQ(row.validity, "extrapolated");
}

TEST(Chain, LeavesOutACallOfWhichAPartIsNotInIt) {
  RunMaker maker = BytesMaker();
  maker.Region(1, "a", 2);
  maker.Epoch("memory", {Open(1, 1, {10.0})});
  maker.Epoch("memory", {Slot(1, 1, {5.0})}).chain = 1;
  const Row row = RowOf(maker.Make(), "a");
  EXPECT_FALSE(row.traffic_bytes.has_value());
  EXPECT_THAT(row.reason, HasSubstr("no call was counted to its end in set memory (1 cut short)"));
}

TEST(Chain, IsOfOneDeviceAndOneSet) {
  RunMaker maker;
  maker.AddDevice();
  RegionPath& region = maker.Region(1, "a", 5);
  region.by_device[1].calls = 3;
  region.by_device[2].calls = 2;
  maker.Epoch("time", {Slot(1, 1, {10.0})});
  maker.Epoch("time", {Slot(1, 1, {30.0})}).chain = 1;
  maker.Epoch("memory", {Slot(1, 1, Memory(10, 7))}).chain = 1;
  maker.process().epochs.back().pass = 1;
  maker.Epoch("time", {Slot(1, 1, {1000.0})}).chain = 1;
  maker.process().epochs.back().device = 1;
  const Table table = maker.Make();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(*table.rows[0].duration_s, 60e-9);       // 40 in two of three
  EXPECT_FALSE(table.rows[0].duration_spread.has_value());  // one epoch
  EXPECT_EQ(table.rows[0].traffic_bytes, 21);
  EXPECT_DOUBLE_EQ(*table.rows[1].duration_s, 2000e-9);
}

TEST(SlotOfACall, IsAnEpochOfItsOwn) {
  RunMaker maker;
  maker.device().wanted_sets = "time";
  maker.Region(1, "a", 3);
  maker.Region(2, "b", 3, 1);
  std::vector<SlotValues> slots;
  for (const auto& [call, time_ns] :
       std::vector<std::pair<uint32_t, double>>{{1, 100}, {2, 300}, {3, 500}}) {
    slots.push_back(OfCall(call, Slot(1, 1, {time_ns})));
    slots.push_back(OfCall(call, Slot(2, 1, {time_ns})));
  }
  maker.Epoch("time", slots);
  const Table table = maker.Make();
  EXPECT_DOUBLE_EQ(*RowOf(table, "a").duration_s, 1800e-9);
  // The first call stands alone; 600 and 1000 of the others, over the mean of all.
  EXPECT_DOUBLE_EQ(*RowOf(table, "a").duration_spread, 400.0 / 600.0);
  EXPECT_DOUBLE_EQ(*RowOf(table, "a/b").duration_s, 900e-9);
  EXPECT_EQ(RowOf(table, "a").measured_calls, 3u);
  EXPECT_EQ(RowOf(table, "a").validity, "measured");
}

TEST(SlotOfACall, GoesOnThroughAChain) {
  RunMaker maker;
  maker.device().wanted_sets = "time";
  maker.Region(1, "a", 3);
  maker.Epoch("time", {OfCall(1, Slot(1, 1, {10.0})), OfCall(2, Slot(1, 0, {40.0}))}).chain = 1;
  maker.process().epochs.back().slots[1].segments = 1;
  maker.Epoch("time", {OfCall(2, Slot(1, 1, {50.0})), OfCall(3, Slot(1, 1, {30.0}))}).chain = 1;
  const Row row = RowOf(maker.Make(), "a");
  EXPECT_DOUBLE_EQ(*row.duration_s, 130e-9);
  // Calls of 10, 90 and 30; the first stands alone.
  EXPECT_DOUBLE_EQ(*row.duration_spread, 60.0 / (130.0 / 3));
}

// "main" runs once, 10 s long, with eight calls of "step" inside: nine stretches
// of its own.
RunMaker OpenMain() {
  RunMaker maker;
  RegionPath& main = maker.Region(1, "main", 1);
  main.host_time_s = 10;
  MakePartial(main);
  maker.Region(2, "step", 8, 1);
  maker.Epoch("time", {Open(1, 3, {90.0}), Slot(2, 3, {300.0})});
  Values own = Memory(300, 600);
  own[4] = 1e9;
  Values below = Memory(900, 9000);
  below[4] = 2e9;
  maker.Epoch("memory", {Open(1, 3, own), Slot(2, 3, below)});
  maker.Epoch("flop", {Open(1, 4, Flop(0, 0, 20)), Slot(2, 2, Flop(0, 0, 200))});
  return maker;
}

TEST(PartialRegion, IsPutTogetherOfItsStretchesAndTheRegionsBelow) {
  const Table table = OpenMain().Make();
  const Row& row = RowOf(table, "main");
  EXPECT_EQ(row.duration_s, 1070e-9);   // 90 x 9 / 3 + 100 x 8
  EXPECT_EQ(row.traffic_bytes, 25800);  // 600 x 9 / 3 + 3000 x 8
  EXPECT_EQ(row.flop, 1690);            // 40 x 9 / 4 + 200 x 8
  EXPECT_EQ(row.flop_per_byte, 1690.0 / 25800.0);
  EXPECT_DOUBLE_EQ(*row.sm_clock_hz, 1.75e9);  // (300 x 1 + 900 x 2) / 1200
  EXPECT_EQ(row.metrics.at("dram__bytes.sum.peak_sustained"), 1000);
  EXPECT_EQ(row.exclusive_duration_s, 270e-9);
  EXPECT_EQ(row.exclusive_traffic_bytes, 1800);
  EXPECT_EQ(row.exclusive_flop, 90);
  EXPECT_EQ(row.calls, 1u);
  EXPECT_EQ(row.measured_calls, 0u);
  EXPECT_FALSE(row.duration_spread.has_value());
  EXPECT_EQ(row.validity, "partial");
  EXPECT_EQ(row.reason,
            "sets changed while it was open, so it is put together of the regions below it and of "
            "its own stretches; measured of 9 stretches: time 3, memory 3, flop 4");
  EXPECT_EQ(RowOf(table, "main/step").traffic_bytes, 24000);
}

TEST(PartialRegion, IsPutTogetherOfPartialRegions) {
  RunMaker maker = BytesMaker();
  MakePartial(maker.Region(1, "main", 1));
  MakePartial(maker.Region(2, "phase", 2, 1));
  maker.Region(3, "step", 10, 2);
  maker.Epoch("memory", {Open(1, 1, {10.0}), Open(2, 1, {25.0}), Slot(3, 2, {200.0})});
  maker.Epoch("memory", {Open(2, 3, {75.0}), Slot(3, 3, {300.0})});
  const Table table = maker.Make();
  // "phase": 100 x (2 + 10) / 4 + 100 x 10; "main": 10 x (1 + 2) / 1 + that.
  EXPECT_EQ(RowOf(table, "main/phase").traffic_bytes, 1300);
  EXPECT_EQ(RowOf(table, "main").traffic_bytes, 1330);
  EXPECT_EQ(RowOf(table, "main").exclusive_traffic_bytes, 30);
  EXPECT_EQ(RowOf(table, "main/phase").exclusive_traffic_bytes, 300);
  EXPECT_THAT(RowOf(table, "main").reason, HasSubstr("measured of 3 stretches: memory 1"));
}

TEST(PartialRegion, TakesEachDeviceForItself) {
  RunMaker maker = BytesMaker();
  maker.AddDevice();
  RegionPath& main = maker.Region(1, "main", 2);
  for (const uint32_t device : {1u, 2u}) {
    main.by_device[device].calls = 1;
    main.by_device[device].uncounted[std::string(kPartial)] = 1;
  }
  RegionPath& step = maker.Region(2, "step", 6, 1);
  step.by_device[1].calls = 5;
  step.by_device[2].calls = 1;
  maker.Epoch("memory", {Open(1, 2, {20.0}), Slot(2, 1, {100.0})});
  maker.Epoch("memory", {Open(1, 1, {7.0}), Slot(2, 1, {1000.0})}).device = 1;
  const Table table = maker.Make();
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[0].traffic_bytes, 560);   // 20 x 6 / 2 + 100 x 5
  EXPECT_EQ(table.rows[2].traffic_bytes, 1014);  // 7 x 2 / 1 + 1000
}

TEST(PartialRegion, TakesWholeCallsWhereThereAreAny) {
  RunMaker maker = BytesMaker();
  RegionPath& main = maker.Region(1, "main", 4);
  main.uncounted[std::string(kPartial)] = 3;
  maker.Epoch("memory", {Open(1, 1, {10.0})});
  maker.Epoch("memory", {Slot(1, 1, {500.0})});
  const Row row = RowOf(maker.Make(), "main");
  EXPECT_EQ(row.traffic_bytes, 2000);
  EXPECT_EQ(row.measured_calls, 1u);
  EXPECT_EQ(row.validity, "extrapolated");
  EXPECT_THAT(row.reason, HasSubstr("3 calls not counted: sets changed while it was open"));
}

TEST(PartialRegion, TakesNoSlotWithACutStretch) {
  RunMaker maker = BytesMaker();
  MakePartial(maker.Region(1, "main", 1));
  maker.Region(2, "step", 3, 1);
  maker.Epoch("memory", {Open(1, 2, {7.0}, 1), Slot(2, 1, {100.0})});
  maker.Epoch("memory", {Open(1, 2, {50.0})});
  const Row row = RowOf(maker.Make(), "main");
  EXPECT_EQ(row.traffic_bytes, 400);  // 50 x 4 / 2 + 100 x 3
  EXPECT_THAT(row.reason, HasSubstr("measured of 4 stretches: memory 2"));
}

TEST(PartialRegion, IsMissingWithoutAWholeStretch) {
  RunMaker maker = BytesMaker();
  RegionPath& main = maker.Region(1, "main", 1);
  main.host_time_s = 10;
  MakePartial(main);
  SlotValues cut = Open(1, 2, {7.0}, 2);
  cut.counted_ns = 3'700'000'000;
  maker.Epoch("memory", {cut});
  const Row row = RowOf(maker.Make(), "main");
  EXPECT_FALSE(row.traffic_bytes.has_value());
  EXPECT_FALSE(row.exclusive_traffic_bytes.has_value());
  EXPECT_EQ(row.validity, "missing");
  EXPECT_EQ(row.reason,
            "sets changed while it was open: set memory measured 37 % of its host time, but no "
            "stretch of its own was measured whole; run again with: rafter run --replay "
            "application -- /opt/app/bench (or with --set memory alone)");
}

TEST(PartialRegion, IsMissingInTheSetInWhichARegionBelowIs) {
  RunMaker maker = OpenMain();
  maker.Region(3, "io", 5, 1);
  maker.process().epochs[0].slots.push_back(Slot(3, 5, {50.0}));
  maker.process().epochs[1].slots[0].counted_ns = 1'000'000'000;
  maker.process().epochs[1].slots[1].counted_ns = 3'000'000'000;
  maker.process().epochs[2].slots.push_back(Slot(3, 1, Flop(0, 0, 0)));
  const Row row = RowOf(maker.Make(), "main");
  EXPECT_EQ(row.duration_s, 1270e-9);  // 90 x 14 / 3 + 100 x 8 + 10 x 5
  EXPECT_EQ(row.flop, 1740);           // 40 x 14 / 4 + 200 x 8 + 0
  EXPECT_FALSE(row.traffic_bytes.has_value());
  EXPECT_FALSE(row.sm_clock_hz.has_value());
  EXPECT_FALSE(row.flop_per_byte.has_value());
  EXPECT_EQ(row.exclusive_traffic_bytes, 2800);  // 600 x 14 / 3, which needs no other region
  EXPECT_EQ(row.validity, "partial");
  EXPECT_THAT(row.reason,
              HasSubstr("sets changed while it was open: set memory measured 40 % of its host "
                        "time, but \"main/io\" inside it has no value there; run again with: "
                        "rafter run --replay application"));
  EXPECT_THAT(row.reason, Not(HasSubstr("measured in set memory")));
}

TEST(PartialRegion, NamesTheLaunchesThatLackAValue) {
  RunMaker maker = BytesMaker();
  MakePartial(maker.Region(1, "main", 1));
  LaunchKind kind;
  kind.symbol = "_Z1fi";
  kind.signature = "void ns::f<float>(int)";
  maker.Region(2, "", 2, 1).launch = kind;
  maker.Epoch("memory", {Open(1, 3, {30.0})});
  EXPECT_THAT(RowOf(maker.Make(), "main").reason, HasSubstr("\"main/ns::f\" inside it has no"));
}

TEST(PartialRegion, IsMissingWhereOtherThreadsCutItsStretches) {
  RunMaker maker = BytesMaker();
  MakePartial(maker.Region(1, "main", 1));
  maker.Region(2, "step", 2, 1);
  maker.Region(3, "loader", 4);
  maker.Region(4, "", 4).members = {1, 3};
  maker.Epoch("memory", {Open(1, 3, {30.0}), Slot(2, 1, {100.0}), Slot(4, 2, {1000.0})});
  const Table table = maker.Make();
  EXPECT_FALSE(RowOf(table, "main").traffic_bytes.has_value());
  EXPECT_THAT(RowOf(table, "main").reason,
              HasSubstr("regions of other threads were open inside it"));
  EXPECT_EQ(RowOf(table, "main/step").traffic_bytes, 200);
}

TEST(PartialRegion, TakesOverlapsOfARegionBelowForNothingOfItsOwn) {
  RunMaker maker = BytesMaker();
  MakePartial(maker.Region(1, "main", 1));
  maker.Region(2, "step", 2, 1);
  maker.Region(3, "loader", 4);
  maker.Region(4, "", 4).members = {2, 3};
  maker.Epoch("memory", {Open(1, 1, {30.0}), Slot(2, 1, {100.0}), Slot(4, 2, {1000.0})});
  // 30 x 3 / 1 + 100 x 2; what overlapped has a row of its own.
  EXPECT_EQ(RowOf(maker.Make(), "main").traffic_bytes, 290);
}

TEST(PartialRegion, WaitsForItsValues) {
  RunMaker maker = BytesMaker();
  MakePartial(maker.Region(1, "main", 1));
  SlotValues raw = Open(1, 1, {});
  raw.evaluated = false;
  maker.Epoch("memory", {raw});
  const Row row = RowOf(maker.Make(), "main");
  EXPECT_FALSE(row.traffic_bytes.has_value());
}

TEST(PartialRegion, LacksTheCounterThatALackingRangeLacks) {
  RunMaker maker = OpenMain();
  maker.process().epochs[1].slots[0].values[1].reset();  // CUPTI gave no bytes
  const Row row = RowOf(maker.Make(), "main");
  EXPECT_FALSE(row.traffic_bytes.has_value());
  EXPECT_EQ(row.metrics.at("gr__ctas_launched.sum"), 100 * 9 / 3 + 100 * 8 / 3.0);
  EXPECT_THAT(row.reason, HasSubstr("CUPTI gave no value for dram__bytes.sum in set memory"));
}

TEST(PartialRegion, IsOnlyWhatIsMarkedSo) {
  RunMaker maker = BytesMaker();
  maker.Region(1, "main", 1).uncounted["more regions, or borders, in one epoch than it holds"] = 1;
  maker.Epoch("memory", {Open(1, 1, {10.0})});
  EXPECT_FALSE(RowOf(maker.Make(), "main").traffic_bytes.has_value());
}

}  // namespace
}  // namespace rafter
