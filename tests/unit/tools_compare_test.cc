// `rafter compare` as a user meets it.
#include <gmock/gmock.h>

#include "collector/store/run_file.h"
#include "tests/unit/tools_program.h"

namespace rafter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kHeader[] =
    "Hardware,Executable,Region,Duration [s],FLOP [FLOP],Duration Spread [1],Validity,SM Clock\n";

constexpr char kHint[] =
    "rafter: compare: verdicts rest on one run of each side; more of both (--base FILE, --new "
    "FILE; "
    "3 at least) make firmer ones\n";

class RafterCompare : public ToolsProgram {
 protected:
  void SetUp() override {
    ToolsProgram::SetUp();
    Write("old.csv", std::string(kHeader) +
                         "NVIDIA H200,bench,solve,2,4e9,0.02,measured,1.98e9\n"
                         "NVIDIA H200,bench,copy,1,,0.02,measured,1.98e9\n");
    Write("new.csv", std::string(kHeader) +
                         "NVIDIA H200,bench,solve,2.2,4e9,0.02,measured,1.97e9\n"
                         "NVIDIA H200,bench,copy,0.5,,0.02,measured,1.98e9\n");
    Write("other.csv", std::string(kHeader) + "NVIDIA H100,bench,solve,3,4e9,0.02,measured,\n");
  }
  // A process that used a GPU under that driver.
  void WriteRun(const std::string& name, uint32_t driver_version) {
    auto file = RunFile::Create(folder_ / name, RunFile::Existing::kRefuse);
    ASSERT_TRUE(file.ok()) << file.status();
    RunProcess process;
    process.executable = "/opt/bench";
    const auto id = (*file)->AddProcess(process);
    ASSERT_TRUE(id.ok());
    RunDevice device;
    device.name = "NVIDIA H200";
    device.driver_version = driver_version;
    ASSERT_TRUE((*file)->AddDevice(*id, device, {}).ok());
    ASSERT_TRUE((*file)->Close().ok());
  }
  // Runs NAME1.csv to NAME5.csv in which `solve` takes about that long.
  void WriteRuns(const std::string& name, double solve_s) {
    const double factors[] = {1, 1.001, 0.999, 1.0005, 0.9995};
    for (size_t i = 0; i < std::size(factors); ++i) {
      const std::string times[] = {std::to_string(solve_s * factors[i]),
                                   std::to_string(factors[4 - i])};
      Write(name + std::to_string(i + 1) + ".csv",
            std::string(kHeader) + "NVIDIA H200,bench,solve," + times[0] +
                ",4e9,,measured,1.98e9\nNVIDIA H200,bench,copy," + times[1] +
                ",,,measured,1.98e9\n");
    }
  }
  void ExpectRefused(const std::string& line, const std::string& expected) {
    const Said said = Shell(line);
    EXPECT_EQ(said.exit_status, 2) << line;
    EXPECT_THAT(said.err, StartsWith("rafter: compare: ")) << line;
    EXPECT_THAT(said.err, HasSubstr(expected)) << line;
    EXPECT_EQ(said.out, "") << line;
  }
};

TEST_F(RafterCompare, PrintsATableOfDifferences) {
  const Said said = Shell("$RAFTER compare old.csv new.csv");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_EQ(said.err, kHint);
  EXPECT_THAT(said.out, StartsWith("BASE old.csv, NEW new.csv: 2 rows compared: 1 faster, 1 "
                                   "slower\n"));
  EXPECT_THAT(said.out, HasSubstr("time +10.0 %"));
}

TEST_F(RafterCompare, EndsWithOneWhenALimitIsBroken) {
  const Said over = Shell("$RAFTER compare --fail-on 'duration>5%' old.csv new.csv");
  EXPECT_EQ(over.exit_status, 1);
  EXPECT_EQ(over.err,
            "rafter: compare: --fail-on duration>5%: over: solve: +10.0 %, spread "
            "0.9704 to 1.03\n" +
                std::string(kHint));
  EXPECT_THAT(over.out, HasSubstr("Limits:\n- --fail-on duration\\>5%: over: solve"));
  const Said below =
      Shell("$RAFTER compare --fail-on 'duration>15%' --fail-on 'flop>1%' old.csv new.csv");
  EXPECT_EQ(below.exit_status, 0);
  EXPECT_EQ(below.err, kHint);
  EXPECT_EQ(Shell("$RAFTER compare --fail-on 'copy:duration>5%' old.csv new.csv").exit_status, 0);
  EXPECT_EQ(Shell("$RAFTER compare --fail-on 'copy:duration<5%' old.csv new.csv").exit_status, 1);
}

TEST_F(RafterCompare, IsNotFailedByWhatLiesWithinTheSpread) {
  Write("noisy.csv", std::string(kHeader) + "NVIDIA H200,bench,solve,2.2,4e9,0.5,measured,\n" +
                         "NVIDIA H200,bench,copy,1,,0.02,measured,\n");
  const Said said = Shell("$RAFTER compare --fail-on 'duration>5%' old.csv noisy.csv");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_THAT(said.err, HasSubstr("within the spread: solve: +10.0 %"));
}

TEST_F(RafterCompare, FailsALimitThatARowOfBaseIsMissingFor) {
  const Said said = Shell(
      "head -n 2 new.csv > half.csv; $RAFTER compare --fail-on "
      "'duration>50%' old.csv half.csv");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("not judged: copy: only in BASE: NEW has no such region"));
}

TEST_F(RafterCompare, RefusesAnotherGpuUnlessForced) {
  ExpectRefused("$RAFTER compare old.csv other.csv",
                "refused: GPU differs: NVIDIA H200 in BASE, NVIDIA H100 in NEW; give runs of one "
                "machine, or --force");
  const Said forced = Shell("$RAFTER compare --force old.csv other.csv");
  EXPECT_EQ(forced.exit_status, 0);
  EXPECT_THAT(forced.out, HasSubstr("Compared by --force:\n- GPU differs: NVIDIA H200 in BASE"));
  EXPECT_THAT(forced.err, HasSubstr("compared by --force: GPU differs"));
}

TEST_F(RafterCompare, RefusesAnotherDriverOfTwoRunFiles) {
  WriteRun("old.rafter", 13000);
  WriteRun("new.rafter", 12080);
  ExpectRefused("$RAFTER compare old.rafter new.rafter",
                "driver differs: CUDA 13.0 in BASE, CUDA 12.8 in NEW");
  EXPECT_EQ(Shell("$RAFTER compare old.rafter old.rafter").exit_status, 0);
}

TEST_F(RafterCompare, WritesEveryFormAndTheChart) {
  const Said said = Shell(
      "$RAFTER compare --format json -o c.json --chart c.svg old.csv new.csv && "
      "$RAFTER compare --format csv --chart c.png old.csv new.csv && "
      "$RAFTER compare --chart again.svg old.csv new.csv >/dev/null && cmp c.svg again.svg");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(Read("c.json"),
              AllOf(StartsWith("{\"base\":\"old.csv\""), HasSubstr("\"verdict\":\"slower\"")));
  EXPECT_THAT(said.out, HasSubstr("\nbench,copy,"));
  EXPECT_THAT(Read("c.svg"), StartsWith("<?xml"));
  EXPECT_THAT(Read("c.png"), StartsWith("\x89PNG"));
  ExpectRefused("$RAFTER compare --chart c.svg old.csv new.csv", "c.svg: exists");
}

TEST_F(RafterCompare, EndsWithOneWhenNoRowIsInBoth) {
  Write("stranger.csv", std::string(kHeader) + "NVIDIA H200,bench,elsewhere,1,,,measured,\n");
  const Said said = Shell("$RAFTER compare old.csv stranger.csv");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("no row of old.csv is in stranger.csv"));
  EXPECT_THAT(said.out, HasSubstr("elsewhere: BASE has no such region"));
  const Said chart = Shell("$RAFTER compare --chart c.svg old.csv stranger.csv");
  EXPECT_EQ(chart.exit_status, 1);
  EXPECT_THAT(chart.err, HasSubstr("c.svg: not drawn: no row has a ratio of times"));
  EXPECT_FALSE(Exists("c.svg"));
}

TEST_F(RafterCompare, TakesTheSeedsToolsTables) {
  const std::string seeds = RAFTER_SHARED_DIR "/data/ppbcc/ncu_rows.csv";
  if (!std::filesystem::exists(seeds)) GTEST_SKIP() << seeds << " is not here";
  const Said made = Shell("sed 's/0.057119136/0.077119136/' '" + seeds + "' > slow.csv");
  ASSERT_EQ(made.exit_status, 0);
  const Said blind = Shell("$RAFTER compare --fail-on 'duration>5%' '" + seeds + "' slow.csv");
  EXPECT_EQ(blind.exit_status, 1);
  EXPECT_THAT(blind.err,
              HasSubstr("not judged: matmul: +35.0 %, and neither has a Duration Spread; "
                        "--spread gives one"));
  const Said judged =
      Shell("$RAFTER compare --spread 2% --fail-on 'duration>5%' '" + seeds + "' slow.csv");
  EXPECT_EQ(judged.exit_status, 1);
  EXPECT_THAT(judged.err, HasSubstr("over: matmul: +35.0 %"));
  EXPECT_THAT(judged.err, Not(HasSubstr("not judged")));
  EXPECT_THAT(judged.out, HasSubstr("5 rows compared: 1 slower, 4 same"));
}

TEST_F(RafterCompare, TakesSeveralRunsOfEachSide) {
  WriteRuns("b", 2);
  WriteRuns("n", 2.2);
  const std::string five =
      "$RAFTER compare b1.csv n1.csv $(printf -- '--base b%s.csv --new n%s.csv ' 2 2 3 3 4 4 5 5) ";
  const Said said = Shell(five + "--fail-on 'duration>5%' --fail-on 'flop>1%' --chart runs.svg");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.out, StartsWith("BASE 5 runs (b1.csv, b2.csv, b3.csv, b4.csv, b5.csv), NEW 5 "
                                   "runs (n1.csv, n2.csv, n3.csv, n4.csv, n5.csv): 2 rows "
                                   "compared: 1 slower, 1 same\n"));
  EXPECT_THAT(said.err, AllOf(StartsWith("rafter: compare: --fail-on duration>5%: over: solve: "
                                         "+10.0 %, interval 1.09"),
                              Not(HasSubstr("--base"))));
  EXPECT_THAT(Read("runs.svg"), StartsWith("<?xml"));
  EXPECT_EQ(Shell(five + "--fail-on 'duration>15%'").exit_status, 0);
  const Said three = Shell(
      "$RAFTER compare --margin 20% b1.csv n1.csv --base b2.csv --base b3.csv --new n2.csv --new "
      "n3.csv --format csv");
  EXPECT_EQ(three.exit_status, 0);
  EXPECT_THAT(three.err, HasSubstr("with fewer than 5 runs of a side"));
  EXPECT_THAT(three.out, HasSubstr(",3,3,same,"));
}

TEST_F(RafterCompare, NamesWrongUseOfSeveralRuns) {
  WriteRuns("b", 2);
  WriteRuns("n", 2.2);
  ExpectRefused("$RAFTER compare b1.csv n1.csv --base b2.csv --base b3.csv --new n2.csv",
                "3 runs of BASE and 2 of NEW were given; give 3 of each at least, or one of each");
  const std::string three =
      "$RAFTER compare b1.csv n1.csv --base b2.csv --new n2.csv --new n3.csv --base ";
  ExpectRefused(three + "./b1.csv", "./b1.csv: is given twice; each run counts once");
  ExpectRefused(three + "n1.csv", "n1.csv: is given twice");
  ExpectRefused(three + "b3.csv --spread 2%", "--spread is for one run of each side");
  ExpectRefused(three + "b3.csv --margin much", "--margin much: no percentage");
  ExpectRefused(three + "b3.csv --force -o n3.csv", "n3.csv: is an input too and would be lost");
  ExpectRefused(three + "gone.csv", "gone.csv: cannot be read");
  ExpectRefused(three + "other.csv",
                "refused: GPU differs: NVIDIA H200 in b1.csv, NVIDIA H100 in other.csv");
  ExpectRefused("cp b2.csv copy.csv; " + three + "copy.csv",
                "b2.csv and copy.csv are one run given twice");
  ExpectRefused("$RAFTER compare b1.csv n1.csv --margin 2%", "--margin is for several runs");
}

TEST_F(RafterCompare, NamesWrongUse) {
  ExpectRefused("$RAFTER compare", "0 inputs were given; name two run files or CSV files");
  ExpectRefused("$RAFTER compare old.csv", "1 input was given");
  ExpectRefused("$RAFTER compare old.csv new.csv other.csv", "3 inputs were given");
  ExpectRefused("$RAFTER compare old.csv gone.csv", "gone.csv: cannot be read");
  ExpectRefused("$RAFTER compare --fail-on 'time>5%' old.csv new.csv",
                "--fail-on time>5%: \"time\" is no quantity; write one of duration, ");
  ExpectRefused("$RAFTER compare --fail-on 'duration>x' old.csv new.csv", "no percentage");
  ExpectRefused("$RAFTER compare --spread much old.csv new.csv", "--spread much: no percentage");
  ExpectRefused("$RAFTER compare --chart c.html old.csv new.csv", "drawn as .svg, .pdf or .png");
  ExpectRefused("$RAFTER compare --chart c.txt old.csv new.csv", "no chart format");
  ExpectRefused("$RAFTER compare --force -o old.csv old.csv new.csv",
                "old.csv: is an input too and would be lost");
  ExpectRefused("$RAFTER compare -o c.svg --chart c.svg old.csv new.csv",
                "c.svg: is --output and --chart");
  ExpectRefused("$RAFTER compare --precision fp64 old.csv new.csv", "is a CSV file");
}

}  // namespace
}  // namespace rafter
