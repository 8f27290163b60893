// The drawing itself: bytes, not looks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <regex>
#include <set>

#include "collector/roofline/roofline.h"

// The leak checker asks for this. fontconfig keeps 288 bytes of its parsed
// configuration for the life of the process, however often one draws.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }

namespace rafter {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

RooflinePoint PointAt(std::string label, double flop_per_byte, double flop_per_s) {
  RooflinePoint point;
  point.label = point.region = std::move(label);
  point.precision = "fp32";
  point.flop_per_byte = flop_per_byte;
  point.flop_per_s = flop_per_s;
  point.validity = "measured";
  return point;
}

Roofline WithPoints(int count) {
  Roofline roofline;
  roofline.title = "Roofline";
  roofline.subtitle = "NVIDIA H200";
  roofline.compute = {{"fp32", 6.69e13, RoofOrigin::kObserved},
                      {"fp64", 3.35e13, RoofOrigin::kGiven}};
  roofline.memory = {{"dram", 4.8e12, RoofOrigin::kMeasured}};
  for (int i = 0; i < count; ++i) {
    roofline.points.push_back(
        PointAt("region " + std::to_string(i), 0.05 * std::pow(1.05, i), 1e11 * std::pow(1.02, i)));
  }
  roofline.undrawn = {{"copy", "no floating-point work"}};
  roofline.notes = {"7 instances dropped"};
  return roofline;
}

std::string Draw(const Roofline& roofline, ChartFormat format) {
  absl::StatusOr<std::string> bytes = DrawRoofline(roofline, format);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

// Height of a PNG in pixels: bytes 20 to 23, big-endian.
uint32_t PngHeight(const std::string& png) {
  uint32_t height = 0;
  for (size_t i = 20; i < 24; ++i) height = height << 8 | static_cast<unsigned char>(png.at(i));
  return height;
}

TEST(DrawRoofline, GivesTheSameBytesForTheSameInput) {
  for (const int count : {1, 20, 60}) {
    const Roofline roofline = WithPoints(count);
    for (const ChartFormat format : {ChartFormat::kSvg, ChartFormat::kPdf, ChartFormat::kPng}) {
      const std::string first = Draw(roofline, format);
      // Something else in between moves cairo's own counters on.
      Draw(WithPoints(3), ChartFormat::kSvg);
      EXPECT_EQ(first, Draw(roofline, format)) << count << " points";
    }
  }
}

TEST(DrawRoofline, GivesOtherBytesForOtherInput) {
  Roofline moved = WithPoints(3);
  moved.points[1].flop_per_s *= 1.3;
  Roofline hollow = WithPoints(3);
  hollow.points[1].validity = "partial";
  Roofline flagged = WithPoints(3);
  flagged.points[1].above_roof = true;
  const std::string plain = Draw(WithPoints(3), ChartFormat::kSvg);
  EXPECT_NE(plain, Draw(moved, ChartFormat::kSvg));
  EXPECT_NE(plain, Draw(hollow, ChartFormat::kSvg));
  EXPECT_NE(plain, Draw(flagged, ChartFormat::kSvg));
}

TEST(DrawRoofline, GivesEachFormatItsOwnKind) {
  EXPECT_THAT(Draw(WithPoints(2), ChartFormat::kSvg), StartsWith("<?xml"));
  EXPECT_THAT(Draw(WithPoints(2), ChartFormat::kPdf), StartsWith("%PDF"));
  EXPECT_THAT(Draw(WithPoints(2), ChartFormat::kPng), StartsWith("\x89PNG"));
}

TEST(DrawRoofline, PutsNoDateOfTheMomentIntoAPdf) {
  const std::string pdf = Draw(WithPoints(2), ChartFormat::kPdf);
  const size_t information = pdf.find("/Producer");
  ASSERT_NE(information, std::string::npos);
  EXPECT_THAT(pdf.substr(information, 300), HasSubstr("/CreationDate (20000101000000Z"));
}

TEST(DrawRoofline, ListsWhatItDoesNotDrawAndWhatWasLost) {
  Roofline bare = WithPoints(2);
  bare.undrawn.clear();
  bare.notes.clear();
  Roofline with_undrawn = bare;
  with_undrawn.undrawn = WithPoints(2).undrawn;
  Roofline with_note = bare;
  with_note.notes = WithPoints(2).notes;
  const uint32_t height = PngHeight(Draw(bare, ChartFormat::kPng));
  EXPECT_GT(PngHeight(Draw(with_undrawn, ChartFormat::kPng)), height);
  EXPECT_GT(PngHeight(Draw(with_note, ChartFormat::kPng)), height);
}

TEST(DrawRoofline, ListsPointsThatAreNoNumbersAndDrawsTheRest) {
  Roofline roofline = WithPoints(2);
  const std::string before = Draw(roofline, ChartFormat::kPng);
  Roofline with_bad = roofline;
  with_bad.points.push_back(PointAt("nan", std::numeric_limits<double>::quiet_NaN(), 1e12));
  with_bad.points.push_back(PointAt("zero", 0, 1e12));
  with_bad.points.push_back(PointAt("infinite", 1, std::numeric_limits<double>::infinity()));
  with_bad.compute.push_back({"fp16", std::numeric_limits<double>::quiet_NaN(), {}});
  const std::string after = Draw(with_bad, ChartFormat::kPng);
  EXPECT_GT(PngHeight(after), PngHeight(before));
  Roofline by_hand = roofline;
  for (const char* name : {"nan", "zero", "infinite"}) {
    by_hand.undrawn.push_back({name, "intensity or performance is not a number above 0"});
  }
  EXPECT_EQ(after, Draw(by_hand, ChartFormat::kPng));
}

TEST(DrawRoofline, NumbersAndListsPointsWhoseNamesWouldCoverThePlot) {
  const Roofline short_names = WithPoints(30);
  Roofline long_names = short_names;
  for (RooflinePoint& point : long_names.points) point.label += std::string(40, 'w');
  EXPECT_GT(PngHeight(Draw(long_names, ChartFormat::kPng)),
            PngHeight(Draw(short_names, ChartFormat::kPng)));
  EXPECT_GT(PngHeight(Draw(WithPoints(41), ChartFormat::kPng)),
            PngHeight(Draw(WithPoints(40), ChartFormat::kPng)));
}

TEST(DrawRoofline, DrawsALineBetweenLevelsTheSameEachTime) {
  Roofline apart = WithPoints(3);
  Roofline joined = apart;
  for (RooflinePoint& point : joined.points) point.levels_of = 0;
  EXPECT_NE(Draw(joined, ChartFormat::kSvg), Draw(apart, ChartFormat::kSvg));
  EXPECT_EQ(Draw(joined, ChartFormat::kSvg), Draw(joined, ChartFormat::kSvg));
  EXPECT_EQ(Draw(joined, ChartFormat::kPdf), Draw(joined, ChartFormat::kPdf));
}

// Where the glyphs of all texts of an SVG begin: [x, y of the base line].
std::vector<std::pair<double, double>> GlyphsOf(const std::string& svg) {
  static const std::regex kUse("<use [^>]*x=\"([0-9.]+)\" y=\"([0-9.]+)\"");
  std::vector<std::pair<double, double>> spots;
  for (std::sregex_iterator use(svg.begin(), svg.end(), kUse), end; use != end; ++use) {
    spots.emplace_back(std::stod((*use)[1]), std::stod((*use)[2]));
  }
  EXPECT_FALSE(spots.empty());
  return spots;
}

// Glyphs on a level line from `left` to `right`.
size_t GlyphsOn(const std::string& svg, double left, double right, double y) {
  constexpr double kMiddle = 4;  // of a letter, above its base line
  const auto glyphs = GlyphsOf(svg);
  return static_cast<size_t>(std::count_if(glyphs.begin(), glyphs.end(), [&](const auto& glyph) {
    return glyph.first > left && glyph.first < right &&
           std::fabs(glyph.second - kMiddle - y) < kMiddle;
  }));
}

TEST(DrawRoofline, KeepsLabelsOfRoofsOffTheLinesBetweenLevels) {
  Roofline roofline = WithPoints(0);
  roofline.points = {PointAt("here", 0.0005, 3e10), PointAt("there", 0.5, 3e10)};
  const std::string apart = Draw(roofline, ChartFormat::kSvg);
  for (RooflinePoint& point : roofline.points) point.levels_of = 0;
  const std::string joined = Draw(roofline, ChartFormat::kSvg);
  static const std::regex kJoin(
      "stroke-width:1.4;[^>]*d=\"M ([0-9.]+) ([0-9.]+) L ([0-9.]+) ([0-9.]+)");
  std::smatch join;
  ASSERT_TRUE(std::regex_search(joined, join, kJoin));
  const double left = std::stod(join[1]) + 60, right = std::stod(join[3]) - 10;
  const double y = std::stod(join[2]);
  EXPECT_GT(GlyphsOn(apart, left, right, y), 0u) << "nothing is in the line's way";
  EXPECT_EQ(GlyphsOn(joined, left, right, y), 0u);
}

TEST(DrawRoofline, KeepsTheLabelOfAShortRoofInsideThePlot) {
  Roofline roofline = WithPoints(2);
  roofline.compute = {{"tensor", 9.89e14, RoofOrigin::kObserved},
                      {"tensor.bf16", 9.89e14, RoofOrigin::kObserved},
                      {"tensor.fp16.with a long name", 9.8e14, RoofOrigin::kTheoretical}};
  for (const auto& [x, y] : GlyphsOf(Draw(roofline, ChartFormat::kSvg))) {
    EXPECT_LT(x, 1172 - 4) << "of a page of 1200 with a margin of 28";
  }
}

TEST(DrawRoofline, HasRoomForTheLabelOfARoofAboveTwentyDecades) {
  Roofline roofline = WithPoints(0);
  roofline.compute = {{"fp32", 6.69e13, RoofOrigin::kObserved}};
  roofline.points = {PointAt("slow", 1e-6, 1e-6)};
  static const std::regex kRoof("stroke-width:2;[^>]*d=\"M ([0-9.]+) ([0-9.]+) L ([0-9.]+) \\2");
  const std::string svg = Draw(roofline, ChartFormat::kSvg);
  std::smatch roof;
  ASSERT_TRUE(std::regex_search(svg, roof, kRoof));
  const double y = std::stod(roof[2]);
  constexpr double kPlotTop = 92;
  EXPECT_GT(y - kPlotTop, 20);
  // Its letters stand above it.
  EXPECT_GT(GlyphsOn(svg, 142, 1172, y - 8), 10u);
}

TEST(DrawRoofline, KeepsTheLabelOfARoofNearItBesideRoofsOfOtherHardware) {
  Roofline roofline = WithPoints(0);
  roofline.hardware = {"NVIDIA H200", "NVIDIA RTX5080"};
  roofline.compute = {{"fp32", 6.69e13, RoofOrigin::kObserved, "NVIDIA H200"},
                      {"fp32", 5.35e13, RoofOrigin::kObserved, "NVIDIA RTX5080"}};
  roofline.memory.clear();
  for (const auto& [level, bytes_per_s] :
       {std::pair("dram", 4.8e12), std::pair("l2", 1.2e13), std::pair("l1", 3.3e13)}) {
    for (const RoofHardware hardware : roofline.hardware) {
      const double part = hardware == "NVIDIA H200" ? 1 : 0.5;
      roofline.memory.push_back({level, bytes_per_s * part, RoofOrigin::kObserved, hardware});
    }
  }
  for (int i = 0; i < 6; ++i) {
    for (const double part : {1.0, 0.4, 0.16}) {
      const double x = 0.1 * std::pow(2.59, i) * part;
      for (const double speed : {1.0, 0.5}) {
        roofline.points.push_back(PointAt("a", x, 2e11 * std::pow(2.01, i) * speed));
        roofline.points.back().paradigm = "Cuda";  // for a legend, which takes of the width
      }
    }
  }
  const std::string svg = Draw(roofline, ChartFormat::kSvg);
  static const std::regex kRoof("stroke-width:4;[^>]*d=\"M ([0-9.]+) ([0-9.]+) L ([0-9.]+) \\2");
  std::smatch roof;
  ASSERT_TRUE(std::regex_search(svg, roof, kRoof));
  const double left = std::stod(roof[1]), right = std::stod(roof[3]), y = std::stod(roof[2]);
  // "NVIDIA RTX5080 FP32 53.5 TFLOP/s (observed)", over or under it.
  EXPECT_GT(std::max(GlyphsOn(svg, left, right, y - 9), GlyphsOn(svg, left, right, y + 11)), 25u);
}

TEST(DrawRoofline, NamesRegionsAtThreeLevelsEach) {
  Roofline roofline = WithPoints(60);
  for (size_t i = 0; i < roofline.points.size(); ++i) {
    roofline.points[i].label = roofline.points[i].region = "r";
    roofline.points[i].levels_of = i / 3;
    if (i % 3 > 0) roofline.points[i].short_label = "L2";
  }
  const uint32_t named = PngHeight(Draw(roofline, ChartFormat::kPng));
  for (RooflinePoint& point : roofline.points) point.short_label = "";
  // 60 names are too many, so points have numbers and a list.
  EXPECT_GT(PngHeight(Draw(roofline, ChartFormat::kPng)), named + 200);
}

// Widths of lines in an SVG of cairo.
std::set<std::string> WidthsOf(const std::string& svg) {
  std::set<std::string> widths;
  const std::regex width("stroke-width:([0-9.]+)");
  for (std::sregex_iterator at(svg.begin(), svg.end(), width), end; at != end; ++at) {
    widths.insert((*at)[1]);
  }
  return widths;
}

TEST(DrawRoofline, DrawsRoofsOfASecondHardwareWider) {
  Roofline roofline = WithPoints(3);
  const std::string one = Draw(roofline, ChartFormat::kSvg);
  EXPECT_THAT(WidthsOf(one), Not(Contains("4")));
  roofline.hardware = {"NVIDIA H200", "NVIDIA RTX5080"};
  for (auto& roof : roofline.compute) roof.hardware = "NVIDIA H200";
  for (auto& roof : roofline.memory) roof.hardware = "NVIDIA H200";
  roofline.compute.push_back({"fp32", 5.73e13, RoofOrigin::kObserved, "NVIDIA RTX5080"});
  roofline.memory.push_back({"dram", 9.6e11, RoofOrigin::kObserved, "NVIDIA RTX5080"});
  const std::string two = Draw(roofline, ChartFormat::kSvg);
  EXPECT_THAT(WidthsOf(two), AllOf(Contains("2"), Contains("4")));
  EXPECT_EQ(two, Draw(roofline, ChartFormat::kSvg));
  for (const ChartFormat format : {ChartFormat::kPdf, ChartFormat::kPng}) Draw(roofline, format);
}

TEST(DrawRoofline, RefusesAnEmptyRooflineAndSaysWhy) {
  Roofline empty;
  empty.undrawn = {{"copy", "no floating-point work"}};
  const auto drawn = DrawRoofline(empty, ChartFormat::kSvg);
  ASSERT_FALSE(drawn.ok());
  EXPECT_THAT(std::string(drawn.status().message()), HasSubstr("neither roofs nor points"));
  EXPECT_THAT(std::string(drawn.status().message()), HasSubstr("copy: no floating-point work"));
}

TEST(DrawRoofline, DrawsPointsWithoutRoofsAndRoofsWithoutPoints) {
  Roofline points = WithPoints(5);
  points.compute.clear();
  points.memory.clear();
  Roofline compute = WithPoints(0);
  compute.memory.clear();
  Roofline memory = WithPoints(0);
  memory.compute.clear();
  for (const Roofline& roofline : {points, compute, memory, WithPoints(0)}) {
    EXPECT_FALSE(Draw(roofline, ChartFormat::kSvg).empty());
  }
}

TEST(DrawRoofline, StandsNamesOfAnyKindAndSize) {
  Roofline roofline = WithPoints(3);
  roofline.points[0].label = std::string(1 << 20, 'n');
  roofline.points[1].label = "line\nbreak \xF0\x9F\x9A\x80 \xff\xfe <&\"'>";
  roofline.points[2].label = "";
  roofline.undrawn.push_back({std::string(1 << 20, 'u'), std::string(1 << 20, 'r')});
  roofline.title = std::string(1 << 20, 't');
  for (const ChartFormat format : {ChartFormat::kSvg, ChartFormat::kPdf, ChartFormat::kPng}) {
    EXPECT_FALSE(Draw(roofline, format).empty());
  }
}

TEST(DrawRoofline, StaysDrawableWithThousandsOfRows) {
  Roofline roofline = WithPoints(200);
  for (int i = 0; i < 2000; ++i) {
    roofline.points.push_back(PointAt("more", 1, 1e12));
    const std::string number = std::to_string(i);
    roofline.undrawn.push_back({"u" + number, std::string(900, 'r') + std::to_string(i % 200)});
    roofline.notes.push_back(std::string(900, 'n') + number);
  }
  const std::string png = Draw(roofline, ChartFormat::kPng);
  EXPECT_LT(PngHeight(png), 32767u);  // cairo's limit
}

TEST(DrawRoofline, ListsRowsOfOneReasonTogether) {
  Roofline one = WithPoints(2);
  one.undrawn = {{"copy", "no floating-point work"}};
  Roofline several = one;
  for (const char* name : {"read", "write", "fill"}) {
    several.undrawn.push_back({name, "no floating-point work"});
  }
  EXPECT_EQ(PngHeight(Draw(several, ChartFormat::kPng)), PngHeight(Draw(one, ChartFormat::kPng)));
  several.undrawn.push_back({"idle", "no GPU time"});
  EXPECT_GT(PngHeight(Draw(several, ChartFormat::kPng)), PngHeight(Draw(one, ChartFormat::kPng)));
}

TEST(DrawRoofline, StandsExtremePoints) {
  Roofline roofline = WithPoints(1);
  roofline.points.push_back(PointAt("tiny", 1e-300, 1e-300));
  roofline.points.push_back(PointAt("huge", 1e300, 1e300));
  EXPECT_FALSE(Draw(roofline, ChartFormat::kSvg).empty());
}

class DecimalComma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(DrawRoofline, IsTheSameInALocaleWithDecimalCommas) {
  const std::string plain = Draw(WithPoints(4), ChartFormat::kSvg);
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  const std::string in_comma = Draw(WithPoints(4), ChartFormat::kSvg);
  std::locale::global(before);
  EXPECT_EQ(plain, in_comma);
}

}  // namespace
}  // namespace rafter
