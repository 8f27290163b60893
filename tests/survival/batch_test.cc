// `rafter batch` over programs that use the GPU: Google Benchmark's, joined with what
// they write, and others.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <algorithm>

#include "collector/table/table.h"
#include "tests/unit/tools_program.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class BatchOfBenchmarks : public ToolsProgram {
 protected:
  // A copy of a target program, which may go by its name.
  void Copy(const std::string& program, const std::string& name) {
    std::filesystem::create_directories(folder_ / "build");
    std::filesystem::copy_file(std::filesystem::path(RAFTER_TARGETS_DIR) / program,
                               folder_ / "build" / name);
  }
  // With a GPU that no other test takes turns on.
  Said Batch(const std::string& options) {
    return Shell("unset RAFTER_QUIET; export RAFTER_CUPTI_PATH='" RAFTER_FAKES_DIR
                 "' XDG_CACHE_HOME=\"$PWD/cache\" XDG_RUNTIME_DIR=\"$PWD/runtime\"; mkdir -p -m "
                 "700 runtime; "
                 "$RAFTER batch -b build -o all " +
                 options);
  }
  Table ReadTable() {
    absl::StatusOr<Table> table = FromCsv(Read("all.csv"));
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ok() ? *std::move(table) : Table();
  }
  // That the run file of all gives the same rows, and says `why` where something lacks.
  void ExpectSameRowsFromRuns(const std::string& why = "") {
    const Said said = Shell("$RAFTER report all.rafter");
    EXPECT_EQ(said.out, Read("all.csv"));
    EXPECT_EQ(said.exit_status, why.empty() ? 0 : 1) << said.err;
    EXPECT_THAT(said.err, HasSubstr(why));
  }
  static const Row* Find(const Table& table, const std::string& executable,
                         const std::string& region) {
    const auto found = std::find_if(table.rows.begin(), table.rows.end(), [&](const Row& row) {
      return row.executable == executable && row.region == region;
    });
    return found == table.rows.end() ? nullptr : &*found;
  }
};

TEST_F(BatchOfBenchmarks, JoinsWhatTheReportSaysAndCountsEverySet) {
  Copy("benchmarks", "copy_cuda");
  const Said said = Batch("-r copy --roofline all.svg");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("batch: 1 program: 1 counted\n"));
  const Table table = ReadTable();
  ASSERT_EQ(table.rows.size(), 3u);
  for (const Row& row : table.rows) {
    EXPECT_EQ(row.benchmark_problem, "Copy");
    EXPECT_EQ(row.paradigm, "Cuda");
    EXPECT_EQ(row.precision, "fp32");
    EXPECT_EQ(row.validity, "measured") << row.reason;
    EXPECT_EQ(row.calls, 1u);
  }
  const Row* const copy = Find(table, "copy_cuda", "Copy-Naive/64");
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->traffic_bytes, 2000.0);
  EXPECT_EQ(copy->duration_s, 100'000e-9);
  const Row* const compute = Find(table, "copy_cuda", "evaluate");
  ASSERT_NE(compute, nullptr);
  EXPECT_EQ(compute->flop, 10000.0);
  // It starts itself anew, and its counters are called as fields are, or are NaN.
  EXPECT_THAT(Read("rafter-reports/copy_cuda.json"), HasSubstr("\"ratio\": NaN"));
  EXPECT_THAT(Read("all.svg"), HasSubstr("<svg"));
  ExpectSameRowsFromRuns();  // of a replay
}

TEST_F(BatchOfBenchmarks, OneRunIsEnoughWhereItIsAskedFor) {
  Copy("benchmarks", "copy_cuda");
  const Said said = Batch("-r copy --replay none");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  const Table table = ReadTable();
  EXPECT_TRUE(std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) {
    return row.validity != "measured" || !row.reason.empty();
  }));
}

TEST_F(BatchOfBenchmarks, MatchesRegionsByRunNameWhereThereAreSeveralProblems) {
  Copy("benchmarks", "mixed_cuda");
  const Said said = Batch("-r mixed");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("mixed_cuda: Benchmark Problem is missing for evaluate: the "
                                  "report has several problems (Copy, MatMul<-1>)"));
  const Table table = ReadTable();
  EXPECT_EQ(Find(table, "mixed_cuda", "Copy-Naive/64")->benchmark_problem, "Copy");
  EXPECT_EQ(Find(table, "mixed_cuda", "evaluate")->benchmark_problem, "");
  ExpectSameRowsFromRuns();
}

TEST_F(BatchOfBenchmarks, OneThatFailsCostsOnlyItself) {
  Copy("benchmarks", "a_killed");
  Copy("benchmarks", "b_erring");
  Copy("plain_target", "c_plain");
  Copy("nvtx_target", "d_marked");
  Copy("benchmarks", "e_good");
  Shell(
      "printf '#!/bin/sh\nexec build/c_plain returns_0' > build/f_script; chmod +x "
      "build/f_script");
  const Said said = Batch("-r . -x plain -x marked --timeout 60");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("batch: a_killed: failed: ended by signal 9 (Killed)"));
  EXPECT_THAT(said.err, HasSubstr("rafter: b_erring: benchmark Copy-Other/1/iterations:1 failed: "
                                  "the device has no \"fp8\"\n"));
  EXPECT_THAT(said.err, HasSubstr("4 programs: 2 counted, 1 never reached the GPU, 1 failed\n"));
  const Table table = ReadTable();
  EXPECT_EQ(Find(table, "a_killed", "evaluate"), nullptr);
  EXPECT_NE(Find(table, "b_erring", "evaluate"), nullptr);
  EXPECT_NE(Find(table, "e_good", "evaluate"), nullptr);
  EXPECT_THAT(said.err, HasSubstr("rafter: all.rafter: 2 programs\n"));
  ExpectSameRowsFromRuns(
      "rafter: b_erring: benchmark Copy-Other/1/iterations:1 failed: the device has no \"fp8\"\n");
}

TEST_F(BatchOfBenchmarks, ProgramsWithoutAGpuAreNamedAndSkipped) {
  Copy("nvtx_target", "marked");
  const Said said = Batch("-r marked --target-arg returns_0");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("batch: marked: never reached the GPU: no process of it made a "
                                  "CUDA context"));
  EXPECT_THAT(said.err, HasSubstr("1 program: 1 never reached the GPU"));
  EXPECT_FALSE(Exists("all.csv"));
  EXPECT_FALSE(Exists("all.rafter"));
}

TEST_F(BatchOfBenchmarks, OtherProgramsAreTakenAsTheyAre) {
  Copy("cuda_target", "other");
  const Said said = Batch("-r other --target-arg runs_two_of_each");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  const Table table = ReadTable();
  ASSERT_NE(Find(table, "other", "step/copy"), nullptr);
  for (const Row& row : table.rows) {
    EXPECT_EQ(row.validity, "measured") << row.reason;
    EXPECT_EQ(row.paradigm, "");
    EXPECT_EQ(row.benchmark_problem, "");
  }
  EXPECT_FALSE(Exists("rafter-reports/other.json"));
  ExpectSameRowsFromRuns();
}

// What one run gave is not lost to the runs that were to give more.
TEST_F(BatchOfBenchmarks, RowsOfOneRunStayWhereRunsForEachSetDoNotFit) {
  Copy("cuda_target", "other");
  const Said deeper = Batch("-r other --target-arg goes_deeper_each_time");
  EXPECT_EQ(deeper.exit_status, 1);
  EXPECT_THAT(deeper.err, HasSubstr("other: run once for each set as well, it gave no more: "));
  EXPECT_THAT(deeper.err, HasSubstr("region solve/compute: 2 calls in run 1 (set time), 3 calls"));
  EXPECT_EQ(ReadTable().rows.size(), 2u);
  EXPECT_EQ(Find(ReadTable(), "other", "solve/compute")->calls, 1u);
  EXPECT_TRUE(Exists("rafter-reports/other.failed.rafter"));
  EXPECT_FALSE(Exists("rafter-reports/other.rafter.once"));
  ExpectSameRowsFromRuns();
  const Said failing = Batch("-r other --target-arg fails_when_run_again --force");
  EXPECT_EQ(failing.exit_status, 1);
  EXPECT_THAT(failing.err, HasSubstr("it gave no more: ended with status 7; see "));
  EXPECT_THAT(failing.err, HasSubstr("1 program: 1 counted"));
  EXPECT_NE(Find(ReadTable(), "other", "copy"), nullptr);
}

// As if CUPTI had not been at hand when they were counted.
void TakeValuesOut(const std::string& path) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, "DELETE FROM slot_values; UPDATE epochs SET evaluated=0",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_GT(sqlite3_changes(database), 0);
  sqlite3_close(database);
}

TEST_F(BatchOfBenchmarks, CountersWithoutValuesAreEvaluatedIntoTheRunFileOfAll) {
  Copy("benchmarks", "copy_cuda");
  Copy("benchmarks", "mixed_cuda");
  ASSERT_EQ(Batch("-r copy mixed").exit_status, 0);
  TakeValuesOut(folder_ / "all.rafter");
  const Said without = Shell("RAFTER_CUPTI_PATH=\"$PWD\" $RAFTER report all.rafter");
  EXPECT_THAT(without.err, HasSubstr("all.rafter: some counters are stored without values"));
  EXPECT_NE(without.out, Read("all.csv"));
  const Said with = Shell("RAFTER_CUPTI_PATH='" RAFTER_FAKES_DIR "' $RAFTER report all.rafter");
  EXPECT_EQ(with.exit_status, 0) << with.err;
  EXPECT_EQ(with.out, Read("all.csv"));
  ExpectSameRowsFromRuns();  // now they are there
}

// A program of whose benchmarks none was chosen writes an empty list.
TEST_F(BatchOfBenchmarks, AReportThatIsNotThereIsNamed) {
  Copy("benchmarks", "copy_cuda");
  ASSERT_EQ(Batch("-r copy").exit_status, 0);
  Shell("rm rafter-reports/copy_cuda.json");
  const Said gone = Batch("-r copy --force --skip-profile");
  EXPECT_EQ(gone.exit_status, 0) << gone.err;  // it is not known what the program was
  EXPECT_EQ(Find(ReadTable(), "copy_cuda", "evaluate")->paradigm, "");
  Shell("rm all.csv all.rafter");
  const Said reused = Batch("-r copy");
  EXPECT_EQ(reused.exit_status, 1);
  EXPECT_THAT(reused.err, HasSubstr("rafter-reports/copy_cuda.json: the program wrote none"));
  ExpectSameRowsFromRuns("copy_cuda: rafter-reports/copy_cuda.json: the program wrote none");
  Write("rafter-reports/copy_cuda.json", "{\"context\": {\"paradigm\": \"Hip\"}, \"benchm");
  const Said cut = Batch("-r copy --skip-profile --force");
  EXPECT_EQ(cut.exit_status, 1);
  EXPECT_THAT(cut.err, HasSubstr("copy_cuda.json: it breaks off at byte "));
  EXPECT_EQ(Find(ReadTable(), "copy_cuda", "evaluate")->paradigm, "Hip");
  ExpectSameRowsFromRuns("copy_cuda: rafter-reports/copy_cuda.json: it breaks off at byte ");
}

TEST_F(BatchOfBenchmarks, ReportsAreUsedAgainAndTablesOfOthersMerged) {
  Copy("benchmarks", "copy_cuda");
  const Said first = Batch("-r copy --no-csv");
  ASSERT_EQ(first.exit_status, 0) << first.err;
  EXPECT_FALSE(Exists("all.csv"));
  EXPECT_TRUE(Exists("all.rafter"));
  Shell("rm all.rafter");
  const std::string log = Read("rafter-reports/copy_cuda.log");
  Write("likwid.csv", "Executable,Region,Source\nother,solve,likwid\n");
  const Said said = Batch("-r copy --from-csv likwid.csv --precision fp64");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("1 program: 1 taken from reports that were there"));
  EXPECT_EQ(Read("rafter-reports/copy_cuda.log"), log);
  const Table table = ReadTable();
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[0].executable, "other");
  EXPECT_EQ(Find(table, "copy_cuda", "evaluate")->precision, "fp64");
  EXPECT_EQ(Find(table, "copy_cuda", "evaluate")->flop, 0.0);
}

TEST_F(BatchOfBenchmarks, CountersThatAreRefusedAreNamedAndTheRowsKept) {
  Copy("benchmarks", "copy_cuda");
  const Said said =
      Shell("unset RAFTER_QUIET; export RAFTER_CUPTI_PATH='" RAFTER_FAKES_DIR
            "' XDG_CACHE_HOME=\"$PWD/cache\" RAFTER_FAKE_CUPTI_FAIL=cuptiRangeProfilerEnable=35; "
            "$RAFTER batch -b build -o all -r copy");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("1 program: 1 without all counters"));
  EXPECT_THAT(ReadTable().rows, Not(IsEmpty()));
  EXPECT_EQ(ReadTable().rows[0].paradigm, "Cuda");
  ExpectSameRowsFromRuns();
}

}  // namespace
}  // namespace rafter
