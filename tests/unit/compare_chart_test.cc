// The chart of a comparison: bytes and axis, not looks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collector/compare/ratio_axis.h"
#include "collector/compare/ratio_chart.h"

// The leak checker asks for this. fontconfig keeps 288 bytes of its parsed
// configuration for the life of the process, however often one draws.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }

namespace rafter {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Row MakeRow(const std::string& region, std::optional<double> duration_s, double spread = 0.02) {
  Row row;
  row.executable = "bench";
  row.region = region;
  row.duration_s = duration_s;
  row.duration_spread = spread;
  return row;
}

// A region for each ratio.
Comparison WithRatios(const std::vector<double>& ratios, double spread = 0.02) {
  ComparedSide base{"old.csv", {}, {}};
  ComparedSide now{"new.csv", {}, {}};
  for (size_t i = 0; i < ratios.size(); ++i) {
    const std::string region = "region " + std::to_string(i);
    base.table.rows.push_back(MakeRow(region, 1, spread));
    now.table.rows.push_back(MakeRow(region, ratios[i], spread));
  }
  return Compare(std::move(base), std::move(now), {});
}

std::string Draw(const Comparison& comparison, ChartFormat format) {
  absl::StatusOr<std::string> bytes = DrawRatioChart(comparison, format);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

// Height of a PNG in pixels: bytes 20 to 23, big-endian.
uint32_t PngHeight(const std::string& png) {
  uint32_t height = 0;
  for (size_t i = 20; i < 24; ++i) height = height << 8 | static_cast<unsigned char>(png.at(i));
  return height;
}

LogAxis AxisOf(const Comparison& comparison) {
  std::vector<const Change*> changes;
  for (const ComparedRow& row : comparison.rows) changes.push_back(&TimeChange(row));
  return RatioAxisFor(changes, 0, 100);
}

TEST(DrawRatioChart, GivesTheSameBytesForTheSameInput) {
  const Comparison comparison = WithRatios({0.8, 1, 1.01, 3.5});
  for (const ChartFormat format : {ChartFormat::kSvg, ChartFormat::kPdf, ChartFormat::kPng}) {
    const std::string first = Draw(comparison, format);
    // Something else in between moves cairo's own counters on.
    Draw(WithRatios({2}), ChartFormat::kSvg);
    EXPECT_EQ(first, Draw(comparison, format));
  }
  EXPECT_THAT(Draw(comparison, ChartFormat::kPdf), StartsWith("%PDF"));
}

TEST(DrawRatioChart, ShowsEveryWordAndEverySpreadDifferently) {
  const std::string faster = Draw(WithRatios({0.8}), ChartFormat::kSvg);
  EXPECT_NE(faster, Draw(WithRatios({1.25}), ChartFormat::kSvg));
  EXPECT_NE(faster, Draw(WithRatios({0.8}, 0.04), ChartFormat::kSvg));
}

TEST(DrawRatioChart, SaysOnTheChartThatItWasForced) {
  Comparison comparison = WithRatios({0.8});
  const uint32_t plain = PngHeight(Draw(comparison, ChartFormat::kPng));
  comparison.conflicts = {"GPU differs: NVIDIA H200 in BASE, NVIDIA H100 in NEW"};
  EXPECT_GT(PngHeight(Draw(comparison, ChartFormat::kPng)), plain);
}

TEST(DrawRatioChart, ListsWhatItCannotDraw) {
  const uint32_t plain = PngHeight(Draw(WithRatios({0.8}), ChartFormat::kPng));
  Comparison missing = WithRatios({0.8});
  missing.lone.push_back({true, 0, "gone", "NEW has no such region"});
  EXPECT_GT(PngHeight(Draw(missing, ChartFormat::kPng)), plain);
  Comparison zero = WithRatios({0.8, 0});
  EXPECT_GT(PngHeight(Draw(zero, ChartFormat::kPng)), plain);
}

TEST(DrawRatioChart, StaysAPageThatPngCanHold) {
  const Comparison many = WithRatios(std::vector<double>(1000, 1.1));
  EXPECT_LT(PngHeight(Draw(many, ChartFormat::kPng)), 32767u);
}

TEST(DrawRatioChart, TakesExtremesAndForeignText) {
  Comparison comparison = WithRatios({1e-300, 1e300, 1}, 3);
  comparison.rows[0].label = std::string(100000, 'x') + "\n\xff";
  Draw(comparison, ChartFormat::kSvg);
}

TEST(DrawRatioChart, SaysWhyThereIsNothingToDraw) {
  Comparison comparison = WithRatios({});
  EXPECT_THAT(std::string(DrawRatioChart(comparison, ChartFormat::kSvg).status().message()),
              HasSubstr("no row of BASE is in NEW"));
  ComparedSide base{"old.csv", {{MakeRow("a", 1)}, {}}, {}};
  ComparedSide now{"new.csv", {{MakeRow("a", std::nullopt)}, {}}, {}};
  comparison = Compare(std::move(base), std::move(now), {});
  EXPECT_THAT(std::string(DrawRatioChart(comparison, ChartFormat::kSvg).status().message()),
              HasSubstr("a: not comparable: missing in NEW"));
}

TEST(RatioAxisFor, HoldsEveryRatioAndOne) {
  for (const std::vector<double>& ratios :
       {std::vector<double>{0.999}, {0.2, 7}, {1e-3}, {1.0001, 1e5}}) {
    const LogAxis axis = AxisOf(WithRatios(ratios));
    EXPECT_TRUE(axis.Has(1));
    for (const double ratio : ratios) EXPECT_TRUE(axis.Has(ratio)) << ratio;
  }
}

TEST(RatioAxisFor, IsNotDrawnOutByAWideSpread) {
  EXPECT_LT(AxisOf(WithRatios({1.05}, 1.9)).high(), 1.5);
}

TEST(RatioTicks, AreFewAndHaveOneAmongThem) {
  for (const std::vector<double>& ratios :
       {std::vector<double>{1}, {0.8, 1.2}, {0.5, 4.2}, {0.1, 30}, {1e-6, 1e6}}) {
    const LogAxis axis = AxisOf(WithRatios(ratios));
    const std::vector<double> ticks = RatioTicks(axis);
    EXPECT_GE(ticks.size(), 3u);
    EXPECT_LE(ticks.size(), 13u);
    EXPECT_THAT(ticks, Each(::testing::Truly([&](double tick) { return axis.Has(tick); })));
    EXPECT_THAT(ticks, ::testing::Contains(::testing::DoubleNear(1, 1e-9)));
  }
}

}  // namespace
}  // namespace rafter
