// `rafter run` with small programs: status, signals, streams, files.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "collector/roofline/to_html.h"
#include "tests/unit/tools_program.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RafterRun : public ToolsProgram {};

TEST_F(RafterRun, StatusIsTheProgramsOwn) {
  EXPECT_EQ(Shell("$RAFTER run -- sh -c 'exit 43'").exit_status, 43);
  EXPECT_EQ(Shell("$RAFTER run -- true").exit_status, 0);
}

TEST_F(RafterRun, KilledBySignalIs128AndTheSignal) {
  EXPECT_EQ(Shell("$RAFTER run -- sh -c 'kill -9 $$'").exit_status, 137);
  const Said said = Shell("$RAFTER run -- sh -c 'kill -SEGV $$'");
  EXPECT_EQ(said.exit_status, 139);
  EXPECT_THAT(said.err, HasSubstr("rafter: sh: ended by signal 11"));
}

TEST_F(RafterRun, ProgramThatIsNotThereIs127AndLeavesNoFile) {
  const Said said = Shell("$RAFTER run -o a.rafter --csv a.csv -- no-such-program-here");
  EXPECT_EQ(said.exit_status, 127);
  EXPECT_THAT(said.err,
              HasSubstr("rafter: no-such-program-here: not found in PATH; check the name, "
                        "or give a path\n"));
  EXPECT_FALSE(Exists("a.rafter"));
  EXPECT_FALSE(Exists("a.csv"));
}

TEST_F(RafterRun, ProgramThatCannotBeExecutedIs126) {
  Write("data", "no program");
  const Said said = Shell("$RAFTER run -- ./data");
  EXPECT_EQ(said.exit_status, 126);
  EXPECT_THAT(said.err, HasSubstr("rafter: ./data: cannot be executed (Permission denied)"));
  const Said format = Shell("chmod +x data; $RAFTER run -- ./data");
  EXPECT_EQ(format.exit_status, 126);
  EXPECT_THAT(format.err, HasSubstr("Exec format error"));
  Write("script", "#!/no/such/interpreter\n");
  const Said script = Shell("chmod +x script; $RAFTER run -- ./script");
  EXPECT_EQ(script.exit_status, 126);
  EXPECT_THAT(script.err, HasSubstr("its interpreter is not there"));
}

TEST_F(RafterRun, StandardStreamsBelongToTheProgram) {
  const Said said = Shell("printf 'a\\nb' | $RAFTER run -- sh -c 'cat; echo problem >&2'");
  EXPECT_EQ(said.out, "a\nb");
  EXPECT_THAT(said.err, HasSubstr("problem\n"));
  std::istringstream lines(said.err);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, ::testing::AnyOf("problem", StartsWith("rafter: ")));
  }
}

TEST_F(RafterRun, QuietSaysNothingWhenAllIsWell) {
  const Said said = Shell("$RAFTER run --quiet -- echo hello");
  if (said.err.find("libinject.so: not there") != std::string::npos) {
    GTEST_SKIP() << "libinject.so was not built";
  }
  EXPECT_EQ(said.err, "");
  EXPECT_EQ(Shell("RAFTER_QUIET=1 $RAFTER run -- true").err, "");
}

TEST_F(RafterRun, EverythingAfterTheDashesReachesTheProgramUntouched) {
  const Said said = Shell("$RAFTER run -- printf '%s|' --output x '' '*' -- --quiet");
  EXPECT_EQ(said.out, "--output|x||*|--|--quiet|");
}

TEST_F(RafterRun, RanksThatAreNotWantedRunAsWithoutUs) {
  const Said said =
      Shell("PMI_RANK=3 $RAFTER run --ranks 0,8-15 -o a.rafter -- sh -c 'env; exit 5'");
  EXPECT_EQ(said.exit_status, 5);
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, Not(HasSubstr("INJECTION64_PATH")));
  EXPECT_FALSE(Exists("a.rafter"));
  EXPECT_EQ(Shell("PMI_RANK=8 $RAFTER run --ranks 0,8-15 -o a.rafter -- true").exit_status, 0);
  EXPECT_TRUE(Exists("a.rafter"));
}

TEST_F(RafterRun, RanksThatNoProcessHadAreSaid) {
  const Said said = Shell("$RAFTER run --ranks 2,8-15 --strict -o a.rafter -- true");
  EXPECT_THAT(said.err, HasSubstr("--ranks: no process that was counted was of rank 2, 8-15"));
  EXPECT_EQ(said.exit_status, 125);
}

TEST_F(RafterRun, NothingIsOverwrittenWithoutForce) {
  Write("a.rafter", "mine");
  const Said said = Shell("$RAFTER run -o a.rafter -- touch ran");
  EXPECT_EQ(said.exit_status, 2);
  EXPECT_THAT(said.err, HasSubstr("--force"));
  EXPECT_EQ(Read("a.rafter"), "mine");
  EXPECT_FALSE(Exists("ran"));
  EXPECT_EQ(Shell("$RAFTER run --force -o a.rafter -- touch ran").exit_status, 0);
  EXPECT_TRUE(Exists("ran"));
  EXPECT_THAT(Read("a.rafter"), StartsWith("SQLite format 3"));
}

TEST_F(RafterRun, WrongUseIsFoundBeforeTheProgramStarts) {
  const struct {
    const char* options;
    const char* said;
  } cases[] = {
      {"-o '%z'", "--output %z: %z: there is no such macro"},
      {"-o '%q{RAFTER_TEST_NOT_SET}'", "is not set"},
      {"--csv '%r.csv'", "no launcher's variable gives a rank"},
      {"--roofline a.gif", "--roofline a.gif: no chart format has this suffix"},
      {"--set time,metrics:", "no metric is named"},
      {"--metrics 'a b'", "--metrics a b: \"a b\" is no name of a metric"},
      {"--precision fp61 --csv a.csv", "--precision fp61: not known"},
      {"--fp16-weights 1", "--fp16-weights, --hardware: only the table and the chart use them"},
      {"--set tiem", "did you mean \"time\"?"},
      {"--ranks 0,8-", "--ranks: \"8-\" is no rank and no span of ranks"},
      {"--outptu x", "--outptu: no such option (did you mean --output?)"},
      {"--output", "--output: its value is missing"},
      {"--timeout 0", "--timeout 0: not a number above zero"},
      {"--timeout soon", "--timeout soon: not a number above zero"},
      {"--precision tensor.int8 --csv a.csv", "integer operations are no FLOP"},
      {"--precision fp32", "give --csv FILE or --roofline FILE too"},
      {"--peak-bandwidth 1e12", "give --csv FILE or --roofline FILE too"},
      {"-o /no/such/folder/a", "/no/such/folder"},
      {"--collector /tmp/x --strict", "--strict: cannot be used with the running collector"},
      {"--collector /tmp/x -o a", "--output: cannot be used with the running collector"},
      {"touch", "\"touch\": not expected here"},
  };
  for (const auto& [options, expected] : cases) {
    const Said said = Shell(std::string("$RAFTER run ") + options + " -- touch ran");
    EXPECT_EQ(said.exit_status, 2) << options;
    EXPECT_THAT(said.err, HasSubstr(expected)) << options;
    EXPECT_THAT(said.err, StartsWith("rafter: run: ")) << options;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_FALSE(Exists("ran")) << options;
  }
  EXPECT_THAT(Shell("$RAFTER run ./app").err, HasSubstr("\"./app\": not expected here"));
  EXPECT_THAT(Shell("$RAFTER run ./app").err, HasSubstr("put \"--\" before the program"));
  for (const char* twice : {"-o a.svg --roofline a.svg", "-o a --csv ./a --force"}) {
    const Said said = Shell(std::string("$RAFTER run ") + twice + " -- touch ran");
    EXPECT_EQ(said.exit_status, 2) << twice;
    EXPECT_THAT(said.err, HasSubstr("named for two results")) << twice;
    EXPECT_FALSE(Exists("ran")) << twice;
  }
  EXPECT_THAT(Shell("$RAFTER run").err, HasSubstr("no program was given; put it after \"--\""));
  EXPECT_THAT(Shell("$RAFTER run --").err, HasSubstr("no program follows \"--\""));
}

TEST_F(RafterRun, StrictIs125WhenNothingWasCounted) {
  const Said said = Shell("$RAFTER run --strict -- true");
  EXPECT_EQ(said.exit_status, 125);
  EXPECT_THAT(said.err, HasSubstr("(--strict)"));
}

TEST_F(RafterRun, SaysInOneLineThatNoProcessReachedTheGpu) {
  const Said said = Shell("$RAFTER run -o a.rafter -- true");
  if (said.err.find("libinject.so: not there") != std::string::npos) {
    GTEST_SKIP() << "libinject.so was not built";
  }
  EXPECT_THAT(said.err,
              HasSubstr("rafter: true: no process of it started CUDA or marked a region; "));
  EXPECT_TRUE(Exists("a.rafter"));
  EXPECT_FALSE(Exists("a.rafter-wal"));
}

TEST_F(RafterRun, ProgramThatOutlastsItsTimeIsEnded) {
  const Said said = Shell("$RAFTER run --timeout 0.3 -- sleep 20");
  EXPECT_EQ(said.exit_status, 143);
  EXPECT_THAT(said.err, HasSubstr("rafter: sleep: still ran after 0.3 s (--timeout)"));
  EXPECT_EQ(Shell("$RAFTER run --timeout 0.3 -- sh -c 'trap \"exit 0\" TERM; sleep 1 & wait'")
                .exit_status,
            143);
}

TEST_F(RafterRun, SignalsArePassedOnOrLeftToTheTerminal) {
  // SIGTERM is passed on; SIGINT to rafter alone is not, and does not end it.
  const Said term = Shell(
      "$RAFTER run -- sh -c 'trap \"exit 7\" TERM; touch up; while :; do sleep 0.05; done' & "
      "while [ ! -e up ]; do sleep 0.05; done; kill -TERM $!; wait $!");
  EXPECT_EQ(term.exit_status, 7);
  const Said interrupt = Shell(
      "rm -f up; $RAFTER run -- sh -c 'touch up; sleep 0.5; exit 5' & "
      "while [ ! -e up ]; do sleep 0.05; done; kill -QUIT $!; wait $!");
  EXPECT_EQ(interrupt.exit_status, 5);
}

TEST_F(RafterRun, ProgramGetsTheSignalsAndDescriptorsThatRafterGot) {
  const std::string probe =
      "'grep -E \"^Sig(Blk|Ign|Cgt)\" /proc/self/status; ls /proc/self/fd | wc -l'";
  const Said bare = Shell("sh -c " + probe);
  const Said run = Shell("$RAFTER run -- sh -c " + probe);
  EXPECT_EQ(run.out, bare.out);
  const Said descriptor = Shell("$RAFTER run -- sh -c 'cat <&7' 7<<EOF\nkept\nEOF");
  EXPECT_EQ(descriptor.out, "kept\n");
}

TEST_F(RafterRun, EnvironmentOfTheProgramKeepsItsOrder) {
  const std::string filter = " | grep -vE '^(RAFTER_|CUDA_INJ|NVTX_INJ|_=|SHLVL)'";
  EXPECT_EQ(Shell("$RAFTER run -- env" + filter).out, Shell("env" + filter).out);
}

TEST_F(RafterRun, OtherToolKeepsTheCudaEntryAndIsNamed) {
  const Said said = Shell(
      "CUDA_INJECTION64_PATH=/other/tool.so $RAFTER run -- sh -c 'echo $CUDA_INJECTION64_PATH'");
  if (said.err.find("libinject.so: not there") != std::string::npos) {
    GTEST_SKIP() << "libinject.so was not built";
  }
  EXPECT_EQ(said.out, "/other/tool.so\n");
  EXPECT_THAT(said.err, HasSubstr("CUDA_INJECTION64_PATH: already names /other/tool.so"));
}

TEST_F(RafterRun, CollectorThatDoesNotAnswerKeepsNoProgramFromRunning) {
  const Said said = Shell("$RAFTER run --collector /no/collector.sock -- echo ran");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_EQ(said.out, "ran\n");
  EXPECT_THAT(said.err, HasSubstr("/no/collector.sock: no collector answers there (No such file"));
}

TEST_F(RafterRun, UnknownVariableIsNamedOnce) {
  const Said said = Shell("RAFTER_SETT=time $RAFTER run -- true");
  EXPECT_THAT(said.err, HasSubstr("RAFTER_SETT: no such variable (did you mean RAFTER_SET?)"));
  EXPECT_THAT(Shell("RAFTER_SET=tiem $RAFTER run -- true").err,
              HasSubstr("rafter: run: RAFTER_SET tiem: "));
}

TEST_F(RafterRun, TablesAndChartsGoWhereTheyWereAskedFor) {
  const Said said = Shell("$RAFTER run -o a.rafter --csv %h.csv -- true; ls *.csv");
  EXPECT_THAT(said.out, Not(HasSubstr("%h")));
  EXPECT_THAT(said.err, HasSubstr(".csv: 1 row"));
}

TEST_F(RafterRun, DrawsAnHtmlChart) {
  if (!CanMakeHtml()) GTEST_SKIP() << WhyNoHtml();
  Shell("$RAFTER run -o a.rafter --peak-performance 1e13 --roofline a.html -- true");
  EXPECT_THAT(Read("a.html"), StartsWith("<!doctype html>"));
}

TEST_F(RafterRun, TableThatCannotBeWrittenIsNamedAndTheStatusStays) {
  const Said said = Shell("$RAFTER run -o a.rafter --csv /dev/full -- sh -c 'exit 3'");
  EXPECT_EQ(said.exit_status, 3);
  EXPECT_THAT(said.err, HasSubstr("/dev/full: cannot be written (No space left on device)"));
  EXPECT_THAT(said.err, HasSubstr("make it from the run file"));
}

TEST_F(RafterRun, RunInsideARunUsesTheOuterCollector) {
  const Said said = Shell("$RAFTER run -o a.rafter -- $RAFTER run -- echo hello; ls *.rafter");
  EXPECT_EQ(said.out, "hello\na.rafter\n");
}

}  // namespace
}  // namespace rafter
