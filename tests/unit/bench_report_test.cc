// Reports of Google Benchmark: real ones, unsound ones, and what rows take from them.
#include "collector/bench_report/bench_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "collector/bench_report/join_report.h"
#include "collector/bench_report/sound_json.h"

namespace rafter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A report with the rows given, as version 1.8 writes it.
std::string Report(const std::string& rows, const std::string& context = "") {
  return R"({"context": {"executable": "./bench", "num_cpus": 2, "caches": [)"
         R"({"type": "Data", "level": 1}], "load_avg": [0.1,0.2])" +
         context + R"(}, "benchmarks": [)" + rows + "]}";
}

std::string Entry(const std::string& name, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "run_name": ")" + name +
         R"(", "run_type": "iteration", "real_time": 1.5e+00)" + more + "}";
}

BenchReport Read(const std::string& text) {
  absl::StatusOr<BenchReport> report = ReadBenchReport(text);
  EXPECT_TRUE(report.ok()) << report.status() << "\n" << text;
  return report.ok() ? *std::move(report) : BenchReport();
}

std::vector<std::string> Names(const BenchReport& report) {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : report.benchmarks) names.push_back(benchmark.run_name);
  return names;
}

TEST(BenchReport, OfRealRunsIsReadWithoutATrouble) {
  const struct {
    const char* file;
    const char* paradigm;
    const char* problem;
    size_t benchmarks;
  } cases[] = {
      {"matMul_cuda.json", "Cuda", "MatrixMultiplication", 20},
      {"matMul_kokkos.json", "Kokkos", "MatrixMultiplication", 10},
      {"matMul_ocl.json", "OpenCL", "MatrixMultiplication", 10},
      {"matMul_vulkan.json", "Vulkan", "MatrixMultiplication", 10},
      {"nbody_omp.json", "OpenMP", "NBody", 5},
      {"polyhedral_acpp.json", "AdaptiveCpp", "Polyhedral", 7},
      {"polyhedral_cuda.json", "Cuda", "Polyhedral", 7},
      {"vec_raja.json", "RAJA", "VecAdd", 6},
  };
  const std::filesystem::path folder = std::filesystem::path(RAFTER_SHARED_DIR) / "data/gbench";
  if (!std::filesystem::exists(folder)) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << folder;
    GTEST_SKIP() << folder << " is not here";
  }
  for (const auto& [file, paradigm, problem, benchmarks] : cases) {
    std::ostringstream text;
    text << std::ifstream(folder / file).rdbuf();
    const BenchReport report = Read(text.str());
    EXPECT_EQ(report.paradigm, paradigm) << file;
    EXPECT_EQ(PrecisionOf(report), "fp32") << file;
    EXPECT_EQ(report.benchmarks.size(), benchmarks) << file;
    EXPECT_THAT(report.troubles, IsEmpty()) << file;
    for (const Benchmark& benchmark : report.benchmarks) {
      EXPECT_EQ(ProblemOf(benchmark.run_name), problem) << file;
    }
  }
}

TEST(BenchReport, BareNanAndInfinityAreNumbers) {
  for (const char* number :
       {"NaN", "-NaN", "nan", "-nan", "Infinity", "-Infinity", "inf", "-inf"}) {
    const BenchReport report =
        Read(Report(Entry("A", std::string(R"(, "ratio": )") + number) + "," + Entry("B")));
    EXPECT_THAT(Names(report), ElementsAre("A", "B")) << number;
    EXPECT_THAT(report.troubles, IsEmpty()) << number;
  }
}

TEST(BenchReport, ControlBytesAndOddEscapesAreMendedAndNamed) {
  const BenchReport report = Read(Report(Entry("A\x01\tB/1") + "," + Entry("C:\\dir\\u12")));
  EXPECT_THAT(Names(report), ElementsAre("A  B/1", "C:\\dir\\u12"));
  EXPECT_THAT(report.troubles, ElementsAre("8 bytes that JSON does not allow were replaced"));
  EXPECT_THAT(Names(Read(Report(Entry("caf\xE9")))), ElementsAre("caf\xEF\xBF\xBD"));
  EXPECT_EQ(SoundJson("\xEF\xBB\xBF{\"a\": nAn, \"nan\": true}").text,
            "{\"a\": NaN, \"nan\": true}");
  EXPECT_EQ(SoundJson(R"({"a\"nan": "inf\\"})").mended, 0u);
}

TEST(BenchReport, AggregatesOnlyStillNameTheRuns) {
  const auto aggregate = [](const std::string& name) {
    return R"({"name": "BM/8_)" + name + R"(", "run_name": "BM/8", "run_type": "aggregate", )" +
           R"("aggregate_name": ")" + name + R"(", "real_time": 2})";
  };
  const BenchReport report =
      Read(Report(aggregate("mean") + "," + aggregate("median") + "," + aggregate("stddev")));
  EXPECT_THAT(Names(report), ElementsAre("BM/8"));
}

TEST(BenchReport, RowsOfBigOAndRmsAreNoRuns) {
  const BenchReport report = Read(Report(
      Entry("BM/8") +
      R"(,{"name": "BM_BigO", "run_name": "BM", "run_type": "aggregate", "aggregate_name": "BigO",)"
      R"( "cpu_coefficient": 1.0, "real_coefficient": 1.0, "big_o": "N", "time_unit": "ns"},)"
      R"({"name": "BM_RMS", "run_name": "BM", "run_type": "aggregate", "aggregate_name": "RMS",)"
      R"( "rms": 1.0e-02})"));
  EXPECT_THAT(Names(report), ElementsAre("BM/8"));
  EXPECT_THAT(report.troubles, IsEmpty());
}

TEST(BenchReport, FailedAndSkippedRunsAreToldApart) {
  const BenchReport report =
      Read(Report(Entry("A", R"(, "error_occurred": true, "error_message": "no \"fp8\"\nhere")") +
                  "," + Entry("B", R"(, "skipped": true, "skip_message": "too small")") + "," +
                  Entry("C", R"(, "error_occurred": false)") + "," +
                  Entry("D", R"(, "error_occurred": true)")));
  ASSERT_EQ(report.benchmarks.size(), 4u);
  EXPECT_EQ(report.benchmarks[0].failure, "no \"fp8\" here");
  EXPECT_EQ(report.benchmarks[1].skipped, "too small");
  EXPECT_EQ(report.benchmarks[1].failure, "");
  EXPECT_EQ(report.benchmarks[2].failure, "");
  EXPECT_EQ(report.benchmarks[3].failure, "without a message");
}

// The program's own counters stand behind the fields, and may be called as they are.
TEST(BenchReport, CountersNamedLikeFieldsChangeNothing) {
  const BenchReport report = Read(
      Report(Entry("A", R"(, "name": 1, "run_name": 2.5, "error_occurred": 1, "skipped": NaN,)"
                        R"( "aggregate_name": 3, "run_type": 4, "benchmarks": 5, "context": 6)") +
                 "," + Entry("B", R"(, "run_name": "other")"),
             R"(, "paradigm": "Cuda", "float_type": "64", "paradigm": "Hip", "benchmarks": "x")"));
  EXPECT_THAT(Names(report), ElementsAre("A", "B"));
  EXPECT_EQ(report.benchmarks[0].failure, "");
  EXPECT_EQ(report.paradigm, "Cuda");
  EXPECT_EQ(PrecisionOf(report), "fp64");
}

TEST(BenchReport, FieldsDeeperDownAreNotTakenForItsOwn) {
  const BenchReport report =
      Read(R"({"context": {"more": {"paradigm": "Hip"}}, "other": [{"name": "X"}],)"
           R"( "benchmarks": [{"name": "A", "more": {"run_name": "Y", "list": [{"name": "Z"}]}},)"
           R"( [{"name": "W"}], 7]})");
  EXPECT_THAT(Names(report), ElementsAre("A"));
  EXPECT_EQ(report.paradigm, "");
}

TEST(BenchReport, OneThatBreaksOffIsReadUpToThere) {
  const std::string whole = Report(Entry("A") + "," + Entry("B"), R"(, "paradigm": "Cuda")");
  const BenchReport report = Read(whole.substr(0, whole.size() - 8));
  EXPECT_THAT(Names(report), ElementsAre("A"));
  EXPECT_EQ(report.paradigm, "Cuda");
  ASSERT_EQ(report.troubles.size(), 1u);
  EXPECT_THAT(report.troubles[0], HasSubstr("it breaks off at byte "));
  EXPECT_THAT(report.troubles[0], HasSubstr("is read, 1 benchmarks"));
}

TEST(BenchReport, AQuoteThatAnOldVersionLeftBareEndsTheReading) {
  const BenchReport report = Read(Report(Entry("A") + "," + Entry("B<\"x\">") + "," + Entry("C")));
  EXPECT_THAT(Names(report), ElementsAre("A"));
  EXPECT_THAT(report.troubles, ElementsAre(HasSubstr("it breaks off at byte ")));
}

TEST(BenchReport, WhatIsNoReportIsRefused) {
  for (const char* text : {"", "{}", "[]", "null", "hello", "[{\"context\": {}}]", "{\"a\": [1]}",
                           "{\"context\": 1, \"benchmarks\": {}}", "\0\0\0"}) {
    const absl::StatusOr<BenchReport> report = ReadBenchReport(text);
    ASSERT_FALSE(report.ok()) << text;
    EXPECT_THAT(std::string(report.status().message()),
                HasSubstr("not a report of Google Benchmark"))
        << text;
  }
}

TEST(BenchReport, EndlessNestingAndNamesAreBounded) {
  const BenchReport deep = Read(Report(Entry("A") + "," + std::string(2'000'000, '[')));
  EXPECT_THAT(Names(deep), ElementsAre("A"));
  EXPECT_THAT(deep.troubles, ElementsAre(HasSubstr("nested too deep")));
  const BenchReport name = Read(Report(Entry(std::string(1 << 20, 'n'))));
  ASSERT_EQ(name.benchmarks.size(), 1u);
  EXPECT_EQ(name.benchmarks[0].run_name.size(), BenchReport::kMostNameBytes);
  EXPECT_THAT(name.troubles,
              ElementsAre("name of a benchmark: 1048576 bytes long, cut after 4096"));
  std::string rows = Entry("first");
  for (size_t i = 0; i < BenchReport::kMostBenchmarks + 5; ++i) {
    rows += R"(,{"name":")" + std::to_string(i) + R"("})";
  }
  const BenchReport many = Read(Report(rows + R"(,{"real_time": 1})"));
  EXPECT_EQ(many.benchmarks.size(), BenchReport::kMostBenchmarks);
  EXPECT_THAT(many.troubles, ElementsAre(HasSubstr("1 rows of \"benchmarks\" have no name"),
                                         HasSubstr("6 rows of \"benchmarks\" are left out")));
}

TEST(ProblemOf, IsTheNameBeforeSlashAndDashOutsideTemplates) {
  EXPECT_EQ(ProblemOf("MatrixMultiplication-Cublas/32"), "MatrixMultiplication");
  EXPECT_EQ(ProblemOf("Polyhedral-67P_ESA_NAVCAM_Jul2015data_256k"), "Polyhedral");
  EXPECT_EQ(ProblemOf("VecAdd/1000/threads:2"), "VecAdd");
  EXPECT_EQ(ProblemOf("Sort<std::vector<int>, -1, a/b>-Fast/8"), "Sort<std::vector<int>, -1, a/b>");
  EXPECT_EQ(ProblemOf("Less<-Naive/8"), "Less<");
  EXPECT_EQ(ProblemOf("A->B/8"), "A");
  EXPECT_EQ(ProblemOf("/8"), "");
  EXPECT_EQ(ProblemOf(""), "");
}

TEST(PrecisionOf, IsOfWholeNumbersAndTextAlike) {
  EXPECT_EQ(PrecisionOf(Read(Report("", R"(, "float_type": 16)"))), "fp16");
  EXPECT_EQ(PrecisionOf(Read(Report("", R"(, "float_type": "64")"))), "fp64");
  EXPECT_EQ(PrecisionOf(Read(Report("", R"(, "float_type": "bf16")"))), "");
  EXPECT_EQ(PrecisionOf(Read(Report(""))), "");
}

// The order of benchmarks is not that of regions.
BenchReport TwoProblems() {
  return Read(Report(Entry("Sort<a/b>-Fast/8") + "," + Entry("Copy-Naive/32/iterations:1") + "," +
                         Entry("Copy-Naive/3"),
                     R"(, "paradigm": "Kokkos", "float_type": "64")"));
}

TEST(ProblemOfRegion, GoesByRunNameAndNeverByPosition) {
  const BenchReport report = TwoProblems();
  EXPECT_EQ(ProblemOfRegion(report, "Copy-Naive/32/iterations:1"), "Copy");
  EXPECT_EQ(ProblemOfRegion(report, "Copy-Naive/32"), "Copy");
  EXPECT_EQ(ProblemOfRegion(report, "Copy-Naive"), "Copy");
  EXPECT_EQ(ProblemOfRegion(report, "main/Copy-Naive/32/upload"), "Copy");
  EXPECT_EQ(ProblemOfRegion(report, "solver:Sort<a/b>-Fast/8/step"), "Sort<a/b>");
  EXPECT_EQ(ProblemOfRegion(report, "Copy-NaiveX/32"), std::nullopt);
  EXPECT_EQ(ProblemOfRegion(report, "xCopy-Naive/32"), std::nullopt);
  EXPECT_EQ(ProblemOfRegion(report, "Sort<a"), std::nullopt);
  EXPECT_EQ(ProblemOfRegion(report, "evaluate"), std::nullopt);
  EXPECT_EQ(ProblemOfRegion(report, ""), std::nullopt);
  // The longer part counts.
  EXPECT_EQ(ProblemOfRegion(report, "Copy-Naive/Sort<a/b>-Fast/8"), "Sort<a/b>");
}

Table TableOf(const std::vector<std::string>& regions) {
  Table table;
  for (const std::string& region : regions) table.rows.emplace_back().region = region;
  return table;
}

TEST(JoinReport, LeavesOpenWhatSeveralProblemsLeaveOpen) {
  Table table = TableOf({"Copy-Naive/3", "evaluate", "Sort<a/b>-Fast/8"});
  std::vector<std::string> notes;
  JoinReport(TwoProblems(), table, notes);
  EXPECT_EQ(table.rows[0].benchmark_problem, "Copy");
  EXPECT_EQ(table.rows[1].benchmark_problem, "");
  EXPECT_EQ(table.rows[2].benchmark_problem, "Sort<a/b>");
  for (const Row& row : table.rows) EXPECT_EQ(row.paradigm, "Kokkos");
  EXPECT_THAT(notes,
              ElementsAre("Benchmark Problem is missing for evaluate: the report has several "
                          "problems (Copy, Sort<a/b>); name such regions after their "
                          "benchmark"));
}

TEST(JoinReport, GivesTheOnlyProblemToEveryRegion) {
  Table table = TableOf({"init", "evaluate"});
  std::vector<std::string> notes;
  JoinReport(Read(Report(Entry("NBody-Naive/10") + "," + Entry("NBody-Tiled/10"))), table, notes);
  EXPECT_EQ(table.rows[0].benchmark_problem, "NBody");
  EXPECT_EQ(table.rows[1].benchmark_problem, "NBody");
  EXPECT_EQ(table.rows[1].paradigm, "");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(JoinReport, SaysThatAFloatTypeIsUnknown) {
  Table table = TableOf({"a"});
  std::vector<std::string> notes;
  JoinReport(Read(Report(Entry("A"), R"(, "float_type": "half")")), table, notes);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("float_type half of the report is none of 16, 32")));
}

TEST(FollowPrecision, TakesTheReportsButForTensorCores) {
  Table reported = TableOf({"a", "b", "c"});
  Table by_work = reported;
  for (Row& row : reported.rows) row.precision = "fp16";
  by_work.rows[0].precision = "fp16";
  by_work.rows[1].precision = "tensor.fp16";
  by_work.rows[1].flop = 1e9;
  by_work.rows[2].precision = "fp64";
  std::vector<std::string> notes;
  const Table table = FollowPrecision(reported, by_work, notes);
  EXPECT_EQ(table.rows[0].precision, "fp16");
  EXPECT_EQ(table.rows[1].precision, "tensor.fp16");
  EXPECT_EQ(table.rows[1].flop, 1e9);
  EXPECT_EQ(table.rows[2].precision, "fp16");
  EXPECT_THAT(notes, ElementsAre("the report says FP16; most work of c is FP64 (--precision "
                                 "chooses)"));
}

}  // namespace
}  // namespace rafter
