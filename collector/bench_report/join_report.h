// JoinReport gives the rows of a program what only its own report knows: problem,
// paradigm and the precision that it was built for.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/bench_report/bench_report.h"
#include "collector/table/table.h"

namespace rafter {

// What a benchmark is about: its name up to the first '/', and of that up to the
// first '-'; neither counts inside the angle brackets of a template.
// "MatrixMultiplication-Cublas/32" -> "MatrixMultiplication".
std::string ProblemOf(std::string_view run_name);

// "fp16", "fp32" or "fp64"; empty where the report names none of them.
std::string PrecisionOf(const BenchReport& report);

// The problem of the benchmark that a part of a region's path is named after: its run
// name as a whole, or without arguments and the like from the end ("BM/32" and "BM" of
// "BM/32/iterations:1"). Of several such parts the longest counts. "step/BM/32/copy"
// holds "BM/32", "step/BM/320" only "BM". Nothing where no part is such a name.
std::optional<std::string> ProblemOfRegion(const BenchReport& report, std::string_view region);

// Fills Benchmark Problem and Paradigm. A region that is named after a benchmark
// gets the problem of that one, never of the one that stands at the same place;
// other regions get a problem only where all benchmarks are of one. `notes` gets a
// line for each thing that stays open.
void JoinReport(const BenchReport& report, Table& table, std::vector<std::string>& notes);

// Rows of one run, made once for the precision that the report names (`reported`)
// and once for the one with most work (`by_work`), in the same order: those of the
// report, but for tensor cores, whose work no FP16, FP32 or FP64 count holds.
// `notes` gets a line where the counted work is of another precision.
Table FollowPrecision(Table reported, Table by_work, std::vector<std::string>& notes);

}  // namespace rafter
