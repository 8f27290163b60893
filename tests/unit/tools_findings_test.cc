// What `rafter doctor` concludes, and probes that crash or hang.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "tools/apart.h"
#include "tools/cupti_probe.h"
#include "tools/findings.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRestricted = "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n";
constexpr const char* kOpen = "RmProfilingAdminOnly: 0\n";
// CAP_SYS_ADMIN is bit 21, CAP_PERFMON bit 38.
constexpr const char* kNobody = "Name:\tsh\nCapEff:\t0000000000000000\nCapBnd:\t0000004000200000\n";
constexpr const char* kAdmin = "CapEff:\t0000000000200000\nCapBnd:\t0000000000200000\n";
constexpr const char* kPerfmonOnly = "CapEff:\t0000004000000000\nCapBnd:\t0000004000000000\n";

TEST(CheckRights, OrdinaryUserIsTurnedAwayWithBothRemedies) {
  const Finding finding = CheckRights(kRestricted, kNobody);
  EXPECT_EQ(finding.verdict, Verdict::kProblem);
  EXPECT_THAT(finding.text, HasSubstr("/proc/driver/nvidia/params"));
  EXPECT_THAT(finding.text, HasSubstr("CAP_SYS_ADMIN not effective (but in the bounding set)"));
  EXPECT_THAT(finding.remedy, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(finding.remedy, HasSubstr("--cap-add=SYS_ADMIN"));
}

TEST(CheckRights, CapabilitiesOrAnOpenDriverSuffice) {
  EXPECT_EQ(CheckRights(kRestricted, kAdmin).verdict, Verdict::kOk);
  EXPECT_EQ(CheckRights(kRestricted, kPerfmonOnly).verdict, Verdict::kOk);
  EXPECT_EQ(CheckRights(kOpen, kNobody).verdict, Verdict::kOk);
}

TEST(CheckRights, UnknownIsANoteAndNeverOk) {
  EXPECT_EQ(CheckRights("", kNobody).verdict, Verdict::kNote);
}

TEST(FindingsText, PutsTheRemedyBelowTheProblem) {
  EXPECT_EQ(ToText({{Verdict::kOk, "driver", "fine", ""},
                    {Verdict::kProblem, "rights", "bad\nline", "ask"}}),
            "ok       driver: fine\nproblem  rights: bad line\n         do: ask\n");
}

TEST(RunApart, BringsFieldsBackAndSurvivesACrash) {
  const ProbeAnswer answer = RunApart([](const ProbeReport& report) {
    report.Line({"kind", "", "a\tb\nc"});
    std::signal(SIGSEGV, SIG_DFL);  // a sanitiser catches it and ends otherwise
    std::raise(SIGSEGV);
  });
  ASSERT_EQ(answer.lines.size(), 1u);
  const std::vector<std::string> expected = {"kind", "", "a b c"};
  EXPECT_EQ(answer.lines[0], expected);
  EXPECT_EQ(answer.trouble, "it crashed (Segmentation fault)");
}

TEST(RunApart, NamesTheStatusOfAProbeThatGaveUp) {
  EXPECT_EQ(RunApart([](const ProbeReport&) { std::_Exit(3); }).trouble, "it ended with status 3");
  EXPECT_EQ(RunApart([](const ProbeReport&) {}).trouble, "");
}

TEST(VersionText, ReadsLikeNvidiasOwn) {
  EXPECT_EQ(CuptiVersionText(130001), "13.0 Update 1 (130001)");
  EXPECT_EQ(CuptiVersionText(130200), "13.2 (130200)");
  EXPECT_EQ(CuptiVersionText(26), "of CUDA 12 or before (26)");
  EXPECT_EQ(CudaVersionText(12080), "12.8");
}

}  // namespace
}  // namespace rafter
