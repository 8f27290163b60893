// Programs linked to a liblikwid.so that is not there, and the library that stands
// in for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/nvmarker/marked_run.h"

namespace rafter::survival {
namespace {

using ::testing::HasSubstr;

constexpr char kCpuNote[] =
    "note the program has LIKWID's CPU markers; they are not counted, since LIKWID is not on this "
    "machine\n";

struct Linked {
  const char* program;
  const char* missing;  // what the program asks the loader for
};

class StandIn : public ::testing::TestWithParam<Linked> {
 protected:
  // As `rafter run` does: a folder with the missing name in it.
  void GiveStandIn(ProgramRun& run, const std::string& sink) {
    const std::string library = PlaceBesideSink(run, "liblikwid-standin.so", sink);
    const std::string link = run.folder() + "/here/" + GetParam().missing;
    ASSERT_EQ(symlink(library.c_str(), link.c_str()), 0);
    run.Set("LD_LIBRARY_PATH", run.folder() + "/here").Set("LD_BIND_NOW", "1");
    run.Set("RAFTER_FAKE_SINK_LOG", run.folder() + "/sink.log");
  }
};

TEST_P(StandIn, TheProgramDoesNotStartWithoutIt) {
  const Outcome outcome = ProgramRun(GetParam().program, {"one"}).Go();
  EXPECT_EQ(StatusText(outcome.status), "exit status 127");
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().missing));
}

TEST_P(StandIn, StartsTheProgramAndDeliversItsRegions) {
  ProgramRun run(GetParam().program, {"one"});
  GiveStandIn(run, "fake_inject");
  EXPECT_EQ(StatusText(run.Go().status), "exit status 0");
  EXPECT_EQ(SinkLog(run), "open one\nclose one\n");
}

TEST_P(StandIn, AnswersCpuMarkersAsLikwidThatIsOffAndPins) {
  ProgramRun run(GetParam().program, {"cpu_markers"});
  GiveStandIn(run, "fake_inject");
  EXPECT_EQ(run.Go().out, "cpu -14 -14\npin 1 1\n");
  EXPECT_EQ(SinkLog(run), kCpuNote);
}

TEST_P(StandIn, LetsTheShimBeforeItHaveTheGpuRegions) {
  ProgramRun run(GetParam().program, {"one"});
  GiveStandIn(run, "fake_inject");
  run.Set("LD_PRELOAD", PlaceBesideSink(run, "libnvmarker.so", ""));
  EXPECT_EQ(StatusText(run.Go().status), "exit status 0");
  EXPECT_EQ(SinkLog(run), "open one\nclose one\n");
}

TEST_P(StandIn, IsNotTakenForLikwid) {
  ProgramRun run(GetParam().program, {"one"});
  GiveStandIn(run, "");
  run.Set("RAFTER_NVMARKER", "likwid").Set("RAFTER_NVMARKER_RESULT", run.folder() + "/%p.result");
  EXPECT_EQ(StatusText(run.Go().status), "exit status 0");
  EXPECT_THAT(ReadMarkerText(run).Fact("trouble"), HasSubstr("regions are not counted"));
}

INSTANTIATE_TEST_SUITE_P(Survival, StandIn,
                         ::testing::Values(Linked{"marked_target", "liblikwid.so.5.5"},
                                           Linked{"marked_old_target", "liblikwid.so.5.2"}),
                         [](const auto& parameter) {
                           return std::string(parameter.param.missing).substr(13, 1) + "_" +
                                  std::string(parameter.param.missing).substr(15, 1);
                         });

}  // namespace
}  // namespace rafter::survival
