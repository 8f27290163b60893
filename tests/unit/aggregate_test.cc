// What a row stands for: sums, longest launches, ranks, launches outside regions.
#include "collector/table/aggregate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collector/table/row_fold.h"

namespace rafter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Row MakeRow(const std::string& region, double flop, double bytes, double seconds) {
  Row row;
  row.executable = "bench";
  row.region = region;
  row.precision = "fp32";
  row.memory_level = "dram";
  row.source = "cupti";
  row.flop = flop;
  row.traffic_bytes = bytes;
  row.duration_s = seconds;
  row.flop_per_byte = flop / bytes;
  row.flop_per_s = flop / seconds;
  row.peak_flop_per_s = 100;
  row.validity = "measured";
  row.calls = 2;
  return row;
}

Row Launches(const std::string& kernel, Row row) {
  row.kernel_id = kernel;
  row.kernel = kernel;
  row.kernel_time_s = row.duration_s;
  return row;
}

Row OfRank(const std::string& rank, Row row) {
  row.rank = rank;
  row.process = "10" + rank;
  return row;
}

std::vector<Row> Aggregated(std::vector<Row> rows, Aggregation how) {
  std::vector<std::string> notes;
  Table table = Aggregate({std::move(rows), {}}, how, notes);
  EXPECT_THAT(notes, IsEmpty());
  return table.rows;
}

TEST(AggregateSum, AddsUpLaunchesOfARegionAndMakesRatiosAnew) {
  const auto rows = Aggregated(
      {Launches("k1", MakeRow("mm", 60, 10, 2)), Launches("k2", MakeRow("mm", 40, 40, 6)),
       Launches("k1", MakeRow("init", 1, 1, 1))},
      Aggregation::kSum);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].region, "mm");
  EXPECT_EQ(rows[0].flop, 100);
  EXPECT_EQ(rows[0].traffic_bytes, 50);
  EXPECT_EQ(rows[0].duration_s, 8);
  EXPECT_EQ(rows[0].flop_per_byte, 2);
  EXPECT_EQ(rows[0].flop_per_s, 12.5);
  EXPECT_EQ(rows[0].peak_flop_per_s, 100);  // the highest, not the sum
  EXPECT_EQ(rows[0].calls, 4u);
  EXPECT_EQ(rows[0].kernel, "");  // of two
  EXPECT_EQ(rows[1].region, "init");
}

TEST(AggregateSum, CountsNothingTwiceWhereARegionHasARowOfItsOwn) {
  const auto rows = Aggregated({MakeRow("mm", 100, 50, 9), Launches("k1", MakeRow("mm", 60, 10, 2)),
                                Launches("k2", MakeRow("mm", 40, 40, 6))},
                               Aggregation::kSum);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].flop, 100);
  EXPECT_EQ(rows[0].duration_s, 9);
}

TEST(AggregateSum, AddsUpProcessesAndDevicesOfARegion) {
  Row other = MakeRow("mm", 20, 10, 1);
  other.device_uuid = "GPU-2";
  const auto rows = Aggregated({MakeRow("mm", 100, 50, 9), other}, Aggregation::kSum);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].flop, 120);
  EXPECT_EQ(rows[0].flop_per_s, 12);
  EXPECT_EQ(rows[0].device_uuid, "");
}

TEST(AggregateSum, KeepsExecutablesLevelsAndPrecisionsApart) {
  std::vector<Row> rows = {MakeRow("mm", 1, 1, 1), MakeRow("mm", 2, 1, 1), MakeRow("mm", 3, 1, 1),
                           MakeRow("mm", 4, 1, 1)};
  rows[1].executable = "other";
  rows[2].memory_level = "l2";
  rows[3].precision = "fp64";
  EXPECT_EQ(Aggregated(rows, Aggregation::kSum).size(), 4u);
}

TEST(AggregateSum, AddsLaunchesWithoutWorkToTheOnlyPrecisionThereIs) {
  Row copy = MakeRow("mm", 0, 40, 6);
  copy.precision = "";
  const auto rows = Aggregated({Launches("k", MakeRow("mm", 60, 10, 2)), Launches("copy", copy)},
                               Aggregation::kSum);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].precision, "fp32");
  EXPECT_EQ(rows[0].flop, 60);
  EXPECT_EQ(rows[0].traffic_bytes, 50);
}

TEST(AggregateSum, IsMissingWhereAPartIsMissingAndSaysSo) {
  Row lacking = MakeRow("mm", 1, 40, 6);
  lacking.flop.reset();
  lacking.flop_per_byte.reset();
  lacking.flop_per_s.reset();
  lacking.validity = "missing";
  lacking.reason = "set flop had no turn";
  const auto rows = Aggregated({Launches("k1", MakeRow("mm", 60, 10, 2)), Launches("k2", lacking)},
                               Aggregation::kSum);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].flop.has_value());
  EXPECT_FALSE(rows[0].flop_per_byte.has_value());
  EXPECT_EQ(rows[0].traffic_bytes, 50);
  EXPECT_EQ(rows[0].validity, "missing");
  EXPECT_EQ(rows[0].reason, "set flop had no turn; FLOP of 1 of 2 rows put together is missing");
}

TEST(AggregateSum, HasTheWorstValidityAndNoRatioThatAPartWithholds) {
  Row unlike = MakeRow("mm", 1, 40, 6);
  unlike.flop_per_byte.reset();
  unlike.flop_per_s.reset();
  unlike.validity = "instances unlike";
  unlike.reason = "launches per call differ";
  Row extrapolated = MakeRow("mm", 1, 40, 6);
  extrapolated.validity = "extrapolated";
  const auto rows = Aggregated({MakeRow("mm", 60, 10, 2), unlike, extrapolated}, Aggregation::kSum);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].validity, "instances unlike");
  EXPECT_EQ(rows[0].reason, "launches per call differ");
  EXPECT_EQ(rows[0].flop, 62);
  EXPECT_FALSE(rows[0].flop_per_byte.has_value());
  EXPECT_FALSE(rows[0].flop_per_s.has_value());
}

TEST(AggregateSum, TakesTheTimeOfLaunchesThatWereRepeatedOneByOne) {
  Row region = MakeRow("mm", 100, 50, 1);
  region.duration_s.reset();
  region.flop_per_s.reset();
  region.kernel_time_s = 8;
  const auto rows = Aggregated({region}, Aggregation::kSum);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].duration_s, 8);
  EXPECT_EQ(rows[0].flop_per_s, 12.5);
  EXPECT_EQ(rows[0].reason, "Duration is the time in launches");
}

TEST(AggregateSum, LeavesRowsThatSayWhyACommandGaveNone) {
  Row nothing;
  nothing.executable = "bench";
  nothing.validity = "missing";
  nothing.reason = "no process of it reached Rafter";
  const auto rows = Aggregated({nothing, nothing}, Aggregation::kSum);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].reason, nothing.reason);
}

TEST(AggregateDominant, IsTheKindOfLaunchThatRanLongest) {
  const auto rows = Aggregated({MakeRow("mm", 100, 50, 9), Launches("k1", MakeRow("mm", 60, 10, 2)),
                                Launches("k2", MakeRow("mm", 40, 40, 6))},
                               Aggregation::kDominant);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kernel, "k2");
  EXPECT_EQ(rows[0].flop, 40);
}

TEST(AggregateDominant, NamesRegionsWithoutRowsOfLaunches) {
  std::vector<std::string> notes;
  const Table table = Aggregate({{MakeRow("mm", 100, 50, 9)}, {}}, Aggregation::kDominant, notes);
  EXPECT_THAT(table.rows, IsEmpty());
  EXPECT_THAT(notes, ElementsAre("--aggregate dominant: no rows of launches for mm, left out; "
                                 "count them with --granularity kernel"));
}

TEST(AggregateDominant, SaysWhereAnotherMayHaveRunLonger) {
  Row timeless = Launches("k2", MakeRow("mm", 1, 1, 1));
  timeless.duration_s.reset();
  timeless.kernel_time_s.reset();
  const auto rows =
      Aggregated({Launches("k1", MakeRow("mm", 60, 10, 2)), timeless}, Aggregation::kDominant);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kernel, "k1");
  EXPECT_THAT(rows[0].reason, HasSubstr("1 kind of launch without a time"));
}

TEST(AggregateRanks, AreMinMeanAndMaxWithTheImbalance) {
  const auto rows =
      Aggregated({OfRank("0", MakeRow("mm", 100, 50, 2)), OfRank("1", MakeRow("mm", 300, 50, 6)),
                  OfRank("1", MakeRow("io", 1, 1, 1))},
                 Aggregation::kSum);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].rank, "min");
  EXPECT_EQ(rows[0].flop, 100);
  EXPECT_EQ(rows[0].flop_per_byte, 2);
  EXPECT_EQ(rows[0].reason, "min of 2 ranks");
  EXPECT_FALSE(rows[0].rank_imbalance.has_value());
  EXPECT_EQ(rows[1].rank, "mean");
  EXPECT_EQ(rows[1].flop, 200);
  EXPECT_EQ(rows[1].duration_s, 4);
  EXPECT_EQ(rows[1].flop_per_byte, 4);
  EXPECT_EQ(rows[1].flop_per_s, 50);
  EXPECT_EQ(rows[1].rank_imbalance, 0.5);
  EXPECT_EQ(rows[1].process, "");
  EXPECT_EQ(rows[2].rank, "max");
  EXPECT_EQ(rows[2].duration_s, 6);
  EXPECT_EQ(rows[3].rank, "1");  // the only one that has the region
}

TEST(AggregateRanks, AreFoldedWhereTheyLaunchedDifferentKernels) {
  const auto rows = Aggregated({OfRank("0", Launches("k1", MakeRow("mm", 100, 50, 2))),
                                OfRank("0", Launches("k2", MakeRow("mm", 100, 50, 2))),
                                OfRank("1", Launches("k1", MakeRow("mm", 300, 50, 6)))},
                               Aggregation::kSum);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].rank, "mean");
  EXPECT_EQ(rows[1].flop, 250);
  EXPECT_EQ(rows[1].kernel, "");
}

TEST(AggregateRanks, StayApartWithoutAggregation) {
  const auto rows =
      Aggregated({OfRank("0", MakeRow("mm", 1, 1, 1)), OfRank("1", MakeRow("mm", 2, 1, 1))},
                 Aggregation::kNone);
  EXPECT_EQ(rows.size(), 2u);
}

TEST(FoldRows, AddsAmountsWeighsRatesAndKeepsPeaks) {
  Row a = MakeRow("mm", 1, 1, 1);
  Row b = MakeRow("mm", 1, 1, 3);
  a.metrics = {{"dram__bytes.sum", 10},
               {"sm__cycles_elapsed.avg.per_second", 100},
               {"dram__bytes.sum.peak_sustained", 7},
               {"launch__registers_per_thread", 32},
               {"lts__t_sectors.sum", 10},
               {"lts__t_sectors_lookup_hit.sum", 5},
               {"rafter__l2_hit_rate.pct", 50},
               {"gr__ctas_launched.sum", 3}};
  b.metrics = {{"dram__bytes.sum", 30},
               {"sm__cycles_elapsed.avg.per_second", 200},
               {"dram__bytes.sum.peak_sustained", 8},
               {"launch__registers_per_thread", 40},
               {"lts__t_sectors.sum", 30},
               {"lts__t_sectors_lookup_hit.sum", 30},
               {"rafter__l2_hit_rate.pct", 100}};
  const Row sum = FoldRows({&a, &b}, Fold::kSum);
  EXPECT_EQ(sum.metrics.at("dram__bytes.sum"), 40);
  EXPECT_EQ(sum.metrics.at("sm__cycles_elapsed.avg.per_second"), 175);  // 1 s at 100, 3 s at 200
  EXPECT_EQ(sum.metrics.at("dram__bytes.sum.peak_sustained"), 8);
  EXPECT_EQ(sum.metrics.at("launch__registers_per_thread"), std::nullopt);
  EXPECT_EQ(sum.metrics.at("rafter__l2_hit_rate.pct"), 87.5);        // 35 of 40, made anew
  EXPECT_EQ(sum.metrics.at("gr__ctas_launched.sum"), std::nullopt);  // one row lacks it
}

TEST(FoldRows, HasNoMeanOfCallsThatIsNoWholeNumber) {
  Row a = MakeRow("mm", 1, 1, 1);
  Row b = MakeRow("mm", 1, 1, 1);
  b.calls = 3;
  EXPECT_EQ(FoldRows({&a, &b}, Fold::kMean).calls, std::nullopt);
  EXPECT_EQ(FoldRows({&a, &b}, Fold::kGreatest).calls, 3u);
}

TEST(DropOutsideRegions, TakesOutLaunchesOfAProgramThatHasRegions) {
  Table table{{MakeRow("mm", 1, 1, 1), Launches("set-up", MakeRow("", 1, 1, 1))}, {}};
  DropOutsideRegions(table);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].region, "mm");
  EXPECT_THAT(table.notes, IsEmpty());
}

TEST(DropOutsideRegions, KeepsThoseOfAProgramWithoutRegionsAndWarns) {
  Table table{{MakeRow("mm", 1, 1, 1), Launches("k", MakeRow("", 1, 1, 1))}, {}};
  table.rows[1].executable = "unmarked";
  DropOutsideRegions(table);
  EXPECT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("unmarked: no region in it, so its 1 row of "
                                                 "launches stay")));
  table.notes.clear();
  table.unmarked = {"unmarked"};
  DropOutsideRegions(table);
  EXPECT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.notes, IsEmpty());
}

TEST(ParseRanks, TakesRanksAndSpans) {
  const auto spans = ParseRanks("0,8-15");
  ASSERT_TRUE(spans.ok());
  ASSERT_EQ(spans->size(), 2u);
  EXPECT_EQ((*spans)[0].last, 0u);
  EXPECT_EQ((*spans)[1].first, 8u);
  EXPECT_EQ((*spans)[1].last, 15u);
  for (const char* wrong : {"", "a", "1,", "5-2", "-3", "1-2-3", "1.0", " 1"}) {
    EXPECT_FALSE(ParseRanks(wrong).ok()) << wrong;
  }
}

TEST(KeepRanks, NamesRanksThatThereAreNotAndCountsRowsWithoutOne) {
  Table table{{OfRank("0", MakeRow("mm", 1, 1, 1)), OfRank("9", MakeRow("mm", 1, 1, 1)),
               OfRank("3", MakeRow("mm", 1, 1, 1)), MakeRow("mm", 1, 1, 1)},
              {}};
  std::vector<std::string> notes;
  KeepRanks({{0, 0}, {8, 15}, {20, 21}}, table, notes);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].rank, "9");
  EXPECT_THAT(notes, ElementsAre("--ranks: no row is of rank 20-21; left out"));
  EXPECT_THAT(table.notes, ElementsAre("--ranks: 1 row of no single rank left out"));
}

}  // namespace
}  // namespace rafter
