// `rafter ingest` of LIKWID's marker files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/marker_sample.h"
#include "tests/unit/real_cupti.h"
#include "tests/unit/tools_program.h"
#include "tests/unit/wire_stream.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RafterMarkers : public ToolsProgram {
 protected:
  void SetUp() override {
    ToolsProgram::SetUp();
    for (const char* name : {"fp", "mem", "two"}) {
      Write(std::string(name) + ".marker", ReadFile(SamplePath(name)));
    }
    Write("empty.marker", "");
    fp_ = std::string(" --events ") + kFaddEvent + ":GPU0," + kFmulEvent + ":GPU1," + kFfmaEvent +
          ":GPU2 ";
    mem_ = std::string(" --events ") + kDramEvent + ":GPU0 ";
  }

  void ExpectRefused(const std::string& line, const std::string& expected) {
    const Said said = Shell("$RAFTER ingest -o run.rafter " + line);
    EXPECT_EQ(said.exit_status, 2) << line << said.err;
    EXPECT_THAT(said.err, HasSubstr(expected)) << line;
    EXPECT_FALSE(Exists("run.rafter")) << line;
  }

  std::string fp_;
  std::string mem_;
};

TEST_F(RafterMarkers, FilesOfOneProgramBecomeOneTable) {
  const Said said =
      Shell("$RAFTER ingest fp.marker mem.marker --program bench -o run.rafter" + fp_ + mem_);
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("run.rafter: 2 marker files, 16 readings"));
  const std::string csv = Shell("$RAFTER report run.rafter").out;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 9);
  // FP32 work and traffic of "first": (6.990507e7 + 3.495253e7 + 2 x 1.398101e8) x 2, 8.950014e9
  // x 2.
  EXPECT_THAT(csv, HasSubstr("\n,,FP32,,bench,first,,,,,,,DRAM,768955600,17900028000,0.0429"));
  EXPECT_THAT(csv, HasSubstr("likwid,scale assumed,"));
  EXPECT_THAT(csv,
              HasSubstr(",smsp__sass_thread_inst_executed_op_fadd_pred_on.sum [instruction],"));
  EXPECT_THAT(Shell("$RAFTER report --format json run.rafter").out, HasSubstr("\"likwid\""));
}

TEST_F(RafterMarkers, FilesAreProgramsOfTheirOwnWithoutAName) {
  EXPECT_EQ(Shell("$RAFTER ingest fp.marker mem.marker -o run.rafter" + fp_ + mem_).exit_status, 0);
  const std::string csv = Shell("$RAFTER report run.rafter").out;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 17);
  EXPECT_THAT(csv, HasSubstr(",fp,first,"));
  EXPECT_THAT(csv, HasSubstr(",mem,first,"));
}

TEST_F(RafterMarkers, OneListIsForAllFilesAndGroupsAreSeparated) {
  Write("again.marker", ReadFile(SamplePath("fp")));
  EXPECT_EQ(Shell("$RAFTER ingest fp.marker again.marker -o run.rafter" + fp_).exit_status, 0);
  const Said two =
      Shell("$RAFTER ingest two.marker -o two.rafter --events '" + std::string(kFaddEvent) + ", " +
            kFmulEvent + " ," + kFfmaEvent + " | " + kDramEvent + "'");
  EXPECT_EQ(two.exit_status, 0) << two.err;
  const std::string csv = Shell("$RAFTER report two.rafter").out;
  EXPECT_THAT(csv, HasSubstr("after a switch of groups"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 10);
}

TEST_F(RafterMarkers, MissingAndWrongListsAreRefusedWithAnExample) {
  ExpectRefused("fp.marker", "marker files do not have the names of their events");
  ExpectRefused("fp.marker", "as in --events SMSP_SASS");
  ExpectRefused("fp.marker mem.marker two.marker" + fp_ + mem_, "2 lists for 3 marker files");
  ExpectRefused("fp.marker" + mem_, "region \"first\" has 3 values, but group 0");
  ExpectRefused("two.marker" + fp_, "counted 2 groups of events");
  ExpectRefused("fp.marker --events a.b", "letters, digits");
  ExpectRefused("empty.marker" + fp_, "LIKWID fills a marker file only");
}

TEST_F(RafterMarkers, AFileThatIsLeftOutKeepsItsPlaceInTheLists) {
  const Said said = Shell("$RAFTER ingest empty.marker mem.marker -o run.rafter" + fp_ + mem_);
  EXPECT_EQ(said.exit_status, 1) << said.err;
  EXPECT_THAT(said.err, HasSubstr("empty.marker: empty"));
  EXPECT_THAT(said.err, HasSubstr("1 marker file, 8 readings"));
}

TEST_F(RafterMarkers, ABrokenFileGivesWhatIsWholeAndSaysWhatIsNot) {
  const std::string text = ReadFile(SamplePath("mem"));
  Write("cut.marker", text.substr(0, text.size() - 7));
  const Said said = Shell("$RAFTER ingest cut.marker -o run.rafter" + mem_);
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("cut.marker: breaks off in line 17"));
  EXPECT_THAT(said.err, HasSubstr("1 of 8 readings are missing"));
  EXPECT_THAT(Shell("$RAFTER report --format markdown run.rafter").out,
              HasSubstr("cut.marker: breaks off in line 17"));
}

TEST_F(RafterMarkers, KnownWorkFindsThatNoFactorIsRight) {
  const Said said = Shell(
      "$RAFTER ingest fp.marker -o run.rafter --known-work first=200 --known-work "
      "third=200 --known-work empty=0" +
      fp_);
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("\"third\" 1.312; \"empty\" does no work and reads"));
  const std::string csv = Shell("$RAFTER report run.rafter").out;
  EXPECT_THAT(csv, HasSubstr("likwid,missing,"));
  EXPECT_THAT(csv, HasSubstr(",fp,first,,,,,,,DRAM,,,"));
  EXPECT_THAT(csv, Not(HasSubstr("scale assumed")));
}

TEST_F(RafterMarkers, KnownCountsCheckTheFactorItself) {
  const std::string count = std::string("--known-count fresh:") + kFaddEvent + "=429916160";
  EXPECT_EQ(Shell("$RAFTER ingest fp.marker -o run.rafter " + count + fp_).exit_status, 0);
  const Said said = Shell("$RAFTER ingest fp.marker -o b.rafter --counter-scale 3 " + count + fp_);
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("x 3 wants to be 0.3333: \"fresh\" 0.5"));
}

TEST_F(RafterMarkers, WrongTruthsAreRefused) {
  ExpectRefused("fp.marker --known-work first" + fp_, "behind the last \"=\"");
  ExpectRefused("fp.marker --known-work first=-1" + fp_, "a number of 0 or more");
  ExpectRefused("fp.marker --known-work frst=1" + fp_,
                "no marker file has a region \"frst\" (did "
                "you mean first?)");
  ExpectRefused("fp.marker --known-count first=1" + fp_, "give region and event");
  ExpectRefused("fp.marker --known-count first:X_SUM=1" + fp_, "X_SUM is not in --events");
  ExpectRefused("fp.marker --counter-scale 0" + fp_, "--counter-scale");
}

TEST_F(RafterMarkers, AGivenScaleIsTakenAndNamed) {
  EXPECT_EQ(Shell("$RAFTER ingest fp.marker --counter-scale 3 -o run.rafter" + fp_).exit_status, 0);
  const std::string csv = Shell("$RAFTER report run.rafter").out;
  EXPECT_THAT(csv, HasSubstr("likwid,measured,\"counts are LIKWID's readings x 3"));
  EXPECT_THAT(csv, HasSubstr("209715210"));  // 3 x 6.990507e7
}

TEST_F(RafterMarkers, UnknownEventsAreRefusedWithTheNearestName) {
  RAFTER_NEED_REAL_CUPTI();
  ExpectRefused("fp.marker --events SMSP_SASS_THREAD_INST_EXECUTED_OP_FAD_PRED_ON_SUM",
                "no chip that CUPTI knows has it (did you mean " + std::string(kFaddEvent) + "?)");
  ExpectRefused("mem.marker --events DRAM_BYTES", "its roll-up is missing; take DRAM_BYTES_SUM");
  ExpectRefused("mem.marker --events DRAM_BYTES_RATIO", "CUPTI has DRAM_BYTES, but not its RATIO");
  ExpectRefused("mem.marker --events FLOPS_SP", "one of LIKWID's performance groups");
  const Said nvml = Shell("$RAFTER ingest mem.marker -o run.rafter --events POWER_USAGE:GPU0");
  EXPECT_EQ(nvml.exit_status, 0) << nvml.err;
  EXPECT_THAT(nvml.err, HasSubstr("POWER_USAGE is not of CUPTI; taken for one of NVML's"));
}

TEST_F(RafterMarkers, WithoutCuptiNamesAreTakenAsTheyAre) {
  const Said said =
      Shell("RAFTER_CUPTI_PATH=/nowhere $RAFTER ingest mem.marker -o run.rafter --events A_B_SUM");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("--events: the names were not checked: "));
  EXPECT_THAT(Shell("$RAFTER report run.rafter").out, HasSubstr(",a__b.sum,"));
}

TEST_F(RafterMarkers, GoIntoARunFileBesideSpools) {
  WireStream stream;
  stream.Add(wire::HELLO, MakeHello(1))
      .Add(wire::DEVICE, MakeDevice())
      .Add(wire::NAMES, MakeNames())
      .Add(wire::GOODBYE, MakeGoodbye());
  Write("a.spool", stream.Spool());
  const Said said = Shell("$RAFTER ingest a.spool mem.marker -o run.rafter" + mem_);
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("run.rafter: 1 process, 0 instances of regions, 0 epochs; "
                                  "1 marker file, 8 readings"));
  EXPECT_THAT(Shell("$RAFTER report run.rafter").out, HasSubstr(",mem,fresh,"));
}

TEST_F(RafterMarkers, ReportSendsOneToIngest) {
  const Said said = Shell("$RAFTER report fp.marker");
  EXPECT_EQ(said.exit_status, 2);
  EXPECT_THAT(said.err, HasSubstr("a marker file of LIKWID's; run \"rafter ingest fp.marker "
                                  "--events LIST -o RUN\" first"));
}

TEST_F(RafterMarkers, OptionsOfMarkerFilesAreRefusedWithoutOne) {
  Write("a.spool", std::string("RAFTERSP") + std::string(200, '\0'));
  ExpectRefused("a.spool" + mem_, "--events: no input is a marker file");
}

}  // namespace
}  // namespace rafter
