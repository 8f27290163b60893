// The options of `rafter run` that say how to count: what the program is told,
// and what is refused.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/unit/tools_program.h"
#include "tests/unit/wire_stream.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RafterRunCounting : public ToolsProgram {
 protected:
  // What the program finds of the library's variables, one a line.
  std::string Told(const std::string& options, const std::string& before = "") {
    const Said said =
        Shell("unset RAFTER_QUIET; " + before + " $RAFTER run -o a.rafter --force " + options +
              " -- sh -c 'env | grep -E \"^RAFTER_(OVERHEAD|GRANULARITY|REPLAY|EXACT|SKIP|VERBOSE|"
              "SET|METRICS)=\" | sort' </dev/null");
    EXPECT_EQ(said.exit_status, 0) << options << said.err;
    return said.out;
  }
  bool HasLibrary() {
    return Shell("$RAFTER run -o l.rafter --force -- true").err.find("not there") ==
           std::string::npos;
  }
};

TEST_F(RafterRunCounting, OptionsReachTheProgramAsVariables) {
  EXPECT_EQ(Told(""), "");
  EXPECT_EQ(Told("--overhead 2.5"), "RAFTER_OVERHEAD=2.5\n");
  EXPECT_EQ(Told("--overhead 5%"), "RAFTER_OVERHEAD=5\n");
  EXPECT_EQ(Told("--overhead 0"), "RAFTER_OVERHEAD=0\n");
  EXPECT_EQ(Told("--granularity instance"), "RAFTER_GRANULARITY=instance\n");
  EXPECT_EQ(Told("--replay kernel"), "RAFTER_REPLAY=kernel\n");
  EXPECT_EQ(Told("--replay none"), "");
  EXPECT_EQ(Told("--skip 3"), "RAFTER_SKIP=3\n");
  EXPECT_EQ(Told("-v"), "RAFTER_VERBOSE=1\n");
}

TEST_F(RafterRunCounting, AnOptionWinsOverItsVariable) {
  EXPECT_EQ(Told("--overhead 2", "RAFTER_OVERHEAD=9"), "RAFTER_OVERHEAD=2\n");
  EXPECT_EQ(Told("--replay none", "RAFTER_REPLAY=kernel"), "");
  EXPECT_EQ(Told("", "RAFTER_SKIP=4"), "RAFTER_SKIP=4\n");
  EXPECT_THAT(Shell("RAFTER_GRANULARITY=kernl $RAFTER run -- true").err,
              HasSubstr("run: RAFTER_GRANULARITY kernl: not known (did you mean kernel?)"));
  EXPECT_THAT(Shell("RAFTER_EXACT=maybe $RAFTER run -- true").err,
              HasSubstr("RAFTER_EXACT=maybe: neither 1 nor 0"));
}

TEST_F(RafterRunCounting, ExactTellsTheLibraryOneSetAtATime) {
  if (!HasLibrary()) GTEST_SKIP() << "libinject.so was not built";
  EXPECT_EQ(Told("--exact --set memory"), "RAFTER_EXACT=1\nRAFTER_SET=memory\n");
  EXPECT_EQ(Told("--exact"), "RAFTER_EXACT=1\nRAFTER_SET=time\n");
  EXPECT_EQ(Told("--replay application --set flop,memory"), "RAFTER_EXACT=1\nRAFTER_SET=memory\n");
  // Metrics by name get a run of their own.
  EXPECT_EQ(Told("--exact", "RAFTER_METRICS=dram__bytes.sum"), "RAFTER_EXACT=1\nRAFTER_SET=time\n");
}

TEST_F(RafterRunCounting, WrongUseIsFoundBeforeTheProgramStarts) {
  const struct {
    const char* options;
    const char* said;
  } cases[] = {
      {"--overhead 101", "--overhead 101: not a percentage from 0 to 100"},
      {"--overhead -1", "--overhead -1: not a percentage"},
      {"--overhead five", "--overhead five: not a percentage"},
      {"--overhead nan", "--overhead nan: not a percentage"},
      {"--granularity regoin", "--granularity regoin: not known (did you mean region?)"},
      {"--replay aplication", "--replay aplication: not known (did you mean application?)"},
      {"--skip 1.5", "--skip 1.5: not a whole number of instances"},
      {"--skip -1", "--skip -1: not a whole number of instances"},
      {"--replay kernel --granularity instance", "--replay kernel: contradicts --granularity "},
      {"--exact --replay none", "--exact: contradicts --replay none"},
      {"--exact --replay kernel", "--exact: contradicts --replay kernel"},
      {"--exact --overhead 3", "--overhead: contradicts --exact"},
      {"--replay application --overhead 3", "--overhead: contradicts --replay application"},
      {"--exact --skip 2", "--skip: contradicts --exact"},
      {"--replay kernel --overhead 3", "--overhead: contradicts --replay kernel"},
      {"--replay kernel --skip 2", "--skip: contradicts --replay kernel"},
      {"--measure-overhead --collector /x", "--measure-overhead: cannot be used with the running"},
      {"--exact --collector /x", "--exact: cannot be used with the running collector at /x"},
      {"--exact --set tiem", "did you mean \"time\"?"},
  };
  for (const auto& [options, expected] : cases) {
    const Said said = Shell(std::string("$RAFTER run ") + options + " -- touch ran < /dev/null");
    EXPECT_EQ(said.exit_status, 2) << options;
    EXPECT_THAT(said.err, HasSubstr(expected)) << options;
    EXPECT_THAT(said.err, StartsWith("rafter: run: ")) << options;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_FALSE(Exists("ran")) << options;
  }
}

TEST_F(RafterRunCounting, WhatCannotBeReadTwiceIsRefusedAsInputOfSeveralRuns) {
  for (const char* option : {"--exact", "--replay application", "--measure-overhead"}) {
    const Said said = Shell(std::string("echo 1 | $RAFTER run ") + option + " -- touch ran");
    EXPECT_EQ(said.exit_status, 2) << option;
    EXPECT_THAT(said.err, HasSubstr(std::string("rafter: run: ") + option +
                                    ": standard input is a pipe, which only the first run could "
                                    "read; give a file (< FILE)"));
    EXPECT_FALSE(Exists("ran")) << option;
  }
  // One run reads what it likes.
  EXPECT_EQ(Shell("echo 1 | $RAFTER run --exact --set time -- cat").out, "1\n");
}

TEST_F(RafterRunCounting, AFileIsReadFromTheSamePlaceInEachRun) {
  Write("input", "first\nsecond\n");
  const Said said = Shell(
      "{ read line; $RAFTER run -o a.rafter --measure-overhead -- sh -c 'cat >>seen'; } < input");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_EQ(Read("seen"), "second\nsecond\n");
}

TEST_F(RafterRunCounting, CountsWhatItCanInOneRunWhereNoneIsSeen) {
  const Said said = Shell(  // no library is found beside the copy
      "mkdir bin && cp $RAFTER bin && bin/rafter run --exact --set memory,time -- "
      "sh -c 'echo \"$RAFTER_SET[$RAFTER_EXACT]\"' < /dev/null");
  EXPECT_EQ(said.out, "memory,time[]\n");
  EXPECT_THAT(said.err, HasSubstr("the program is run once only, since counters are off"));
}

TEST_F(RafterRunCounting, RunsNoMoreWhenASignalAskedForTheEnd) {
  const Said said = Shell(
      "$RAFTER run -o a.rafter --measure-overhead -- sh -c 'echo x >>times; sleep 0.5' < /dev/null "
      "& while [ ! -e times ]; do sleep 0.02; done; kill -QUIT $!; wait $!");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_EQ(Read("times"), "x\n");
  EXPECT_THAT(said.err, HasSubstr("it was not run without Rafter, since a signal asked for the "
                                  "end"));
}

TEST_F(RafterRunCounting, RunsAProgramThatNeedsNoGpuOnce) {
  if (!HasLibrary()) GTEST_SKIP() << "libinject.so was not built";
  const Said said = Shell("$RAFTER run --exact -- sh -c 'echo ran; echo x >>times' < /dev/null");
  EXPECT_EQ(said.out, "ran\n");
  EXPECT_EQ(Read("times"), "x\n");
  EXPECT_THAT(said.err, HasSubstr("not counted: sets memory, sm, flop; run 1 was the last, since "
                                  "no process of it started CUDA or marked a region"));
}

TEST_F(RafterRunCounting, MeasuresARunWithoutRafterAndKeepsItsOutputOut) {
  if (!HasLibrary()) GTEST_SKIP() << "libinject.so was not built";
  Write("input", "read\n");
  const Said said = Shell(
      "$RAFTER run -o a.rafter --measure-overhead -- sh -c 'cat; echo said >&2; "
      "echo \"[$CUDA_INJECTION64_PATH]\" >>injections; sleep 0.2' < input");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_EQ(said.out, "read\n");
  EXPECT_EQ(said.err.find("said"), said.err.rfind("said"));
  EXPECT_THAT(Read("injections"), HasSubstr("libinject.so]\n[]\n"));
  EXPECT_THAT(said.err, ::testing::ContainsRegex("counted 0\\.[2-9][0-9] s, without Rafter "
                                                 "0\\.[2-9][0-9] s, [0-9.]+ times as long"));
}

TEST_F(RafterRunCounting, SaysThatTheRunWithoutRafterFailed) {
  const Said said = Shell(
      "$RAFTER run -o a.rafter --measure-overhead -- sh -c '[ ! -e again ] && touch again' "
      "< /dev/null");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_THAT(said.err, HasSubstr("the run without Rafter ended with status 1, the counted one "
                                  "with 0, so their times are not held against each other"));
  EXPECT_THAT(said.err, Not(HasSubstr("times as long")));
}

TEST_F(RafterRunCounting, RunsNoMoreAfterASignal) {
  const Said said = Shell(
      "$RAFTER run -o a.rafter --measure-overhead -- sh -c 'echo x >>times; kill -9 $$' "
      "< /dev/null");
  EXPECT_EQ(said.exit_status, 137);
  EXPECT_EQ(Read("times"), "x\n");
  EXPECT_THAT(said.err, HasSubstr("it was not run without Rafter, since the program was ended by "
                                  "signal 9"));
}

TEST_F(RafterRunCounting, EndsWithWhatCountingCost) {
  WireStream stream;
  wire::Health early;
  early.mutable_cost()->set_wall_ns(1'000'000'000);
  early.mutable_cost()->set_set_up_ns(900'000'000);
  wire::Health last;
  last.mutable_cost()->set_wall_ns(13'400'000'000);
  last.mutable_cost()->set_set_up_ns(480'000'000);
  last.mutable_cost()->set_rotation_ns(110'000'000);
  last.mutable_cost()->set_border_ns(20'000'000);
  last.mutable_cost()->set_slowed_ns(10'000'000);
  stream.Add(wire::HELLO, MakeHello(5))
      .Add(wire::HEALTH, early)
      .Add(wire::HEALTH, last)
      .Add(wire::GOODBYE, MakeGoodbye());
  Write("stream", stream.bytes);
  const Said said = Shell("$RAFTER run -o a.rafter -- '" RAFTER_SEND_STREAM "' stream");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_THAT(said.err, HasSubstr("rafter: counting cost 0.62 s of 13.4 s (4.6 %): set-up 0.48 s, "
                                  "changes of sets 0.11 s, borders 0.02 s, slowed kernels 0.01 s; "
                                  "without it about 12.8 s (estimated from the run itself)\n"));
}

TEST_F(RafterRunCounting, VerboseShowsWhatTheSchedulerDecided) {
  WireStream stream;
  wire::Health health;
  wire::Note* note = health.add_notes();
  note->set_about("scheduler");
  note->set_text("region copy: next in set memory");
  stream.Add(wire::HELLO, MakeHello(5)).Add(wire::HEALTH, health);
  stream.Add(wire::GOODBYE, MakeGoodbye());
  Write("stream", stream.bytes);
  const Said said = Shell("$RAFTER run -v -o a.rafter -- '" RAFTER_SEND_STREAM "' stream");
  EXPECT_THAT(said.err, HasSubstr("process 5 (bench): region copy: next in set memory\n"));
}

}  // namespace
}  // namespace rafter
