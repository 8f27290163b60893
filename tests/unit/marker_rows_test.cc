// Rows of what LIKWID counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "collector/ingest/marker_scale.h"
#include "collector/roofline/roofline.h"
#include "collector/table/table.h"
#include "tests/unit/marker_sample.h"

// As in chart_test.cc: fontconfig keeps what it parsed.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kFadd[] = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";
constexpr char kFfma[] = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";

RunProcess Process(int64_t id, const std::string& executable) {
  RunProcess process;
  process.id = id;
  process.executable = executable;
  process.ending = "exit";
  return process;
}

MarkerReadings Of(int64_t process, uint32_t run, MarkerReadings markers) {
  markers.process = process;
  markers.run = run;
  return markers;
}

// Both groups of the real program, each from a run of its own.
rafter::Run Bench() {
  rafter::Run run;
  run.processes = {Process(1, "/a/bench"), Process(2, "/a/bench")};
  run.markers = {Of(1, 1, Sample("fp", FpEvents()).markers),
                 Of(2, 2, Sample("mem", MemEvents()).markers)};
  return run;
}

Row RowOf(const Table& table, const std::string& region) {
  for (const Row& row : table.rows) {
    if (row.region == region) return row;
  }
  ADD_FAILURE() << "no row " << region;
  return {};
}

// One region with FADD, FMUL, FFMA and one with bytes, as two runs gave them.
rafter::Run Small(std::optional<double> fp_s, std::optional<double> mem_s, uint64_t mem_calls = 2) {
  MarkerReadings fp;
  fp.source = "dir/fp.marker";
  fp.events = FpEvents();
  fp.readings = {{"a", 0, 0, 2, fp_s, {10, 20, 30}}};
  MarkerReadings mem;
  mem.source = "dir/mem.marker";
  mem.events = MemEvents();
  mem.readings = {{"a", 0, 0, mem_calls, mem_s, {90}}};
  rafter::Run run;
  run.processes = {Process(1, "bench")};
  run.markers = {Of(1, 1, fp), Of(1, 2, mem)};
  return run;
}

TEST(MarkerRows, AreReadingsTimesTheirScale) {
  const Table table = BuildTable(Bench(), {});
  ASSERT_EQ(table.rows.size(), 8u);
  const Row first = RowOf(table, "first");
  EXPECT_EQ(first.executable, "bench");
  EXPECT_EQ(first.source, "likwid");
  EXPECT_EQ(first.device, "0");
  EXPECT_EQ(first.calls, 2u);
  EXPECT_EQ(first.measured_calls, 2u);
  EXPECT_EQ(first.metrics.at(kFadd), 2 * 6.990507e7);
  EXPECT_EQ(first.metrics.at(kFfma), 2 * 1.398101e8);
  EXPECT_EQ(first.metrics.at("dram__bytes.sum"), 2 * 8.950014e9);
  EXPECT_EQ(first.metric_units.at(kFadd), "instruction");
  EXPECT_EQ(first.metric_units.at("dram__bytes.sum"), "Byte");
  const double flop = 2 * (6.990507e7 + 3.495253e7 + 2 * 1.398101e8);
  EXPECT_EQ(first.flop_fp32, flop);
  EXPECT_EQ(first.flop, flop);
  EXPECT_EQ(first.precision, "fp32");
  EXPECT_EQ(first.flop_fp64, std::nullopt);
  EXPECT_EQ(first.traffic_bytes, 2 * 8.950014e9);
  EXPECT_EQ(first.memory_level, "dram");
  EXPECT_DOUBLE_EQ(*first.flop_per_byte, flop / (2 * 8.950014e9));
}

TEST(MarkerRows, HaveNoTimeWhereLikwidsIsInfinite) {
  const Row first = RowOf(BuildTable(Bench(), {}), "first");
  EXPECT_EQ(first.duration_s, std::nullopt);
  EXPECT_EQ(first.duration_spread, std::nullopt);
  EXPECT_EQ(first.flop_per_s, std::nullopt);
  EXPECT_THAT(first.reason, HasSubstr("LIKWID's time is not a finite number, so no Duration"));
}

TEST(MarkerRows, SayWhereAnAssumedScaleHolds) {
  const Table table = BuildTable(Bench(), {});
  const Row second = RowOf(table, "second");
  EXPECT_EQ(second.validity, "scale assumed");
  EXPECT_THAT(second.reason, HasSubstr("the mean over all sessions of its process"));
  EXPECT_THAT(second.reason,
              HasSubstr("sure for the first region of fp.marker, mem.marker (\"first\") if it was "
                        "called once"));
  EXPECT_THAT(second.reason, HasSubstr("for this row it is not known"));
  EXPECT_THAT(second.reason, HasSubstr("rafter run --source likwid"));
  EXPECT_THAT(second.reason, HasSubstr("rafter run --regions nvmarker"));
  // The first one was called twice, with another in between.
  EXPECT_THAT(RowOf(table, "first").reason, HasSubstr("for this row it is not known"));
}

TEST(MarkerRows, AreSureOfTheFirstRegionCalledOnce) {
  rafter::Run run = Bench();
  for (MarkerReadings& markers : run.markers) markers.readings[0].calls = 1;
  EXPECT_THAT(RowOf(BuildTable(run, {}), "first").reason,
              HasSubstr("sure for this region, the first one, if no kernel ran before it"));
  rafter::Run alone = Small(1, 1);
  EXPECT_THAT(RowOf(BuildTable(alone, {}), "a").reason,
              HasSubstr("if its 2 calls did equal work and no kernel ran outside"));
}

TEST(MarkerRows, AreMeasuredWhereTheScaleIsKnown) {
  for (const ScaleOrigin origin : {ScaleOrigin::kKept, ScaleOrigin::kProved, ScaleOrigin::kGiven}) {
    rafter::Run run = Small(1, 1);
    for (MarkerReadings& markers : run.markers) {
      markers.origin = origin;
      markers.scale = 4;
    }
    const Row row = RowOf(BuildTable(run, {}), "a");
    EXPECT_EQ(row.validity, "measured");
    EXPECT_EQ(row.metrics.at(kFadd), 40);
    EXPECT_EQ(row.reason.find("readings x 4, as --counter-scale says") != std::string::npos,
              origin == ScaleOrigin::kGiven)
        << row.reason;
  }
}

TEST(MarkerRows, TakeTheTimeOfTheRunThatWasSlowedLeast) {
  const Row row = RowOf(BuildTable(Small(36, 4), {}), "a");
  EXPECT_EQ(row.duration_s, 4);
  EXPECT_DOUBLE_EQ(*row.duration_spread, 32.0 / 20);
  EXPECT_EQ(row.flop, 2 * (10 + 20 + 2 * 30));
  EXPECT_EQ(row.flop_per_s, 180.0 / 4);
  EXPECT_EQ(row.flop_per_byte, 1);
  EXPECT_THAT(row.reason, HasSubstr("Duration is LIKWID's host time"));
  const Row one = RowOf(BuildTable(Small(36, std::nullopt), {}), "a");
  EXPECT_EQ(one.duration_s, 36);
  EXPECT_EQ(one.duration_spread, std::nullopt);
}

TEST(MarkerRows, DoNotMixRunsThatCalledARegionDifferentlyOften) {
  const Row row = RowOf(BuildTable(Small(1, 1, 3), {}), "a");
  EXPECT_EQ(row.validity, "instances unlike");
  EXPECT_THAT(row.reason, HasSubstr("2 calls in fp.marker and 3 calls in mem.marker"));
  EXPECT_EQ(row.calls, 2u);
  EXPECT_EQ(row.flop, 180);
  EXPECT_EQ(row.traffic_bytes, std::nullopt);
  EXPECT_EQ(row.flop_per_byte, std::nullopt);
  EXPECT_EQ(row.flop_per_s, std::nullopt);
}

TEST(MarkerRows, LackTheCountsOfAContradictoryFileAndSayWhy) {
  rafter::Run run = Bench();
  run.markers[0].contradiction =
      WhyNoConstantScale(run.markers[0], {{{"first", 200}, {"third", 200}}, {}});
  const Row row = RowOf(BuildTable(run, {}), "third");
  EXPECT_EQ(row.metrics.at(kFadd), std::nullopt);
  EXPECT_EQ(row.flop, std::nullopt);
  EXPECT_EQ(row.traffic_bytes, 2 * 1.174445e10);
  EXPECT_THAT(row.reason, HasSubstr("readings of fp.marker are no counts by any constant factor"));
  EXPECT_THAT(row.reason, HasSubstr("\"third\" 1.312"));
  run.markers[1].contradiction = "because";
  const Row nothing = RowOf(BuildTable(run, {}), "third");
  EXPECT_EQ(nothing.validity, "missing");
  EXPECT_EQ(nothing.measured_calls, 0u);
  EXPECT_THAT(nothing.reason, Not(HasSubstr("each reading is the mean")));
}

TEST(MarkerRows, LackOnlyTheRegionAfterASwitchOfGroups) {
  rafter::Run run;
  run.processes = {Process(1, "bench")};
  run.markers = {Of(1, 0, Sample("two", TwoEvents()).markers)};
  const Table table = BuildTable(run, {});
  ASSERT_EQ(table.rows.size(), 9u);
  const Row switched = RowOf(table, "switched");
  EXPECT_EQ(switched.validity, "missing");
  EXPECT_EQ(switched.metrics.at(kFadd), std::nullopt);
  EXPECT_EQ(switched.flop, std::nullopt);
  EXPECT_THAT(switched.reason, HasSubstr("LIKWID cannot do"));
  EXPECT_EQ(RowOf(table, "multi").metrics.at(kFadd), 2 * 6.291456e7);
}

TEST(MarkerRows, LackWhatIsNoSumNoNumberOrBelowZero) {
  MarkerReadings markers;
  markers.source = "x";
  markers.origin = ScaleOrigin::kKept;
  markers.events = {{"SM_X_PCT", "SM_Y_AVG", "DRAM_BYTES_SUM", "SM_Z_SUM", "POWER_USAGE",
                     "SM_W_SUM", "SM_OK_SUM"}};
  markers.readings = {{"a", 0, 0, 1, 1.0, {5, 5, std::nan(""), -1, 5, 1.7e308, 5}}};
  rafter::Run run;
  run.markers = {markers};
  const Row row = RowOf(BuildTable(run, {}), "a");
  EXPECT_EQ(row.validity, "partial");
  EXPECT_EQ(row.metrics.at("sm__ok.sum"), 10);
  for (const char* metric :
       {"sm__x.pct", "sm__y.avg", "dram__bytes.sum", "sm__z.sum", "power__usage", "sm__w.sum"}) {
    EXPECT_EQ(row.metrics.at(metric), std::nullopt) << metric;
  }
  EXPECT_THAT(row.reason, HasSubstr("SM_X_PCT, SM_Y_AVG: LIKWID adds it up over calls"));
  EXPECT_THAT(row.reason, HasSubstr("DRAM_BYTES_SUM: the reading is not a finite number"));
  EXPECT_THAT(row.reason, HasSubstr("SM_Z_SUM: the reading is -1"));
  EXPECT_THAT(row.reason, HasSubstr("POWER_USAGE: not a counter of CUPTI's"));
  EXPECT_THAT(row.reason, HasSubstr("SM_W_SUM: too great"));
}

TEST(MarkerRows, AreOneForEachGpuAndProcessAndKnowTheDevice) {
  MarkerReadings markers;
  markers.events = MemEvents();
  markers.readings = {{"a", 0, 0, 1, 1.0, {5}}, {"a", 0, 1, 1, 1.0, {6}}};
  rafter::Run run;
  run.processes = {Process(1, "bench"), Process(2, "bench")};
  run.processes[0].host = "node";
  run.processes[0].pid = 77;
  run.processes[0].rank = 3;
  RunDevice device;
  device.device = 1;
  device.uuid = "GPU-x";
  device.name = "NVIDIA H200";
  run.processes[0].devices = {device};
  run.markers = {Of(1, 0, markers), Of(2, 0, markers)};
  const Table table = BuildTable(run, {});
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[1].device, "1");
  EXPECT_EQ(table.rows[1].device_uuid, "GPU-x");
  EXPECT_EQ(table.rows[1].hardware, "NVIDIA H200");
  EXPECT_EQ(table.rows[1].host, "node");
  EXPECT_EQ(table.rows[1].process, "77");
  EXPECT_EQ(table.rows[1].rank, "3");
  EXPECT_EQ(table.rows[1].traffic_bytes, 12);
  EXPECT_EQ(table.rows[0].device_uuid, "");
  EXPECT_EQ(table.rows[3].process, "");
}

TEST(MarkerRows, PutProcessesOfOneProgramTogetherByRankAndOrder) {
  rafter::Run run = Bench();
  run.processes.push_back(Process(3, "/a/bench"));
  run.processes.push_back(Process(4, "/a/bench"));
  run.processes[2].rank = 1;
  run.processes[3].rank = 1;
  MarkerReadings fp = run.markers[0];
  MarkerReadings mem = run.markers[1];
  run.markers.push_back(Of(3, 1, fp));
  run.markers.push_back(Of(4, 2, mem));
  const Table table = BuildTable(run, {});
  ASSERT_EQ(table.rows.size(), 16u);
  for (const Row& row : table.rows) {
    EXPECT_TRUE(row.flop_per_byte.has_value());
  }
  EXPECT_EQ(table.rows[0].rank, "");
  EXPECT_EQ(table.rows[8].rank, "1");
}

TEST(MarkerRows, HaveOtherLevelsOnlyByTheirOwnEvents) {
  TableOptions options;
  options.memory_level = "l2";
  const Row row = RowOf(BuildTable(Small(1, 1), options), "a");
  EXPECT_EQ(row.traffic_bytes, std::nullopt);
  EXPECT_THAT(row.reason, HasSubstr("LTS_T_BYTES_SUM is not among its events"));
}

TEST(MarkerRows, HaveOnlyThePrecisionThatWasAskedFor) {
  TableOptions options;
  options.precision = "fp64";
  const Row row = RowOf(BuildTable(Small(1, 1), options), "a");
  EXPECT_EQ(row.precision, "fp64");
  EXPECT_EQ(row.flop, std::nullopt);
  EXPECT_EQ(row.flop_fp32, 180);
  EXPECT_THAT(row.reason, HasSubstr("no FLOP of fp64"));
}

TEST(MarkerRows, TakeGivenPeaksSinceLikwidHasNone) {
  TableOptions options;
  options.peak_flop_per_s = 5.74e13;
  options.peak_bytes_per_s = 9.59e11;
  const Row row = RowOf(BuildTable(Small(1, 1), options), "a");
  EXPECT_EQ(row.peak_flop_per_s, 5.74e13);
  EXPECT_EQ(row.peak_bytes_per_s, 9.59e11);
  EXPECT_EQ(RowOf(BuildTable(Small(1, 1), {}), "a").peak_flop_per_s, std::nullopt);
}

TEST(MarkerRows, AreDrawnAndComeBackFromCsv) {
  const Table table = BuildTable(Small(2, 1), {});
  EXPECT_THAT(table.notes, IsEmpty());
  RooflineOptions options;
  options.peak_flop_per_s = 1000;
  options.peak_bytes_per_s = 1000;
  const Roofline roofline = BuildRoofline(table, options);
  ASSERT_EQ(roofline.points.size(), 1u);
  EXPECT_EQ(roofline.points[0].flop_per_byte, 1);
  EXPECT_EQ(roofline.points[0].flop_per_s, 180);
  EXPECT_EQ(roofline.points[0].validity, "scale assumed");
  EXPECT_TRUE(DrawRoofline(roofline, ChartFormat::kSvg).ok());
  const auto back = FromCsv(ToCsv(table));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(ToCsv(*back), ToCsv(table));
  EXPECT_THAT(ToJson(table), HasSubstr("\"scale assumed\""));
  EXPECT_THAT(ToMarkdown(table), HasSubstr("scale assumed"));
}

}  // namespace
}  // namespace rafter
