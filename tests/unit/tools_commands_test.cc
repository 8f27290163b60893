// The other commands, as a user meets them: help, wrong use, foreign files.
#include <gmock/gmock.h>

#include <algorithm>

#include "collector/roofline/to_html.h"
#include "tests/unit/real_cupti.h"
#include "tests/unit/tools_program.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class RafterCommands : public ToolsProgram {
 protected:
  void ExpectRefused(const std::string& line, const std::string& expected) {
    const Said said = Shell(line);
    EXPECT_EQ(said.exit_status, 2) << line;
    EXPECT_THAT(said.err, HasSubstr(expected)) << line;
    EXPECT_THAT(said.err, StartsWith("rafter: ")) << line;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_EQ(said.out, "") << line;
  }
};

TEST_F(RafterCommands, HelpOfEveryCommandHasAnExample) {
  for (const char* verb : {"", "run", "collect", "ingest", "report", "roofline", "compare",
                           "doctor", "metrics", "env"}) {
    const Said said = Shell(std::string("$RAFTER ") + verb + " --help");
    EXPECT_EQ(said.exit_status, 0) << verb;
    EXPECT_THAT(said.out, HasSubstr("Example:\n")) << verb;
    EXPECT_THAT(said.out, HasSubstr(std::string("Usage: rafter ") + verb)) << verb;
    EXPECT_EQ(said.err, "") << verb;
  }
}

TEST_F(RafterCommands, VersionNamesOursCuptiAndDriver) {
  const Said said = Shell("$RAFTER --version");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_THAT(said.out, StartsWith("rafter "));
  for (const char* part : {"\nCUPTI: ", "\ndriver: ", "\nfeatures: "}) {
    EXPECT_THAT(said.out, HasSubstr(part));
  }
  EXPECT_EQ(Shell("$COLLECTOR --version").out, said.out);
}

TEST_F(RafterCommands, WrongUseIsOneLine) {
  ExpectRefused("$RAFTER", "no command was given");
  ExpectRefused("$RAFTER rnu", "rnu: no such command (did you mean run?)");
  ExpectRefused("$RAFTER --versoin", "(did you mean --version?)");
  ExpectRefused("$RAFTER report", "no input was given");
  ExpectRefused("$RAFTER report gone.rafter", "gone.rafter: cannot be read (No such file");
  ExpectRefused("$RAFTER report --format xml a", "--format xml: not known");
  ExpectRefused("$RAFTER report .", "cannot be read (Is a directory)");
  ExpectRefused("$RAFTER roofline a.csv", "give --output FILE.html, .svg, .pdf or .png");
  ExpectRefused("$RAFTER roofline -o a.svg --baseline a.csv b.csv",
                "--baseline: only an HTML chart shows one");
  ExpectRefused("$RAFTER ingest -o a.rafter", "no input was given");
  ExpectRefused("$RAFTER ingest x.spool", "--output: the run file is missing");
  ExpectRefused("$RAFTER metrics --plan time", "name one with --chip");
  ExpectRefused("$RAFTER collect", "XDG_RUNTIME_DIR: not set");
  ExpectRefused("$RAFTER collect --force --append", "contradicts --force");
  ExpectRefused("$RAFTER doctor now", "\"now\": not expected here");
  ExpectRefused("$RAFTER metrics -v", "--verbose: it describes metrics of a chip");
  ExpectRefused("$RAFTER --version now", "\"now\": not expected after --version");
  ExpectRefused("$RAFTER help rnu", "rnu: no such command (did you mean run?)");
}

TEST_F(RafterCommands, ForeignFilesAreNamedAsSuch) {
  Write("text", "hello\n");
  Write("empty", "");
  Write("spool", "RAFTERSP");
  ExpectRefused("$RAFTER ingest text -o a.rafter", "text: a foreign file, not a spool");
  ExpectRefused("$RAFTER ingest empty -o a.rafter", "empty: empty");
  ExpectRefused("$RAFTER ingest spool -o a.rafter", "spool: breaks off within its first bytes");
  ExpectRefused("$RAFTER ingest --force text -o ./text", "text: is an input too");
  ExpectRefused("$RAFTER report --force text -o text", "text: is an input too");
  ExpectRefused("$RAFTER report $RAFTER", "neither a run file nor a table in CSV");
  ExpectRefused("$RAFTER report spool", "a spool file; run \"rafter ingest spool -o RUN\"");
  ExpectRefused("$RAFTER report empty", "empty: empty; give a run file or a CSV file");
  EXPECT_FALSE(Exists("a.rafter"));
}

TEST_F(RafterCommands, RunFileOfAnEmptyRunIsReportedInEveryForm) {
  ASSERT_EQ(Shell("$RAFTER run --quiet -o a.rafter -- true").exit_status, 0);
  EXPECT_THAT(Shell("$RAFTER report a.rafter").out, StartsWith("Benchmark Problem,"));
  EXPECT_EQ(Shell("$RAFTER report --format json -o a.json a.rafter").exit_status, 0);
  EXPECT_TRUE(Exists("a.json"));
  ExpectRefused("$RAFTER report --format json -o a.json a.rafter", "a.json: exists");
  ExpectRefused("$RAFTER ingest a.rafter -o b.rafter", "already a run file");
  EXPECT_EQ(Shell("$RAFTER report a.rafter >/dev/full").exit_status, 1);
}

TEST_F(RafterCommands, ATimelineIsMadeOfOneRunFileIntoAFile) {
  ASSERT_EQ(Shell("$RAFTER run --quiet -o a.rafter -- true").exit_status, 0);
  ASSERT_EQ(Shell("$RAFTER report -o a.csv a.rafter").exit_status, 0);
  const std::string report = "$RAFTER report --format perfetto ";
  ExpectRefused(report + "a.rafter", "not a terminal; give --output FILE");
  ExpectRefused(report + "-o b a.rafter a.csv", "takes one run file at a time");
  ExpectRefused(report + "-o b a.csv", "a.csv: no run file, and only those hold single passes");
  ExpectRefused(report + "-o a.csv a.rafter", "a.csv: exists; give --force");
  ExpectRefused(report + "-o no/b a.rafter", "no/b: cannot be written (No such file");
  const std::string golden = "'" RAFTER_SOURCE_DIR "/tests/golden/fixture-h200.rafter'";
  EXPECT_EQ(Shell(report + "-o b.pftrace " + golden).exit_status, 0);
  EXPECT_EQ(Read("b.pftrace").front(), '\n') << "field 1 of Trace, with a length";
  const Said full = Shell(report + "-o /dev/full " + golden);
  EXPECT_EQ(full.exit_status, 1);
  EXPECT_THAT(full.err, HasSubstr("/dev/full: cannot be written (No space left on device)"));
}

TEST_F(RafterCommands, ATimelineWithoutPassesSaysSo) {
  ASSERT_EQ(Shell("$RAFTER run --quiet -o a.rafter -- true").exit_status, 0);
  const Said said = Shell("$RAFTER report --format perfetto -o b a.rafter");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("a.rafter: holds no pass through a region and no mark"));
}

TEST_F(RafterCommands, EnvPrintsExportsThatAShellCanRead) {
  const Said said = Shell("$RAFTER env");
  if (said.err.find("libinject.so: not there") != std::string::npos) {
    GTEST_SKIP() << "libinject.so was not built";
  }
  const Said twice = Shell(
      "eval \"$($RAFTER env)\"; eval \"$($RAFTER env)\"; echo $CUDA_INJECTION64_PATH; "
      "echo $LD_LIBRARY_PATH | tr ':' '\\n' | grep -c \"^$(dirname $CUDA_INJECTION64_PATH)$\"; "
      "test -f $NVTX_INJECTION64_PATH");
  EXPECT_EQ(twice.exit_status, 0);
  EXPECT_THAT(twice.out, HasSubstr("/libinject.so\n1\n"));
}

TEST_F(RafterCommands, HtmlChartIsOneFileAndTheSameEachTime) {
  if (!CanMakeHtml()) GTEST_SKIP() << WhyNoHtml();
  const std::string table = RAFTER_SOURCE_DIR "/tests/golden/fixture-h200.csv";
  const Said said = Shell("$RAFTER roofline -o a.html --baseline " + table + " " + table +
                          " && $RAFTER roofline -o b.html --baseline " + table + " " + table);
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("rafter: a.html: 11 points\n"));
  const std::string page = Read("a.html");
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_TRUE(page == Read("b.html"));
  ExpectRefused("$RAFTER roofline -o c.html --baseline gone.csv " + table,
                "--baseline: gone.csv: cannot be read");
  ExpectRefused("$RAFTER roofline --force -o a.html --baseline a.html " + table,
                "a.html: is an input too and would be lost");
}

TEST_F(RafterCommands, DoctorExplainsAMachineWithoutGpu) {
  const Said said = Shell("$RAFTER doctor");
  EXPECT_THAT(said.out, HasSubstr("  driver: "));
  EXPECT_THAT(said.out, HasSubstr("  CUPTI: "));
  EXPECT_THAT(said.out, HasSubstr(said.exit_status == 0 ? "counters can be read here"
                                                        : "counters cannot be read here"));
  EXPECT_EQ(said.out.find("         do: ") == std::string::npos, said.exit_status == 0);
}

TEST_F(RafterCommands, PlanEndsWithBothNumbersOfPasses) {
  RAFTER_NEED_REAL_CUPTI();
  const Said said = Shell("$RAFTER metrics --chip GH100 --plan time,memory,sm,flop");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("\nset memory: 1 pass\n"));
  EXPECT_THAT(said.out, ::testing::EndsWith("\npasses together: 2\npasses as scheduled: 4\n"));
  ExpectRefused("$RAFTER metrics --chip H100", "--chip H100: CUPTI 13");
  ExpectRefused("$RAFTER metrics --chip gh100", "did you mean GH100?");
  ExpectRefused("$RAFTER metrics --chip GH100 --plan tiem", "did you mean \"time\"?");
}

TEST_F(RafterCommands, PlanShowsPassesOfSetsAndOfMetricsByName) {
  RAFTER_NEED_REAL_CUPTI();
  const Said said = Shell(
      "$RAFTER metrics --chip GH100 --plan occupancy --metrics "
      "dram__bytes.sum,lts__t_sector_hit_rate.pct");
  EXPECT_EQ(said.exit_status, 1);  // one metric cannot be had
  EXPECT_THAT(said.out, HasSubstr("\nset occupancy: 2 passes\n pass occupancy.1:\n"));
  EXPECT_THAT(said.out, HasSubstr("\nset metrics: 1 pass\n"));
  EXPECT_THAT(said.out,
              HasSubstr("\nmissing from set metrics: lts__t_sector_hit_rate.pct: it takes 2 "
                        "passes on chip GH100"));
  const Said workload = Shell("$RAFTER metrics --chip GH100 --plan memory-workload");
  EXPECT_THAT(workload.out, HasSubstr("\ncolumn rafter__l2_hit_rate.pct [%]: 100 x "
                                      "lts__t_sectors_lookup_hit.sum / lts__t_sectors.sum\n"));
  EXPECT_EQ(workload.out.find("rafter__sm_throughput"), std::string::npos);
  ExpectRefused("$RAFTER metrics --metrics dram__bytes.sum",
                "--metrics: passes depend on the chip");
  ExpectRefused("$RAFTER metrics --chip GH100 --metrics 'a b'", "is no name of a metric");
}

TEST_F(RafterCommands, PrecisionIsOneOfOursOrATensorFormat) {
  ExpectRefused("$RAFTER report --precision fp23 x",
                "--precision fp23: not known (did you mean fp");
  ExpectRefused("$RAFTER report --precision tensor.int8 x", "integer operations are no FLOP");
  ExpectRefused("$RAFTER report --precision tensor. x", "--precision tensor.: not known");
  ExpectRefused("$RAFTER report --precision tensor.bf16 x", "x: cannot be read");
  ExpectRefused("$RAFTER report --fp16-weights 3 x", "--fp16-weights 3: not known");
  ExpectRefused("$RAFTER roofline -o a.svg --precision tensro x", "did you mean tensor?");
}

TEST_F(RafterCommands, CollectorListensUntilItIsAskedToEnd) {
  const Said said = Shell(
      "mkdir -m 700 run; export XDG_RUNTIME_DIR=$PWD/run; $COLLECTOR -o all.rafter & "
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "
      "[ -S run/rafter/collector.sock ] && break; sleep 0.1; done; "
      "$RAFTER run --collector run/rafter/collector.sock -- true; kill -TERM $!; wait $!");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("rafter: listening at "));
  EXPECT_THAT(said.err, HasSubstr("all.rafter: "));
  EXPECT_FALSE(Exists("run/rafter/collector.sock"));
}

}  // namespace
}  // namespace rafter
