// CUPTI that is missing, wrong, refuses or fails anywhere: region times go on
// and the program does not notice.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <tuple>

#include "tests/survival/counted_stream.h"
#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

const std::string kFunctions[] = {
#define RAFTER_CUPTI_HOST(name) #name,
#define RAFTER_CUPTI_TARGET(name) #name,
#include "cupti/functions.inc"
#undef RAFTER_CUPTI_HOST
#undef RAFTER_CUPTI_TARGET
};

// What `counts_for_a_while` looks like without us. Not run again for each of
// the many troubles.
Outcome Alone() {
  Outcome outcome;
  outcome.out = "counted\n";
  outcome.status = 0;
  outcome.seconds = 0.4;
  return outcome;
}

Outcome WithAnswers(const std::string& answers) {
  return ProgramRun("cuda_target", {"counts_for_a_while"})
      .Set("RAFTER_FAKE_CUPTI_FAIL", answers)
      .Enter(kCuda | kNvtx)
      .Go();
}

class CuptiCall : public ::testing::TestWithParam<std::string> {};

TEST_P(CuptiCall, ThatFailsAtOnceIsSurvived) {
  ExpectSame(Alone(), WithAnswers(GetParam() + "=999"));
}

TEST_P(CuptiCall, ThatFailsLaterIsSurvived) {
  ExpectSame(Alone(), WithAnswers(GetParam() + "=9@4"));
}

INSTANTIATE_TEST_SUITE_P(Survival, CuptiCall, ::testing::ValuesIn(kFunctions),
                         [](const auto& parameter) { return std::string(parameter.param); });

struct Refusal {
  const char* name;
  const char* answers;
  const char* says;  // in the one note
};

void PrintTo(const Refusal& one, std::ostream* out) { *out << one.answers; }

const Refusal kRefusals[] = {
    {"NoRights", "cuptiProfilerInitialize=35", "answered 35"},
    {"NoRightsAtStart", "cuptiRangeProfilerStart=35", "answered 35"},
    {"NotInitialised", "cuptiProfilerInitialize=15", "answered 15"},
    {"Busy", "cuptiRangeProfilerStart=26", "answered 26"},
    {"Virtual", "cuptiRangeProfilerEnable=40", "answered 40"},
    {"Unknown", "cuptiRangeProfilerEnable=999", "answered 999"},
};

class CuptiRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(CuptiRefusal, IsUnseenWhenQuiet) { ExpectSame(Alone(), WithAnswers(GetParam().answers)); }

TEST_P(CuptiRefusal, IsNamedInOneLineWhenNobodyElseCanTell) {
  ProgramRun run("cuda_target", {"counts_for_a_while"});
  const Outcome outcome = run.Set("RAFTER_FAKE_CUPTI_FAIL", GetParam().answers)
                              .Unset("RAFTER_QUIET")
                              .Enter(kCuda | kNvtx)
                              .Go();
  EXPECT_EQ(StatusText(outcome.status), "exit status 0");
  EXPECT_EQ(outcome.out, "counted\n");
  std::istringstream lines(outcome.err);
  int reasons = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("rafter: ")) << line;
    if (line.find(GetParam().says) != std::string::npos) ++reasons;
  }
  EXPECT_EQ(reasons, 1) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Survival, CuptiRefusal, ::testing::ValuesIn(kRefusals),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(CuptiAbsent, OrNotTheRealOneIsSurvived) {
  for (const std::string& path :
       {std::string("/nonexistent/libcupti.so.13"), FakesPath() + "/wrong", FakesPath() + "/stubs",
        std::string("/etc/passwd")}) {
    SCOPED_TRACE(path);
    ExpectUnchanged("cuda_target", "counts_for_a_while", kCuda | kNvtx,
                    [&](ProgramRun& run) { run.Set("RAFTER_CUPTI_PATH", path); });
  }
}

TEST(CuptiAbsent, IsNamedWithItsRemedy) {
  ProgramRun run("cuda_target", {"counts_for_a_while"});
  const Outcome outcome = run.Set("RAFTER_CUPTI_PATH", FakesPath() + "/wrong")
                              .Unset("RAFTER_QUIET")
                              .Enter(kCuda | kNvtx)
                              .Go();
  EXPECT_EQ(outcome.out, "counted\n");
  EXPECT_NE(outcome.err.find("cuptiProfilerHostInitialize"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("RAFTER_CUPTI_PATH"), std::string::npos) << outcome.err;
}

struct Device {
  const char* name;
  const char* variable;
  const char* value;
};

void PrintTo(const Device& one, std::ostream* out) { *out << one.variable << "=" << one.value; }

const Device kDevices[] = {
    {"ConfidentialComputing", "RAFTER_FAKE_SUPPORT", "cc=1"},
    {"VirtualGpu", "RAFTER_FAKE_SUPPORT", "vgpu=2"},
    {"Wsl", "RAFTER_FAKE_SUPPORT", "wsl=1"},
    {"UnknownChip", "RAFTER_FAKE_CHIP", "XX999"},
    {"ChipWithLess", "RAFTER_FAKE_CHIP", "FAKE1"},
    {"NoDevice", "RAFTER_FAKE_DEVICES", "0"},
    {"TwoDevices", "RAFTER_FAKE_DEVICES", "2"},
    {"DriverThatFails", "RAFTER_FAKE_CUDA_FAIL", "cuDeviceGetUuid_v2=999,cuDeviceGetName=999"},
    {"OlderCupti", "RAFTER_FAKE_CUPTI_VERSION", "28"},
    {"NewerCupti", "RAFTER_FAKE_CUPTI_VERSION", "130200"},
};

class CuptiDevice : public ::testing::TestWithParam<Device> {};

TEST_P(CuptiDevice, IsSurvived) {
  ExpectUnchanged("cuda_target", "counts_for_a_while", kCuda | kNvtx,
                  [](ProgramRun& run) { run.Set(GetParam().variable, GetParam().value); });
}

INSTANTIATE_TEST_SUITE_P(Survival, CuptiDevice, ::testing::ValuesIn(kDevices),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

const std::string kGpuStories[] = {
    "counts_for_a_while",
    "marks_before_cuda",
    "destroys_its_context_inside_a_region",
    "resets_its_device",
    "uses_many_contexts",
    "launches_from_many_threads",
    "lets_kernels_wait_for_each_other",
    "launches_that_fail",
    "subscribes_late",
    "subscribes_first",
};

class GpuProgram : public ::testing::TestWithParam<std::tuple<std::string, unsigned>> {};

TEST_P(GpuProgram, LooksTheSameWithUs) {
  const auto& [story, entries] = GetParam();
  ExpectUnchanged("cuda_target", story, entries);
}

INSTANTIATE_TEST_SUITE_P(Survival, GpuProgram,
                         ::testing::Combine(::testing::ValuesIn(kGpuStories),
                                            ::testing::Values(kCuda, kCuda | kNvtx, kPreload)),
                         [](const auto& parameter) {
                           return std::string(std::get<0>(parameter.param)) + "_" +
                                  EntryName(std::get<1>(parameter.param));
                         });

TEST(GpuProgram, WithTwoDevicesLooksTheSameWithUs) {
  ExpectUnchanged("cuda_target", "uses_two_devices", kCuda | kNvtx,
                  [](ProgramRun& run) { run.Set("RAFTER_FAKE_DEVICES", "2"); });
}

// The kernel waits for one that is launched after it. Inside a patched range it
// would wait for ever; here it gives up after a while, so that the test ends.
TEST(GpuProgram, IsToldWhichLaunchBlocksInThePatchedSet) {
  ProgramRun run("cuda_target", {"lets_kernels_wait_without_warning"});
  const Outcome outcome = run.Set("RAFTER_FAKE_GIVE_UP_MS", "12000")
                              .Set("RAFTER_SET", "flop")
                              .Unset("RAFTER_QUIET")
                              .Enter(kCuda | kNvtx)
                              .Limit(60)
                              .Go();
  EXPECT_EQ(StatusText(outcome.status), "exit status 0");
  EXPECT_EQ(outcome.out, "met or gave up\n");
  EXPECT_TRUE(outcome.was_there);
  EXPECT_NE(outcome.err.find("the_waiting_kernel"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--set time,memory"), std::string::npos) << outcome.err;
}

// Planning takes longer than a region is let wait, and the program is done before it: the
// recorder must be out of CUPTI before the process ends.
TEST(GpuProgram, MayEndWhileItsCountersArePlanned) {
  ProgramRun run("cuda_target", {"calls_a_region_some_times"});
  run.Set("SURVIVAL_TIMES", "3").Set("RAFTER_SET", "time,memory,sm,flop,speed-of-light");
  run.Set("RAFTER_FAKE_CUPTI_DELAY_US", "cuptiProfilerHostConfigAddMetrics=600000");
  const Outcome outcome = run.Enter(kCuda | kNvtx).Limit(30).Go();
  EXPECT_EQ(StatusText(outcome.status), "exit status 0");
  EXPECT_EQ(outcome.out, "called\n");
  EXPECT_LT(outcome.seconds, 9);  // 5 s of waiting, one of CUPTI's calls
  const CountedStream stream = CountedStream::Of(run);
  EXPECT_TRUE(stream.said_goodbye());
  EXPECT_TRUE(stream.Noted("planning was stopped", wire::FAILURE)) << stream.NoteTexts();
}

TEST(GpuProgram, NeverMakesACallThatCrashesWithoutADriver) {
  // Every run of this file has RAFTER_FAKE_CRASH set; this one has no device.
  ExpectUnchanged("cuda_target", "returns_43", kCuda | kNvtx | kPreload,
                  [](ProgramRun& run) { run.Set("RAFTER_FAKE_CUDA_FAIL", "cuInit=100"); });
}

}  // namespace
}  // namespace rafter::survival
