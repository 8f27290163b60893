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
#include "collector/roofline/series.h"

namespace rafter {
namespace {

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

TEST(BuildRoofline, NotesThatRoofsAreOfDifferentHardware) {
  Table table{{MakeRow("a", 80, 40, 4), MakeRow("b", 80, 40, 4)}, {}};
  table.rows[0].hardware = "H200";
  table.rows[1].hardware = "RTX5080";
  EXPECT_THAT(BuildRoofline(table, {}).notes,
              ElementsAre("rows of different hardware (H200, RTX5080): each roof is the highest "
                          "of all"));
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
