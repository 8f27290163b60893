// `rafter run --source likwid`, with a marker library that writes what a script
// says and a driver without a GPU.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "tests/unit/tools_program.h"
#include "tools/known_kernel.h"

namespace rafter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// 10 FADD, 20 FMUL and 30 FFMA, 1000 bytes; slower where FLOP are counted.
constexpr const char* kScript =
    "work copy SMSP_SASS_THREAD_INST_EXECUTED_OP_FADD_PRED_ON_SUM 10\n"
    "work copy SMSP_SASS_THREAD_INST_EXECUTED_OP_FMUL_PRED_ON_SUM 20\n"
    "work copy SMSP_SASS_THREAD_INST_EXECUTED_OP_FFMA_PRED_ON_SUM 30\n"
    "work copy DRAM_BYTES_SUM 1000\n"
    "calls copy 3\n"
    "time copy 36000000000\n"
    "time copy 3600000000 DRAM_BYTES_SUM\n";

class RafterRunLikwid : public ToolsProgram {
 protected:
  void SetUp() override {
    ToolsProgram::SetUp();
    namespace fs = std::filesystem;
    // The library and the known kernel are found beside the executable.
    fs::create_directories(folder_ / "bin");
    fs::create_directories(folder_ / "lib");
    fs::copy_file(RAFTER_PROGRAM, folder_ / "bin/rafter");
    fs::copy_file(RAFTER_KNOWN_KERNEL, folder_ / "bin/rafter-known-kernel");
    fs::copy_file(RAFTER_FAKE_NVMARKER, folder_ / "lib/libnvmarker.so");
    Write("script", kScript);
  }
  // With the real CUPTI, the fake driver and the script.
  Said Run(const std::string& options, const std::string& program = "close") {
    return Shell(
        "unset LIKWID_NVMON_GPUS LIKWID_GPUS LD_PRELOAD RAFTER_LIKWID_PATH; "
        "export FAKE_MARKERS=$PWD/script " +
        variables_ + "; ./bin/rafter run --source likwid " + options +
        (program.empty() ? "" : " -- " RAFTER_MARKER_PROGRAM " " + program));
  }
  // The cells of a one-row table, by column.
  std::string Cell(const std::string& csv, const std::string& column) const {
    std::istringstream lines(Read(csv));
    std::string names, values;
    std::getline(lines, names);
    std::getline(lines, values);
    const auto cells = [](const std::string& line) {
      std::vector<std::string> words(1);
      bool quoted = false;
      for (const char c : line) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted) {
          words.emplace_back();
        } else if (c != '"') {
          words.back() += c;
        }
      }
      return words;
    };
    const std::vector<std::string> head = cells(names);
    const std::vector<std::string> row = cells(values);
    for (size_t i = 0; i < std::min(head.size(), row.size()); ++i) {
      if (head[i] == column) return row[i];
    }
    return "no column " + column;
  }

  std::string variables_ = "LD_LIBRARY_PATH=" RAFTER_FAKES_DIR;
};

constexpr const char* kTwoGroups =
    "--events SMSP_SASS_THREAD_INST_EXECUTED_OP_FADD_PRED_ON_SUM,"
    "SMSP_SASS_THREAD_INST_EXECUTED_OP_FMUL_PRED_ON_SUM,"
    "SMSP_SASS_THREAD_INST_EXECUTED_OP_FFMA_PRED_ON_SUM'|'DRAM_BYTES_SUM ";

TEST_F(RafterRunLikwid, PutsTheGroupsOfTwoRunsIntoOneRow) {
  const Said said = Run(std::string("-o a.rafter --csv a.csv ") + kTwoGroups);
  ASSERT_EQ(said.exit_status, 0) << said.err;
  EXPECT_EQ(Cell("a.csv", "Region"), "copy");
  EXPECT_EQ(Cell("a.csv", "Source"), "likwid");
  EXPECT_EQ(Cell("a.csv", "Executable"), "my bench");
  EXPECT_EQ(Cell("a.csv", "Hardware"), "NVIDIA H200");
  EXPECT_EQ(Cell("a.csv", "Calls"), "3");
  // LIKWID reports halves: 5, 10, 15 and 500.
  EXPECT_EQ(Cell("a.csv", "FLOP FP32 [FLOP]"), "90");
  EXPECT_EQ(Cell("a.csv", "Memory Traffic [Byte]"), "1000");
  EXPECT_EQ(Cell("a.csv", "Duration [s]"), "3.6");
  EXPECT_EQ(Cell("a.csv", "Performance [FLOP/s]"), "25");
  EXPECT_EQ(Cell("a.csv", "Validity"), "measured");
  EXPECT_THAT(Cell("a.csv", "Reason"), HasSubstr("waited for the GPU"));
  EXPECT_THAT(said.err,
              AllOf(HasSubstr("run 1 of 2: SMSP_SASS"), HasSubstr("run 2 of 2: DRAM_BYTES_SUM\n")));
}

TEST_F(RafterRunLikwid, CountsFlopByPrecisionAndTrafficByDefault) {
  const Said said = Run("-o a.rafter --csv a.csv");
  ASSERT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr(": DRAM traffic: DRAM_BYTES_SUM\n"));
  EXPECT_THAT(said.err, HasSubstr("FLOP"));
  EXPECT_EQ(Cell("a.csv", "FLOP FP32 [FLOP]"), "90");
  EXPECT_EQ(Cell("a.csv", "FLOP FP64 [FLOP]"), "0");
  EXPECT_EQ(Cell("a.csv", "Memory Traffic [Byte]"), "1000");
}

TEST_F(RafterRunLikwid, GivesTheProgramTheVariablesOfAllGenerations) {
  variables_ += " LIKWID_GPUS=0 LD_PRELOAD=";
  const Said said = Run("-o a.rafter --events DRAM_BYTES_SUM",
                        "close say LIKWID_NVMON_GPUS say LIKWID_GPUS say LIKWID_NVMON_EVENTS "
                        "say LIKWID_GEVENTS say LIKWID_NVMON_FILEPATH say LIKWID_GPUFILEPATH "
                        "say RAFTER_NVMARKER say LD_PRELOAD say CUDA_INJECTION64_PATH");
  EXPECT_THAT(
      said.out,
      AllOf(HasSubstr("LIKWID_NVMON_GPUS=0\nLIKWID_GPUS=0\n"
                      "LIKWID_NVMON_EVENTS=DRAM_BYTES_SUM:GPU0\n"
                      "LIKWID_GEVENTS=DRAM_BYTES_SUM:GPU0\n"),
            HasSubstr("run-1.marker\nLIKWID_GPUFILEPATH=/"), HasSubstr("RAFTER_NVMARKER=likwid\n"),
            HasSubstr("/lib/libnvmarker.so\n"), HasSubstr("CUDA_INJECTION64_PATH=\n")));
  EXPECT_THAT(said.err, HasSubstr("run 1 of 1"));
}

TEST_F(RafterRunLikwid, SaysHowLongEachRunTookWhenAsked) {
  const Said said = Run(std::string("-v -o a.rafter ") + kTwoGroups);
  EXPECT_THAT(said.err, HasSubstr("region copy: 36.0 s in run 1, 3.60 s in run 2; the smallest is "
                                  "its duration"));
}

TEST_F(RafterRunLikwid, TakesAScaleThatIsGiven) {
  const Said said = Run("-o a.rafter --csv a.csv --events DRAM_BYTES_SUM --counter-scale 1");
  EXPECT_EQ(Cell("a.csv", "Memory Traffic [Byte]"), "500");
  EXPECT_THAT(Cell("a.csv", "Reason"), HasSubstr("--counter-scale")) << said.err;
}

TEST_F(RafterRunLikwid, ProvesTheScaleWithTheKnownKernelFirst) {
  ASSERT_EQ(Shell("./bin/rafter-known-kernel --account >> script").exit_status, 0);
  Write("input", "what is read\n");
  const Said said = Run(std::string("-o a.rafter --csv a.csv --counter-scale auto ") + kTwoGroups,
                        "close cat < input");
  ASSERT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, AllOf(HasSubstr("true value / reading = 2 over 12 readings"),
                              HasSubstr("true value / reading = 2 over 4 readings")));
  // The known kernel takes nothing of the program's streams away.
  EXPECT_EQ(said.out, "what is read\n");
}

TEST_F(RafterRunLikwid, TheKnownKernelDoesWhatItsAccountSays) {
  const Said said = Shell(
      "export FAKE_MARKERS_LOG=$PWD/log RAFTER_FAKE_CUDA_LOG=$PWD/log "
      "LD_LIBRARY_PATH=" RAFTER_FAKES_DIR
      " LD_PRELOAD=$PWD/lib/libnvmarker.so "
      "RAFTER_NVMARKER_RESULT=$PWD/result; ./bin/rafter-known-kernel account");
  ASSERT_EQ(said.exit_status, 0) << said.err;
  // Launches in each region, those inside it included.
  std::map<std::string, uint64_t> launches;
  std::vector<std::string> open;
  std::istringstream log(Read("log"));
  for (std::string line; std::getline(log, line);) {
    std::istringstream words(line);
    std::string call, region;
    words >> call >> region;
    if (call == "start") open.push_back(region);
    if (call == "stop") open.pop_back();
    if (call != "cuLaunchKernel") continue;
    for (const std::string& each : open) ++launches[each];
  }
  const uint64_t launches_of_a_unit = ArithmeticKernels().size() + 1;
  for (const KnownRegion& region : KnownRegions()) {
    EXPECT_EQ(launches[region.name], region.units * launches_of_a_unit) << region.name;
  }
  EXPECT_EQ(Read("account"), KnownAccount());
  EXPECT_THAT(Read("account"), HasSubstr("work triple DRAM_BYTES_SUM 805306368\n"));
}

TEST_F(RafterRunLikwid, RefusesToCountWhereTheScaleIsNotTwo) {
  ASSERT_EQ(
      Shell("./bin/rafter-known-kernel --account >> script; echo factor 3 >> script").exit_status,
      0);
  const Said said =
      Run("-o a.rafter --events DRAM_BYTES_SUM --counter-scale auto", "close say HOME");
  EXPECT_EQ(said.exit_status, 2);
  EXPECT_THAT(said.err,
              AllOf(HasSubstr("--counter-scale auto: the factor is not 2 throughout"),
                    HasSubstr("region triple, DRAM_BYTES_SUM: true value / reading = 3")));
  EXPECT_EQ(said.out, "");
  EXPECT_FALSE(Exists("a.rafter"));
}

// Bytes are those of the whole device, so somebody else may have moved some.
TEST_F(RafterRunLikwid, ProvesBytesInASecondTryAndInstructionsInOne) {
  ASSERT_EQ(Shell("./bin/rafter-known-kernel --account >> script; echo \"disturbed 1.95 "
                  "$PWD/seen\" >> script")
                .exit_status,
            0);
  const Said bytes =
      Run("-o a.rafter --events DRAM_BYTES_SUM --counter-scale auto", "close say HOME");
  EXPECT_EQ(bytes.exit_status, 0) << bytes.err;
  EXPECT_THAT(bytes.err, AllOf(HasSubstr("counter scale: try 1 of 3: the factor is not 2"),
                               HasSubstr("true value / reading = 2 over")));
  Shell("rm seen");
  const Said instructions =
      Run("-o b.rafter --events SMSP_SASS_THREAD_INST_EXECUTED_OP_FFMA_PRED_ON_SUM "
          "--counter-scale auto",
          "close say HOME");
  EXPECT_EQ(instructions.exit_status, 2);
}

TEST_F(RafterRunLikwid, SaysThatAProgramCalledNoMarker) {
  const Said said = Run(std::string("-o a.rafter --csv a.csv ") + kTwoGroups, "none");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_THAT(said.err, AllOf(HasSubstr("it called no LIKWID marker"),
                              HasSubstr("not counted: DRAM_BYTES_SUM: run 1 was the last")));
  EXPECT_EQ(Cell("a.csv", "Validity"), "missing");
  EXPECT_EQ(Cell("a.csv", "Source"), "likwid");
  EXPECT_THAT(Cell("a.csv", "Reason"), HasSubstr("it called no LIKWID marker"));
  EXPECT_EQ(Run("-o b.rafter --strict --events DRAM_BYTES_SUM", "none").exit_status, 125);
}

TEST_F(RafterRunLikwid, NamesTheSignalOfACrash) {
  const Said said = Run("-o a.rafter --events DRAM_BYTES_SUM", "crash");
  EXPECT_EQ(said.exit_status, 139);
  EXPECT_THAT(said.err, HasSubstr("signal 11 (Segmentation fault) ended it before anything that "
                                  "LIKWID counted was written"));
}

TEST_F(RafterRunLikwid, SaysThatAResultWasCut) {
  Write("script", std::string(kScript) + "cut\n");
  const Said said = Run("-o a.rafter --events DRAM_BYTES_SUM");
  EXPECT_THAT(said.err, AllOf(HasSubstr("what LIKWID counted in process "),
                              HasSubstr("was cut: its last line is not there")));
}

TEST_F(RafterRunLikwid, NamesCallsOnThreadsThatLikwidIgnores) {
  Write("script", "ignored work%20er 4\n");
  const Said said = Run("-o a.rafter --csv a.csv --events DRAM_BYTES_SUM");
  EXPECT_THAT(said.err,
              HasSubstr("region work er: 4 marker calls on threads that LIKWID does not count"));
  EXPECT_EQ(Cell("a.csv", "Region"), "work er");
  EXPECT_EQ(Cell("a.csv", "Validity"), "missing");
  EXPECT_THAT(Cell("a.csv", "Reason"), HasSubstr("on threads that LIKWID does not count"));
  EXPECT_EQ(Cell("a.csv", "Memory Traffic [Byte]"), "");
}

TEST_F(RafterRunLikwid, PassesOnWhatTroubledTheMarkerLibrary) {
  Write("script", "trouble no liblikwid.so.5.5 is on this machine\n");
  const Said said = Run("-o a.rafter --strict --events DRAM_BYTES_SUM");
  EXPECT_EQ(said.exit_status, 125);
  EXPECT_THAT(said.err, HasSubstr("LIKWID: no liblikwid.so.5.5 is on this machine\n"));
}

TEST_F(RafterRunLikwid, HasOneStatusAndOneOutputForAllRuns) {
  Write("input", "what is read\n");
  const Said said = Run(std::string("-o a.rafter ") + kTwoGroups, "close cat exit 5 < input");
  EXPECT_EQ(said.exit_status, 5);
  EXPECT_EQ(said.out, "what is read\n");
  EXPECT_THAT(said.err, HasSubstr("run 2 of 2"));
  ASSERT_EQ(Shell("mkfifo pipe").exit_status, 0);
  variables_ += "; (echo > pipe &) ";
  const Said piped = Run(std::string("-o b.rafter ") + kTwoGroups, "close < pipe");
  EXPECT_THAT(piped.err, HasSubstr("--source likwid: standard input is a pipe"));
}

TEST_F(RafterRunLikwid, RefusesEventsThatLikwidWouldCrashOn) {
  const Said unknown = Run("-o a.rafter --events DRAM_BYTS_SUM", "close say HOME");
  if (unknown.err.find("events were not checked") != std::string::npos) {
    GTEST_SKIP() << "no CUPTI here: " << unknown.err;
  }
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("event DRAM_BYTS_SUM: chip GH100 does not have it"),
                                 HasSubstr("DRAM_BYTES_SUM")));
  const Said passes =
      Run("-o a.rafter --events SMSP_SASS_THREAD_INST_EXECUTED_OP_FADD_PRED_ON_SUM,DRAM_BYTES_SUM");
  EXPECT_EQ(passes.exit_status, 2);
  EXPECT_THAT(passes.err,
              HasSubstr("needs 2 passes on chip GH100, and LIKWID counts one; split it, as in "
                        "'SMSP_SASS_THREAD_INST_EXECUTED_OP_FADD_PRED_ON_SUM|DRAM_BYTES_SUM'"));
}

TEST_F(RafterRunLikwid, SaysThatEventsWereNotCheckedWithoutADriver) {
  variables_ = "LD_LIBRARY_PATH= RAFTER_CUPTI_PATH=/nowhere";
  const Said said = Run("-o a.rafter --csv a.csv --events DRAM_BYTES_SUM");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_THAT(said.err, HasSubstr("events were not checked against the GPU"));
  EXPECT_EQ(Cell("a.csv", "Memory Traffic [Byte]"), "1000");
  // The default goes on too, with a run for each precision.
  variables_ = "LD_LIBRARY_PATH=" RAFTER_FAKES_DIR " RAFTER_CUPTI_PATH=/nowhere";
  const Said by_default = Run("-o b.rafter --csv b.csv");
  EXPECT_THAT(by_default.err, AllOf(HasSubstr("events were not checked against the GPU"),
                                    HasSubstr("run 4 of 4: DRAM traffic: DRAM_BYTES_SUM")));
  EXPECT_EQ(Cell("b.csv", "FLOP FP32 [FLOP]"), "90");
}

TEST_F(RafterRunLikwid, RefusesWhatOnlyCuptisCountingUses) {
  for (const std::string option :
       {"--set time", "--metrics dram__bytes.sum", "--exact", "--replay application",
        "--replay kernel", "--granularity instance", "--overhead 5", "--skip 1",
        "--collector /tmp/x"}) {
    const Said said = Run(option, "say HOME");
    EXPECT_EQ(said.exit_status, 2) << option;
    const std::string name = option.substr(0, option.find(' '));
    EXPECT_THAT(said.err, HasSubstr("run: " + name + ": cannot be used with --source likwid"));
    EXPECT_EQ(said.out, "");
  }
  EXPECT_THAT(Run("--likwid /no/such").err, HasSubstr("--likwid /no/such: cannot be looked at"));
  EXPECT_THAT(Run("--counter-scale 0").err, HasSubstr("--counter-scale 0: neither a number"));
  variables_ += " LIKWID_NVMON_GPUS=0,x";
  EXPECT_THAT(Run("").err, HasSubstr("LIKWID_NVMON_GPUS=0,x: not a list of different GPUs"));
}

TEST_F(RafterRunLikwid, SourcesThatAreNotThereAreRefused) {
  EXPECT_THAT(Shell("$RAFTER run --source ncu -- true").err, HasSubstr("is not there yet"));
  EXPECT_THAT(Shell("$RAFTER run --source sampling -- true").err, HasSubstr("is not there yet"));
  EXPECT_THAT(Shell("$RAFTER run --source likwit -- true").err, HasSubstr("did you mean likwid?"));
  EXPECT_THAT(Shell("$RAFTER run --events DRAM_BYTES_SUM -- true").err,
              HasSubstr("--events: only LIKWID's counting uses it; give --source likwid too"));
}

TEST_F(RafterRunLikwid, PeaksFillTheRowsOfTheTable) {
  const Said said =
      Run("-o a.rafter --csv a.csv --events DRAM_BYTES_SUM --peak-performance 5.74e13 "
          "--peak-bandwidth 9.59e11");
  EXPECT_EQ(Cell("a.csv", "Peak Bandwidth [Byte/s]"), "959000000000") << said.err;
  EXPECT_EQ(Shell("$RAFTER run --peak-performance 1e13 -- true").exit_status, 2);
  // The run file, and the table, without them.
  ASSERT_EQ(Shell("$RAFTER report a.rafter -o b.csv").exit_status, 0);
  EXPECT_EQ(Cell("b.csv", "Peak Bandwidth [Byte/s]"), "");
  for (const char* input : {"a.rafter", "b.csv"}) {
    EXPECT_EQ(
        Shell(std::string("$RAFTER report --force -o c.csv --peak-bandwidth 9.59e11 ") + input)
            .exit_status,
        0);
    EXPECT_EQ(Cell("c.csv", "Peak Bandwidth [Byte/s]"), "959000000000") << input;
  }
}

TEST_F(RafterRunLikwid, ABatchTakesItsOptionsAndTable) {
  Write("marked", "#!/bin/sh\nexec " RAFTER_MARKER_PROGRAM " close\n");
  Write("unmarked", "#!/bin/sh\n");
  const Said said = Shell(
      "unset LIKWID_NVMON_GPUS LIKWID_GPUS LD_PRELOAD RAFTER_LIKWID_PATH; export " + variables_ +
      " FAKE_MARKERS=$PWD/script; mkdir build; mv marked unmarked build; chmod +x build/*; "
      "./bin/rafter batch -b build -r marked --source likwid -O events=DRAM_BYTES_SUM -o all");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err,
              HasSubstr("batch: unmarked: never reached the GPU: LIKWID counted nothing"));
  EXPECT_EQ(Cell("all.csv", "Source"), "likwid") << said.err;
  EXPECT_EQ(Cell("all.csv", "Memory Traffic [Byte]"), "1000");
  EXPECT_EQ(Cell("all.csv", "Region"), "copy");
}

TEST_F(RafterRunLikwid, TellsWhatCountingCosts) {
  const Said said =
      Run("-o a.rafter --measure-overhead --events DRAM_BYTES_SUM", "close say LD_PRELOAD");
  EXPECT_THAT(said.err, HasSubstr("without Rafter"));
  EXPECT_THAT(said.err, Not(HasSubstr("run: --measure-overhead")));
}

}  // namespace
}  // namespace rafter
