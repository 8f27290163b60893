// Roofs and points of a table, and where labels go.
#include "collector/roofline/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "collector/roofline/axis.h"
#include "collector/roofline/chart_frame.h"
#include "collector/roofline/geometry.h"
#include "collector/roofline/label_placer.h"
#include "collector/roofline/point_labels.h"
#include "collector/roofline/points.h"
#include "collector/roofline/roofs.h"
#include "collector/roofline/series.h"

namespace rafter {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 100 FLOP/s and 10 B/s: the ridge is at 10 FLOP/Byte.
Row MakeRow(const std::string& region, double flop, double bytes, double seconds) {
  Row row;
  row.region = region;
  row.precision = "fp32";
  row.memory_level = "dram";
  row.flop = flop;
  row.traffic_bytes = bytes;
  row.duration_s = seconds;
  row.flop_per_byte = flop / bytes;
  row.flop_per_s = flop / seconds;
  row.peak_flop_per_s = 100;
  row.peak_bytes_per_s = 10;
  row.validity = "measured";
  return row;
}

TEST(BuildRoofline, MakesAPointOfARowAndRoofsOfItsPeaks) {
  const Roofline roofline = BuildRoofline({{MakeRow("a", 80, 40, 4)}, {"3 lost"}}, {});
  ASSERT_EQ(roofline.points.size(), 1u);
  EXPECT_EQ(roofline.points[0].flop_per_byte, 2);
  EXPECT_EQ(roofline.points[0].flop_per_s, 20);  // on its roof, which is not above
  EXPECT_FALSE(roofline.points[0].above_roof);
  EXPECT_EQ(roofline.points[0].label, "a");
  ASSERT_EQ(roofline.compute.size(), 1u);
  EXPECT_EQ(roofline.compute[0].flop_per_s, 100);
  EXPECT_EQ(roofline.compute[0].precision, "fp32");
  EXPECT_EQ(roofline.compute[0].origin, RoofOrigin::kObserved);
  ASSERT_EQ(roofline.memory.size(), 1u);
  EXPECT_EQ(roofline.memory[0].bytes_per_s, 10);
  EXPECT_EQ(roofline.memory[0].level, "dram");
  EXPECT_THAT(roofline.notes, ElementsAre("3 lost"));
}

TEST(BuildRoofline, TakesTheHighestPeakOfEachPrecisionAndLevel) {
  Table table{{MakeRow("a", 1, 1, 1), MakeRow("b", 1, 1, 1), MakeRow("c", 1, 1, 1)}, {}};
  table.rows[1].peak_flop_per_s = 120;
  table.rows[2].precision = "fp64";
  table.rows[2].peak_flop_per_s = 50;
  table.rows[2].memory_level = "l2";
  table.rows[2].peak_bytes_per_s = 30;
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.compute.size(), 2u);
  EXPECT_EQ(roofline.compute[0].flop_per_s, 120);
  EXPECT_EQ(roofline.compute[1].flop_per_s, 50);
  ASSERT_EQ(roofline.memory.size(), 2u);
  EXPECT_EQ(roofline.memory[1].bytes_per_s, 30);
}

TEST(BuildRoofline, UsesRoofsThatWereGiven) {
  RooflineOptions options;
  options.peak_flop_per_s = 7;
  options.peak_bytes_per_s = 5;
  const Roofline roofline = BuildRoofline({{MakeRow("a", 80, 40, 4)}, {}}, options);
  ASSERT_EQ(roofline.compute.size(), 1u);
  EXPECT_EQ(roofline.compute[0].flop_per_s, 7);
  EXPECT_EQ(roofline.compute[0].origin, RoofOrigin::kGiven);
  EXPECT_EQ(roofline.memory[0].origin, RoofOrigin::kGiven);
  EXPECT_TRUE(roofline.points[0].above_roof);
}

TEST(BuildRoofline, FlagsPointsAboveTheRoofOfTheirOwnPrecisionAndLevel) {
  Table table{{MakeRow("over compute", 202, 2, 2), MakeRow("over memory", 80, 40, 3),
               MakeRow("under", 80, 40, 5), MakeRow("fp64", 120, 2, 2)},
              {}};
  table.rows[3].precision = "fp64";
  table.rows[3].peak_flop_per_s = 50;
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.points.size(), 4u);
  EXPECT_TRUE(roofline.points[0].above_roof);   // 101 over 100
  EXPECT_TRUE(roofline.points[1].above_roof);   // 26.7 over 2 x 10
  EXPECT_FALSE(roofline.points[2].above_roof);  // 16 under 20
  EXPECT_TRUE(roofline.points[3].above_roof);   // 60 over 50, though under 100
}

TEST(BuildRoofline, ListsRowsThatHaveNoPlaceWithTheReason) {
  Table table{
      {MakeRow("good", 80, 40, 4), MakeRow("nan", 80, 40, 4), MakeRow("copy", 80, 40, 4),
       MakeRow("once", 80, 40, 4), MakeRow("unlike", 80, 40, 4), MakeRow("shared", 80, 40, 4)},
      {}};
  table.rows[1].flop_per_s = table.rows[1].duration_s = std::numeric_limits<double>::quiet_NaN();
  table.rows[2].flop = table.rows[2].flop_per_byte = table.rows[2].flop_per_s = 0;
  table.rows[2].reason = "counted of 20 calls: flop 2";
  table.rows[3].flop.reset();
  table.rows[3].flop_per_byte.reset();
  table.rows[3].flop_per_s.reset();
  table.rows[3].reason = "no call was counted in set flop";
  table.rows[4].flop_per_byte.reset();
  table.rows[4].flop_per_s.reset();
  table.rows[4].validity = "instances unlike";
  table.rows[4].reason = "launches per call differ (1 to 4)";
  table.rows[5].flop_per_byte.reset();
  table.rows[5].flop_per_s.reset();
  table.rows[5].validity = "shared device";
  table.rows[5].reason = "process 78 of this run used this GPU";
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.points.size(), 1u);
  EXPECT_EQ(roofline.points[0].row, 0u);
  ASSERT_EQ(roofline.undrawn.size(), 5u);
  EXPECT_EQ(roofline.undrawn[0].reason, "GPU time (not a number) missing");
  EXPECT_EQ(roofline.undrawn[1].label, "copy");
  EXPECT_EQ(roofline.undrawn[1].reason, "no floating-point work");
  EXPECT_EQ(roofline.undrawn[2].reason, "FLOP missing: no call was counted in set flop");
  EXPECT_EQ(roofline.undrawn[3].reason, "instances unlike: launches per call differ (1 to 4)");
  EXPECT_EQ(roofline.undrawn[4].reason, "shared device: process 78 of this run used this GPU");
}

// Two regions on two GPUs; the second is twice as fast in all.
Table OnTwoGpus() {
  Table table{{MakeRow("a", 80, 40, 4), MakeRow("b", 80, 40, 4), MakeRow("a", 80, 40, 2),
               MakeRow("b", 80, 40, 2)},
              {"3 lost"}};
  for (size_t i = 0; i < 4; ++i) table.rows[i].hardware = i < 2 ? "RTX5080" : "H200";
  for (size_t i = 2; i < 4; ++i) {
    table.rows[i].peak_flop_per_s = 200;
    table.rows[i].peak_bytes_per_s = 20;
  }
  return table;
}

TEST(BuildRoofline, GivesEachHardwareRoofsOfItsOwnRows) {
  Table table = OnTwoGpus();
  table.rows[1].peak_flop_per_s = 104;  // another clock; the highest counts
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.compute.size(), 2u);
  EXPECT_EQ(roofline.compute[0].hardware, "RTX5080");
  EXPECT_EQ(roofline.compute[0].flop_per_s, 104);
  EXPECT_EQ(roofline.compute[1].hardware, "H200");
  EXPECT_EQ(roofline.compute[1].flop_per_s, 200);
  ASSERT_EQ(roofline.memory.size(), 2u);
  EXPECT_EQ(roofline.memory[0].hardware, "RTX5080");
  EXPECT_EQ(roofline.memory[0].bytes_per_s, 10);
  EXPECT_EQ(roofline.memory[1].bytes_per_s, 20);
  EXPECT_THAT(roofline.hardware, ElementsAre("RTX5080", "H200"));
  EXPECT_THAT(roofline.notes, ElementsAre("3 lost"));
}

TEST(BuildRoofline, HoldsAPointAgainstTheRoofsOfItsOwnHardware) {
  Table table = OnTwoGpus();
  table.rows[0].duration_s = 3;  // 26.7 over 2 x 10, and under 2 x 20
  table.rows[0].flop_per_s = 80.0 / 3;
  table.rows[2].duration_s = 3;
  table.rows[2].flop_per_s = 80.0 / 3;
  table.rows[1].flop_per_byte = 40;
  table.rows[3].flop_per_byte = 40;
  table.rows[1].flop_per_s = 150;  // over 100, and under 200
  table.rows[3].flop_per_s = 150;
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.points.size(), 4u);
  EXPECT_TRUE(roofline.points[0].above_roof);
  EXPECT_TRUE(roofline.points[1].above_roof);
  EXPECT_FALSE(roofline.points[2].above_roof);
  EXPECT_FALSE(roofline.points[3].above_roof);
}

TEST(BuildRoofline, NamesNoHardwareWhereThereIsOne) {
  Table table{{MakeRow("a", 80, 40, 4), MakeRow("b", 80, 40, 4)}, {}};
  table.rows[0].hardware = "H200";  // the other one does not say
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.compute.size(), 1u);
  EXPECT_FALSE(roofline.compute[0].hardware);
  EXPECT_THAT(roofline.hardware, ElementsAre());
  EXPECT_THAT(roofline.notes, ElementsAre());
}

TEST(BuildRoofline, KeepsRowsThatNameNoHardwareApartFromSeveralThatDo) {
  Table table = OnTwoGpus();
  table.rows.push_back(MakeRow("c", 80, 40, 4));
  table.rows.back().peak_flop_per_s = 150;
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.compute.size(), 3u);
  EXPECT_EQ(roofline.compute[2].hardware, "");
  EXPECT_EQ(roofline.compute[2].flop_per_s, 150);
  EXPECT_THAT(roofline.notes, Contains("of unnamed hardware: c"));
}

TEST(BuildRoofline, TakesARoofThatWasGivenForAllHardware) {
  RooflineOptions options;
  options.peak_flop_per_s = 15;
  Table table = OnTwoGpus();
  const Roofline roofline = BuildRoofline(table, options);
  ASSERT_EQ(roofline.compute.size(), 1u);
  EXPECT_FALSE(roofline.compute[0].hardware);
  EXPECT_EQ(roofline.compute[0].origin, RoofOrigin::kGiven);
  ASSERT_EQ(roofline.memory.size(), 2u);
  EXPECT_EQ(roofline.memory[1].hardware, "H200");
  for (const RooflinePoint& point : roofline.points) EXPECT_TRUE(point.above_roof);
  EXPECT_THAT(roofline.notes, Contains("rows of different hardware (RTX5080, H200): roofs that "
                                       "were given count for all of them"));
}

TEST(BuildRoofline, TakesTheOriginOfEachHardwaresOwnRows) {
  Table table = OnTwoGpus();
  // Peaks of the first two were made of counters; those of the others were not.
  table.rows[0].metrics["dram__bytes.sum.peak_sustained"] = 1;
  table.rows[1].metrics["dram__bytes.sum.peak_sustained"] = std::nullopt;
  table.rows[2].metrics["gpu__time_duration.sum"] = 1;
  table.rows[3].metrics["dram__bytes.sum.peak_sustained"] = std::nullopt;
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.memory.size(), 2u);
  EXPECT_EQ(roofline.memory[0].origin, RoofOrigin::kObserved);
  EXPECT_EQ(roofline.memory[1].origin, RoofOrigin::kGiven);
}

TEST(BuildRoofline, DoesNotCallPeaksOfAnotherToolGivenForItsEmptyColumns) {
  Table table = OnTwoGpus();
  for (Row& row : table.rows) row.metrics["dram__bytes.sum.peak_sustained"] = std::nullopt;
  table.rows[2].metrics["dram__bytes.sum.peak_sustained"] = 1;
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.memory.size(), 2u);
  EXPECT_EQ(roofline.memory[0].origin, RoofOrigin::kObserved);
}

TEST(BuildRoofline, SaysWhichHardwareHasNoRoof) {
  Table table = OnTwoGpus();
  for (size_t i = 0; i < 2; ++i) table.rows[i].peak_flop_per_s.reset();
  const Roofline roofline = BuildRoofline(table, {});
  EXPECT_THAT(
      roofline.notes,
      ElementsAre("no compute roof of RTX5080: its rows have no peak performance", "3 lost"));
  EXPECT_FALSE(roofline.points[0].above_roof);
}

TEST(BuildRoofline, DrawsTheRoofsOfTheFourKindsOfHardwareWithMostPointsAndNamesTheOthers) {
  Table table;
  for (const char* hardware : {"A", "B", "C", "D", "E", "F"}) {
    for (const char* region : {"r", "s"}) {
      if (*region == 's' && (*hardware == 'B' || *hardware == 'D')) continue;
      table.rows.push_back(MakeRow(region, 80, 40, 4));
      table.rows.back().hardware = hardware;
    }
  }
  table.rows[2].flop_per_s = 1000;  // above B's roof, which is not drawn
  const Roofline roofline = BuildRoofline(table, {});
  EXPECT_THAT(roofline.hardware, ElementsAre("A", "C", "E", "F"));
  EXPECT_EQ(roofline.compute.size(), 4u);
  EXPECT_EQ(roofline.points.size(), 10u);
  ASSERT_EQ(roofline.left_out.compute.size(), 2u);
  EXPECT_EQ(roofline.left_out.compute[0].hardware, "B");
  EXPECT_EQ(roofline.left_out.memory.size(), 2u);
  EXPECT_TRUE(roofline.points[2].above_roof);
  EXPECT_FALSE(roofline.points[0].above_roof);
  EXPECT_THAT(roofline.notes,
              ElementsAre("roofs of B, D are left out: at most 4 kinds of hardware have theirs on "
                          "the chart, those with most points"));
}

TEST(BuildRoofline, SaysWhatIsOfWhichHardwareWhereLabelsDoNot) {
  Table table = OnTwoGpus();
  table.rows[3].region = "c";
  for (size_t i = 0; i < 4; ++i) table.rows[i].executable = i < 2 ? "old" : "new";
  const Roofline roofline = BuildRoofline(table, {});
  EXPECT_EQ(roofline.points[0].label, "a, old, RTX5080");
  EXPECT_EQ(roofline.points[3].label, "c");
  EXPECT_THAT(roofline.notes, ElementsAre("of RTX5080: old (b)", "of H200: new (c)", "3 lost"));
}

TEST(BuildRoofline, SaysWhatIsOfWhichHardwareWhereALabelIsCutOnThePlot) {
  Table table = OnTwoGpus();
  EXPECT_THAT(BuildRoofline(table, {}).notes, ElementsAre("3 lost"));
  const std::string name = "a region with a name of thirty-four";
  table.rows[0].region = table.rows[2].region = name;
  EXPECT_THAT(BuildRoofline(table, {}).notes,
              ElementsAre("of RTX5080: " + name + ", RTX5080; b, RTX5080",
                          "of H200: " + name + ", H200; b, H200", "3 lost"));
}

TEST(PointLabels, HaveTheHardwareWhereARegionIsOnSeveral) {
  std::vector<Row> rows(3);
  rows[0].region = rows[1].region = "matmul";
  rows[2].region = "init";
  rows[0].executable = "cuda";
  rows[1].executable = "hip";
  rows[0].hardware = rows[2].hardware = "H200";
  rows[1].hardware = "RTX5080";
  EXPECT_THAT(PointLabels(rows), ElementsAre("matmul, cuda, H200", "matmul, hip, RTX5080", "init"));
}

TEST(PointLabels, AreAsShortAsTheyCanBe) {
  std::vector<Row> rows(4);
  rows[0].region = "init";
  rows[1].region = rows[2].region = rows[3].region = "matmul";
  rows[1].paradigm = "Cuda";
  rows[2].paradigm = rows[3].paradigm = "OpenCL";
  rows[2].rank = "0";
  rows[3].rank = "1";
  EXPECT_THAT(PointLabels(rows), ElementsAre("init", "matmul, Cuda", "matmul, OpenCL, rank 0",
                                             "matmul, OpenCL, rank 1"));
}

TEST(PointLabels, LeaveOutARegionThatAllRowsShare) {
  std::vector<Row> rows(2);
  rows[0].region = rows[1].region = "matmul";
  rows[0].paradigm = "Cuda";
  rows[1].paradigm = "Hip";
  EXPECT_THAT(PointLabels(rows), ElementsAre("Cuda", "Hip"));
}

TEST(PointLabels, NumberRowsThatNothingTellsApart) {
  std::vector<Row> rows(2);
  rows[0].region = rows[1].region = "a";
  EXPECT_THAT(PointLabels(rows), ElementsAre("a (1)", "a (2)"));
}

TEST(ChooseSeries, UsesTheColoursOfTheContract) {
  std::vector<RooflinePoint> points(2);
  points[0].paradigm = "Kokkos";
  points[1].paradigm = "Hip";
  const SeriesOfPoints chosen = ChooseSeries(points);
  EXPECT_TRUE(chosen.by_paradigm);
  EXPECT_EQ(chosen.series[0].color, 0xd62728u);
  EXPECT_EQ(chosen.series[1].color, 0x000000u);
  EXPECT_NE(chosen.series[0].shape, chosen.series[1].shape);
}

TEST(ChooseSeries, GivesEachParadigmAShapeOfItsOwn) {
  std::vector<RooflinePoint> points;
  for (const char* paradigm :
       {"CPP", "Stdpar", "Vulkan", "Slang-Vulkan", "AdaptiveCpp", "Kokkos", "Cuda", "Slang-Cuda",
        "RAJA", "Alpaka", "Cublas", "OpenACC", "OpenCL", "Boost", "OpenMP", "Hip"}) {
    RooflinePoint point;
    point.paradigm = paradigm;
    points.push_back(point);
  }
  std::set<MarkerShape> shapes;
  for (const Series& series : ChooseSeries(points).series) shapes.insert(series.shape);
  EXPECT_EQ(shapes.size(), points.size());
}

TEST(ChooseSeries, GoesByExecutableWhereThereAreSeveralAndNoParadigm) {
  std::vector<RooflinePoint> points(3);
  points[0].region = points[1].region = "mm";
  points[2].region = "io";
  points[0].executable = points[2].executable = "a";
  EXPECT_TRUE(ChooseSeries(points).by_executable);
  points[1].executable = "a";
  const SeriesOfPoints by_region = ChooseSeries(points);
  EXPECT_FALSE(by_region.by_executable);
  EXPECT_EQ(by_region.of_point, (std::vector<size_t>{0, 0, 1}));
}

Roofline WithTwoHardware() {
  Roofline roofline;
  roofline.hardware = {"RTX5080", "H200"};
  roofline.compute = {{"fp32", 5e13, RoofOrigin::kObserved, "RTX5080"},
                      {"fp32", 6e13, RoofOrigin::kObserved, "H200"},
                      {"fp16", 6e13, RoofOrigin::kObserved, "H200"}};
  roofline.memory = {{"dram", 1e12, RoofOrigin::kObserved, "RTX5080"},
                     {"dram", 4e12, RoofOrigin::kObserved, "H200"}};
  return roofline;
}

TEST(PlaceRoofs, LetsRoofsOfOneHardwareMeetAndNoOthers) {
  const Roofline roofline = WithTwoHardware();
  const ChartFrame frame = FrameFor(roofline, {0, 0, 1000, 600});
  const RoofsOnPage roofs = PlaceRoofs(roofline, frame);
  std::vector<std::string> texts;
  for (const RoofLine& line : roofs.lines) texts.push_back(line.text);
  EXPECT_THAT(texts, ElementsAre("RTX5080 DRAM 1 TB/s (observed)", "H200 DRAM 4 TB/s (observed)",
                                 "RTX5080 FP32 50 TFLOP/s (observed)",
                                 "H200 FP32, FP16 60 TFLOP/s (observed)", ""));
  std::vector<std::string> ridges;
  for (const Ridge& ridge : roofs.ridges) ridges.push_back(ridge.text);
  EXPECT_THAT(ridges, ElementsAre("ridge RTX5080 FP32 at DRAM: 50 FLOP/Byte",
                                  "ridge H200 FP32 at DRAM: 15 FLOP/Byte",
                                  "ridge H200 FP16 at DRAM: 15 FLOP/Byte"));
  // A slanted roof ends where it meets the highest level one of its own hardware, and that
  // begins there.
  EXPECT_NEAR(roofs.lines[0].line.to.x, frame.x.At(50), 1e-6);
  EXPECT_NEAR(roofs.lines[0].line.to.y, frame.y.At(5e13), 1e-6);
  EXPECT_NEAR(roofs.lines[2].line.from.x, frame.x.At(50), 1e-6);
  EXPECT_NEAR(roofs.lines[1].line.to.x, frame.x.At(15), 1e-6);
  EXPECT_NEAR(roofs.lines[3].line.from.x, frame.x.At(15), 1e-6);
}

TEST(PlaceRoofs, TellsHardwareApartByToneAndWidth) {
  Roofline roofline = WithTwoHardware();
  roofline.hardware = {"RTX5080", "H200", "A", "B"};
  roofline.compute.push_back({"fp32", 7e13, RoofOrigin::kObserved, "A"});
  roofline.compute.push_back({"fp32", 8e13, RoofOrigin::kObserved, "B"});
  for (const bool is_given : {false, true}) {
    if (is_given) roofline.compute.push_back({"", 1e13, RoofOrigin::kGiven});
    const RoofsOnPage roofs = PlaceRoofs(roofline, FrameFor(roofline, {0, 0, 1000, 600}));
    std::set<std::pair<uint32_t, double>> looks;
    for (const RoofLine& line : roofs.lines) looks.emplace(line.style.color, line.style.width);
    EXPECT_EQ(looks.size(), is_given ? 5u : 4u);
    // Roofs of one hardware look alike.
    EXPECT_EQ(roofs.lines[0].style.width, roofs.lines[2].style.width);
    EXPECT_EQ(roofs.lines[0].style.color, roofs.lines[2].style.color);
  }
}

TEST(FrameFor, KeepsRoomForTheLabelsOfRoofsBesideManyPoints) {
  Roofline roofline;
  roofline.compute = {{"fp32", 1e12, RoofOrigin::kObserved}};
  const Box plot{0, 0, 1000, 600};
  double greatest = 0;
  for (int i = 0; i < 41; ++i) {
    RooflinePoint point;
    point.flop_per_byte = greatest = 0.01 * (i + 1) * (i + 1) * (i + 1);
    point.flop_per_s = 1e11;
    roofline.points.push_back(point);
  }
  EXPECT_LE(FrameFor(roofline, plot).x.At(greatest), 751);
  roofline.points.pop_back();  // few enough to stand anywhere
  EXPECT_GT(FrameFor(roofline, plot).x.At(roofline.points.back().flop_per_byte), 800);
}

TEST(LevelLines, JoinNeighboursOfTheSameLaunchesOnly) {
  Roofline roofline;
  for (const double flop_per_byte : {8.0, 1.0, 4.0, 2.0}) {
    RooflinePoint point;
    point.flop_per_byte = flop_per_byte;
    point.flop_per_s = 1e11;
    if (flop_per_byte != 2.0) point.levels_of = 0;
    roofline.points.push_back(point);
  }
  const ChartFrame frame = FrameFor(roofline, {0, 0, 1000, 600});
  const std::vector<LevelLine> lines = LevelLines(roofline, frame);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].line.from.x, frame.x.At(1));
  EXPECT_EQ(lines[0].line.to.x, frame.x.At(4));
  EXPECT_EQ(lines[1].line.to.x, frame.x.At(8));
}

TEST(LogAxis, StandsDecadesApartEqually) {
  const LogAxis axis(1, 1000, 100, 400);
  EXPECT_DOUBLE_EQ(axis.At(1), 100);
  EXPECT_DOUBLE_EQ(axis.At(10), 200);
  EXPECT_DOUBLE_EQ(axis.At(1000), 400);
  EXPECT_NEAR(axis.ValueAt(300), 100, 1e-9);
  EXPECT_EQ(axis.Ticks("").size(), 28u);  // 3 x 9 + 1
  EXPECT_EQ(axis.Ticks("FLOP/s").back().text, "1 kFLOP/s");
  EXPECT_EQ(axis.Ticks("").back().text, "1000");
}

TEST(PowerText, IsPlainNearOneAndAPowerFarFromIt) {
  EXPECT_EQ(PowerText(1, -2), "0.01");
  EXPECT_EQ(PowerText(5, -1), "0.5");
  EXPECT_EQ(PowerText(2, 3), "2000");
  EXPECT_EQ(PowerText(1, 12), "10¹²");
  EXPECT_EQ(PowerText(5, -7), "5·10⁻⁷");
}

TEST(LabelPlacer, PutsNoLabelOverAnotherOrOverAPointOrARoof) {
  const Box area{0, 0, 1000, 600};
  LabelPlacer placer(area);
  const Segment roof{{0, 300}, {1000, 300}};
  placer.Avoid(roof);
  std::vector<LabelRequest> requests;
  for (int i = 0; i < 40; ++i) {
    requests.push_back({{400.0 + 17 * (i % 8), 240.0 + 21 * (i / 8)}, 5, 70, 14});
  }
  const std::vector<PlacedLabel> placed = placer.Place(requests);
  ASSERT_EQ(placed.size(), requests.size());
  for (size_t i = 0; i < placed.size(); ++i) {
    EXPECT_TRUE(Contains(area, placed[i].box)) << i;
    EXPECT_FALSE(Crosses(roof, placed[i].box)) << i;
    for (size_t j = 0; j < placed.size(); ++j) {
      EXPECT_FALSE(i != j && Overlap(placed[i].box, placed[j].box)) << i << " over " << j;
      EXPECT_FALSE(Overlap(placed[i].box, Around(requests[j].anchor, 10, 10))) << i << " on " << j;
    }
  }
}

TEST(LabelPlacer, LeadsALineToALabelThatHadToMoveAway) {
  LabelPlacer placer({0, 0, 400, 400});
  placer.Avoid(Box{150, 150, 100, 100});
  const std::vector<PlacedLabel> placed = placer.Place({{{200, 200}, 5, 40, 12}});
  EXPECT_TRUE(placed[0].has_leader);
  EXPECT_FALSE(placer.Place({{{60, 60}, 5, 40, 12}})[0].has_leader);
}

TEST(LabelPlacer, LosesNoLabelWhereThereIsNoRoom) {
  LabelPlacer placer({0, 0, 60, 20});
  const std::vector<LabelRequest> requests(20, {{30, 10}, 5, 50, 12});
  EXPECT_EQ(placer.Place(requests).size(), 20u);
}

}  // namespace
}  // namespace rafter
