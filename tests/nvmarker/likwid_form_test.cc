// LIKWID alone, as it was measured, and LIKWID behind the shim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/nvmarker/marked_run.h"

namespace rafter::survival {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// LIKWID's running total is a double, and stretches between regions leave thirds in it.
auto Half() { return ::testing::DoubleNear(0.5, 1e-13); }

const std::map<std::string, double> kSequence = {{"first", 200}, {"second", 300}, {"third", 200},
                                                 {"outer", 180}, {"inner", 60},   {"multi", 100},
                                                 {"empty", 0},   {"fresh", 820}};

// A marker file without its times, which nobody can repeat.
std::vector<std::string> MarkerLines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kept;
    int at = 0;
    for (std::string word; words >> word; ++at) {
      if (at == 4 && line.find(':') == std::string::npos) word = "TIME";
      kept += word + " ";
    }
    lines.push_back(kept);
  }
  return lines;
}

struct Shimmed {
  Outcome outcome;
  MarkerText result;
};

template <typename Change>
Shimmed Measured(const std::vector<std::string>& story, Change change,
                 const std::string& folder = "likwid") {
  ProgramRun run(folder == "likwid-old" ? "marked_old_target" : "marked_target", story);
  GiveLikwid(run, folder);
  PutShimBefore(run);
  change(run);
  Shimmed measured;
  measured.outcome = run.Go();
  measured.result = ReadMarkerText(run);
  return measured;
}
Shimmed Measured(const std::vector<std::string>& story) {
  return Measured(story, [](ProgramRun&) {});
}

TEST(FakeLikwid, WritesTheFileThatWasMeasuredOnTheH200) {
  const std::string measured = RAFTER_SHARED_DIR "/data/likwid/stock-marker-fp.marker";
  if (!std::ifstream(measured)) GTEST_SKIP() << measured << " is not here";
  ProgramRun run("marked_target", {"sequence"});
  GiveLikwid(run, "likwid");
  const Outcome outcome = run.Go();
  EXPECT_EQ(StatusText(outcome.status), "exit status 0") << outcome.err;
  EXPECT_EQ(MarkerLines(run.folder() + "/marker"), MarkerLines(measured));
}

TEST(FakeLikwid, ReadsNothingAfterItsGroupWasSwitched) {
  ProgramRun run("marked_target", {"switches"});
  GiveLikwid(run, "likwid");
  run.Set("LIKWID_NVMON_EVENTS", "A:GPU0|B:GPU0");
  run.Go();
  EXPECT_THAT(MarkerLines(run.folder() + "/marker"),
              ElementsAre("1 2 2 ", "0:one-0 ", "1:two-0 ", "0 0 0 1 TIME 1 3.500000e+00 ",
                          "1 0 0 1 TIME 1 0.000000e+00 "));
}

class EachGeneration : public ::testing::TestWithParam<std::string> {};

TEST_P(EachGeneration, ReportsOneHalfOfEveryRegionBehindTheShim) {
  const Shimmed run = Measured(
      {"sequence"}, [](ProgramRun&) {}, GetParam());
  EXPECT_EQ(StatusText(run.outcome.status), "exit status 0") << run.outcome.err;
  EXPECT_TRUE(run.result.complete()) << run.result.text;
  EXPECT_THAT(run.result.Ratios(kSequence),
              ElementsAre(Pair("empty", 0), Pair("first", Half()), Pair("fresh", Half()),
                          Pair("inner", Half()), Pair("multi", Half()), Pair("outer", Half()),
                          Pair("second", Half()), Pair("third", Half())));
  EXPECT_EQ(run.result.Fact("trouble"), "(none)");
  EXPECT_EQ(run.result.Fact("ignored"), "elsewhere 2");
}

TEST_P(EachGeneration, ReportsOneHalfOfRegionsThatCross) {
  const Shimmed run = Measured(
      {"crossing"}, [](ProgramRun&) {}, GetParam());
  EXPECT_EQ(run.outcome.out, "again -14\nnot open -14 -14\n");
  EXPECT_THAT(run.result.Ratios({{"left", 70}, {"right", 300}, {"after", 320}}),
              ElementsAre(Pair("after", Half()), Pair("left", Half()), Pair("right", Half())));
}

TEST_P(EachGeneration, AnswersAsWithoutTheShim) {
  const bool old = GetParam() == "likwid-old";
  for (const char* story : {"crossing", "sequence", "elsewhere", "resets", "forks"}) {
    ProgramRun alone(old ? "marked_old_target" : "marked_target", {story});
    GiveLikwid(alone, GetParam());
    ExpectSame(alone.Go(),
               Measured(
                   {story}, [](ProgramRun&) {}, GetParam())
                   .outcome,
               false);
  }
}

INSTANTIATE_TEST_SUITE_P(LikwidForm, EachGeneration, ::testing::Values("likwid", "likwid-old"),
                         [](const auto& parameter) {
                           return parameter.param == "likwid" ? "Nvmon" : "GpuMarker";
                         });

TEST(LikwidForm, ReadsAHalfWhereLikwidAloneReadsSomethingElse) {
  ProgramRun alone("marked_target", {"crossing"});
  GiveLikwid(alone, "likwid");
  alone.Go();
  const auto lines = MarkerLines(alone.folder() + "/marker");
  ASSERT_EQ(lines.size(), 7u);
  // Of 300 units in "right": neither a half nor the whole.
  std::istringstream words(lines[5]);
  std::string word;
  for (int at = 0; at < 7; ++at) words >> word;
  EXPECT_GT(std::abs(std::strtod(word.c_str(), nullptr) / (300 * kAddsPerUnit) - 0.5), 0.05);
}

TEST(LikwidForm, LeavesLikwidsOwnFileWithHalves) {
  ProgramRun run("marked_target", {"crossing"});
  GiveLikwid(run, "likwid");
  PutShimBefore(run);
  run.Go();
  EXPECT_EQ(MarkerLines(run.folder() + "/marker")[6],
            "2 0 0 1 TIME 3 8.388608e+07 4.194304e+07 1.677722e+08 ");
}

TEST(LikwidForm, ReportsEachGpuOfItsList) {
  const Shimmed run = Measured({"two_gpus"}, [](ProgramRun& change) {
    change.Set("LIKWID_NVMON_GPUS", "2,5").Set("LIKWID_NVMON_EVENTS", "UNITS:GPU0");
  });
  std::vector<std::string> readings;
  for (const auto& words : run.result.lines) {
    if (words[0] == "reading") readings.push_back(words[2] + " " + words[3] + " " + words[6]);
  }
  EXPECT_THAT(readings, ElementsAre("2 1 3", "5 1 5"));
}

TEST(LikwidForm, WritesItsNumbersAtExitWithoutClose) {
  const Shimmed run = Measured({"one", "none"});
  EXPECT_TRUE(run.result.complete()) << run.result.text;
  EXPECT_THAT(run.result.Ratios({{"one", 7}}), ElementsAre(Pair("one", Half())));
}

TEST(LikwidForm, WritesNothingWhenTheProgramIsCutOff) {
  for (const char* how : {"_exit", "abort", "exec"}) {
    const Shimmed run = Measured({"one", how});
    EXPECT_EQ(run.result.text, "") << how;
    EXPECT_FALSE(run.outcome.timed_out);
  }
}

TEST(LikwidForm, SaysThatTheProgramEndedOnAnotherThread) {
  const Shimmed run = Measured({"one", "exit_elsewhere"});
  EXPECT_EQ(StatusText(run.outcome.status), "exit status 0");
  EXPECT_THAT(run.result.Fact("trouble"), HasSubstr("ended on another thread than INIT's"));
  EXPECT_EQ(run.result.Fact("reading"), "(none)");
}

TEST(LikwidForm, StaysThereWhenTheProgramUnloadsIt) {
  const Shimmed run = Measured({"unload", "none", "before"}, [](ProgramRun& change) {
    change.Unset("LD_PRELOAD").Set("SURVIVAL_SHIM", LibraryPath("libnvmarker.so"));
  });
  EXPECT_EQ(run.outcome.out, "start 0\nstop 0\n");
  EXPECT_THAT(run.result.Ratios({{"loaded", 9}}), ElementsAre(Pair("loaded", Half())));
}

TEST(LikwidForm, AnswersFortran) {
  const Shimmed run = Measured({"from_fortran"});
  EXPECT_THAT(run.result.Ratios({{"padded%20tag", 3}}), ElementsAre(Pair("padded%20tag", Half())));
}

TEST(LikwidForm, SaysWhichRegionWasLeftOpen) {
  const Shimmed run = Measured({"one", "open"});
  EXPECT_THAT(run.result.Fact("trouble"), HasSubstr("\"left open\" was still open"));
  EXPECT_THAT(run.result.Ratios({{"one", 7}}), ElementsAre(Pair("one", Half())));
}

TEST(LikwidForm, KeepsLikwidFromUsingWhatItFreedAtClose) {
  const Shimmed run = Measured({"one", "close_and_on"});
  EXPECT_EQ(StatusText(run.outcome.status), "exit status 0") << run.outcome.err;
  EXPECT_EQ(run.outcome.out, "late -14 -14\n");
  EXPECT_THAT(run.result.Fact("trouble"), HasSubstr("2 region calls came after CLOSE"));
  EXPECT_THAT(run.result.Ratios({{"one", 7}}), ElementsAre(Pair("one", Half())));
}

TEST(LikwidForm, TakesWriteFileForTheEnd) {
  const Shimmed run = Measured({"one", "write_file"});
  EXPECT_EQ(StatusText(run.outcome.status), "exit status 0") << run.outcome.err;
  EXPECT_EQ(run.outcome.out, "file 0\n");
  EXPECT_THAT(run.result.Ratios({{"one", 7}}), ElementsAre(Pair("one", Half())));
}

TEST(LikwidForm, CountsFromTheResetOn) {
  const Shimmed run = Measured({"resets"});
  EXPECT_THAT(run.result.Ratios({{"one", 5}}), ElementsAre(Pair("one", Half())));
  EXPECT_EQ(run.result.Fact("trouble"), "(none)");
}

TEST(LikwidForm, KeepsTheFirstGroupWhenTheProgramSwitches) {
  const Shimmed run = Measured({"switches"}, [](ProgramRun& change) {
    change.Set("LIKWID_NVMON_EVENTS", std::string(kThreeEvents) + "|B:GPU0");
  });
  EXPECT_THAT(run.result.Ratios({{"one", 7}, {"two", 5}}),
              ElementsAre(Pair("one", Half()), Pair("two", Half())));
  EXPECT_THAT(run.result.Fact("trouble"), HasSubstr("1 switches to the next group"));
}

TEST(LikwidForm, SaysThatWorkOfOtherThreadsFellIntoABorder) {
  const Shimmed run = Measured({"strays"});
  EXPECT_THAT(run.result.Fact("trouble"), HasSubstr("1 of 1 region borders had work"));
}

TEST(LikwidForm, SaysThatALikwidTakesNoMeans) {
  const Shimmed run = Measured(
      {"crossing"}, [](ProgramRun& change) { change.Set("RAFTER_FAKE_LIKWID_MENDED", "1"); });
  EXPECT_THAT(run.result.Ratios({{"right", 300}}), ElementsAre(Pair("right", 1)));
  EXPECT_THAT(run.result.Fact("trouble"), HasSubstr("its numbers are whole, not halves"));
}

TEST(LikwidForm, LeavesTheNumbersToTheParentOfAFork) {
  const Shimmed run = Measured({"forks"});
  EXPECT_TRUE(run.result.complete()) << run.result.text;
  EXPECT_THAT(run.result.Ratios({{"around", 20}}), ElementsAre(Pair("around", Half())));
  EXPECT_EQ(run.result.Fact("ignored"), "(none)");
}

TEST(LikwidForm, EncodesNamesOfAnyLength) {
  const Shimmed run = Measured({"names"});
  EXPECT_THAT(run.result.Ratios({{std::string(100000, 'x'), 1},
                                 {"has%20blanks,%20100%25%20and%0Alines", 2},
                                 {"%C3%A9t%C3%A9-1", 3}}),
              ElementsAre(Pair("%C3%A9t%C3%A9-1", Half()),
                          Pair("has%20blanks,%20100%25%20and%0Alines", Half()),
                          Pair(std::string(100000, 'x'), Half())));
}

TEST(LikwidForm, StopsAtTenThousandRegionsAndSaysSo) {
  const Shimmed run = Measured({"many_names"});
  size_t readings = 0;
  for (const auto& words : run.result.lines) readings += words[0] == "reading" ? 1 : 0;
  EXPECT_EQ(readings, 10000u);
  EXPECT_THAT(run.result.Fact("trouble"), HasSubstr("100 region calls are beyond the first"));
}

TEST(LikwidForm, SaysThatCallsCameBeforeInit) {
  const Shimmed run = Measured({"one", "none", "before"});
  EXPECT_THAT(run.result.Fact("trouble"), HasSubstr("2 region calls came before INIT"));
  EXPECT_EQ(run.result.Fact("reading"), "(none)");
}

TEST(LikwidForm, NamesTheProcessItsRankAndTheClockThatLikwidLacks) {
  const Shimmed run = Measured({"one"}, [](ProgramRun& change) {
    change.Set("RAFTER_FAKE_LIKWID_NO_CLOCK", "1").Set("PMI_RANK", "3");
  });
  EXPECT_EQ(run.result.Fact("rank"), "3");
  EXPECT_EQ(run.result.Fact("executable"), ProgramPath("marked_target"));
  EXPECT_EQ(run.result.Fact("likwid"), FakesPath() + "/likwid/liblikwid.so.5.5");
  EXPECT_EQ(run.result.Fact("region"), "one");
  EXPECT_GT(std::strtoull(run.result.Fact("start_ticks").c_str(), nullptr, 10), 0u);
  EXPECT_THAT(run.result.Fact("reading"), HasSubstr(" inf 1835008 917504 3670016"));
  EXPECT_EQ(run.result.Fact("gpu"), "0 - - - - - - - -");  // no driver here
}

TEST(LikwidForm, MakesTheFirstGpuOfTheListCurrentAroundInit) {
  const auto on_two = [](ProgramRun& run) {
    run.Set("LD_LIBRARY_PATH", FakesPath() + "/likwid:" + FakesPath())
        .Set("RAFTER_FAKE_DEVICES", "2")
        .Set("LIKWID_NVMON_GPUS", "1");
  };
  ProgramRun alone("marked_target", {"wrong_device"});
  GiveLikwid(alone, "likwid");
  on_two(alone);
  EXPECT_THAT(alone.Go().out, HasSubstr("measures 0\ncurrent 0\n"));
  const Shimmed run = Measured({"wrong_device"}, on_two);
  EXPECT_THAT(run.outcome.out, HasSubstr("measures 1\ncurrent 0\n"));
  EXPECT_THAT(run.result.Fact("gpu"), ::testing::MatchesRegex("1 [0-9a-f]{32} [0-9A-Fa-f:.]+ .*"));
}

TEST(LikwidForm, WaitsForTheGpuAtEachBorder) {
  ProgramRun run("marked_target", {"wrong_device"});
  GiveLikwid(run, "likwid");
  PutShimBefore(run);
  const std::string log = run.folder() + "/cuda.log";
  run.Set("LD_LIBRARY_PATH", FakesPath() + "/likwid:" + FakesPath())
      .Set("RAFTER_FAKE_CUDA_LOG", log);
  run.Go();
  std::ifstream file(log);
  int waits = 0;
  for (std::string line; std::getline(file, line);) {
    waits += line.starts_with("cuCtxSynchronize ") ? 1 : 0;
  }
  EXPECT_EQ(waits, 2);
}

TEST(LikwidForm, NamesTheFunctionThatALikwidLacks) {
  const Shimmed run = Measured({"one"}, [](ProgramRun& change) {
    change.Set("LD_LIBRARY_PATH", FakesPath() + "/likwid-poor").Unset("RAFTER_QUIET");
  });
  EXPECT_EQ(StatusText(run.outcome.status), "exit status 0");
  EXPECT_THAT(run.outcome.err, HasSubstr("rafter: regions are not counted: "));
  EXPECT_THAT(run.outcome.err, HasSubstr("liblikwid.so.5.5 has no nvmon_switchActiveGroup; "));
  EXPECT_THAT(run.result.Fact("trouble"), HasSubstr("has no nvmon_switchActiveGroup"));
}

TEST(LikwidForm, FindsTheLikwidThatIsNamedWhenTheProgramHasNone) {
  for (const char* named : {"/likwid", "/likwid/liblikwid.so.5.5"}) {
    ProgramRun run("marked_target", {"one"});
    GiveLikwid(run, "likwid");
    PutShimBefore(run);
    // The loader is satisfied by something that is not LIKWID.
    const std::string here = run.folder() + "/here/liblikwid.so.5.5";
    ASSERT_EQ(symlink(LibraryPath("liblikwid-standin.so").c_str(), here.c_str()), 0);
    run.Set("LD_LIBRARY_PATH", run.folder() + "/here")
        .Set("RAFTER_LIKWID_PATH", FakesPath() + named);
    EXPECT_EQ(StatusText(run.Go().status), "exit status 0");
    EXPECT_EQ(ReadMarkerText(run).Fact("likwid"), FakesPath() + "/likwid/liblikwid.so.5.5");
    EXPECT_EQ(ReadMarkerText(run).Fact("region"), "one");
  }
}

TEST(LikwidForm, SaysThatThereIsNoLikwid) {
  ProgramRun run("marked_target", {"one"});
  GiveLikwid(run, "likwid");
  PutShimBefore(run);
  const std::string here = run.folder() + "/here/liblikwid.so.5.5";
  ASSERT_EQ(symlink(LibraryPath("liblikwid-standin.so").c_str(), here.c_str()), 0);
  run.Set("LD_LIBRARY_PATH", run.folder() + "/here").Set("RAFTER_LIKWID_PATH", "/nowhere");
  const Outcome outcome = run.Unset("RAFTER_QUIET").Go();
  EXPECT_EQ(StatusText(outcome.status), "exit status 0");
  EXPECT_THAT(outcome.err, HasSubstr("RAFTER_LIKWID_PATH=/nowhere holds no LIKWID that loads"));
}

TEST(LikwidForm, SaysThatLikwidDidNotStart) {
  const Shimmed run =
      Measured({"one"}, [](ProgramRun& change) { change.Unset("LIKWID_NVMON_EVENTS"); });
  EXPECT_THAT(run.result.Fact("trouble"), HasSubstr("LIKWID did not start"));
}

TEST(LikwidForm, SaysWhereItCouldNotWrite) {
  const Shimmed run = Measured({"one"}, [](ProgramRun& change) {
    change.Set("RAFTER_NVMARKER_RESULT", "/nowhere/at/all").Unset("RAFTER_QUIET");
  });
  EXPECT_THAT(run.outcome.err, HasSubstr("/nowhere/at/all cannot be written (No such file"));
}

}  // namespace
}  // namespace rafter::survival
