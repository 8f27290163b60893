// Two tables held against each other: which rows are the same, what their ratio
// says, and when it says nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collector/compare/comparison.h"
#include "collector/compare/comparison_text.h"
#include "collector/compare/match.h"

namespace rafter {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Row MakeRow(const std::string& region, double duration_s = 1, double spread = 0.02) {
  Row row;
  row.executable = "bench";
  row.region = region;
  row.hardware = "NVIDIA H200";
  row.source = "cupti";
  row.validity = "measured";
  row.calls = 10;
  row.precision = "fp32";
  row.memory_level = "dram";
  row.duration_s = duration_s;
  row.duration_spread = spread;
  row.flop = 2e9;
  row.traffic_bytes = 4e9;
  row.flop_per_byte = 0.5;
  row.flop_per_s = 2e9 / duration_s;
  row.sm_clock_hz = 1.98e9;
  return row;
}

Row Launch(const std::string& id, const std::string& kernel, const std::string& grid) {
  Row row = MakeRow("step");
  row.kernel_id = id;
  row.kernel = row.kernel_signature = kernel;
  row.grid_size = grid;
  return row;
}

Row With(Row row, std::string Row::*field, const std::string& value) {
  row.*field = value;
  return row;
}

Comparison CompareRows(std::vector<Row> base, std::vector<Row> now,
                       const ChangeOptions& options = {}) {
  return Compare({"old.csv", {std::move(base), {}}, {}}, {"new.csv", {std::move(now), {}}, {}},
                 options);
}

Change ChangeIn(Quantity quantity, const Row& base, const Row& now,
                const ChangeOptions& options = {}) {
  return ChangesOf(base, now, options)[static_cast<size_t>(quantity)];
}

std::vector<std::pair<size_t, size_t>> Pairs(const std::vector<Row>& base,
                                             const std::vector<Row>& now) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const MatchedRows& pair : MatchRows(base, now).pairs)
    pairs.emplace_back(pair.base, pair.now);
  return pairs;
}

using Pair = std::pair<size_t, size_t>;

TEST(MatchRows, FindsARegionWhateverItsPlaceAndProcess) {
  const std::vector<Row> base = {With(MakeRow("a"), &Row::process, "17"),
                                 With(MakeRow("b"), &Row::process, "17")};
  const std::vector<Row> now = {With(MakeRow("b"), &Row::process, "99"),
                                With(MakeRow("a"), &Row::process, "99")};
  EXPECT_THAT(Pairs(base, now), ElementsAre(Pair(0, 1), Pair(1, 0)));
}

TEST(MatchRows, TakesProcessesOfOneExecutableInTheirOrder) {
  const std::vector<Row> base = {With(MakeRow("a"), &Row::process, "17"),
                                 With(MakeRow("a"), &Row::process, "18")};
  const std::vector<Row> now = {With(MakeRow("a"), &Row::process, "40"),
                                With(MakeRow("a"), &Row::process, "30")};
  EXPECT_THAT(Pairs(base, now), ElementsAre(Pair(0, 0), Pair(1, 1)));
}

TEST(MatchRows, TellsRanksDevicesAndPrecisionsApart) {
  for (std::string Row::*field : {&Row::rank, &Row::device, &Row::precision}) {
    const std::vector<Row> base = {With(MakeRow("a"), field, "0"), With(MakeRow("a"), field, "1")};
    const std::vector<Row> now = {With(MakeRow("a"), field, "1"), With(MakeRow("a"), field, "0")};
    EXPECT_THAT(Pairs(base, now), ElementsAre(Pair(0, 1), Pair(1, 0)));
  }
}

TEST(MatchRows, FollowsARegionIntoAnotherPrecisionKernelAndHost) {
  Row base = With(MakeRow("a"), &Row::kernel, "naive");
  Row now = With(With(MakeRow("a"), &Row::kernel, "tiled"), &Row::precision, "fp64");
  base.host = "node1";
  now.host = "node2";
  EXPECT_THAT(Pairs({base}, {now}), ElementsAre(Pair(0, 0)));
}

TEST(MatchRows, FindsAKernelThatAnotherOneGaveANewNumber) {
  const std::vector<Row> base = {Launch("0", "axpy", "(8, 1, 1)"), Launch("1", "dot", "(8, 1, 1)")};
  const std::vector<Row> now = {Launch("0", "copy", "(8, 1, 1)"), Launch("1", "axpy", "(8, 1, 1)"),
                                Launch("2", "dot", "(16, 1, 1)")};
  EXPECT_THAT(Pairs(base, now), ElementsAre(Pair(0, 1), Pair(1, 2)));
  EXPECT_EQ(MatchRows(base, now).only_in_new.at(0).row, 0u);
}

TEST(MatchRows, NeverTakesARegionForAKernelOfIt) {
  EXPECT_THAT(Pairs({MakeRow("step"), Launch("0", "axpy", "")}, {Launch("0", "axpy", "")}),
              ElementsAre(Pair(1, 0)));
}

TEST(MatchRows, NeverGuessesBetweenRowsOfTheSameNames) {
  const RowMatches matches = MatchRows({MakeRow("a"), MakeRow("a")}, {MakeRow("a")});
  EXPECT_THAT(matches.pairs, IsEmpty());
  ASSERT_EQ(matches.only_in_base.size(), 2u);
  EXPECT_EQ(matches.only_in_base[1].reason,
            "2 rows of BASE and 1 row of NEW go by these names; nothing tells which is which");
  EXPECT_EQ(matches.only_in_new.size(), 1u);
}

TEST(MatchRows, ComparesTwoProgramsOnlyWhereEachSideHasOne) {
  const Row a = With(MakeRow("x"), &Row::executable, "before");
  const Row b = With(MakeRow("x"), &Row::executable, "after");
  EXPECT_THAT(Pairs({a}, {b}), ElementsAre(Pair(0, 0)));
  const RowMatches matches = MatchRows({a}, {b, With(b, &Row::executable, "other")});
  EXPECT_THAT(matches.pairs, IsEmpty());
  EXPECT_THAT(matches.only_in_base.at(0).reason, HasSubstr("of other executables"));
}

TEST(MatchRows, UsesAColumnOnlyWhereBothTablesHaveIt) {
  Row seed = MakeRow("a");
  seed.source = seed.rank = seed.device = "";
  seed.kernel_id = "0";
  EXPECT_THAT(Pairs({With(MakeRow("a"), &Row::device, "0")}, {seed}), ElementsAre(Pair(0, 0)));
}

TEST(MatchRows, SaysWhyARowIsAlone) {
  const RowMatches matches =
      MatchRows({With(MakeRow("a"), &Row::rank, "0"), With(MakeRow("a"), &Row::rank, "1")},
                {With(MakeRow("a"), &Row::rank, "0"), With(MakeRow("b"), &Row::rank, "0")});
  EXPECT_EQ(matches.only_in_base.at(0).reason,
            "NEW has the region of other executables, ranks, kernels or GPUs only");
  EXPECT_EQ(matches.only_in_new.at(0).reason, "BASE has no such region");
}

TEST(SpreadOfTimes, IsWhereTheRangesOfBothMeet) {
  const RatioSpread spread = SpreadOfTimes(0.1, 0.2);
  EXPECT_DOUBLE_EQ(spread.low, 0.95 / 1.1);
  EXPECT_DOUBLE_EQ(spread.high.value(), 1.05 / 0.9);
  EXPECT_DOUBLE_EQ(SpreadOfTimes(0, 0).low, 1);
}

TEST(SpreadOfTimes, HasNoBoundWhereARangeReachesNothing) {
  EXPECT_FALSE(SpreadOfTimes(0.1, 2).high.has_value());
  EXPECT_EQ(SpreadOfTimes(60, 0.1).low, 0);
  EXPECT_EQ(SpreadText(SpreadOfTimes(60, 60)), "any ratio");
}

TEST(ChangesOf, GivesAVerdictOnlyOutsideTheSpread) {
  const auto word = [](double ratio) {
    return ChangeIn(Quantity::kDuration, MakeRow("a", 1), MakeRow("a", ratio)).word;
  };
  EXPECT_EQ(word(1), ChangeWord::kSame);
  EXPECT_EQ(word(1.019), ChangeWord::kWithinSpread);
  EXPECT_EQ(word(0.985), ChangeWord::kWithinSpread);
  EXPECT_EQ(word(1.029), ChangeWord::kWithinSpread);  // from run to run
  EXPECT_EQ(word(1.031), ChangeWord::kMore);
  EXPECT_EQ(word(0.969), ChangeWord::kLess);
}

TEST(ChangesOf, GivesNoVerdictOnAStepOfTheTimeStamps) {
  const auto word = [](double ns_of_ten_calls) {
    const Row base = MakeRow("a", 10 * 1500e-9);
    return ChangeIn(Quantity::kDuration, base, MakeRow("a", ns_of_ten_calls * 1e-9)).word;
  };
  EXPECT_EQ(word(14'300), ChangeWord::kWithinSpread);  // 70 ns a call
  EXPECT_EQ(word(15'700), ChangeWord::kWithinSpread);
  EXPECT_EQ(word(13'800), ChangeWord::kLess);
  EXPECT_EQ(word(16'200), ChangeWord::kMore);
}

TEST(ChangesOf, JudgesNoTimeOfWhichNobodyKnowsTheSpread) {
  Row now = MakeRow("a", 2);
  now.duration_spread.reset();
  const Change change = ChangeIn(Quantity::kDuration, MakeRow("a"), now);
  EXPECT_EQ(change.ratio, 2);
  EXPECT_EQ(WordText(Quantity::kDuration, change),
            "not judged: NEW has no Duration Spread; --spread gives one");
  EXPECT_EQ(ChangeIn(Quantity::kDuration, MakeRow("a"), now, {.spread = 0.02}).word,
            ChangeWord::kMore);
}

TEST(ChangesOf, ComparesByCallWhereCallsDiffer) {
  Row now = MakeRow("a", 2);
  now.calls = 20;
  now.flop = 6e9;
  EXPECT_TRUE(IsPerCall(MakeRow("a"), now));
  EXPECT_EQ(ChangeIn(Quantity::kDuration, MakeRow("a"), now).word, ChangeWord::kSame);
  const Change flop = ChangeIn(Quantity::kFlop, MakeRow("a"), now);
  EXPECT_DOUBLE_EQ(flop.base.value(), 2e8);
  EXPECT_DOUBLE_EQ(flop.ratio.value(), 1.5);
  EXPECT_EQ(ChangeIn(Quantity::kPerformance, MakeRow("a"), MakeRow("a")).base, 2e9);
}

TEST(ChangesOf, ComparesNoTotalsOfCallsThatASideDoesNotTell) {
  Row now = MakeRow("a");
  now.calls.reset();
  EXPECT_EQ(ChangeIn(Quantity::kFlop, MakeRow("a"), now).reason,
            "BASE is over 10 calls, NEW does not tell over how many");
  EXPECT_EQ(ChangeIn(Quantity::kIntensity, MakeRow("a"), now).word, ChangeWord::kSame);
  Row once = MakeRow("a");
  once.calls = 1;
  EXPECT_EQ(ChangeIn(Quantity::kFlop, once, now).word, ChangeWord::kSame);
}

TEST(ChangesOf, LeavesMissingMissingAndSaysWhy) {
  Row now = MakeRow("a");
  now.duration_s.reset();
  now.validity = "missing";
  now.reason = "not asked for: set time; run something";
  const Change change = ChangeIn(Quantity::kDuration, MakeRow("a"), now);
  EXPECT_FALSE(change.ratio.has_value());
  EXPECT_EQ(change.reason, "missing in NEW: not asked for: set time");
}

TEST(ChangesOf, TakesValidityIntoAccountByQuantity) {
  struct Case {
    const char* validity;
    bool time, flop, traffic;
  };
  for (const Case& c :
       {Case{"extrapolated", true, true, true}, Case{"partial", true, true, true},
        Case{"", true, true, true}, Case{"scale assumed", true, false, false},
        Case{"shared device", false, true, false}, Case{"instances unlike", false, false, false},
        Case{"overlapped", false, false, false}, Case{"of the future", false, false, false}}) {
    const Row now = With(MakeRow("a", 3), &Row::validity, c.validity);
    const auto compared = [&](Quantity quantity) {
      const Change change = ChangeIn(quantity, MakeRow("a"), now);
      EXPECT_TRUE(change.ratio.has_value()) << c.validity;
      return change.word != ChangeWord::kNotComparable;
    };
    EXPECT_EQ(compared(Quantity::kDuration), c.time) << c.validity;
    EXPECT_EQ(compared(Quantity::kFlop), c.flop) << c.validity;
    EXPECT_EQ(compared(Quantity::kTraffic), c.traffic) << c.validity;
    EXPECT_EQ(compared(Quantity::kIntensity), c.traffic) << c.validity;
    EXPECT_EQ(compared(Quantity::kPerformance), c.time && c.flop) << c.validity;
  }
}

TEST(ChangesOf, HoldsNoOtherPrecisionLevelOrKindOfTimeAgainstEachOther) {
  const Row base = MakeRow("a");
  EXPECT_EQ(ChangeIn(Quantity::kFlop, base, With(base, &Row::precision, "fp64")).reason,
            "precision fp32 in BASE, fp64 in NEW");
  EXPECT_EQ(ChangeIn(Quantity::kTraffic, base, With(base, &Row::memory_level, "l2")).reason,
            "memory level dram in BASE, l2 in NEW");
  EXPECT_EQ(ChangeIn(Quantity::kDuration, base, With(base, &Row::source, "likwid")).reason,
            "Duration is host time in NEW (LIKWID), GPU time in BASE");
  EXPECT_EQ(ChangeIn(Quantity::kFlop, base, With(base, &Row::source, "likwid")).word,
            ChangeWord::kSame);
  Row once = Launch("0", "axpy", "");
  once.kernel_time_s = 0.9;
  Row repeated = once;
  repeated.kernel_time_s = repeated.duration_s;
  for (const Quantity quantity : {Quantity::kDuration, Quantity::kKernelTime}) {
    EXPECT_EQ(ChangeIn(quantity, once, repeated).reason,
              "launches are measured one by one in NEW, from border to border in BASE");
  }
  EXPECT_EQ(ChangeIn(Quantity::kDuration, repeated, repeated).word, ChangeWord::kSame);
}

TEST(ChangesOf, JudgesNoTimeAcrossClocksUnlessForced) {
  Row now = MakeRow("a", 2);
  now.sm_clock_hz = 1.2e9;
  EXPECT_EQ(ChangeIn(Quantity::kDuration, MakeRow("a"), now).reason,
            "SM clock 1.98 GHz in BASE, 1.2 GHz in NEW");
  EXPECT_EQ(ChangeIn(Quantity::kFlop, MakeRow("a"), now).word, ChangeWord::kSame);
  EXPECT_EQ(ChangeIn(Quantity::kDuration, MakeRow("a"), now, {.force = true}).word,
            ChangeWord::kMore);
}

TEST(ChangesOf, KnowsHowFarWorkAndTrafficOfLikeRunsDiffer) {
  Row now = MakeRow("a");
  now.flop = 2.0019e9;
  now.traffic_bytes = 4.39e9;
  EXPECT_EQ(ChangeIn(Quantity::kFlop, MakeRow("a"), now).word, ChangeWord::kWithinSpread);
  EXPECT_EQ(ChangeIn(Quantity::kTraffic, MakeRow("a"), now).word, ChangeWord::kWithinSpread);
  now.flop = 2.0021e9;
  now.traffic_bytes = 4.41e9;
  EXPECT_EQ(ChangeIn(Quantity::kFlop, MakeRow("a"), now).word, ChangeWord::kMore);
  EXPECT_EQ(ChangeIn(Quantity::kTraffic, MakeRow("a"), now).word, ChangeWord::kMore);
  // A MiB a call is what the L2 may have held.
  Row small = MakeRow("a");
  small.traffic_bytes = 1000;
  now.traffic_bytes = 10 * 1048576 + 1000;
  EXPECT_EQ(ChangeIn(Quantity::kTraffic, small, now).word, ChangeWord::kWithinSpread);
  now.traffic_bytes = 10 * 1048576 + 2000;
  EXPECT_EQ(ChangeIn(Quantity::kTraffic, small, now).word, ChangeWord::kMore);
}

TEST(ChangesOf, HasAWordButNoRatioFromNone) {
  Row none = MakeRow("a");
  none.flop = none.traffic_bytes = 0;
  const Change flop = ChangeIn(Quantity::kFlop, none, MakeRow("a"));
  EXPECT_FALSE(flop.ratio.has_value());
  EXPECT_EQ(flop.word, ChangeWord::kMore);
  EXPECT_EQ(ByText(Quantity::kFlop, flop), "from none to 2 GFLOP");
  EXPECT_EQ(ChangeIn(Quantity::kFlop, none, none).word, ChangeWord::kSame);
  Row little = MakeRow("a");
  little.traffic_bytes = 5000;
  EXPECT_EQ(ChangeIn(Quantity::kTraffic, none, little).word, ChangeWord::kWithinSpread);
}

TEST(RatioChangeText, SaysPercentOrTimes) {
  EXPECT_EQ(RatioChangeText(1.0521), "+5.2 %");
  EXPECT_EQ(RatioChangeText(0.5), "-50.0 %");
  EXPECT_EQ(RatioChangeText(1.0004), "+0.04 %");
  EXPECT_EQ(RatioChangeText(1), "±0.00 %");
  EXPECT_EQ(RatioChangeText(4.1), "4.1 times");
}

TEST(Compare, RefusesAcrossGpusClocksDriversAndCuptis) {
  EXPECT_THAT(CompareRows({MakeRow("a")}, {MakeRow("a", 5)}).conflicts, IsEmpty());
  EXPECT_THAT(
      CompareRows({MakeRow("a")}, {With(MakeRow("a"), &Row::hardware, "NVIDIA H100")}).conflicts,
      ElementsAre("GPU differs: NVIDIA H200 in BASE, NVIDIA H100 in NEW"));
  EXPECT_THAT(CompareRows({With(MakeRow("a"), &Row::device_uuid, "GPU-1")},
                          {With(MakeRow("a"), &Row::device_uuid, "MIG-1")})
                  .conflicts,
              ElementsAre("kind of GPU differs: a whole GPU in BASE, a MIG slice in NEW"));
  Row slow = MakeRow("a");
  slow.sm_clock_hz = 1.8e9;
  EXPECT_THAT(CompareRows({MakeRow("a")}, {slow}).conflicts,
              ElementsAre("SM clock differs: 1.98 GHz in BASE, 1.8 GHz in NEW (-9.1 %, 5 % are "
                          "allowed)"));
  const Comparison versions = Compare({"a", {{MakeRow("a")}, {}}, {{"CUDA 12.8", "12.8"}}},
                                      {"b", {{MakeRow("a")}, {}}, {{"CUDA 13.0", "13.0"}}}, {});
  EXPECT_THAT(versions.conflicts, ElementsAre("driver differs: CUDA 12.8 in BASE, CUDA 13.0 in NEW",
                                              "CUPTI differs: 12.8 in BASE, 13.0 in NEW"));
}

TEST(Compare, LetsOneShortRowHaveAnotherClock) {
  Row slow = MakeRow("b", 0.01);
  slow.sm_clock_hz = 1.2e9;
  const Comparison comparison =
      CompareRows({MakeRow("a"), MakeRow("b", 0.01)}, {MakeRow("a"), slow});
  EXPECT_THAT(comparison.conflicts, IsEmpty());
  EXPECT_EQ(TimeChange(comparison.rows[1]).word, ChangeWord::kNotComparable);
}

TEST(Compare, SaysWhatItCouldNotHoldAgainstEachOther) {
  Row seed = MakeRow("a");
  seed.hardware.clear();
  seed.sm_clock_hz.reset();
  EXPECT_THAT(CompareRows({seed}, {MakeRow("a")}).notes,
              ElementsAre("GPUs not held against each other: BASE does not tell",
                          HasSubstr("no row has SM Clock on both sides"),
                          "drivers and CUPTIs not held against each other: neither side tells"));
  EXPECT_THAT(CompareRows({With(MakeRow("a"), &Row::device_uuid, "GPU-1")},
                          {With(MakeRow("a"), &Row::device_uuid, "GPU-2")})
                  .notes,
              Contains("another GPU of the same name: GPU-1 in BASE, GPU-2 in NEW"));
  EXPECT_THAT(
      CompareRows({With(MakeRow("a"), &Row::rank, "0"), With(MakeRow("a"), &Row::rank, "1")},
                  {MakeRow("a")})
          .notes,
      Contains("only BASE has Rank, so that did not tell rows apart"));
}

TEST(Compare, SaysWhatMovedBesideTheTime) {
  Row now = MakeRow("a", 1.5);
  now.traffic_bytes = 6e9;
  now.sm_clock_hz = 1.93e9;
  const Comparison comparison = CompareRows({MakeRow("a")}, {now});
  EXPECT_EQ(MovedText(comparison.rows[0]), "time +50.0 %, traffic +50.0 %, clock -2.5 %");
  EXPECT_EQ(SummaryText(comparison), "1 row compared: 1 slower");
}

TEST(Compare, JudgesKernelTimeWhereThereIsNoDuration) {
  Row base = MakeRow("a");
  base.kernel_time_s = base.duration_s;
  base.duration_s.reset();
  Row now = base;
  now.kernel_time_s = 2;
  const Comparison comparison = CompareRows({base}, {now});
  EXPECT_EQ(TimeQuantity(comparison.rows[0]), Quantity::kKernelTime);
  EXPECT_EQ(TimeChange(comparison.rows[0]).word, ChangeWord::kMore);
  EXPECT_THAT(ToMarkdown(comparison), HasSubstr("Kernel Time"));
}

TEST(Compare, HoldsNoReplayAgainstARegionAsAWhole) {
  Row base = MakeRow("a");
  base.kernel_time_s = 0.9;
  Row now = base;
  now.duration_s.reset();
  now.kernel_time_s = 0.4;
  const Comparison comparison = CompareRows({base}, {now});
  EXPECT_EQ(MovedText(comparison.rows[0]), "");
  EXPECT_EQ(TimeChange(comparison.rows[0]).word, ChangeWord::kNotComparable);
}

TEST(Compare, SaysThatASideDoesNotTellItsKindOfTime) {
  EXPECT_THAT(CompareRows({With(MakeRow("a"), &Row::source, "")}, {MakeRow("a")}).notes,
              Contains("BASE has no Source: its times may be of another kind than those of NEW"));
}

TEST(Compare, SaysOfARowWhatItsNumbersDependOn) {
  Row now = With(With(MakeRow("a"), &Row::validity, "partial"), &Row::grid_size, "(2, 1, 1)");
  now.calls = 12;
  const Comparison comparison =
      CompareRows({With(MakeRow("a"), &Row::grid_size, "(1, 1, 1)")}, {now});
  EXPECT_THAT(comparison.rows[0].notes,
              ElementsAre("NEW partial", "10 calls in BASE, 12 in NEW: compared by call",
                          "grid (1, 1, 1) in BASE, (2, 1, 1) in NEW"));
}

TEST(ComparisonText, HasEveryRowOfBothSidesInEveryForm) {
  Comparison comparison =
      CompareRows({MakeRow("both"), MakeRow("gone")}, {MakeRow("both"), MakeRow("come")});
  for (const std::string& text : {ToMarkdown(comparison), ToCsv(comparison), ToJson(comparison)}) {
    for (const char* region : {"both", "gone", "come"}) EXPECT_THAT(text, HasSubstr(region));
    EXPECT_THAT(text, HasSubstr("NEW has no such region"));
  }
}

TEST(ComparisonText, SaysInEveryFormThatItWasForced) {
  const Comparison comparison =
      CompareRows({MakeRow("a")}, {With(MakeRow("a"), &Row::hardware, "NVIDIA H100")});
  for (const std::string& text : {ToMarkdown(comparison), ToCsv(comparison), ToJson(comparison)}) {
    EXPECT_THAT(text, HasSubstr("GPU differs: NVIDIA H200 in BASE"));
  }
  EXPECT_THAT(ToMarkdown(CompareRows({MakeRow("a")}, {MakeRow("a")})), Not(HasSubstr("--force")));
}

TEST(ComparisonText, KeepsForeignTextOutOfTheFormsSyntax) {
  const std::string evil = "a|b,\"c\"\n\xff";
  const Comparison comparison = CompareRows({MakeRow(evil)}, {MakeRow(evil)});
  EXPECT_THAT(ToMarkdown(comparison), HasSubstr("a\\|b"));
  EXPECT_THAT(ToCsv(comparison), HasSubstr("\"a|b,\"\"c\"\"\n"));
  EXPECT_THAT(ToJson(comparison), HasSubstr("a|b,\\\"c\\\"\\n\xEF\xBF\xBD"));
}

}  // namespace
}  // namespace rafter
