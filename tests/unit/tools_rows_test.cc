// Which rows `rafter report` and `rafter roofline` take, and what one stands for.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "tests/unit/tools_program.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kTable[] =
    "Precision,Executable,Region,Kernel ID,Kernel,Duration [s],Memory Level,FLOP [FLOP],Memory "
    "Traffic [Byte],Peak Performance [FLOP/s],Peak Bandwidth [Byte/s],lts__t_bytes.sum "
    "[Byte],lts__t_bytes.sum.peak_sustained [Byte/cycle],lts__cycles_elapsed.avg.per_second "
    "[Hz],Source,Validity,Calls,Rank\n"
    "FP32,bench,mm,0,gemm,2,DRAM,60,10,100,10,20,8,4,cupti,measured,1,0\n"
    "FP32,bench,mm,1,split,6,DRAM,40,40,100,10,80,8,4,cupti,measured,1,0\n"
    "FP32,bench,mm,0,gemm,4,DRAM,100,50,100,10,100,8,4,cupti,measured,1,1\n"
    "FP32,bench,io,2,pack,1,DRAM,1,1,100,10,2,8,4,cupti,measured,1,1\n"
    "FP32,bench,,3,set_up,1,DRAM,1,1,100,10,2,8,4,cupti,measured,1,1\n";

class RafterRows : public ToolsProgram {
 protected:
  static long Lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }
};

TEST_F(RafterRows, ReportKeepsEveryRowButThoseOutsideRegions) {
  Write("a.csv", kTable);
  const Said said = Shell("$RAFTER report a.csv");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_EQ(Lines(said.out), 5);
  EXPECT_THAT(said.out, Not(HasSubstr("set_up")));
  const Said all = Shell("$RAFTER report --all-kernels a.csv");
  EXPECT_EQ(Lines(all.out), 6);
  EXPECT_THAT(all.out, HasSubstr("set_up"));
}

TEST_F(RafterRows, ReportAddsUpLaunchesAndFoldsRanks) {
  Write("a.csv", kTable);
  const Said said = Shell("$RAFTER report --aggregate sum a.csv");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_EQ(Lines(said.out), 5);  // min, mean, max of mm; io of rank 1
  EXPECT_THAT(said.out, HasSubstr(",6,DRAM,100,50,2,16.666666666666668,"));  // mean: 8 s and 4 s
  EXPECT_THAT(said.out, HasSubstr("Rank Imbalance [1]"));
  EXPECT_THAT(said.out, HasSubstr("\"mean of 2 ranks, the longest 33 % above it\""));
}

TEST_F(RafterRows, ReportTakesRanksAndNamesThoseThatThereAreNot) {
  Write("a.csv", kTable);
  const Said said = Shell("$RAFTER report --ranks 0,7-9 a.csv");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_EQ(Lines(said.out), 3);
  EXPECT_THAT(said.err, HasSubstr("--ranks: no row is of rank 7-9; left out"));
  EXPECT_EQ(Shell("$RAFTER report --ranks 0..3 a.csv").exit_status, 2);
}

TEST_F(RafterRows, ChartHasAPointForEachRegionUnlessToldOtherwise) {
  Write("a.csv", kTable);
  EXPECT_THAT(Shell("$RAFTER roofline -o a.svg a.csv").err, HasSubstr("a.svg: 2 points"));
  EXPECT_THAT(Shell("$RAFTER roofline --aggregate none -o b.svg a.csv").err,
              HasSubstr("b.svg: 4 points"));
  EXPECT_THAT(Shell("$RAFTER roofline --aggregate none --all-kernels -o c.svg a.csv").err,
              HasSubstr("c.svg: 5 points"));
  EXPECT_THAT(Shell("$RAFTER roofline --region '^io$' -o d.svg a.csv").err,
              HasSubstr("d.svg: 1 point"));
}

TEST_F(RafterRows, ChartWithoutAFontIsNotWritten) {
  Write("a.csv", kTable);
  std::filesystem::create_directory(folder_ / "none");
  Write("fonts.conf", "<fontconfig><dir>" + (folder_ / "none").string() + "</dir><cachedir>" +
                          (folder_ / "none").string() + "</cachedir></fontconfig>");
  for (const char* verb : {"roofline -o a.pdf a.csv", "compare --chart a.pdf a.csv a.csv"}) {
    const Said said = Shell("FONTCONFIG_FILE=$PWD/fonts.conf $RAFTER " + std::string(verb));
    EXPECT_NE(said.exit_status, 0) << verb;
    EXPECT_THAT(said.err, HasSubstr("fontconfig finds no font with letters")) << verb;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.pdf")) << verb;
  }
}

TEST_F(RafterRows, ChartNamesARegionThatIsNotThere) {
  Write("a.csv", kTable);
  const Said said = Shell("$RAFTER roofline --region io --region gone -o a.svg a.csv");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("--region gone: found in no region"));
  EXPECT_EQ(Shell("$RAFTER roofline --region '(' -o b.svg a.csv").exit_status, 2);
}

TEST_F(RafterRows, ChartJoinsMemoryLevels) {
  Write("a.csv", kTable);
  const Said said = Shell("$RAFTER roofline --memory-level dram,l2 -o a.svg a.csv");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("a.svg: 4 points"));
  const Said both = Shell("$RAFTER roofline --hierarchical --memory-level l2 -o b.svg a.csv");
  EXPECT_EQ(both.exit_status, 2);
  EXPECT_THAT(both.err, HasSubstr("--hierarchical: contradicts --memory-level"));
  const Said wrong = Shell("$RAFTER report --memory-level l4 a.csv");
  EXPECT_EQ(wrong.exit_status, 2);
  EXPECT_THAT(wrong.err,
              HasSubstr("--memory-level: \"l4\" is no memory level; use dram, l2 or l1"));
}

TEST_F(RafterRows, WorkModelFillsWhatWasNotCounted) {
  Write("a.csv",
        "Executable,Region,Duration [s],Memory Level,FLOP [FLOP],Memory Traffic [Byte],"
        "Source,Validity,Calls\n"
        "bench,mm,2,DRAM,,10,likwid,measured,4\n"
        "bench,io,2,DRAM,8,10,likwid,measured,4\n");
  const Said said = Shell("$RAFTER report --analytic-flop 'mm=50' --analytic-flop 'io=50' a.csv");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr(",2,DRAM,200,10,20,100,"));
  EXPECT_THAT(said.out, HasSubstr("work model,FLOP are of the work model: 50 FLOP per call"));
  EXPECT_THAT(said.out, HasSubstr(",2,DRAM,8,10,"));
  EXPECT_THAT(said.out, HasSubstr("FLOP are counted; the work model says 200 FLOP"));
  EXPECT_EQ(Shell("$RAFTER report --analytic-flop mm a.csv").exit_status, 2);
}

TEST_F(RafterRows, RunRefusesThemWithoutATableOrAChart) {
  const Said said = Shell("$RAFTER run --aggregate sum -- true");
  EXPECT_EQ(said.exit_status, 2);
  EXPECT_THAT(said.err, HasSubstr("--aggregate: only the table and the chart use it"));
}

TEST_F(RafterRows, BatchAddsUpItsTableAndItsCharts) {
  Write("a.csv", kTable);
  const Said said = Shell("$RAFTER batch --from-csv a.csv -o b --roofline b.svg");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("b.csv: 4 rows"));
  EXPECT_THAT(said.err, HasSubstr("b.svg: 2 points"));
  const Said sums = Shell("$RAFTER batch --from-csv a.csv -o s --aggregate sum");
  EXPECT_EQ(sums.exit_status, 0) << sums.err;
  EXPECT_THAT(Read("s.csv"), HasSubstr("Rank Imbalance [1]"));
  EXPECT_EQ(Shell("$RAFTER batch --from-csv a.csv -o t --aggregate mean").exit_status, 2);
}

TEST_F(RafterRows, CompareTakesTrafficOfTheLevelThatWasAskedFor) {
  Write("a.csv", kTable);
  const Said said = Shell("$RAFTER compare --memory-level l2 --format json a.csv a.csv");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("\"traffic\":{\"unit\":\"Byte\",\"base\":80,\"new\":80,"));
  EXPECT_THAT(said.out, Not(HasSubstr("\"base\":40,\"new\":40,\"ratio\":1,\"spread_known\":true,"
                                      "\"spread_low\":0,")));
}

}  // namespace
}  // namespace rafter
