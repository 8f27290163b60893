// Rows at several levels of the memory, and work that a model gives.
#include "collector/table/memory_levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collector/roofline/roofline.h"
#include "collector/table/work_model.h"

namespace rafter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// 1 ms at DRAM; clocks of 1e9 Hz.
Row MakeRow(const std::string& region) {
  Row row;
  row.executable = "bench";
  row.region = region;
  row.precision = "fp32";
  row.memory_level = "dram";
  row.source = "cupti";
  row.calls = 2;
  row.flop = 1e9;
  row.traffic_bytes = 1e8;
  row.duration_s = 1e-3;
  row.flop_per_byte = 10;
  row.flop_per_s = 1e12;
  row.peak_flop_per_s = 1e13;
  row.peak_bytes_per_s = 1e12;
  row.validity = "measured";
  row.metrics = {{"dram__bytes.sum", 1e8},
                 {"dram__bytes.sum.peak_sustained", 500},
                 {"lts__t_bytes.sum", 2e8},
                 {"l1tex__t_bytes.sum", 4e8},
                 {"lts__t_bytes.sum.peak_sustained", 5000},
                 {"lts__cycles_elapsed.avg.per_second", 1e9},
                 {"l1tex__t_bytes.sum.peak_sustained", 9000},
                 {"sm__cycles_elapsed.avg.per_second", 2e9}};
  return row;
}

TEST(AtMemoryLevels, TakesBytesAndPeaksOfEachLevel) {
  const Table table = AtMemoryLevels({{MakeRow("a")}, {}}, {"dram", "l2", "l1"});
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].traffic_bytes, 1e8);
  EXPECT_EQ(table.rows[0].peak_bytes_per_s, 1e12);
  EXPECT_EQ(table.rows[1].memory_level, "l2");
  EXPECT_EQ(table.rows[1].traffic_bytes, 2e8);
  EXPECT_EQ(table.rows[1].flop_per_byte, 5);
  EXPECT_EQ(table.rows[1].flop_per_s, 1e12);
  EXPECT_EQ(table.rows[1].peak_bytes_per_s, 5e12);
  EXPECT_EQ(table.rows[2].flop_per_byte, 2.5);
  EXPECT_EQ(table.rows[2].peak_bytes_per_s, 1.8e13);
}

TEST(AtMemoryLevels, SaysWhichMetricARowLacks) {
  Table table{{MakeRow("a")}, {}};
  table.rows[0].metrics.erase("lts__t_bytes.sum");
  const Table at = AtMemoryLevels(table, {"l2"});
  ASSERT_EQ(at.rows.size(), 1u);
  EXPECT_FALSE(at.rows[0].traffic_bytes.has_value());
  EXPECT_FALSE(at.rows[0].flop_per_byte.has_value());
  EXPECT_EQ(at.rows[0].reason, "lts__t_bytes.sum has no value here; it is in set memory");
}

TEST(AtMemoryLevels, MakesNoRatioThatTheRowWithholds) {
  Table table{{MakeRow("a")}, {}};
  table.rows[0].validity = "instances unlike";
  table.rows[0].flop_per_byte.reset();
  const Table at = AtMemoryLevels(table, {"l2"});
  EXPECT_EQ(at.rows[0].traffic_bytes, 2e8);
  EXPECT_FALSE(at.rows[0].flop_per_byte.has_value());
}

TEST(AtMemoryLevels, UsesRowsThatAreThereForTheirLevel) {
  const Table all = AtMemoryLevels({{MakeRow("a"), MakeRow("b")}, {}}, {"dram", "l2"});
  const Table again = AtMemoryLevels(all, {"l2"});
  ASSERT_EQ(again.rows.size(), 2u);
  EXPECT_EQ(again.rows[0].region, "a");
  EXPECT_EQ(again.rows[1].region, "b");
}

TEST(ParseMemoryLevels, RefusesWhatIsNoLevelOrThereTwice) {
  EXPECT_THAT(*ParseMemoryLevels("dram,l1"), ElementsAre("dram", "l1"));
  for (const char* wrong : {"", "l3", "dram,", "l2,l2", "dram l2"}) {
    EXPECT_FALSE(ParseMemoryLevels(wrong).ok()) << wrong;
  }
}

TEST(BuildRoofline, JoinsPointsOfTheSameLaunchesAtSeveralLevels) {
  const Table table = AtMemoryLevels({{MakeRow("a"), MakeRow("b")}, {}}, {"dram", "l2", "l1"});
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.points.size(), 6u);
  EXPECT_EQ(roofline.points[0].label, "a, DRAM");
  EXPECT_EQ(roofline.points[0].short_label, "");
  EXPECT_EQ(roofline.points[1].short_label, "L2");
  EXPECT_EQ(roofline.points[2].short_label, "L1");
  EXPECT_EQ(roofline.points[0].levels_of, roofline.points[2].levels_of);
  EXPECT_NE(roofline.points[0].levels_of, roofline.points[3].levels_of);
  ASSERT_EQ(roofline.memory.size(), 3u);
  EXPECT_EQ(roofline.memory[1].level, "l2");
  EXPECT_EQ(roofline.memory[1].bytes_per_s, 5e12);
}

TEST(BuildRoofline, JoinsNothingWhereThereIsOneLevel) {
  const Roofline roofline = BuildRoofline({{MakeRow("a"), MakeRow("a")}, {}}, {});
  ASSERT_EQ(roofline.points.size(), 2u);
  EXPECT_FALSE(roofline.points[0].levels_of.has_value());
}

TEST(BuildRoofline, GivenBandwidthIsThatOfTheFirstLevel) {
  const Table table = AtMemoryLevels({{MakeRow("a")}, {}}, {"dram", "l2"});
  RooflineOptions options;
  options.peak_bytes_per_s = 3e12;
  const Roofline roofline = BuildRoofline(table, options);
  ASSERT_EQ(roofline.memory.size(), 2u);
  EXPECT_EQ(roofline.memory[0].level, "dram");
  EXPECT_EQ(roofline.memory[0].origin, RoofOrigin::kGiven);
  EXPECT_EQ(roofline.memory[1].level, "l2");
  EXPECT_EQ(roofline.memory[1].origin, RoofOrigin::kObserved);
}

TEST(BuildRoofline, KeepsPeaksOfTwoOriginsApart) {
  Table table{{MakeRow("a"), MakeRow("b")}, {}};
  table.rows[1].source = "likwid";  // which reads no peaks
  table.rows[1].peak_bytes_per_s = 9e11;
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.memory.size(), 2u);
  EXPECT_EQ(roofline.memory[0].origin, RoofOrigin::kObserved);
  EXPECT_EQ(roofline.memory[1].origin, RoofOrigin::kGiven);
  EXPECT_EQ(roofline.memory[1].bytes_per_s, 9e11);
}

TEST(BuildRoofline, CallsAPeakGivenThatNoCounterOfTheTableMakes) {
  Table table{{MakeRow("a")}, {}};
  EXPECT_EQ(BuildRoofline(table, {}).compute[0].origin, RoofOrigin::kGiven);  // no ffma peak
  EXPECT_EQ(BuildRoofline(table, {}).memory[0].origin, RoofOrigin::kObserved);
  table.rows[0].metrics.clear();  // a table that does not tell
  EXPECT_EQ(BuildRoofline(table, {}).compute[0].origin, RoofOrigin::kObserved);
}

TEST(BuildRoofline, DrawsTheMeanOverRanksAndListsLeastAndGreatest) {
  Table table{{MakeRow("a"), MakeRow("a"), MakeRow("a")}, {}};
  table.rows[0].rank = "min";
  table.rows[1].rank = "mean";
  table.rows[2].rank = "max";
  const Roofline roofline = BuildRoofline(table, {});
  ASSERT_EQ(roofline.points.size(), 1u);
  EXPECT_EQ(roofline.points[0].row, 1u);
  ASSERT_EQ(roofline.undrawn.size(), 2u);
  EXPECT_EQ(roofline.undrawn[0].reason, "each column for itself over ranks, so no point");
}

std::vector<WorkModel> Models(const std::vector<std::string>& texts) {
  std::vector<WorkModel> models;
  for (const std::string& text : texts) models.push_back(*ParseWorkModel(text));
  return models;
}

TEST(ApplyWorkModels, FillWorkThatWasNotCountedAndSaySo) {
  Table table{{MakeRow("mm")}, {}};
  Row& row = table.rows[0];
  row.flop.reset();
  row.flop_per_byte.reset();
  row.flop_per_s.reset();
  row.validity = "extrapolated";
  row.reason = "counted of 2 calls: time 1";
  std::vector<std::string> notes;
  ApplyWorkModels(Models({"^bench\\[mm\\]$=4e9", "mm=1"}), table, notes);
  EXPECT_EQ(row.flop, 8e9);  // 2 calls
  EXPECT_EQ(row.flop_per_byte, 80);
  EXPECT_EQ(row.flop_per_s, 8e12);
  EXPECT_EQ(row.validity, "work model");
  EXPECT_THAT(row.reason, HasSubstr("FLOP are of the work model: 4 GFLOP per call"));
  EXPECT_THAT(row.reason, HasSubstr("counted of 2 calls: time 1"));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("--analytic-flop mm: the first match of no region")));
}

TEST(ApplyWorkModels, ReplaceNoCountedNumberAndSayWhereTheyDiffer) {
  Table table{{MakeRow("like"), MakeRow("unlike")}, {}};
  std::vector<std::string> notes;
  ApplyWorkModels(Models({"\\[like=5.001e8", "unlike=7e8"}), table, notes);
  EXPECT_EQ(table.rows[0].flop, 1e9);
  EXPECT_EQ(table.rows[0].reason, "");
  EXPECT_EQ(table.rows[1].flop, 1e9);
  EXPECT_EQ(table.rows[1].validity, "measured");
  EXPECT_THAT(table.rows[1].reason, HasSubstr("FLOP are counted; the work model says 1.4 GFLOP"));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(ApplyWorkModels, LeaveRowsThatLackMoreThanWork) {
  Table table{{MakeRow("mm"), MakeRow("mm"), MakeRow("mm")}, {}};
  for (Row& row : table.rows) {
    row.flop.reset();
    row.flop_per_byte.reset();
    row.flop_per_s.reset();
  }
  table.rows[0].validity = "missing";
  table.rows[0].traffic_bytes.reset();
  table.rows[1].validity = "shared device";
  table.rows[2].calls.reset();
  std::vector<std::string> notes;
  ApplyWorkModels(Models({"mm=4e9"}), table, notes);
  EXPECT_EQ(table.rows[0].validity, "missing");
  EXPECT_EQ(table.rows[1].validity, "shared device");
  EXPECT_FALSE(table.rows[1].flop_per_s.has_value());
  EXPECT_FALSE(table.rows[2].flop.has_value());
  EXPECT_THAT(table.rows[2].reason, HasSubstr("how many calls there were is not known"));
}

TEST(ParseWorkModel, PartsAtTheLastEqualsSign) {
  const auto model = ParseWorkModel("a=b=12");
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->pattern.text(), "a=b");
  EXPECT_EQ(model->flop, 12);
  for (const char* wrong : {"", "a", "=3", "a=", "a=0", "a=-1", "a=x", "(=3", "a=nan"}) {
    EXPECT_FALSE(ParseWorkModel(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace rafter
