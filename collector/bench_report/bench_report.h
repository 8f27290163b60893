// BenchReport is what a Google Benchmark program says of itself in the file that
// --benchmark_out names: what it was built for, and which benchmarks ran.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    owns its strings; names and benchmarks are bounded.
//   Lifetime  plain values.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rafter {

// One benchmark, whatever number of repetitions and aggregates it has rows of.
struct Benchmark {
  std::string run_name;  // "BM_Sort<float>/1024/threads:2", without "_mean" and the like
  std::string failure;   // the program's message; empty: it did not fail
  std::string skipped;   // likewise
};

struct BenchReport {
  std::string paradigm;               // context.paradigm, "Kokkos"; empty: not said
  std::string float_type;             // context.float_type, "32"; empty: not said
  std::vector<Benchmark> benchmarks;  // each run name once, in the order first met
  std::vector<std::string> troubles;  // what was not sound, a line each

  // Real reports have some hundred benchmarks with names below 200 bytes.
  static constexpr size_t kMostBenchmarks = 100'000;
  static constexpr size_t kMostNameBytes = 4096;
};

// Reads what is sound and names what is not: a report that breaks off is read up
// to there. Of several fields of one name the first of the right type counts, since
// counters of the program's own stand last and may be called anything. Rows of BigO
// and RMS are of no run. Fails where the text is no report at all.
absl::StatusOr<BenchReport> ReadBenchReport(std::string_view json);

}  // namespace rafter
