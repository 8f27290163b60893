// Programs that use all of NVTX: what a tool sees of them, and that they do not
// notice. The recorder (tests/fakes/nvtx_recorder.cc) is marker/ with a sink that writes
// lines; nvtx_everything prints the same lines of what it did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

using ::testing::HasSubstr;

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Fake(const std::string& name) { return FakesPath() + "/" + name; }

struct Told {
  Outcome outcome;
  std::string record;  // by the recorder
  std::string log;     // by the other tool
};

// Runs everything, in the program and in a module of its own. `tool`: what NVTX is given;
// `next`: the other tool after it.
Told RunEverything(const std::string& tool, const std::string& next, const std::string& variant) {
  ProgramRun run("nvtx_everything", {ProgramPath("nvtx_everything.so")});
  if (!tool.empty()) run.Set("NVTX_INJECTION64_PATH", tool);
  if (!next.empty()) run.Set("RAFTER_NVTX_NEXT", next);
  if (!variant.empty()) run.Set("RAFTER_FAKE_NVTX", variant);
  run.Set("NVTX_RECORD", run.folder() + "/record");
  run.Set("RAFTER_FAKE_NVTX_LOG", run.folder() + "/log");
  Told told;
  told.outcome = run.Go();
  told.record = ReadText(run.folder() + "/record");
  told.log = ReadText(run.folder() + "/log");
  return told;
}

// Without the lines that are notes; those go to `notes`.
std::string WithoutNotes(const std::string& record, std::string& notes) {
  std::istringstream lines(record);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    (line.find("\"event\":\"note\"") == std::string::npos ? rest : notes) += line + '\n';
  }
  return rest;
}

TEST(Nvtx, EveryCallReachesTheSinkAsTheProgramMadeIt) {
  const Told told = RunEverything(Fake("nvtx_recorder.so"), "", "");
  EXPECT_EQ(StatusText(told.outcome.status), "exit status 0");
  EXPECT_GT(told.record.size(), 10'000u);
  EXPECT_EQ(told.record, told.outcome.out);
}

TEST(Nvtx, AProgramThatUsesAllOfItDoesNotNoticeUs) {
  const Told without = RunEverything("", "", "");
  const Told with = RunEverything(InjectPath(), "", "");
  EXPECT_GT(without.outcome.out.size(), 10'000u);
  ExpectSame(without.outcome, with.outcome, false);
}

class NvtxChain : public ::testing::TestWithParam<const char*> {};

// The other tool's log says every call, and "NOT MINE" where it got a handle that is
// not its own, so an equal log is the proof for both.
TEST_P(NvtxChain, TheOtherToolSeesWhatItSeesAlone) {
  const std::string tool = Fake("nvtx_tool.so");
  const Told alone = RunEverything(tool, "", GetParam());
  const Told chained = RunEverything(Fake("nvtx_recorder.so"), tool, GetParam());
  EXPECT_EQ(chained.outcome.out, alone.outcome.out);
  EXPECT_EQ(chained.log, alone.log);
  EXPECT_EQ(chained.record, chained.outcome.out);
  EXPECT_EQ(alone.log.empty(), std::string(GetParam()) == "declines");
  EXPECT_THAT(chained.log, ::testing::Not(HasSubstr("NOT MINE")));
}

TEST_P(NvtxChain, TheOtherToolSeesTheSameBehindTheWholeLibrary) {
  const std::string tool = Fake("nvtx_tool.so");
  const Told alone = RunEverything(tool, "", GetParam());
  const Told chained = RunEverything(InjectPath(), tool, GetParam());
  EXPECT_EQ(chained.outcome.out, alone.outcome.out);
  EXPECT_EQ(chained.log, alone.log);
}

INSTANTIATE_TEST_SUITE_P(, NvtxChain,
                         ::testing::Values("", "declines", "no_domains", "own_functions"),
                         [](const auto& test) {
                           const std::string variant = test.param;
                           return variant.empty() ? std::string("plain") : variant;
                         });

TEST(Nvtx, AToolThatIsMissingOrNoneIsNamedOnceAndWeGoOn) {
  const auto expect_note = [](const std::string& next, const std::string& said) {
    const Told told = RunEverything(Fake("nvtx_recorder.so"), next, "");
    std::string notes;
    EXPECT_EQ(WithoutNotes(told.record, notes), told.outcome.out);
    EXPECT_EQ(std::count(notes.begin(), notes.end(), '\n'), 1) << notes;
    EXPECT_THAT(notes, HasSubstr(said));
  };
  expect_note("/gone/tool.so", "NVTX: /gone/tool.so: /gone/tool.so: cannot open");
  expect_note(ProgramPath("nvtx_everything.so"), "NVTX: ");
  expect_note(Fake("nvtx_recorder.so"), "NVTX: ");  // itself: no call goes round in circles
}

TEST(Nvtx, TheLibraryOfNvtx2IsServedByItsOwnDoor) {
  for (const bool with_next : {false, true}) {
    ProgramRun run("nvtx2_library", {"tables"});
    run.Set("NVTX_INJECTION64_PATH", Fake("nvtx_recorder.so"));
    run.Set("NVTX_RECORD", run.folder() + "/record");
    run.Set("RAFTER_FAKE_NVTX_LOG", run.folder() + "/log");
    if (with_next) run.Set("RAFTER_NVTX_NEXT", Fake("nvtx_tool.so"));
    EXPECT_EQ(StatusText(run.Go().status), "exit status 0");
    const std::string record = ReadText(run.folder() + "/record");
    EXPECT_THAT(record, HasSubstr("\"mark\",\"domain\":\"\",\"name\":\"old mark\""));
    EXPECT_THAT(record, HasSubstr("\"push\",\"domain\":\"\",\"name\":\"old region\""));
    EXPECT_THAT(record, HasSubstr("\"pop\""));
    EXPECT_EQ(ReadText(run.folder() + "/log"),
              with_next ? "0 MarkA  old mark\n0 PushA  old region\n0 Pop  \n" : "");
  }
}

TEST(Nvtx, AnOldLibraryThatOffersOtherCallsIsLeftAloneAndNamed) {
  ProgramRun run("nvtx2_library", {"calls"});
  run.Set("NVTX_INJECTION64_PATH", Fake("nvtx_recorder.so"));
  run.Set("NVTX_RECORD", run.folder() + "/record");
  EXPECT_EQ(StatusText(run.Go().status), "exit status 0");
  EXPECT_THAT(ReadText(run.folder() + "/record"), HasSubstr("\"event\":\"note\""));
}

TEST(Nvtx, TheProgramOfNvtx2DoesNotNoticeTheWholeLibrary) {
  for (const char* kind : {"tables", "calls"}) {
    const Outcome without = ProgramRun("nvtx2_library", {kind}).Go();
    ProgramRun run("nvtx2_library", {kind});
    run.Set("NVTX_INJECTION64_PATH", InjectPath());
    ExpectSame(without, run.Go(), false);
  }
}

}  // namespace
}  // namespace rafter::survival
