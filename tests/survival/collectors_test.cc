// Collectors that are absent, hang, die or talk nonsense: the program neither
// waits nor notices.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <tuple>

#include "tests/survival/program_run.h"
#include "tests/survival/stand_in_collector.h"

namespace rafter::survival {
namespace {

struct Case {
  const char* name;
  StandInCollector::Manner manner;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

const Case kManners[] = {
    {"NeverAccepts", StandInCollector::kNeverAccepts},
    {"NeverReads", StandInCollector::kNeverReads},
    {"NeverAnswers", StandInCollector::kNeverAnswers},
    {"DiesAtOnce", StandInCollector::kDiesAtOnce},
    {"DiesMidway", StandInCollector::kDiesMidway},
    {"ReadsSlowly", StandInCollector::kReadsSlowly},
    {"AnswersGarbage", StandInCollector::kAnswersGarbage},
    {"AnswersHugeLength", StandInCollector::kAnswersHugeLength},
    {"SaysBye", StandInCollector::kSaysBye},
};

struct Visit {
  const char* program;
  const char* story;
  unsigned entries;
};

void PrintTo(const Visit& visit, std::ostream* out) {
  *out << visit.program << " " << visit.story << " by " << EntryName(visit.entries);
}

const Visit kVisits[] = {
    {"nvtx_target", "returns_43", kNvtx},
    {"nvtx_target", "uses_a_name_for_each_call", kNvtx},
    {"cuda_target", "returns_43", kCuda | kNvtx},
    {"cuda_target", "counts_for_a_while", kCuda | kNvtx},
    {"cuda_target", "killed_by_sigterm", kCuda},
};

class Collector : public ::testing::TestWithParam<std::tuple<Visit, Case>> {};

TEST_P(Collector, DoesNotHoldTheProgramUp) {
  const auto& [visit, manner] = GetParam();
  const Outcome without = ProgramRun(visit.program, {visit.story}).Go();
  ProgramRun run(visit.program, {visit.story});
  const std::string socket = run.folder() + "/collector.sock";
  StandInCollector collector(socket, manner.manner);
  run.Set("RAFTER_COLLECTOR", socket).Enter(visit.entries);
  const Outcome with = run.Go();
  ExpectSame(without, with);
  if (manner.manner != StandInCollector::kNeverAccepts) {
    EXPECT_TRUE(collector.WaitForConnection());
  }
}

INSTANTIATE_TEST_SUITE_P(Survival, Collector,
                         ::testing::Combine(::testing::ValuesIn(kVisits),
                                            ::testing::ValuesIn(kManners)),
                         [](const auto& parameter) {
                           const Visit& visit = std::get<0>(parameter.param);
                           return std::string(visit.program).substr(0, 5) + visit.story + "_" +
                                  std::get<1>(parameter.param).name;
                         });

TEST(CollectorAbsent, TheSpoolFileHoldsTheFrames) {
  ProgramRun run("cuda_target", {"returns_43"});
  const Outcome outcome = run.Enter(kCuda | kNvtx).Go();
  EXPECT_EQ(StatusText(outcome.status), "exit status 43");
  const std::vector<std::string> spools = run.FilesEndingIn(".spool");
  ASSERT_EQ(spools.size(), 1u);
  EXPECT_NE(spools[0].find("/here/cuda_target."), std::string::npos) << spools[0];
  std::ifstream file(spools[0], std::ios::binary);
  char magic[8] = {};
  file.read(magic, sizeof magic);
  EXPECT_EQ(std::string(magic, sizeof magic), "RAFTERSP");
}

TEST(CollectorAbsent, AForkedChildWritesNoSpoolOfItsOwn) {
  ProgramRun run("cuda_target", {"forked_child_exits"});
  run.Enter(kCuda | kNvtx).Go();
  EXPECT_EQ(run.FilesEndingIn(".spool").size(), 1u);
}

TEST(CollectorAbsent, AChildForkedBeforeItWorksCountsAsAProcess) {
  ProgramRun run("cuda_target", {"forks_before_it_works"});
  run.Enter(kCuda | kNvtx).Go();
  EXPECT_EQ(run.FilesEndingIn(".spool").size(), 2u);
}

TEST(CollectorAbsent, AProgramThatIsExecutedStartsAfresh) {
  ProgramRun run("cuda_target", {"forks_and_execs"});
  run.Enter(kCuda | kNvtx).Go();
  EXPECT_EQ(run.FilesEndingIn(".spool").size(), 2u);
}

TEST(CollectorAbsent, ASocketThatIsNotThereIsNotWaitedFor) {
  ExpectUnchanged("cuda_target", "returns_43", kCuda | kNvtx, [](ProgramRun& run) {
    run.Set("RAFTER_COLLECTOR", run.folder() + "/nobody.sock");
  });
}

TEST(CollectorAbsent, APathTooLongForASocketIsNotFatal) {
  ExpectUnchanged("cuda_target", "returns_43", kCuda | kNvtx, [](ProgramRun& run) {
    run.Set("RAFTER_COLLECTOR", run.folder() + "/" + std::string(200, 'x'));
  });
}

TEST(CollectorAbsent, AFileInPlaceOfTheSocketIsNotFatal) {
  ExpectUnchanged("cuda_target", "returns_43", kCuda | kNvtx, [](ProgramRun& run) {
    std::ofstream(run.folder() + "/file") << "not a socket";
    run.Set("RAFTER_COLLECTOR", run.folder() + "/file");
  });
}

}  // namespace
}  // namespace rafter::survival
