// The first form: LIKWID's regions become Rafter's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nvmarker/marked_run.h"

namespace rafter::survival {
namespace {

using ::testing::HasSubstr;

struct Delivered {
  Outcome outcome;
  std::string log;
};

// The program as it is, with the shim before its LIKWID and a sink beside the shim.
Delivered Deliver(const std::vector<std::string>& story, const std::string& program,
                  const std::string& sink = "fake_inject", bool quiet = true) {
  ProgramRun run(program, story);
  GiveLikwid(run, program == "marked_target" ? "likwid" : "likwid-old");
  run.Set("LD_PRELOAD", PlaceBesideSink(run, "libnvmarker.so", sink))
      .Set("RAFTER_FAKE_SINK_LOG", run.folder() + "/sink.log");
  if (!quiet) run.Unset("RAFTER_QUIET");
  Delivered delivered;
  delivered.outcome = run.Go();
  delivered.log = SinkLog(run);
  return delivered;
}

class MarkedProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(MarkedProgram, DeliversRegionsOfAllThreads) {
  const Delivered delivered = Deliver({"elsewhere"}, GetParam());
  EXPECT_EQ(delivered.outcome.out, "other 0 0\n");
  EXPECT_EQ(delivered.log, "open elsewhere\nclose elsewhere\n");
}

TEST_P(MarkedProgram, CountsBeforeInit) {
  EXPECT_EQ(Deliver({"one", "none", "before"}, GetParam()).log, "open one\nclose one\n");
}

TEST_P(MarkedProgram, CountsAfterClose) {
  const Delivered delivered = Deliver({"one", "close_and_on"}, GetParam());
  EXPECT_EQ(delivered.outcome.out, "late 0 0\n");
  EXPECT_EQ(delivered.log, "open one\nclose one\nopen late\nclose late\n");
}

TEST_P(MarkedProgram, AnswersAsLikwidDoes) {
  const Delivered delivered = Deliver({"answers"}, GetParam());
  EXPECT_EQ(delivered.outcome.out,
            "register 0\nstop -14\nstart 0\nstart -14\nstop 0\nnull -14 -14 -14\nreset 0 0\n");
  EXPECT_EQ(delivered.log,
            "close a not open\nopen a\nopen a again\nclose a\n"
            "note the program resets NvMarker regions; the calls before that stay in the numbers: "
            "leave them out with --skip\n");
}

TEST_P(MarkedProgram, TellsCallsAndTimeToWhoeverAsks) {
  const Delivered delivered = Deliver({"asks_back"}, GetParam());
  EXPECT_EQ(StatusText(delivered.outcome.status), "exit status 0");
  EXPECT_EQ(delivered.outcome.out, "gpus 1 events 0 count 3 -1 time 1 value -1\nunknown 0\n");
}

TEST_P(MarkedProgram, AddsUpCallsOfManyThreads) {
  EXPECT_EQ(Deliver({"many_threads"}, GetParam()).outcome.out, "count 16000\n");
}

TEST_P(MarkedProgram, DeliversNamesWhole) {
  EXPECT_THAT(Deliver({"names"}, GetParam()).log,
              HasSubstr("open " + std::string(100000, 'x') + "\nclose xxx"));
}

TEST_P(MarkedProgram, DeliversWhatAForkedChildCalls) {
  const Delivered delivered = Deliver({"forks"}, GetParam());
  EXPECT_EQ(delivered.log, "open around\nopen of the child\nclose of the child\nclose around\n");
}

TEST_P(MarkedProgram, SaysOnceThatThereIsNoRafterAndIsOff) {
  const Delivered delivered = Deliver({"answers"}, GetParam(), "", false);
  EXPECT_EQ(delivered.outcome.out,
            "register -14\nstop -14\nstart -14\nstart -14\nstop -14\nnull -14 -14 -14\n"
            "reset -14 -14\n");
  EXPECT_THAT(delivered.outcome.err,
              ::testing::MatchesRegex("rafter: NvMarker regions are not counted: [^\n]*libinject.so"
                                      "[^\n]*\n"));
}

TEST_P(MarkedProgram, SaysThatTheOtherHalfIsOfAnotherVersion) {
  const Delivered delivered = Deliver({"one"}, GetParam(), "fake_inject_other", false);
  EXPECT_THAT(delivered.outcome.err, HasSubstr("libinject.so is of another version than "));
  EXPECT_EQ(delivered.log, "");
}

TEST_P(MarkedProgram, IsQuietWhenAsked) {
  EXPECT_EQ(Deliver({"one"}, GetParam(), "").outcome.err, "");
}

INSTANTIATE_TEST_SUITE_P(SinkForm, MarkedProgram,
                         ::testing::Values("marked_target", "marked_old_target"),
                         [](const auto& parameter) {
                           return parameter.param == "marked_target" ? "Nvmon" : "GpuMarker";
                         });

TEST(SinkForm, DoesNotWriteLikwidsFile) {
  const Delivered delivered = Deliver({"one", "write_file"}, "marked_target");
  EXPECT_EQ(delivered.outcome.out, "file -38\n");
  EXPECT_THAT(delivered.log, HasSubstr("note the program asks for LIKWID's marker file"));
}

TEST(SinkForm, LeavesAProgramWithoutMarkersAlone) {
  ProgramRun run("marked_target", {"nothing", "none", "before"});
  GiveLikwid(run, "likwid");
  run.Set("LD_PRELOAD", PlaceBesideSink(run, "libnvmarker.so", ""));
  const Outcome outcome = run.Unset("RAFTER_QUIET").Go();
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(StatusText(outcome.status), "exit status 0");
}

TEST(SinkForm, SaysThatAVariableIsWrong) {
  ProgramRun run("marked_target", {"one"});
  GiveLikwid(run, "likwid");
  run.Set("LD_PRELOAD", PlaceBesideSink(run, "libnvmarker.so", "fake_inject"))
      .Set("RAFTER_NVMARKER", "lickwid");
  EXPECT_EQ(run.Unset("RAFTER_QUIET").Go().err,
            "rafter: RAFTER_NVMARKER=lickwid is neither rafter nor likwid; rafter is taken\n");
}

}  // namespace
}  // namespace rafter::survival
