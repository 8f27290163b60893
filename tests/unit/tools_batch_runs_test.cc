// BASE.rafter, the runs of all programs of a batch in one file: from recordings of an H200
// as reports, so that none needs a GPU.
#include <gmock/gmock.h>

#include <algorithm>

#include "collector/store/run_file.h"
#include "collector/table/table.h"
#include "tests/unit/tools_program.h"

namespace rafter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Some regions of the fixture are named after benchmarks, others are not.
constexpr char kReport[] = R"({"context": {"paradigm": "Cuda", "float_type": "64"},
"benchmarks": [{"run_name": "fadd", "name": "fadd"}, {"run_name": "Copy-Naive/32", "name": "x",
"error_occurred": true, "error_message": "no memory"}]})";

class BatchRuns : public ToolsProgram {
 protected:
  void SetUp() override {
    ToolsProgram::SetUp();
    Take("fixture-h200.rafter", "bench");
    Take("likwid-h200.rafter", "marked");
    Write("reports/bench.json", kReport);
  }
  // A recording as the report of a program, whose run came to an end.
  void Take(const std::string& recording, const std::string& name) {
    std::filesystem::create_directories(folder_ / "reports");
    const std::filesystem::path path = folder_ / "reports" / (name + ".rafter");
    std::filesystem::copy_file(RAFTER_SOURCE_DIR "/tests/golden/" + recording, path);
    std::filesystem::permissions(path, std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
    auto file = RunFile::Create(path, RunFile::Existing::kAppend);
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE((*file)->SetCommand("build/" + name, 0).ok());
  }
  Said Batch(const std::string& options) {
    return Shell("unset RAFTER_QUIET; $RAFTER batch -d reports " + options);
  }
  std::vector<std::string> Names(const std::string& file) {
    std::vector<std::string> names;
    auto opened = RunFile::OpenForReading(folder_ / file);
    EXPECT_TRUE(opened.ok()) << opened.status();
    if (!opened.ok()) return names;
    const auto commands = (*opened)->Commands();
    EXPECT_TRUE(commands.ok()) << commands.status();
    for (const uint32_t command : *commands) {
      names.push_back((*opened)->ReadCommand(command)->name);
    }
    return names;
  }
};

TEST_F(BatchRuns, GiveTheVeryRowsOfTheTable) {
  const std::string choices[] = {"",
                                 "--precision fp32",
                                 "--memory-level dram,l1",
                                 "--fp16-weights 1",
                                 "--aggregate sum",
                                 "--all-kernels --hardware H200",
                                 "--peak-bandwidth 1e12 --peak-performance 1e13",
                                 "--analytic-flop '.*copy.*=1e6'"};
  for (const std::string& options : choices) {
    const Said said = Batch("-s -r . -o all --force " + options);
    EXPECT_THAT(said.err, AllOf(HasSubstr("rafter: all.rafter: 2 programs\n"),
                                HasSubstr("bench: benchmark Copy-Naive/32 failed: no memory")));
    const Said again = Shell("$RAFTER report --format csv " + options + " all.rafter");
    EXPECT_EQ(again.exit_status, 1) << again.err;
    EXPECT_THAT(again.err, HasSubstr("rafter: bench: benchmark Copy-Naive/32 failed: no memory\n"));
    EXPECT_EQ(again.out, Read("all.csv")) << options;
    EXPECT_GT(FromCsv(again.out)->rows.size(), 10u) << options;
  }
  const Table table = *FromCsv(Read("all.csv"));
  const auto fadd = std::find_if(table.rows.begin(), table.rows.end(),
                                 [](const Row& row) { return row.region == "fadd"; });
  ASSERT_NE(fadd, table.rows.end());
  EXPECT_EQ(fadd->paradigm, "Cuda");
  EXPECT_EQ(fadd->precision, "fp64");  // as it was built, not as it worked
  EXPECT_EQ(fadd->benchmark_problem, "fadd");
  EXPECT_TRUE(std::any_of(table.rows.begin(), table.rows.end(),
                          [](const Row& row) { return row.source == "likwid"; }));
  EXPECT_THAT(Names("all.rafter"), ElementsAre("bench", "marked"));
}

TEST_F(BatchRuns, OfTwoProgramsWithTheSameRowsTheLaterWinsBothTimes) {
  Take("fixture-h200.rafter", "other");
  const Said said = Batch("-s -r . -o all");
  EXPECT_THAT(said.err, HasSubstr("other: replaces "));
  const Said again = Shell("$RAFTER report all.rafter");
  EXPECT_THAT(again.err, HasSubstr("other: replaces "));
  EXPECT_EQ(again.out, Read("all.csv"));
  EXPECT_THAT(Names("all.rafter"), ElementsAre("bench", "marked", "other"));
}

TEST_F(BatchRuns, AreReadByEveryCommand) {
  Write("reports/bench.json", R"({"context": {}, "benchmarks": []})");
  ASSERT_EQ(Batch("-s -r . -o all --no-csv").exit_status, 0);
  EXPECT_FALSE(Exists("all.csv"));
  for (const char* format : {"json", "markdown"}) {
    const Said said = Shell(std::string("$RAFTER report --format ") + format + " all.rafter");
    EXPECT_EQ(said.exit_status, 0) << said.err;
    EXPECT_THAT(said.out, AllOf(HasSubstr("fadd"), HasSubstr("rafter-nvmarkers"))) << format;
  }
  const Said alike = Shell("$RAFTER compare --format csv all.rafter all.rafter");
  EXPECT_EQ(alike.exit_status, 0) << alike.err;
  EXPECT_THAT(alike.out, AllOf(HasSubstr("fadd"), HasSubstr("rafter-nvmarkers")));
  const Said chart = Shell("$RAFTER roofline -o all.svg all.rafter");
  EXPECT_EQ(chart.exit_status, 0) << chart.err;
  EXPECT_THAT(Read("all.svg"), HasSubstr("<svg"));
  const Said timeline = Shell("$RAFTER report --format perfetto -o all.pftrace all.rafter");
  EXPECT_EQ(timeline.exit_status, 0) << timeline.err;
  EXPECT_THAT(Read("all.pftrace"), AllOf(HasSubstr("fadd"), HasSubstr("rafter-nvmarkers")));
  const Said more = Shell("$RAFTER collect --append -o all.rafter --socket \"$PWD/s\"");
  EXPECT_EQ(more.exit_status, 2);
  EXPECT_THAT(more.err, HasSubstr("\"all.rafter\" holds the runs of 2 programs"));
}

TEST_F(BatchRuns, HoldNoTables) {
  Write("more.csv", "Executable,Region,Source\nother,solve,likwid\n");
  const Said said = Batch("-s -r . -o all --from-csv more.csv");
  EXPECT_THAT(said.err, HasSubstr("rafter: all.rafter: 2 programs, without the tables of "
                                  "--from-csv, which are no runs\n"));
  EXPECT_THAT(Read("all.csv"), HasSubstr("solve"));
  EXPECT_THAT(Names("all.rafter"), ElementsAre("bench", "marked"));
  const Said alone = Batch("--from-csv more.csv -o alone");
  EXPECT_EQ(alone.exit_status, 0) << alone.err;
  EXPECT_THAT(alone.err,
              HasSubstr("rafter: tables of --from-csv are no runs, so alone.rafter is not "
                        "written\n"));
  EXPECT_FALSE(Exists("alone.rafter"));
  Write("reports/bench.rafter", "no run file");
  const Said none = Batch("-s -r bench -o none --from-csv more.csv");
  EXPECT_THAT(none.err, HasSubstr("none.rafter: not written, no program gave a row"));
  EXPECT_TRUE(Exists("none.csv"));
  EXPECT_FALSE(Exists("none.rafter"));
}

TEST_F(BatchRuns, AReportThatCannotBeReadCostsOnlyItself) {
  ASSERT_EQ(Batch("-s -r . -o several").exit_status, 1);
  Shell("mv several.rafter reports/several.rafter; echo no run file > reports/torn.rafter");
  const Said said = Batch("-s -r . -o all");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, AllOf(HasSubstr("batch: several: failed: run file \"reports/several.rafter"
                                        "\" holds the runs of 2 programs"),
                              HasSubstr("batch: torn: failed: "),
                              HasSubstr("rafter: all.rafter: 2 programs\n")));
  EXPECT_THAT(Names("all.rafter"), ElementsAre("bench", "marked"));
}

TEST_F(BatchRuns, TheirPlaceIsTakenFirstAndNeverAnInput) {
  Write("all.rafter", "mine");
  const struct {
    const char* options;
    const char* said;
  } cases[] = {
      {"-s -r . -o all", "all.rafter: exists; give --force to overwrite it, or another name\n"},
      {"-s -r . -o reports/bench",
       "reports/bench.rafter: is the report of bench too and would be lost; give -o another name, "
       "or leave bench out with -x\n"},
      {"-s -r . -o reports/../reports/bench.failed", "is the report of bench too"},
      {"-s -r . -o new --from-csv reports/../new.rafter", "is an input too and would be lost"},
      {"-s -r . -o no/where", "no/where.csv: cannot be written"},
      {"-s -r . -o no/where --no-csv", "no/where.rafter: cannot be written"},
      {"-s -r . -o device", "device.rafter: not a regular file"},
  };
  Shell("ln -s /dev/null device.rafter; cp reports/marked.rafter new.rafter");
  const std::string bench = Read("reports/bench.rafter");
  for (const auto& [options, expected] : cases) {
    const Said said = Batch(options);
    EXPECT_EQ(said.exit_status, 2) << options << "\n" << said.err;
    EXPECT_THAT(said.err, HasSubstr(expected)) << options;
    for (const char* made : {"all.csv", "new.csv", "device.csv"}) {
      EXPECT_FALSE(Exists(made)) << options;
    }
  }
  EXPECT_EQ(Read("all.rafter"), "mine");
  EXPECT_EQ(Read("reports/bench.rafter"), bench);
  EXPECT_FALSE(Exists("reports/bench.failed.rafter"));
}

TEST_F(BatchRuns, AreMadeNewWithForceAndLeaveNothingBeside) {
  Shell("mkdir kept; touch kept/runs; ln -s kept/runs all.rafter; echo old > kept/runs-wal");
  ASSERT_EQ(Batch("-s -r . -o all --force").exit_status, 1);
  EXPECT_THAT(Names("all.rafter"), ElementsAre("bench", "marked"));
  EXPECT_THAT(Shell("test -L all.rafter && ls kept").out, ElementsAre('r', 'u', 'n', 's', '\n'));
  ASSERT_EQ(Batch("-s -r marked -o all --force").exit_status, 0);
  EXPECT_THAT(Names("all.rafter"), ElementsAre("marked"));
  EXPECT_EQ(Shell("ls; ls reports").out,
            "all.csv\nall.rafter\nerr.txt\nkept\nout.txt\nreports\nbench.json\nbench.rafter\n"
            "marked.rafter\n");
}

TEST_F(BatchRuns, ADryRunNamesThem) {
  EXPECT_THAT(Batch("-n -s -r . -o 'all of' --roofline a.svg").out,
              HasSubstr("# and, of all that gives rows: 'all of.rafter' (the run file of all), "
                        "'all of.csv', a.svg\n"));
  EXPECT_THAT(Batch("-n -s -r . --no-csv").out,
              HasSubstr("# and, of all that gives rows: batch.rafter (the run file of all)\n"));
  EXPECT_FALSE(Exists("batch.rafter"));
}

TEST_F(BatchRuns, HoldWhatSucceededBeforeTheBatchWasEnded) {
  std::filesystem::create_directories(folder_ / "build");
  Write("build/bench", "#!/bin/sh\n");
  Write("build/failing", "#!/bin/sh\nexit 3\n");
  Write("build/waits", "#!/bin/sh\ntouch started; exec sleep 60\n");
  const Said said = Shell(
      "chmod +x build/*; $RAFTER batch -b build -d reports -r . -o all & "
      "while [ ! -e started ]; do sleep 0.05; done; kill -TERM $!; wait $!");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("1 taken from reports that were there, 2 failed"));
  EXPECT_THAT(Names("all.rafter"), ElementsAre("bench"));
  EXPECT_EQ(Shell("$RAFTER report all.rafter").out, Read("all.csv"));
}

}  // namespace
}  // namespace rafter
