// --fail-on: what a limit may look like, and what breaks it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collector/compare/limits.h"

namespace rafter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Row MakeRow(const std::string& region, double duration_s, std::optional<double> spread = 0.02) {
  Row row;
  row.executable = "bench";
  row.region = region;
  row.validity = "measured";
  row.duration_s = duration_s;
  row.duration_spread = spread;
  return row;
}

std::vector<std::string> Hold(const std::string& limit, std::vector<Row> base,
                              std::vector<Row> now) {
  const absl::StatusOr<Limit> parsed = ParseLimit(limit);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  if (!parsed.ok()) return {};
  const Comparison comparison =
      Compare({"old.csv", {std::move(base), {}}, {}}, {"new.csv", {std::move(now), {}}, {}}, {});
  std::vector<std::string> lines;
  for (const LimitFinding& finding : HoldAgainst(comparison, {*parsed})) {
    const char* outcome = finding.outcome == LimitOutcome::kOver           ? "over"
                          : finding.outcome == LimitOutcome::kWithinSpread ? "within"
                                                                           : "not judged";
    lines.push_back(std::string(outcome) + " " + finding.label + ": " + finding.text);
  }
  return lines;
}

std::string WhyNot(const std::string& limit) {
  const absl::StatusOr<Limit> parsed = ParseLimit(limit);
  return parsed.ok() ? "it was taken" : std::string(parsed.status().message());
}

TEST(ParseLimit, TakesQuantitySignAndPercent) {
  const absl::StatusOr<Limit> limit = ParseLimit("duration>5%");
  ASSERT_TRUE(limit.ok());
  EXPECT_EQ(limit->quantity, Quantity::kDuration);
  EXPECT_TRUE(limit->above);
  EXPECT_DOUBLE_EQ(limit->share, 0.05);
  EXPECT_EQ(limit->region, nullptr);
  for (const char* same : {"performance<2.5%", "performance < 2.5 %", "performance<-2.5"}) {
    const absl::StatusOr<Limit> other = ParseLimit(same);
    ASSERT_TRUE(other.ok()) << same;
    EXPECT_EQ(other->quantity, Quantity::kPerformance);
    EXPECT_FALSE(other->above);
    EXPECT_DOUBLE_EQ(other->share, 0.025);
  }
}

TEST(ParseLimit, TakesAPatternUpToTheLastColon) {
  const absl::StatusOr<Limit> limit = ParseLimit("^a::b[[:digit:]]+:clock<1%");
  ASSERT_TRUE(limit.ok()) << limit.status();
  EXPECT_EQ(regexec(limit->region.get(), "a::b12", 0, nullptr, 0), 0);
  EXPECT_NE(regexec(limit->region.get(), "xa::b12", 0, nullptr, 0), 0);
}

TEST(ParseLimit, NamesThePartThatIsWrong) {
  EXPECT_THAT(WhyNot("duration"), HasSubstr("duration: no > or < in it"));
  EXPECT_THAT(WhyNot("time>5%"), HasSubstr("\"time\" is no quantity; write one of duration, "));
  EXPECT_THAT(WhyNot("duration>fast"), HasSubstr("\"fast\" is no percentage of BASE"));
  EXPECT_THAT(WhyNot("duration>"), HasSubstr("\"\" is no percentage"));
  EXPECT_THAT(WhyNot("duration>-5%"), HasSubstr("\"-5%\" is no percentage"));
  EXPECT_THAT(WhyNot("duration>nan"), HasSubstr("is no percentage"));
  EXPECT_THAT(WhyNot("performance<100%"), HasSubstr("nothing falls by 100 % or more"));
  EXPECT_THAT(WhyNot(":duration>5%"), HasSubstr("no pattern stands before the colon"));
  EXPECT_THAT(WhyNot("a(:duration>5%"), HasSubstr("a( is no extended regular expression"));
}

TEST(HoldAgainst, NeedsBothLimitAndSpreadExceeded) {
  EXPECT_THAT(Hold("duration>5%", {MakeRow("a", 1)}, {MakeRow("a", 1.04)}), IsEmpty());
  EXPECT_THAT(Hold("duration>5%", {MakeRow("a", 1)}, {MakeRow("a", 1.06)}),
              ElementsAre("over a: +6.0 %, spread 0.9704 to 1.03"));
  EXPECT_THAT(Hold("duration>5%", {MakeRow("a", 1, 0.2)}, {MakeRow("a", 1.06)}),
              ElementsAre("within a: +6.0 %, spread 0.8822 to 1.122"));
  EXPECT_THAT(Hold("duration<5%", {MakeRow("a", 1)}, {MakeRow("a", 0.9)}),
              ElementsAre("over a: -10.0 %, spread 0.9704 to 1.03"));
  EXPECT_THAT(Hold("duration<5%", {MakeRow("a", 1)}, {MakeRow("a", 2)}), IsEmpty());
}

TEST(HoldAgainst, HoldsOnlyRowsThatThePatternFinds) {
  const std::vector<Row> base = {MakeRow("solve", 1), MakeRow("io", 1)};
  const std::vector<Row> now = {MakeRow("solve", 1), MakeRow("io", 9)};
  EXPECT_THAT(Hold("solve:duration>5%", base, now), IsEmpty());
  EXPECT_THAT(Hold("io:duration>5%", base, now),
              ElementsAre("over io: 9 times, spread 0.9704 to 1.03"));
  EXPECT_THAT(Hold("nowhere:duration>5%", base, now),
              ElementsAre("not judged : no row of BASE that the pattern finds has a value"));
}

TEST(HoldAgainst, NeverPassesWhatItCouldNotJudge) {
  EXPECT_THAT(Hold("duration>5%", {MakeRow("a", 1)}, {MakeRow("a", 2, {})}),
              ElementsAre("not judged a: +100 %, and NEW has no Duration Spread; --spread gives "
                          "one"));
  // Within the limit no spread is needed.
  EXPECT_THAT(Hold("duration>5%", {MakeRow("a", 1)}, {MakeRow("a", 1.01, {})}), IsEmpty());
  Row missing = MakeRow("a", 1);
  missing.duration_s.reset();
  EXPECT_THAT(Hold("duration>5%", {MakeRow("a", 1)}, {missing}),
              ElementsAre("not judged a: missing in NEW"));
  EXPECT_THAT(Hold("duration>5%", {MakeRow("a", 1), MakeRow("b", 1)}, {MakeRow("b", 1)}),
              ElementsAre("not judged a: only in BASE: NEW has no such region"));
  EXPECT_THAT(Hold("flop>1%", {MakeRow("a", 1)}, {MakeRow("a", 1)}),
              ElementsAre("not judged : no row of BASE has a value"));
}

TEST(HoldAgainst, AsksNothingOfRowsThatBaseHasNoValueOf) {
  Row copy = MakeRow("copy", 1);
  Row sum = MakeRow("sum", 1);
  sum.flop = 5;
  EXPECT_THAT(Hold("flop>1%", {copy, sum}, {copy, sum}), IsEmpty());
}

TEST(HoldAgainst, FindsWorkThatCameFromNone) {
  Row none = MakeRow("a", 1);
  none.flop = 0;
  Row some = MakeRow("a", 1);
  some.flop = 5e9;
  EXPECT_THAT(Hold("flop>1%", {none}, {some}), ElementsAre("over a: from none to 5 GFLOP"));
  EXPECT_THAT(Hold("flop<1%", {none}, {some}), IsEmpty());
}

}  // namespace
}  // namespace rafter
