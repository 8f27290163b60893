// Several runs of each side: what the interval is, how often it is wrong, and what
// becomes of rows, refusals and limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "collector/compare/comparison_text.h"
#include "collector/compare/limits.h"
#include "collector/compare/ratio_chart.h"
#include "collector/compare/ratio_interval.h"

namespace rafter {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Observations whose logarithms are these.
std::vector<double> WithLogs(std::vector<double> logs) {
  for (double& value : logs) value = std::exp(value);
  return logs;
}

RatioSpread IntervalOf(const std::vector<double>& base, const std::vector<double>& now,
                       double error_share = 0.05, double resolution = 0) {
  return RatioInterval(*LogSampleOf(base), *LogSampleOf(now), error_share, resolution);
}

// Hours of sleep gained with two drugs, by Student ("The probable error of a mean",
// 1908), whose differences every textbook has.
const std::vector<double> kDextro = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
const std::vector<double> kLaevo = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

TEST(RatioInterval, IsThatOfStudentsOwnNumbers) {
  // Means 0.75 and 2.33, standard error 0.849091 (R: t.test), and of 9 degrees of freedom
  // the 97.5 % point of printed tables, 2.262, the 99.5 % point 3.250.
  const RatioSpread interval = IntervalOf(WithLogs(kDextro), WithLogs(kLaevo));
  EXPECT_NEAR(std::log(interval.low), 1.58 - 2.262157 * 0.8490910, 1e-5);
  EXPECT_NEAR(std::log(*interval.high), 1.58 + 2.262157 * 0.8490910, 1e-5);
  const RatioSpread wider = IntervalOf(WithLogs(kDextro), WithLogs(kLaevo), 0.01);
  EXPECT_NEAR(std::log(*wider.high), 1.58 + 3.249836 * 0.8490910, 1e-5);
}

TEST(RatioInterval, TakesTheDegreesOfTheSmallerSide) {
  // Standard error sqrt(1/3); printed tables have 4.303 for 2 degrees of freedom, 31.60
  // for a thousandth.
  const std::vector<double> three = WithLogs({-1, 0, 1});
  const std::vector<double> many(20, 1.0);
  EXPECT_NEAR(std::log(*IntervalOf(three, many).high), 4.302653 * std::sqrt(1.0 / 3), 1e-5);
  EXPECT_NEAR(std::log(*IntervalOf(many, three).high), 4.302653 * std::sqrt(1.0 / 3), 1e-5);
  EXPECT_NEAR(std::log(*IntervalOf(three, many, 0.001).high), 31.59905 * std::sqrt(1.0 / 3), 1e-3);
}

TEST(RatioInterval, TurnsAroundWithTheSides) {
  const std::vector<double> base = {1.0, 1.1, 0.95, 1.02};
  const std::vector<double> now = {2.0, 2.3, 2.05};
  const RatioSpread there = IntervalOf(base, now);
  const RatioSpread back = IntervalOf(now, base);
  EXPECT_NEAR(there.low * *back.high, 1, 1e-12);
  EXPECT_NEAR(*there.high * back.low, 1, 1e-12);
}

TEST(RatioInterval, OfEqualRunsIsAsWideAsTheInstrumentIsCoarse) {
  const std::vector<double> base(3, 0.1);
  const std::vector<double> now(3, 0.3);
  EXPECT_DOUBLE_EQ(IntervalOf(base, now).low, *IntervalOf(base, now).high);
  EXPECT_NEAR(IntervalOf(base, now, 0.05, 0.02).low, 3 / 1.02, 1e-12);
  EXPECT_NEAR(*IntervalOf(base, now, 0.05, 0.02).high, 3 * 1.02, 1e-12);
}

TEST(LogSampleOf, TakesOnlyWhatHasALogarithm) {
  for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(LogSampleOf(std::vector<double>{1, 2, wrong}).has_value());
  }
  EXPECT_FALSE(LogSampleOf({}).has_value());
  const LogSample sample = *LogSampleOf(std::vector<double>{1, 4});
  EXPECT_DOUBLE_EQ(GeometricMean(sample), 2);
  EXPECT_DOUBLE_EQ(sample.variance, 2 * std::log(2) * std::log(2));
}

// Draws the logarithm of an observation, in units of its spread.
using Draw = std::function<double(std::mt19937_64&)>;

double Normal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }
double Wide(std::mt19937_64& random) { return 4 * Normal(random); }
double Skewed(std::mt19937_64& random) { return std::exponential_distribution<double>()(random); }
double WithOutliers(std::mt19937_64& random) {
  const double usual = Normal(random);
  return std::bernoulli_distribution(0.1)(random) ? 10 * std::fabs(usual) : usual;
}
double TwoModes(std::mt19937_64& random) {
  const double near = Normal(random) / 2;
  return std::bernoulli_distribution(0.5)(random) ? near + 5 : near;
}

// How often one interval at least misses, of `regions` that did not change. The same
// numbers each time.
double FalseShare(size_t runs, size_t regions, size_t repetitions, const Draw& base,
                  const Draw& now) {
  constexpr double kNoise = 0.01;
  std::mt19937_64 random(20261130);
  size_t missed = 0;
  for (size_t repetition = 0; repetition < repetitions; ++repetition) {
    bool any = false;
    for (size_t region = 0; region < regions; ++region) {
      std::vector<double> in_base(runs);
      std::vector<double> in_new(runs);
      for (double& value : in_base) value = std::exp(kNoise * base(random));
      for (double& value : in_new) value = std::exp(kNoise * now(random));
      const RatioSpread interval =
          IntervalOf(in_base, in_new, kErrorShare / static_cast<double>(regions));
      any = any || interval.low > 1 || *interval.high < 1;
    }
    missed += any ? 1 : 0;
  }
  return static_cast<double>(missed) / static_cast<double>(repetitions);
}

TEST(RatioInterval, MissesNoMoreOftenThanStatedOverAllRegions) {
  for (const size_t runs : {kLeastRuns, kSafeRuns, size_t{10}}) {
    EXPECT_LE(FalseShare(runs, 21, 1000, Normal, Normal), kErrorShare) << runs;
    EXPECT_LE(FalseShare(runs, 21, 1000, Normal, Wide), kErrorShare) << runs;
    EXPECT_LE(FalseShare(runs, 21, 1000, Skewed, Skewed), kErrorShare) << runs;
    EXPECT_LE(FalseShare(runs, 21, 1000, WithOutliers, WithOutliers), kErrorShare) << runs;
  }
}

TEST(RatioInterval, IsNotSafeBecauseItNeverMisses) {
  // Of one region and many runs the stated share is used up.
  const double share = FalseShare(10, 1, 20000, Normal, Wide);
  EXPECT_GT(share, 0.04);
  EXPECT_LT(share, 0.054);
}

TEST(RatioInterval, NeedsTheSafeNumberOfRunsWhereTimesHaveTwoModes) {
  EXPECT_GT(FalseShare(kSafeRuns - 1, 21, 3000, TwoModes, TwoModes), kErrorShare);
  EXPECT_LE(FalseShare(kSafeRuns, 21, 3000, TwoModes, TwoModes), kErrorShare);
}

Row MakeRow(const std::string& region, double duration_s) {
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
  row.flop = 2e9;
  row.traffic_bytes = 4e9;
  row.flop_per_byte = 0.5;
  row.flop_per_s = 2e9 / duration_s;
  row.sm_clock_hz = 1.98e9;
  return row;
}

std::vector<ComparedSide> RunsOf(const std::string& name, std::vector<std::vector<Row>> tables) {
  std::vector<ComparedSide> runs;
  for (std::vector<Row>& rows : tables) {
    const std::string file = name + std::to_string(runs.size() + 1) + ".csv";
    runs.push_back({file, {std::move(rows), {}}, {}});
  }
  return runs;
}

// Region "a" in runs that took these times.
std::vector<std::vector<Row>> Tables(const std::vector<double>& durations_s) {
  std::vector<std::vector<Row>> tables;
  for (const double duration_s : durations_s) tables.push_back({MakeRow("a", duration_s)});
  return tables;
}

Comparison CompareTables(std::vector<std::vector<Row>> base, std::vector<std::vector<Row>> now,
                         const ChangeOptions& options = {}) {
  return CompareRuns(RunsOf("b", std::move(base)), RunsOf("n", std::move(now)), options);
}

const std::vector<double> kLike = {1.000, 1.001, 0.999, 1.0005, 0.9995};

std::vector<double> Times(double factor, std::vector<double> values = kLike) {
  for (double& value : values) value *= factor;
  return values;
}

const Change& ChangeIn(Quantity quantity, const Comparison& comparison, size_t row = 0) {
  return comparison.rows.at(row).changes[static_cast<size_t>(quantity)];
}

ChangeWord WordOf(double factor, const std::vector<double>& base = kLike,
                  const ChangeOptions& options = {}) {
  return ChangeIn(Quantity::kDuration,
                  CompareTables(Tables(base), Tables(Times(factor, base)), options))
      .word;
}

TEST(CompareRuns, SaysAChangeOnlyBeyondTheMargin) {
  EXPECT_EQ(WordOf(1), ChangeWord::kSame);
  EXPECT_EQ(WordOf(1.005), ChangeWord::kSame);
  EXPECT_EQ(WordOf(1.01), ChangeWord::kUndecided);
  EXPECT_EQ(WordOf(1.02), ChangeWord::kMore);
  EXPECT_EQ(WordOf(0.98), ChangeWord::kLess);
  EXPECT_EQ(WordOf(1.02, kLike, {.margin = 0.03}), ChangeWord::kSame);
  EXPECT_EQ(WordOf(1.005, kLike, {.margin = 0}), ChangeWord::kMore);
}

TEST(CompareRuns, DecidesNothingOfRunsThatDifferMoreThanTheirMeans) {
  EXPECT_EQ(WordOf(1.1, {1, 1.3, 0.8}), ChangeWord::kUndecided);
  EXPECT_EQ(WordOf(1, {1, 1.3, 0.8}), ChangeWord::kUndecided);
}

TEST(CompareRuns, GivesRatioOfGeometricMeansAndNumberOfRuns) {
  const Comparison comparison = CompareTables(Tables({1, 2, 4}), Tables({3, 6, 12, 6}));
  const Change& change = ChangeIn(Quantity::kDuration, comparison);
  EXPECT_DOUBLE_EQ(*change.base, 2);
  EXPECT_NEAR(*change.now, 6, 1e-12);
  EXPECT_NEAR(*change.ratio, 3, 1e-12);
  EXPECT_EQ(change.base_runs, 3u);
  EXPECT_EQ(change.now_runs, 4u);
  EXPECT_FALSE(change.spread.has_value());
}

// A table of regions whose times vary by `noise` around 1 ms, the first `shifted` of them
// longer by `shift`.
std::vector<Row> RandomTable(size_t regions, double noise, size_t shifted, double shift,
                             std::mt19937_64& random) {
  std::vector<Row> rows;
  for (size_t i = 0; i < regions; ++i) {
    const double factor = i < shifted ? shift : 1;
    rows.push_back(
        MakeRow("r" + std::to_string(i), 1e-3 * factor * std::exp(noise * Normal(random))));
  }
  return rows;
}

Comparison RandomComparison(double noise, size_t shifted, std::mt19937_64& random,
                            const ChangeOptions& options) {
  std::vector<std::vector<Row>> base(kSafeRuns);
  std::vector<std::vector<Row>> now(kSafeRuns);
  for (auto& table : base) table = RandomTable(21, noise, 0, 1, random);
  for (auto& table : now) table = RandomTable(21, noise, shifted, 1.03, random);
  return CompareTables(std::move(base), std::move(now), options);
}

bool IsChange(const ComparedRow& row) {
  return TimeChange(row).word == ChangeWord::kMore || TimeChange(row).word == ChangeWord::kLess;
}

TEST(CompareRuns, RarelyFindsAChangeAmongLikeRuns) {
  std::mt19937_64 random(1);
  constexpr size_t kRepetitions = 200;
  size_t with_change = 0;
  for (size_t i = 0; i < kRepetitions; ++i) {
    // Noise that no margin hides.
    const Comparison comparison = RandomComparison(0.1, 0, random, {.margin = 0});
    with_change += std::any_of(comparison.rows.begin(), comparison.rows.end(), IsChange) ? 1 : 0;
  }
  EXPECT_LE(with_change, kRepetitions * kErrorShare);
}

TEST(CompareRuns, FindsWhatBecameThreePercentSlower) {
  std::mt19937_64 random(2);
  constexpr size_t kRepetitions = 50;
  size_t found = 0;
  size_t wrong = 0;
  for (size_t i = 0; i < kRepetitions; ++i) {
    const Comparison comparison = RandomComparison(0.002, 3, random, {});
    for (size_t row = 0; row < comparison.rows.size(); ++row) {
      const bool is_slower = TimeChange(comparison.rows[row]).word == ChangeWord::kMore;
      (row < 3 ? found : wrong) += is_slower ? 1 : 0;
    }
  }
  EXPECT_GE(found, 3 * kRepetitions * 9 / 10);
  EXPECT_EQ(wrong, 0u);
}

TEST(CompareRuns, WidensIntervalsByHowManyRowsAreCompared) {
  std::vector<std::vector<Row>> base = Tables(kLike);
  std::vector<std::vector<Row>> now = Tables(Times(1.02));
  const RatioSpread alone = *ChangeIn(Quantity::kDuration, CompareTables(base, now)).interval;
  for (auto* tables : {&base, &now}) {
    for (size_t run = 0; run < tables->size(); ++run) {
      for (int i = 0; i < 50; ++i) {
        (*tables)[run].push_back(MakeRow("b" + std::to_string(i), kLike[run]));
      }
    }
  }
  const Comparison many = CompareTables(base, now, {.force = true});
  EXPECT_EQ(many.runs->at_once[static_cast<size_t>(Quantity::kDuration)], 51u);
  EXPECT_LT(ChangeIn(Quantity::kDuration, many).interval->low, alone.low - 0.001);
}

TEST(CompareRuns, GivesEveryQuantityItsOwnWord) {
  std::vector<std::vector<Row>> now = Tables(Times(1.5));
  for (std::vector<Row>& table : now) {
    table[0].flop = 2.01e9;
    table[0].traffic_bytes = 6e9;
    table[0].sm_clock_hz = 1.93e9;
  }
  const Comparison comparison = CompareTables(Tables(kLike), now);
  EXPECT_EQ(MovedText(comparison.rows[0]),
            "time +50.0 %, FLOP +0.5 %, traffic +50.0 %, clock -2.5 %");
}

TEST(CompareRuns, JudgesNoTrafficThatTheL2MayHold) {
  std::vector<std::vector<Row>> base = Tables(kLike);
  std::vector<std::vector<Row>> now = Tables(Times(1));
  for (std::vector<Row>& table : base) table[0].traffic_bytes = 5120;
  for (std::vector<Row>& table : now) table[0].traffic_bytes = 655360;
  EXPECT_EQ(ChangeIn(Quantity::kTraffic, CompareTables(base, now)).word, ChangeWord::kUndecided);
  now[2][0].traffic_bytes = base[1][0].traffic_bytes = 0;
  EXPECT_EQ(ChangeIn(Quantity::kTraffic, CompareTables(base, now)).word, ChangeWord::kUndecided);
  for (std::vector<Row>& table : now) table[0].traffic_bytes = 4e9;
  EXPECT_EQ(ChangeIn(Quantity::kTraffic, CompareTables(base, now)).word, ChangeWord::kNotJudged);
}

TEST(CompareRuns, JudgesNoStepOfTheTimeStamps) {
  // Ten calls of 1.5 us, 70 ns or 200 ns longer, in every run alike.
  const std::vector<double> base(3, 10 * 1500e-9);
  const auto word = [&](double ns_of_ten_calls) {
    const std::vector<double> now(3, ns_of_ten_calls * 1e-9);
    return ChangeIn(Quantity::kDuration, CompareTables(Tables(base), Tables(now))).word;
  };
  EXPECT_EQ(word(15'700), ChangeWord::kUndecided);
  EXPECT_EQ(word(17'000), ChangeWord::kMore);
}

TEST(CompareRuns, HasAWordFromNoneAndToNone) {
  std::vector<std::vector<Row>> none = Tables(kLike);
  for (std::vector<Row>& table : none) table[0].flop = 0;
  const Comparison from_none = CompareTables(none, Tables(kLike), {.force = true});
  EXPECT_EQ(ChangeIn(Quantity::kFlop, from_none).word, ChangeWord::kMore);
  EXPECT_EQ(ByText(Quantity::kFlop, ChangeIn(Quantity::kFlop, from_none)), "from none to 2 GFLOP");
  const Comparison to_none = CompareTables(Tables(kLike), none, {.force = true});
  EXPECT_EQ(ChangeIn(Quantity::kFlop, to_none).word, ChangeWord::kLess);
  EXPECT_EQ(ChangeIn(Quantity::kFlop, CompareTables(none, none)).word, ChangeWord::kSame);
}

TEST(CompareRuns, ComparesByCallWhereARunHasOtherCalls) {
  std::vector<std::vector<Row>> now = Tables(kLike);
  now[1][0].calls = 20;
  *now[1][0].duration_s *= 2;
  const Comparison comparison = CompareTables(Tables(Times(1)), now);
  EXPECT_TRUE(comparison.rows[0].per_call);
  EXPECT_NEAR(*ChangeIn(Quantity::kDuration, comparison).now, 0.1, 1e-3);
  EXPECT_EQ(ChangeIn(Quantity::kDuration, comparison).word, ChangeWord::kSame);
  EXPECT_THAT(comparison.rows[0].notes,
              Contains("10 calls in n1.csv, 20 in n2.csv: compared by call"));
}

TEST(CompareRuns, NamesRunsOfASideThatDifferInKind) {
  std::vector<std::vector<Row>> base = Tables(kLike);
  base[2][0].precision = "fp64";
  base[3][0].validity = "partial";
  const Comparison comparison = CompareTables(base, Tables(Times(2)));
  EXPECT_EQ(ChangeIn(Quantity::kFlop, comparison).reason,
            "precision fp32 in b1.csv, fp64 in b3.csv");
  EXPECT_EQ(ChangeIn(Quantity::kDuration, comparison).word, ChangeWord::kMore);
  EXPECT_THAT(comparison.rows[0].notes, ElementsAre("partial in b4.csv, not so in b1.csv",
                                                    "precision fp32 in b1.csv, fp64 in b3.csv"));
}

TEST(CompareRuns, LeavesOutNoRunWhoseRowSaysItIsNoNumber) {
  std::vector<std::vector<Row>> now = Tables(Times(2));
  now[4][0].validity = "instances unlike";
  const Comparison comparison = CompareTables(Tables(kLike), now);
  EXPECT_EQ(WordText(Quantity::kDuration, ChangeIn(Quantity::kDuration, comparison)),
            "not comparable: instances unlike in n5.csv");
}

TEST(CompareRuns, CountsTheRunsThatHaveAValue) {
  std::vector<std::vector<Row>> now = Tables(Times(2));
  for (const size_t run : {1u, 3u}) {
    now[run][0].duration_s.reset();
    now[run][0].validity = "missing";
    now[run][0].reason = "not asked for: set time; run something";
  }
  const Comparison three = CompareTables(Tables(kLike), now);
  EXPECT_EQ(ChangeIn(Quantity::kDuration, three).now_runs, 3u);
  EXPECT_EQ(ChangeIn(Quantity::kDuration, three).word, ChangeWord::kMore);
  EXPECT_THAT(three.rows[0].notes,
              Contains("Duration missing in 2 of 5 runs of NEW, the first: missing in n2.csv: not "
                       "asked for: set time"));
  now[0][0].duration_s.reset();
  const Comparison two = CompareTables(Tables(kLike), now);
  EXPECT_EQ(WordText(Quantity::kDuration, ChangeIn(Quantity::kDuration, two)),
            "not judged: a value in 2 of 5 runs of NEW, 3 are needed");
  for (std::vector<Row>& table : now) table[0].duration_s.reset();
  EXPECT_EQ(ChangeIn(Quantity::kDuration, CompareTables(Tables(kLike), now)).word,
            ChangeWord::kNotComparable);
}

TEST(CompareRuns, KeepsRowsThatNotAllRunsHave) {
  std::vector<std::vector<Row>> base = Tables(kLike);
  std::vector<std::vector<Row>> now = Tables(Times(1));
  base[1].push_back(MakeRow("late", 1));
  now[0].push_back(MakeRow("late", 1));
  now[2].push_back(MakeRow("own", 1));
  const Comparison comparison = CompareTables(base, now);
  ASSERT_EQ(comparison.rows.size(), 2u);
  EXPECT_EQ(comparison.rows[1].label, "late");
  EXPECT_EQ(TimeChange(comparison.rows[1]).reason, "a value in 1 of 5 runs of BASE, 3 are needed");
  ASSERT_EQ(comparison.lone.size(), 1u);
  EXPECT_EQ(comparison.lone[0].label, "own");
  EXPECT_THAT(comparison.notes,
              AllOf(Contains("BASE: b1.csv lacks 1 row that other runs have: late"),
                    Contains("NEW: n2.csv lacks 2 rows that other runs have: late, own"),
                    Not(Contains(HasSubstr("BASE: b2.csv lacks")))));
}

TEST(CompareRuns, RefusesAmongAllRunsOfBothSides) {
  std::vector<std::vector<Row>> now = Tables(Times(1.1));
  now[3][0].hardware = "NVIDIA H100";
  EXPECT_THAT(CompareTables(Tables(kLike), now).conflicts,
              ElementsAre("GPU differs: NVIDIA H200 in b1.csv, NVIDIA H100 in n4.csv (and so of 8 "
                          "more pairs of runs)"));
  std::vector<std::vector<Row>> base = Tables(kLike);
  base[1][0].sm_clock_hz = 1.8e9;
  EXPECT_THAT(CompareTables(base, Tables(Times(1.1))).conflicts,
              ElementsAre(HasSubstr("SM clock differs: 1.98 GHz in b1.csv, 1.8 GHz in b2.csv")));
  std::vector<ComparedSide> versions = RunsOf("n", Tables(Times(1.1)));
  versions[1].versions = {{"CUDA 12.8", "12.8"}};
  versions[2].versions = {{"CUDA 13.0", "12.8"}};
  EXPECT_THAT(CompareRuns(RunsOf("b", Tables(kLike)), versions, {}).conflicts,
              ElementsAre("driver differs: CUDA 12.8 in n2.csv, CUDA 13.0 in n3.csv"));
}

TEST(CompareRuns, RefusesARunThatIsThereTwice) {
  std::vector<std::vector<Row>> base = Tables(kLike);
  for (size_t run = 0; run < base.size(); ++run) {
    base[run].push_back(MakeRow("b", 2 + 0.01 * static_cast<double>(run)));
  }
  EXPECT_THAT(CompareTables(base, Tables(Times(1.1))).conflicts, IsEmpty());
  base[4] = base[1];
  EXPECT_THAT(CompareTables(base, Tables(Times(1.1))).conflicts, IsEmpty());  // "a" alone is seen
  std::vector<std::vector<Row>> now = base;
  for (std::vector<Row>& table : now) *table[0].duration_s *= 1.1;
  EXPECT_THAT(CompareTables(base, now).conflicts,
              ElementsAre(HasSubstr("b2.csv and b5.csv are one run given twice: all 2 durations")));
}

std::vector<std::string> Hold(const std::string& limit, const Comparison& comparison) {
  const absl::StatusOr<Limit> parsed = ParseLimit(limit);
  EXPECT_TRUE(parsed.ok());
  std::vector<std::string> lines;
  for (const LimitFinding& finding : HoldAgainst(comparison, {*parsed})) {
    lines.push_back(std::string(OutcomeText(finding.outcome)) + " " + finding.label + ": " +
                    finding.text);
  }
  return lines;
}

TEST(HoldAgainst, NeedsTheWholeIntervalOverTheLimit) {
  const Comparison slower = CompareTables(Tables(kLike), Tables(Times(1.06)));
  EXPECT_THAT(Hold("duration>5%", slower), ElementsAre(HasSubstr("over a: +6.0 %, interval 1.0")));
  EXPECT_THAT(Hold("duration>5.9%", slower),
              ElementsAre(HasSubstr("within the interval a: +6.0 %, interval 1.0")));
  EXPECT_THAT(Hold("duration>6.1%", slower), IsEmpty());
  EXPECT_THAT(Hold("performance<5%", slower),
              ElementsAre(HasSubstr("over a: -5.7 %, interval 0.9")));
  EXPECT_THAT(Hold("performance<5.6%", slower),
              ElementsAre(HasSubstr("within the interval a: -5.7 %")));
  // A limit below the margin holds as well.
  const Comparison little = CompareTables(Tables(kLike), Tables(Times(1.005)));
  EXPECT_EQ(TimeChange(little.rows[0]).word, ChangeWord::kSame);
  EXPECT_THAT(Hold("duration>0.2%", little), ElementsAre(HasSubstr("over a: +0.5 %")));
}

TEST(HoldAgainst, NeverPassesRunsThatCouldNotBeJudged) {
  std::vector<std::vector<Row>> base = Tables({1, 1.001, 0.999});
  std::vector<std::vector<Row>> now = Tables(Times(2));
  base[1][0].duration_s.reset();
  EXPECT_THAT(Hold("duration>5%", CompareTables(base, now)),
              ElementsAre(HasSubstr("not judged a: +100 %, and a value in 2 of 3 runs of BASE")));
  std::vector<std::vector<Row>> none = now;
  for (std::vector<Row>& table : none) table[0].duration_s.reset();
  EXPECT_THAT(Hold("duration>5%", CompareTables(Tables(kLike), none)),
              ElementsAre("not judged a: missing in NEW"));
  std::vector<std::vector<Row>> gone = Tables(kLike);
  for (std::vector<Row>& table : gone) table.push_back(MakeRow("gone", 1));
  gone[0][1].duration_s.reset();
  EXPECT_THAT(Hold("gone:duration>5%", CompareTables(gone, now)),
              ElementsAre("not judged gone: only in BASE: NEW has no such region"));
  for (const size_t run : {0u, 1u}) now[run][0].flop = 0;
  EXPECT_THAT(Hold("flop<5%", CompareTables(Tables(kLike), now)),
              ElementsAre(HasSubstr("not judged a: 0 or no number in some runs of a side")));
  for (std::vector<Row>& table : now) table[0].flop = 0;
  EXPECT_THAT(Hold("flop<5%", CompareTables(Tables(kLike), now)),
              ElementsAre(HasSubstr("over a: -100 %")));
  EXPECT_THAT(Hold("flop>5%", CompareTables(now, Tables(kLike))),
              ElementsAre("over a: from none to 2 GFLOP"));
}

TEST(ComparisonText, HasIntervalAndNumberOfRunsInEveryForm) {
  const Comparison comparison =
      CompareTables(Tables({1, 1.001, 0.999}), Tables(Times(1.5)), {.margin = 0.02});
  EXPECT_THAT(ToMarkdown(comparison),
              AllOf(HasSubstr("BASE 3 runs (b1.csv, b2.csv, b3.csv), NEW 5 runs (n1.csv"),
                    HasSubstr("| Interval"), HasSubstr("| 3, 5 | slower"), HasSubstr("95 %"),
                    HasSubstr("from 2 % on (FLOP: 0.1 %)")));
  EXPECT_THAT(ToCsv(comparison),
              AllOf(HasSubstr("Duration Interval Low [1],Duration Interval High [1],Duration Runs "
                              "BASE,Duration Runs NEW,Duration Verdict"),
                    HasSubstr(",3,5,slower,"), Not(HasSubstr("Spread"))));
  EXPECT_THAT(ToJson(comparison),
              AllOf(HasSubstr("\"runs_base\":[\"b1.csv\",\"b2.csv\",\"b3.csv\"]"),
                    HasSubstr("\"confidence\":0.95,\"margin\":0.02"),
                    HasSubstr("\"intervals_at_once\":1,\"runs_base\":3,\"runs_new\":5")));
}

TEST(DrawRatioChart, DrawsIntervalsOfSeveralRuns) {
  const auto draw = [](const std::vector<double>& base) {
    const Comparison comparison = CompareTables(Tables(base), Tables(Times(1.5, base)));
    const auto drawing = DrawRatioChart(comparison, ChartFormat::kSvg);
    EXPECT_TRUE(drawing.ok()) << drawing.status();
    return drawing.ok() ? *drawing : "";
  };
  // The same means, further apart.
  EXPECT_NE(draw({1, 1.001, 1 / 1.001}), draw({1, 1.01, 1 / 1.01}));
}

}  // namespace
}  // namespace rafter
