// What a row says of a region. Every expected number is worked out by hand in
// the test that expects it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "collector/table/table.h"
#include "tests/unit/run_maker.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// 10 calls of "solve", of which each set counted some.
Row PartlyCountedRow() {
  RunMaker maker;
  maker.Region(1, "solve", 10);
  maker.Epoch("time", {Slot(1, 4, {4000.0})});
  maker.Epoch("memory", {Slot(1, 4, Memory(8000, 400))});
  maker.Epoch("flop", {Slot(1, 2, Flop(20, 10, 35))});
  return RowOf(maker.Make(), "solve");
}

TEST(BuildTable, MakesARowOfEverySetsMeansTimesTheCalls) {
  const Row row = PartlyCountedRow();
  EXPECT_EQ(row.duration_s, 10e-6);    // 1000 ns a call x 10
  EXPECT_EQ(row.traffic_bytes, 1000);  // 100 bytes a call x 10
  EXPECT_EQ(row.flop_fp32, 500);       // (20 + 10 + 2 x 35) / 2 = 50 a call x 10
  EXPECT_EQ(row.flop, 500);
  EXPECT_EQ(row.precision, "fp32");
  EXPECT_EQ(row.flop_per_byte, 0.5);  // 500 / 1000
  EXPECT_EQ(row.flop_per_s, 500 / 10e-6);
  EXPECT_EQ(row.kernel_time_s, 10e-6);  // 4000 ns active in 4 calls, x 10
  EXPECT_EQ(row.sm_clock_hz, 1.5e9);
  EXPECT_EQ(row.peak_flop_per_s, 2 * 128 * 1.5e9);
  EXPECT_EQ(row.peak_bytes_per_s, 1000 * 2.5e9);
  EXPECT_EQ(row.calls, 10u);
  EXPECT_EQ(row.measured_calls, 2u);  // least of 4, 4 and 2
  EXPECT_EQ(row.hardware, "NVIDIA H200");
  EXPECT_EQ(row.executable, "bench");
  EXPECT_EQ(row.process, "77");
  EXPECT_EQ(row.device_uuid, "GPU-1");
  EXPECT_EQ(row.source, "cupti");
  EXPECT_EQ(row.metrics.at("dram__bytes.sum"), 1000);
  EXPECT_EQ(row.metric_units.at("dram__bytes.sum.peak_sustained"), "Byte/cycle");
}

TEST(BuildTable, SaysWhichSetsMeasuredFewerCallsThanThereWere) {
  const Row row = PartlyCountedRow();
  EXPECT_EQ(row.validity, "extrapolated");
  EXPECT_EQ(row.reason, "counted of 10 calls: time 4, memory 4, flop 2");
}

TEST(BuildTable, WeighsASlowFirstCallOnceAndTheUnmeasuredCallsByTheLaterOnes) {
  RunMaker maker;
  maker.Region(1, "solve", 10);
  maker.Epoch("time", {Slot(1, 1, {5000.0})});  // the first call of the process, alone
  maker.Epoch("time", {Slot(1, 3, {300.0})});
  const Row row = RowOf(maker.Make(), "solve");
  // 5000 + 300 measured, six more at 100 each.
  EXPECT_DOUBLE_EQ(*row.duration_s, 5900e-9);
}

TEST(BuildTable, CallsARowMeasuredOnlyWhenEveryCallWas) {
  RunMaker maker;
  maker.device().wanted_sets = "time";
  maker.Region(1, "solve", 3);
  maker.Epoch("time", {Slot(1, 3, {30.0})});
  const Row row = RowOf(maker.Make(), "solve");
  EXPECT_EQ(row.validity, "measured");
  EXPECT_EQ(row.reason, "not asked for: sets memory, flop");
  EXPECT_EQ(row.duration_s, 30e-9);
  EXPECT_FALSE(row.flop.has_value());
  EXPECT_EQ(row.precision, "");
}

TEST(BuildTable, AddsNestedRegionsToTheirParents) {
  RunMaker maker;
  maker.device().wanted_sets = "memory";
  maker.Region(1, "a", 2);
  maker.Region(2, "b", 4, 1);
  maker.Region(3, "c", 8, 2);
  maker.Epoch("memory", {Slot(1, 2, Memory(10, 100)), Slot(2, 4, Memory(20, 1000)),
                         Slot(3, 8, Memory(40, 10000))});
  const Table table = maker.Make();
  EXPECT_EQ(RowOf(table, "a").traffic_bytes, 11100);
  EXPECT_EQ(RowOf(table, "a/b").traffic_bytes, 11000);
  EXPECT_EQ(RowOf(table, "a/b/c").traffic_bytes, 10000);
  EXPECT_EQ(RowOf(table, "a").exclusive_traffic_bytes, 100);
  EXPECT_EQ(RowOf(table, "a/b").exclusive_traffic_bytes, 1000);
  EXPECT_EQ(RowOf(table, "a").duration_s, 70e-9);
  EXPECT_EQ(RowOf(table, "a").exclusive_duration_s, 10e-9);
}

TEST(BuildTable, LeavesEpochsOutWhereAnythingBelowTheRegionWasCutShort) {
  RunMaker maker;
  maker.device().wanted_sets = "memory";
  maker.Region(1, "a", 6);
  maker.Region(2, "b", 6, 1);
  SlotValues cut = Slot(2, 2, Memory(20, 5000));
  cut.incomplete = 1;
  maker.Epoch("memory", {Slot(1, 2, Memory(10, 100)), Slot(2, 2, Memory(20, 1000))});
  maker.Epoch("memory", {Slot(1, 2, Memory(10, 100)), cut});
  SlotValues raw = Slot(1, 2, {});
  raw.evaluated = false;
  maker.Epoch("memory", {raw, Slot(2, 2, Memory(20, 1000))});
  const Table table = maker.Make();
  EXPECT_EQ(RowOf(table, "a").traffic_bytes, 3300);    // 1100 in 2 of 6 calls
  EXPECT_EQ(RowOf(table, "a/b").traffic_bytes, 3000);  // 2000 in 4 of 6 calls
  EXPECT_EQ(RowOf(table, "a").measured_calls, 2u);
  EXPECT_EQ(RowOf(table, "a/b").measured_calls, 4u);
}

TEST(BuildTable, TakesTheTimeFromTheSetThatDisturbsLeast) {
  RunMaker maker;
  maker.Region(1, "timed", 1);
  maker.Region(2, "untimed", 1);
  maker.device().sets.push_back({"sm", 3, 1, {{"gpu__time_duration.sum", "nanosecond", ""}}});
  maker.device().sets[2].counters.push_back({"gpu__time_duration.sum", "nanosecond", ""});
  maker.Epoch("time", {Slot(1, 1, {700.0})});
  maker.Epoch("memory", {Slot(1, 1, Memory(500, 1)), Slot(2, 1, Memory(500, 1))});
  maker.Epoch("sm", {Slot(1, 1, {600.0}), Slot(2, 1, {400.0})});
  Values flop = Flop(1, 1, 1);
  flop.push_back(100.0);  // a patched kernel never lends its time
  maker.Epoch("flop", {Slot(1, 1, flop), Slot(2, 1, flop)});
  const Table table = maker.Make();
  EXPECT_EQ(RowOf(table, "timed").duration_s, 700e-9);
  EXPECT_EQ(RowOf(table, "untimed").duration_s, 400e-9);
  EXPECT_EQ(RowOf(table, "untimed").metrics.at("gpu__time_duration.sum"), 400);
}

TEST(BuildTable, LeavesTheTimeMissingWhereOnlyPatchedKernelsWereTimed) {
  RunMaker maker;
  maker.device().sets[2].counters.push_back({"gpu__time_duration.sum", "nanosecond", ""});
  maker.device().sets[2].counters.push_back({"gpu__time_active.sum", "nanosecond", ""});
  maker.Region(1, "a", 1);
  Values flop = Flop(1, 1, 1);
  flop.push_back(100.0);
  flop.push_back(90.0);
  maker.Epoch("flop", {Slot(1, 1, flop)});
  const Row row = RowOf(maker.Make(), "a");
  EXPECT_FALSE(row.kernel_time_s.has_value());
  EXPECT_FALSE(row.duration_s.has_value());
  EXPECT_FALSE(row.flop_per_s.has_value());
  EXPECT_EQ(row.flop, 4);
}

TEST(BuildTable, TellsTheSpreadOfTimesOverEpochs) {
  RunMaker maker;
  maker.device().wanted_sets = "time";
  maker.Region(1, "a", 4);
  maker.Region(2, "once", 1);
  maker.Epoch("time", {Slot(1, 1, {90.0}), Slot(2, 1, {5.0})});
  maker.Epoch("time", {Slot(1, 3, {330.0})});  // 110 a call
  const Table table = maker.Make();
  EXPECT_DOUBLE_EQ(*RowOf(table, "a").duration_spread, 20.0 / 105.0);  // mean 420 / 4
  EXPECT_FALSE(RowOf(table, "once").duration_spread.has_value());
}

TEST(BuildTable, MixesNothingWhereLaunchesDifferBetweenCalls) {
  RunMaker maker;
  RegionPath& region = maker.Region(1, "a", 4);
  region.watched_calls = 2;
  region.launches = 5;
  region.least_launches = 1;
  region.most_launches = 4;
  maker.Epoch("time", {Slot(1, 2, {2000.0})});
  maker.Epoch("memory", {Slot(1, 1, Memory(1000, 100))});
  maker.Epoch("flop", {Slot(1, 1, Flop(0, 0, 50))});
  const Row row = RowOf(maker.Make(), "a");
  EXPECT_EQ(row.validity, "instances unlike");
  EXPECT_THAT(row.reason, HasSubstr("launches per call differ (1 to 4)"));
  EXPECT_FALSE(row.flop_per_byte.has_value());
  EXPECT_FALSE(row.flop_per_s.has_value());
  EXPECT_EQ(row.flop, 400);  // each set's own total stays
  EXPECT_EQ(row.traffic_bytes, 400);
  EXPECT_EQ(row.duration_s, 4e-6);
  EXPECT_EQ(row.launches, 10u);  // 5 in 2 of 4 calls
}

TEST(BuildTable, LeavesLaunchesOutThatNoProcessCanHaveMade) {
  RunMaker maker;
  RegionPath& region = maker.Region(1, "a", 1ull << 62);
  region.watched_calls = 1;
  region.launches = region.least_launches = region.most_launches = UINT32_MAX;
  EXPECT_FALSE(RowOf(maker.Make(), "a").launches.has_value());
}

TEST(BuildTable, MixesNothingWhereWorkDiffersBetweenEpochs) {
  RunMaker maker;
  maker.Region(1, "a", 4);
  maker.Region(2, "like", 4);
  maker.Epoch("time", {Slot(1, 1, {10.0}), Slot(2, 1, {10.0})});
  maker.Epoch("memory", {Slot(1, 1, Memory(10, 100)), Slot(2, 1, Memory(10, 100))});
  maker.Epoch("flop", {Slot(1, 1, Flop(0, 0, 500)), Slot(2, 1, Flop(0, 0, 50000))});
  maker.Epoch("flop", {Slot(1, 1, Flop(0, 0, 600)), Slot(2, 1, Flop(0, 0, 50001))});
  const Table table = maker.Make();
  EXPECT_EQ(RowOf(table, "a").validity, "instances unlike");
  EXPECT_THAT(RowOf(table, "a").reason,
              HasSubstr("fp32 work per call differs (1 kFLOP to 1.2 kFLOP)"));
  EXPECT_EQ(RowOf(table, "a").flop, 4400);  // mean 1100 x 4
  EXPECT_FALSE(RowOf(table, "a").flop_per_s.has_value());
  EXPECT_EQ(RowOf(table, "like").validity, "extrapolated");  // 2e-5 apart
  EXPECT_TRUE(RowOf(table, "like").flop_per_s.has_value());
}

TEST(BuildTable, MixesNothingWhereTrafficDiffersBetweenEpochs) {
  RunMaker maker;
  maker.Region(1, "unlike", 4);
  maker.Region(2, "caches", 4);
  maker.Region(3, "tiny", 4);
  for (const double more : {1.0, 1.2}) {
    maker.Epoch("memory", {Slot(1, 1, Memory(10, 1e9 * more)),
                           Slot(2, 1, Memory(10, 1e9 * (more > 1 ? 1.09 : 1))),
                           Slot(3, 1, Memory(10, 256 * more))});
  }
  maker.Epoch("flop",
              {Slot(1, 1, Flop(1, 0, 0)), Slot(2, 1, Flop(1, 0, 0)), Slot(3, 1, Flop(1, 0, 0))});
  const Table table = maker.Make();
  EXPECT_FALSE(RowOf(table, "unlike").flop_per_byte.has_value());
  EXPECT_THAT(RowOf(table, "unlike").reason, HasSubstr("dram traffic per call differs"));
  EXPECT_TRUE(RowOf(table, "caches").flop_per_byte.has_value());
  EXPECT_TRUE(RowOf(table, "tiny").flop_per_byte.has_value());
}

TEST(BuildTable, NamesTheSetThatIsMissingAndTheCommandThatGetsIt) {
  RunMaker maker;
  maker.Region(1, "once", 1);
  maker.Epoch("memory", {Slot(1, 1, Memory(10, 100))});
  const Row row = RowOf(maker.Make(), "once");
  EXPECT_EQ(row.validity, "partial");
  EXPECT_THAT(row.reason,
              HasSubstr("no call was counted in sets time, flop; run again with: rafter "
                        "run --set time -- /opt/app/bench (then with --set flop)"));
  EXPECT_FALSE(row.flop.has_value());
  EXPECT_FALSE(row.flop_fp32.has_value());
  EXPECT_EQ(row.traffic_bytes, 100);
}

TEST(BuildTable, PrefersTheReasonThatTheProcessGave) {
  RunMaker maker;
  maker.process().notes.push_back(
      {"warning", "flop", "left out: more than one device is in use; run with --set flop alone"});
  maker.Region(1, "once", 1);
  maker.Epoch("memory", {Slot(1, 1, Memory(10, 100))});
  const Table table = maker.Make();
  EXPECT_THAT(RowOf(table, "once").reason, HasSubstr("more than one device is in use"));
  EXPECT_THAT(table.notes, ::testing::Contains(HasSubstr("more than one device is in use")));
}

TEST(BuildTable, LeavesMissingValuesEmptyAndNeverZero) {
  RunMaker maker;
  maker.Region(1, "a", 1);
  Values memory = Memory(10, 100);
  memory[1].reset();  // CUPTI answered NaN
  maker.Epoch("memory", {Slot(1, 1, memory)});
  maker.Epoch("flop", {Slot(1, 1, {1.0, std::nullopt, 1.0, 128.0})});
  const Row row = RowOf(maker.Make(), "a");
  EXPECT_FALSE(row.traffic_bytes.has_value());
  EXPECT_FALSE(row.flop_fp32.has_value());
  EXPECT_FALSE(row.metrics.at("dram__bytes.sum").has_value());
  EXPECT_EQ(row.metrics.at(kFadd), 1);
  EXPECT_EQ(row.validity, "partial");
  EXPECT_THAT(row.reason, HasSubstr("CUPTI gave no value for dram__bytes.sum in set memory"));
}

TEST(BuildTable, SaysWhyARegionHasNoCounters) {
  RunMaker maker;
  RegionPath& region = maker.Region(1, "early", 5);
  region.uncounted["no context"] = 5;
  const Row row = RowOf(maker.Make(), "early");
  EXPECT_EQ(row.validity, "missing");
  EXPECT_EQ(row.reason, "5 calls not counted: no context");
  EXPECT_FALSE(row.duration_s.has_value());
  EXPECT_EQ(row.measured_calls, 0u);
}

TEST(BuildTable, SaysWhyThereIsNoPlan) {
  RunMaker maker;
  maker.device().sets.clear();
  maker.device().plan_error = "CUPTI may not read counters; run \"rafter doctor\"";
  maker.Region(1, "a", 5);
  const Row row = RowOf(maker.Make(), "a");
  EXPECT_EQ(row.validity, "missing");
  EXPECT_THAT(row.reason, HasSubstr("run \"rafter doctor\""));
}

TEST(BuildTable, NamesMetricsThatTheChipLacks) {
  RunMaker maker;
  maker.device().missing.push_back({"memory", "dram__bytes.sum", "chip GB10B does not have it"});
  maker.Region(1, "a", 1);
  maker.Epoch("time", {Slot(1, 1, {10.0})});
  const Row row = RowOf(maker.Make(), "a");
  EXPECT_EQ(row.validity, "partial");
  EXPECT_THAT(row.reason, HasSubstr("dram__bytes.sum: chip GB10B does not have it"));
}

TEST(BuildTable, CallsAnEmptyRegionEmpty) {
  RunMaker maker;
  maker.device().wanted_sets = "memory,flop";
  maker.Region(1, "empty", 2);
  maker.Epoch("memory", {Slot(1, 1, Memory(10, 256, 0))});
  maker.Epoch("flop", {Slot(1, 1, Flop(0, 0, 0))});
  const Row row = RowOf(maker.Make(), "empty");
  EXPECT_THAT(row.reason, HasSubstr("no kernel was launched"));
  EXPECT_EQ(row.flop, 0);
  EXPECT_EQ(row.precision, "");
}

TEST(BuildTable, NamesOverlappedStretchesByAllTheirRegions) {
  RunMaker maker;
  maker.device().wanted_sets = "memory";
  maker.Region(1, "io", 2);
  maker.Region(2, "solve", 2);
  maker.Region(3, "ignored", 1).members = {1, 2};
  maker.Epoch("memory",
              {Slot(1, 2, Memory(10, 1)), Slot(2, 2, Memory(10, 2)), Slot(3, 1, Memory(10, 4))});
  const Table table = maker.Make();
  EXPECT_EQ(RowOf(table, "io | solve").validity, "overlapped");
  EXPECT_EQ(RowOf(table, "io | solve").traffic_bytes, 4);
  EXPECT_EQ(RowOf(table, "io").validity, "overlapped");
  EXPECT_EQ(RowOf(table, "io").traffic_bytes, 1);  // never split by guess
  EXPECT_THAT(RowOf(table, "io").reason, HasSubstr("not here but in row \"io | solve\""));
}

TEST(BuildTable, WeighsRatesByCallsAndInsideAnEpochByTime) {
  RunMaker maker;
  maker.device().wanted_sets = "memory";
  maker.Region(1, "a", 4);
  maker.Region(2, "b", 4, 1);
  Values slow = Memory(300, 1);
  slow[4] = 1e9;
  Values fast = Memory(100, 1);
  fast[4] = 2e9;
  maker.Epoch("memory", {Slot(1, 3, slow), Slot(2, 3, fast)});
  maker.Epoch("memory", {Slot(1, 1, slow), Slot(2, 1, slow)});
  const Table table = maker.Make();
  // First epoch: (300 x 1 + 100 x 2) / 400 = 1.25 GHz, 3 calls; second: 1 GHz.
  EXPECT_DOUBLE_EQ(*RowOf(table, "a").sm_clock_hz, (3 * 1.25e9 + 1e9) / 4);
  EXPECT_DOUBLE_EQ(*RowOf(table, "a/b").sm_clock_hz, (3 * 2e9 + 1e9) / 4);
  // Bandwidth and performance roofs take the highest clock of the device.
  EXPECT_EQ(RowOf(table, "a").metrics.at("dram__bytes.sum.peak_sustained"), 1000);
}

TEST(BuildTable, TakesRoofsFromTheHighestSteadyClockOfTheDevice) {
  RunMaker maker;
  maker.Region(1, "slow", 1);
  maker.Region(2, "fast", 1);
  maker.Region(3, "empty", 1);
  maker.Region(4, "short", 1);
  Values fast = Memory(200'000, 100);
  fast[4] = 1.9e9;
  Values empty = Memory(1, 256, 0);
  empty[4] = 9e9;  // noise of a range without kernels
  Values brief = Memory(8'000, 100);
  brief[4] = 1.95e9;  // noise of a call of 8 us
  maker.Epoch("memory", {Slot(1, 1, Memory(200'000, 100)), Slot(2, 1, fast), Slot(3, 1, empty),
                         Slot(4, 1, brief)});
  maker.Epoch("flop", {Slot(1, 1, Flop(1, 1, 1))});
  EXPECT_EQ(RowOf(maker.Make(), "slow").peak_flop_per_s, 2 * 128 * 1.9e9);
}

TEST(BuildTable, TakesRoofsFromTheLongestCallsWhereAllAreShort) {
  RunMaker maker;
  maker.Region(1, "longer", 1);
  maker.Region(2, "shorter", 1);
  Values shorter = Memory(8'000, 100);
  shorter[4] = 1.95e9;
  maker.Epoch("memory", {Slot(1, 1, Memory(20'000, 100)), Slot(2, 1, shorter)});
  maker.Epoch("flop", {Slot(1, 1, Flop(1, 1, 1))});
  EXPECT_EQ(RowOf(maker.Make(), "longer").peak_flop_per_s, 2 * 128 * 1.5e9);
}

TEST(BuildTable, FillsKernelColumnsOnlyForOneKernel) {
  RunMaker maker;
  maker.Region(1, "one", 2).launches = 4;
  maker.Region(2, "two", 2).launches = 4;
  maker.Region(3, "sizes", 2).launches = 4;
  maker.Region(4, "unknown", 2).launches = 9;
  const auto kernel = [](uint32_t path, std::string symbol, uint32_t blocks, uint64_t launches) {
    return RunKernel{path,           symbol,      "void ns::" + symbol + "<float>(int)",
                     {blocks, 1, 1}, {256, 1, 1}, 0,
                     launches};
  };
  maker.process().kernels = {kernel(1, "f", 132, 4), kernel(2, "f", 132, 2),
                             kernel(2, "g", 132, 2), kernel(3, "f", 132, 2),
                             kernel(3, "f", 264, 2), kernel(4, "f", 132, 4)};
  const Table table = maker.Make();
  EXPECT_EQ(RowOf(table, "one").kernel, "ns::f");
  EXPECT_EQ(RowOf(table, "one").kernel_signature, "void ns::f<float>(int)");
  EXPECT_EQ(RowOf(table, "one").grid_size, "(132, 1, 1)");
  EXPECT_EQ(RowOf(table, "one").block_size, "(256, 1, 1)");
  EXPECT_EQ(RowOf(table, "two").kernel, "");
  EXPECT_EQ(RowOf(table, "sizes").kernel, "ns::f");
  EXPECT_EQ(RowOf(table, "sizes").grid_size, "");
  EXPECT_EQ(RowOf(table, "unknown").kernel, "");  // five launches nobody named
}

TEST(BuildTable, DoesNotPassTensorWorkForNone) {
  RunMaker maker;
  maker.device().wanted_sets = "flop,sm";
  maker.device().sets.push_back(
      {"sm", 3, 1, {{"sm__inst_executed_pipe_tensor.sum", "instruction", ""}}});
  maker.Region(1, "gemm", 2);
  maker.Epoch("flop", {Slot(1, 1, Flop(0, 0, 0))});
  maker.Epoch("sm", {Slot(1, 1, {4096.0})});
  const Table table = maker.Make();
  EXPECT_EQ(RowOf(table, "gemm").validity, "partial");
  EXPECT_THAT(RowOf(table, "gemm").reason, HasSubstr("8192 tensor instructions ran"));
  EXPECT_FALSE(RowOf(table, "gemm").flop_tensor.has_value());
  EXPECT_THAT(table.notes, ::testing::Contains(HasSubstr("FLOP Tensor is missing")));
}

TEST(BuildTable, UsesThePrecisionAndLevelAskedFor) {
  RunMaker maker;
  maker.Region(1, "a", 1);
  maker.Epoch("memory", {Slot(1, 1, Memory(10, 100))});
  maker.Epoch("flop", {Slot(1, 1, Flop(1, 1, 1))});
  const Row row =
      RowOf(maker.Make({.precision = "fp64", .memory_level = "l2", .hardware = "my box"}), "a");
  EXPECT_EQ(row.precision, "fp64");
  EXPECT_FALSE(row.flop.has_value());
  EXPECT_FALSE(row.traffic_bytes.has_value());
  EXPECT_EQ(row.memory_level, "l2");
  EXPECT_EQ(row.hardware, "my box");
  EXPECT_EQ(row.flop_fp32, 4);
}

TEST(BuildTable, FollowsThePrecisionThatABenchmarkWasBuiltFor) {
  RunMaker maker;
  maker.Region(1, "a", 1);
  maker.Epoch("flop", {Slot(1, 1, Flop(1, 1, 1))});
  TableOptions options;
  options.built_precision = {{"bench", "fp64"}, {"other", "fp16"}};
  EXPECT_EQ(RowOf(maker.Make(options), "a").precision, "fp64");
  options.precision = "fp32";  // asked for
  EXPECT_EQ(RowOf(maker.Make(options), "a").precision, "fp32");
  options.precision = "auto";
  options.built_precision.erase("bench");
  EXPECT_EQ(RowOf(maker.Make(options), "a").precision, "fp32");  // most work
}

TEST(BuildTable, TurnsLossesIntoNotes) {
  RunMaker maker;
  maker.run().losses["connections refused"] = 2;
  maker.process().losses["instances dropped"] = 7;
  maker.process().rank = 3;
  maker.process().ending = "";
  maker.Region(1, "a", 1);
  EXPECT_THAT(maker.Make().notes,
              ::testing::ElementsAre(
                  "collector: 2 connections refused",
                  "bench (pid 77 on node1, rank 3): 7 instances dropped",
                  "bench (pid 77 on node1, rank 3): ended without a goodbye; its last regions may "
                  "be missing"));
}

TEST(BuildTable, KeepsRowsOfTwoDevicesApart) {
  RunMaker maker;
  RunDevice second = maker.device();
  second.device = 1;
  second.uuid = "GPU-2";
  maker.process().devices.push_back(second);
  maker.Region(1, "a", 2);
  maker.Epoch("memory", {Slot(1, 2, Memory(10, 100))});
  maker.Epoch("memory", {Slot(1, 2, Memory(10, 300))});
  maker.process().epochs.back().device = 1;
  const Table table = maker.Make();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].traffic_bytes, 100);
  EXPECT_EQ(table.rows[1].traffic_bytes, 300);
  EXPECT_EQ(table.rows[1].device, "1");
  EXPECT_EQ(table.rows[1].device_uuid, "GPU-2");
}

TEST(BuildTable, EndsOnATreeThatRunsInACircle) {
  RunMaker maker;
  maker.Region(1, "a", 1, 2);
  maker.Region(2, "b", 1, 1);
  maker.Epoch("memory", {Slot(1, 1, Memory(10, 100))});
  EXPECT_FALSE(maker.Make().rows.empty());
}

TEST(ToJson, WritesNullForWhatIsMissing) {
  Table table;
  table.rows.emplace_back();
  table.rows[0].region = "a\"b\n\xff";
  table.rows[0].flop = 137438953472.0;
  table.rows[0].metrics["dram__bytes.sum"] = std::nullopt;
  table.rows[0].metric_units["dram__bytes.sum"] = "Byte";
  const std::string json = ToJson(table);
  EXPECT_THAT(json, HasSubstr("\"duration_s\":null"));
  EXPECT_THAT(json, HasSubstr("\"calls\":null"));
  EXPECT_THAT(json, HasSubstr("\"flop\":137438953472,"));
  EXPECT_THAT(json, HasSubstr("\"dram__bytes.sum\":{\"value\":null,\"unit\":\"Byte\"}"));
  EXPECT_THAT(json, HasSubstr("\"region\":\"a\\\"b\\n\xEF\xBF\xBD\""));
}

TEST(BuildTable, NamesAllSetsThatOneMoreRunGets) {
  RunMaker maker;
  maker.Region(1, "twice", 2);
  maker.Epoch("memory", {Slot(1, 2, Memory(10, 100))});
  EXPECT_THAT(RowOf(maker.Make(), "twice").reason,
              HasSubstr("no call was counted in sets time, flop; run again with: rafter run --set "
                        "time,flop -- /opt/app/bench"));
}

TEST(ToMarkdown, PutsLongReasonsBelowTheTableOnce) {
  Table table;
  table.rows.resize(3);
  const std::string reason =
      "counters off: the driver said no; run \"rafter doctor\" to see what to do about it";
  table.rows[0].reason = table.rows[1].reason = reason;
  table.rows[0].validity = "missing";
  table.rows[2].reason = "no kernel was launched";
  const std::string text = ToMarkdown(table);
  EXPECT_THAT(text, HasSubstr("| counters off: the driver said no, see 1 |"));
  EXPECT_THAT(text, HasSubstr("| see 1 "));
  EXPECT_THAT(text, HasSubstr("| no kernel was launched "));
  EXPECT_THAT(text, ::testing::EndsWith("|\n\n1. " + reason + "\n"));
}

TEST(ToMarkdown, ShowsPeopleUnitsAndKeepsMarkupOut) {
  Table table;
  table.rows.emplace_back();
  table.rows[0].region = "a|b\n<i>";
  table.rows[0].duration_s = 0.00125;
  table.rows[0].flop_fp64 = 5.498e11;
  table.rows[0].flop_per_byte = 0.325;
  table.rows[0].validity = "measured";
  const std::string text = ToMarkdown(table);
  EXPECT_THAT(text, HasSubstr("| a\\|b \\<i\\> |"));
  EXPECT_THAT(text, HasSubstr("|  1.25 ms |"));
  EXPECT_THAT(text, HasSubstr("FLOP FP64"));
  EXPECT_THAT(text, Not(HasSubstr("FLOP FP32")));
  EXPECT_THAT(text, HasSubstr("| 549.8 GFLOP |"));
  EXPECT_THAT(text, HasSubstr("|     0.325 |"));
}

// A region of 40 calls, of which set memory counted `calls` in each of its epochs.
Row WithTraffic(double bytes_per_call, uint64_t calls, uint64_t epochs) {
  RunMaker maker;
  maker.device().l2_bytes = 60'000'000;
  maker.Region(1, "step", 40);
  maker.Epoch("time", {Slot(1, 1, {1000.0})});
  for (uint64_t i = 0; i < epochs; ++i) {
    const auto count = static_cast<double>(calls);
    maker.Epoch("memory", {Slot(1, calls, Memory(1000 * count, bytes_per_call * count))});
  }
  maker.Epoch("flop", {Slot(1, 1, Flop(0, 0, 500))});
  const Table table = maker.Make();
  EXPECT_EQ(table.rows.size(), 1u);
  return table.rows.at(0);
}

TEST(ColdTraffic, IsSaidOfCallsBehindAChangeOfSetsWhoseDataMayStayInTheCache) {
  const std::string said = "DRAM traffic is that of calls right behind a change of sets";
  EXPECT_THAT(WithTraffic(12e6, 1, 1).reason, HasSubstr(said));
  EXPECT_THAT(WithTraffic(12e6, 1, 3).reason, HasSubstr("the L2 (60 MByte) holds nothing"));
  EXPECT_EQ(WithTraffic(12e6, 1, 1).validity, "extrapolated");
  EXPECT_THAT(WithTraffic(12e6, 20, 1).reason, Not(HasSubstr(said)));  // nearly all were warm
  EXPECT_THAT(WithTraffic(400e6, 1, 1).reason, Not(HasSubstr(said)));  // more than it holds
  EXPECT_THAT(WithTraffic(1000, 1, 1).reason, Not(HasSubstr(said)));   // the kernel's own code
  EXPECT_THAT(WithTraffic(12e6, 40, 1).reason, Not(HasSubstr(said)));  // every call
}

}  // namespace
}  // namespace rafter
