// Names and words: macros in names of files, quoting, suggestions, variables.
#include <gtest/gtest.h>

#include "tools/injection.h"
#include "tools/launch_identity.h"
#include "tools/message.h"
#include "tools/nearest.h"
#include "tools/output_name.h"
#include "tools/shell_quote.h"
#include "tools/variables.h"

namespace rafter {
namespace {

const LaunchIdentity kIdentity{"node7", "123", "4", "99"};

TEST(OutputName, ExpandsEveryMacro) {
  const Variables variables = {{"SIZE", "big"}};
  const auto name = ExpandOutputName("a-%h-%p-%r-%j-%q{SIZE}-%%.rafter", kIdentity, variables);
  ASSERT_TRUE(name.ok()) << name.status().message();
  EXPECT_EQ(*name, "a-node7-123-4-99-big-%.rafter");
}

TEST(OutputName, NamesTheMacroThatDoesNotExist) {
  const auto name = ExpandOutputName("x.%z", kIdentity, {});
  ASSERT_FALSE(name.ok());
  EXPECT_EQ(name.status().message(),
            "%z: there is no such macro; the macros are %h, %p, %r, %j, %q{NAME} and %%");
}

TEST(OutputName, RefusesWhatHasNoValueHere) {
  const LaunchIdentity alone{"node7", "123", "", ""};
  for (const char* pattern : {"%r", "%j", "%q{NOT_SET}", "%q", "%q{open", "%", ""}) {
    EXPECT_FALSE(ExpandOutputName(pattern, alone, {}).ok()) << pattern;
  }
}

TEST(OutputName, DefaultKeepsPercentSignsOfTheProgram) {
  EXPECT_EQ(DefaultOutputPattern("/opt/bin/50%"), "50%%.%h.%p.rafter");
  const auto name = ExpandOutputName(DefaultOutputPattern("./50%"), kIdentity, {});
  ASSERT_TRUE(name.ok());
  EXPECT_EQ(*name, "50%.node7.123.rafter");
}

TEST(LaunchIdentity, BelievesTheNamedVariableFirstAndNumbersOnly) {
  EXPECT_EQ(ReadLaunchIdentity({{"SLURM_PROCID", "3"}, {"PMI_RANK", "2"}}).rank, "2");
  EXPECT_EQ(ReadLaunchIdentity({{"SLURM_PROCID", "3"}, {"PMI_RANK", "two"}}).rank, "3");
  EXPECT_EQ(
      ReadLaunchIdentity({{"RAFTER_RANK_VARIABLE", "MINE"}, {"MINE", "8"}, {"PMI_RANK", "2"}}).rank,
      "8");
  EXPECT_EQ(ReadLaunchIdentity({}).rank, "");
  EXPECT_EQ(ReadLaunchIdentity({{"PBS_JOBID", "7.server"}}).job, "7.server");
}

TEST(ShellQuote, ReadsBackAsTheSameWord) {
  EXPECT_EQ(ShellQuote("plain-word_1.2/a"), "plain-word_1.2/a");
  EXPECT_EQ(ShellQuote(""), "''");
  EXPECT_EQ(ShellQuote("two words"), "'two words'");
  EXPECT_EQ(ShellQuote("it's $HOME `x` \"y\""), "'it'\\''s $HOME `x` \"y\"'");
  EXPECT_EQ(ShellQuote("~"), "'~'");
  const std::vector<std::string> words = {"sh", "-c", "exit 3"};
  EXPECT_EQ(ShellCommand(words), "sh -c 'exit 3'");
}

TEST(Nearest, FindsAMisspeltWordAndLeavesAForeignOneAlone) {
  EXPECT_EQ(Nearest("--outptu", {"--output", "--csv"}), "--output");
  EXPECT_EQ(Nearest("zebra", {"run", "report"}), "");
  EXPECT_EQ(Nearest("3", {"1", "2"}), "");
  EXPECT_EQ(DidYouMean("repotr", {"run", "report"}), " (did you mean report?)");
}

TEST(UnknownVariables, NamesThemWithTheNearestKnownOne) {
  const auto lines =
      UnknownVariables({{"RAFTER_SETS", "time"}, {"RAFTER_SET", "time"}, {"X", "y"}});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "RAFTER_SETS: no such variable (did you mean RAFTER_SET?); it has no effect, unset it");
}

TEST(PlanInjection, SetsBothEntriesWhereNoOtherToolIs) {
  for (const char* unset : {"", "none"}) {
    const InjectionPlan plan = PlanInjection(
        "/x/libinject.so", {{"CUDA_INJECTION64_PATH", unset}, {"NVTX_INJECTION64_PATH", unset}});
    EXPECT_TRUE(plan.notes.empty());
    EXPECT_EQ(plan.set.at("CUDA_INJECTION64_PATH"), "/x/libinject.so");
    EXPECT_EQ(plan.set.at("NVTX_INJECTION64_PATH"), "/x/libinject.so");
  }
}

TEST(PlanInjection, LeavesTheCudaEntryAndStandsBeforeAnotherNvtxTool) {
  const InjectionPlan plan = PlanInjection(
      "/x/libinject.so",
      {{"CUDA_INJECTION64_PATH", "/other/tool.so"}, {"NVTX_INJECTION64_PATH", "/other/nvtx.so"}});
  const Variables set = {{"NVTX_INJECTION64_PATH", "/x/libinject.so"},
                         {"RAFTER_NVTX_NEXT", "/other/nvtx.so"}};
  EXPECT_EQ(plan.set, set);
  ASSERT_EQ(plan.notes.size(), 2u);
  EXPECT_EQ(plan.notes[0],
            "CUDA_INJECTION64_PATH: already names /other/tool.so, which stays; if it holds the "
            "GPU's counters, regions get times only: unset it to count");
  EXPECT_EQ(plan.notes[1],
            "NVTX_INJECTION64_PATH: already names /other/nvtx.so, which sees the same calls: "
            "Rafter passes them on (RAFTER_NVTX_NEXT)");
}

TEST(PlanInjection, TakesThePlaceOfAnotherRafterAndKeepsTheToolBehindIt) {
  const InjectionPlan plan =
      PlanInjection("/x/libinject.so", {{"CUDA_INJECTION64_PATH", "/old/libinject.so"},
                                        {"NVTX_INJECTION64_PATH", "/old/libinject.so"},
                                        {"RAFTER_NVTX_NEXT", "/other/nvtx.so"}});
  const Variables set = {{"CUDA_INJECTION64_PATH", "/x/libinject.so"},
                         {"NVTX_INJECTION64_PATH", "/x/libinject.so"}};
  EXPECT_EQ(plan.set, set);
  ASSERT_EQ(plan.notes.size(), 2u);
  EXPECT_EQ(plan.notes[1],
            "NVTX_INJECTION64_PATH: names /old/libinject.so, of another Rafter; /x/libinject.so "
            "takes its place");
}

TEST(WithoutInjection, GivesTheToolBehindUsItsPlaceBack) {
  const Variables before = {{"CUDA_INJECTION64_PATH", "/other/tool.so"},
                            {"NVTX_INJECTION64_PATH", "/x/libinject.so"},
                            {"RAFTER_NVTX_NEXT", "/other/nvtx.so"}};
  const Variables after = WithoutInjection(before);
  EXPECT_EQ(after.at("CUDA_INJECTION64_PATH"), "/other/tool.so");
  EXPECT_EQ(after.at("NVTX_INJECTION64_PATH"), "/other/nvtx.so");
  EXPECT_FALSE(WithoutInjection({{"NVTX_INJECTION64_PATH", "/x/libinject.so"}})
                   .contains("NVTX_INJECTION64_PATH"));
}

TEST(PlanInjection, StillCountsThroughNvtxWhereOnlyTheCudaEntryIsTaken) {
  const InjectionPlan plan =
      PlanInjection("/x/libinject.so", {{"CUDA_INJECTION64_PATH", "/other/tool.so"}});
  EXPECT_FALSE(plan.set.contains("CUDA_INJECTION64_PATH"));
  EXPECT_EQ(plan.set.at("NVTX_INJECTION64_PATH"), "/x/libinject.so");
}

TEST(PlanInjection, TakesItsOwnNameForItself) {
  const InjectionPlan plan = PlanInjection(
      "/x/libinject.so",
      {{"CUDA_INJECTION64_PATH", "libinject.so"}, {"NVTX_INJECTION64_PATH", "/x/libinject.so"}});
  EXPECT_TRUE(plan.notes.empty());
}

}  // namespace
}  // namespace rafter
