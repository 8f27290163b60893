// What the program is told of its regions, and whose NVTX calls are passed on.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/unit/tools_program.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class RafterRunRegions : public ToolsProgram {
 protected:
  // What the program finds of these variables, one a line.
  std::string Told(const std::string& options, const std::string& before = "") {
    const Said said = Shell(
        "unset RAFTER_REGIONS RAFTER_DOMAIN RAFTER_REGION RAFTER_GROUP_NAMES "
        "RAFTER_GRANULARITY; " +
        before + " $RAFTER run -o a.rafter --force " + options +
        " -- sh -c 'env | grep -E \"^RAFTER_(REGIONS|DOMAIN|REGION|GROUP_NAMES|GRANULARITY)=\" "
        "| sort' </dev/null");
    EXPECT_EQ(said.exit_status, 0) << options << said.err;
    return said.out;
  }
};

TEST_F(RafterRunRegions, OptionsReachTheProgramAsVariables) {
  EXPECT_EQ(Told(""), "");
  EXPECT_EQ(Told("--regions nvtx"), "RAFTER_REGIONS=nvtx\n");
  EXPECT_EQ(Told("--domain NCCL"), "RAFTER_DOMAIN=NCCL\n");
  EXPECT_EQ(Told("--region '^a/b$'"), "RAFTER_REGION=^a/b$\n");
  EXPECT_EQ(Told("--group-names '[0-9]+'"), "RAFTER_GROUP_NAMES=[0-9]+\n");
}

TEST_F(RafterRunRegions, SeveralValuesAreLinesOfOneVariable) {
  const Said said = Shell(
      "$RAFTER run --domain default --domain 'my lib' --region a --region 'b|c' --group-names x+ "
      "-- sh -c 'printf \"%s;\" \"$RAFTER_DOMAIN\" \"$RAFTER_REGION\" \"$RAFTER_GROUP_NAMES\"'");
  EXPECT_EQ(said.out, "default\nmy lib;a\nb|c;x+;");
}

TEST_F(RafterRunRegions, AnOptionWinsOverItsVariable) {
  EXPECT_EQ(Told("", "RAFTER_DOMAIN=mine"), "RAFTER_DOMAIN=mine\n");
  EXPECT_EQ(Told("--domain all", "RAFTER_DOMAIN=mine"), "RAFTER_DOMAIN=all\n");
  EXPECT_EQ(Told("--regions nvtx", "RAFTER_REGIONS=none"), "RAFTER_REGIONS=nvtx\n");
  EXPECT_THAT(Shell("RAFTER_REGIONS=nvtz $RAFTER run -- true").err,
              HasSubstr("run: RAFTER_REGIONS nvtz: not known (did you mean nvtx?)"));
  // Every line of a variable is looked at.
  EXPECT_THAT(Shell("RAFTER_REGION='a\n(' $RAFTER run -- true").err,
              HasSubstr("run: RAFTER_REGION (: no extended regular expression ("));
}

TEST_F(RafterRunRegions, WithoutRegionsLaunchesAreCountedByKind) {
  EXPECT_EQ(Told("--regions none"), "RAFTER_GRANULARITY=kernel\nRAFTER_REGIONS=none\n");
  EXPECT_EQ(Told("--regions none --granularity kernel"),
            "RAFTER_GRANULARITY=kernel\nRAFTER_REGIONS=none\n");
}

TEST_F(RafterRunRegions, WrongUseIsFoundBeforeTheProgramStarts) {
  const struct {
    const char* options;
    const char* said;
  } cases[] = {
      {"--regions nvmaker",
       "--regions nvmaker: not known (did you mean nvmarker?); choose one of "
       "nvtx, nvmarker, both, none"},
      {"--domain ''", "--domain: its value is empty; give one"},
      {"--domain", "--domain: its value is missing"},
      {"--domain 'a\nb'", "--domain: a value has two lines; give --domain once for each"},
      {"--region '('", "--region (: no extended regular expression (Unmatched ( or"},
      {"--region ok --region 'a[0-'", "--region a[0-: no extended regular expression ("},
      {"--group-names '*)'", "--group-names *): no extended regular expression ("},
      {"--group-names '[0-9]*'",
       "--group-names [0-9]*: matches an empty text, which is in every "
       "name; write what the varying part has at least"},
      {"--group-names '$'", "--group-names $: matches an empty text"},
      {"--group-names '\\b'", "--group-names \\b: matches an empty text"},
      {"--regions none --granularity region",
       "--granularity region: contradicts --regions none, which leaves launches alone to count"},
      {"--regions none --granularity instance", "--granularity instance: contradicts --regions"},
      {"--regions none --domain a", "--domain: contradicts --regions none"},
      {"--regions none --region a", "--region: contradicts --regions none"},
      {"--regions none --group-names a", "--group-names: contradicts --regions none"},
      {"--regions nvmarker --domain a",
       "--domain: contradicts --regions nvmarker, whose regions "
       "are in no NVTX domain"},
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

TEST_F(RafterRunRegions, VariablesOfTheLibraryAreKnown) {
  const Said said = Shell(
      "RAFTER_REGIONS=nvtx RAFTER_DOMAIN=a RAFTER_REGION=a RAFTER_GROUP_NAMES=a "
      "RAFTER_NVTX_NEXT=/a RAFTER_NVMARKER=a RAFTER_NVMARKER_RESULT=a RAFTER_LIKWID_PATH=/a "
      "$RAFTER run -- true");
  EXPECT_EQ(said.err.find("no such variable"), std::string::npos) << said.err;
}

TEST_F(RafterRunRegions, AnotherNvtxToolStandsBehindUs) {
  const Said said = Shell(
      "mkdir bin && cp $RAFTER bin && touch bin/libinject.so; "
      "NVTX_INJECTION64_PATH=/other/nvtx.so bin/rafter run -o a.rafter --measure-overhead -- "
      "sh -c 'echo \"$NVTX_INJECTION64_PATH $RAFTER_NVTX_NEXT\" >>seen' < /dev/null");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("rafter: NVTX_INJECTION64_PATH: already names /other/nvtx.so, "
                                  "which sees the same calls: Rafter passes them on"));
  // With us, and without.
  EXPECT_EQ(Read("seen"), folder_.string() + "/bin/libinject.so /other/nvtx.so\n/other/nvtx.so \n");
}

TEST_F(RafterRunRegions, EnvPrintsThemForRunningByHand) {
  const std::string prepare = "mkdir bin && cp $RAFTER bin && touch bin/libinject.so; ";
  const Said said = Shell(
      prepare +
      "export NVTX_INJECTION64_PATH=/other/nvtx.so; "
      "eval \"$(bin/rafter env --regions nvtx --domain a --domain 'b c' --group-names '[0-9]+')\"; "
      "printf '%s;' \"$NVTX_INJECTION64_PATH\" \"$RAFTER_NVTX_NEXT\" \"$RAFTER_REGIONS\" "
      "\"$RAFTER_DOMAIN\" \"$RAFTER_GROUP_NAMES\"");
  EXPECT_EQ(said.out, folder_.string() + "/bin/libinject.so;/other/nvtx.so;nvtx;a\nb c;[0-9]+;");
  EXPECT_EQ(Shell("bin/rafter env --regions none | grep -E 'REGIONS|GRANULARITY'").out,
            "export RAFTER_GRANULARITY=kernel\nexport RAFTER_REGIONS=none\n");
  const Said refused = Shell("bin/rafter env --region '('");
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.err, StartsWith("rafter: env: --region (: no extended regular expression"));
  EXPECT_THAT(Shell("RAFTER_GRANULARITY=instance bin/rafter env --regions none").err,
              HasSubstr("RAFTER_GRANULARITY instance: contradicts --regions none"));
}

TEST_F(RafterRunRegions, ARunThatNobodyCameOfHasOneRowInEveryForm) {
  const Said said = Shell("$RAFTER run -o a.rafter --csv a.csv -- sh -c 'exit 4'");
  EXPECT_EQ(said.exit_status, 4);
  EXPECT_THAT(said.err, HasSubstr("a.csv: 1 row\n"));
  const std::string csv = Read("a.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2) << csv;
  EXPECT_THAT(csv, HasSubstr("\n,,,,sh,"));
  EXPECT_THAT(csv, HasSubstr(",missing,\"no process of it "));
  EXPECT_EQ(Shell("$RAFTER report a.rafter").out, csv);
  EXPECT_THAT(Shell("$RAFTER report --format json a.rafter").out, HasSubstr("no process of it "));
  EXPECT_THAT(Shell("$RAFTER report --format markdown a.rafter").out,
              HasSubstr("\n1. no process of it started CUDA or marked a region"));
}

TEST_F(RafterRunRegions, ARunWithoutTheLibraryDoesNotBlameTheProgram) {
  const Said said =
      Shell("mkdir bin && cp $RAFTER bin && bin/rafter run -o a.rafter --csv a.csv -- true");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_THAT(Read("a.csv"), HasSubstr("no process of it reached Rafter; lost: 1 programs that ran "
                                       "without libinject.so"));
}

}  // namespace
}  // namespace rafter
