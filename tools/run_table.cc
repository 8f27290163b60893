#include "tools/run_table.h"

#include <optional>
#include <utility>

#include "collector/bench_report/bench_report.h"
#include "collector/bench_report/join_report.h"

namespace rafter {
namespace {

constexpr char kMissing[] = "; Paradigm and Benchmark Problem are missing";

struct Lines {
  std::vector<std::string> troubles;
  std::vector<std::string> notes;
};

// The report of the program, where it is one of Google Benchmark's.
std::optional<BenchReport> Parse(const ProgramReport& given, Lines& lines) {
  if (!given.trouble.empty()) lines.troubles.push_back(given.trouble);
  if (given.json.empty()) return std::nullopt;
  absl::StatusOr<BenchReport> report = ReadBenchReport(given.json);
  if (!report.ok()) {
    lines.troubles.push_back(given.source + ": " + std::string(report.status().message()) +
                             kMissing);
    return std::nullopt;
  }
  for (const std::string& trouble : report->troubles) {
    lines.troubles.push_back(given.source + ": " + trouble);
  }
  for (const Benchmark& benchmark : report->benchmarks) {
    if (!benchmark.failure.empty()) {
      lines.troubles.push_back("benchmark " + benchmark.run_name + " failed: " + benchmark.failure);
    } else if (!benchmark.skipped.empty()) {
      lines.notes.push_back("benchmark " + benchmark.run_name +
                            " was skipped: " + benchmark.skipped);
    }
  }
  return std::move(*report);
}

// The rows of `run`, as the report says what they are.
Table MakeTable(const Run& run, const TableOptions& options,
                const std::optional<BenchReport>& report, std::vector<std::string>& notes) {
  Table table = BuildTable(run, options);
  if (!report.has_value()) return table;
  const std::string precision = options.precision == "auto" ? PrecisionOf(*report) : "";
  if (!precision.empty()) {
    TableOptions built = options;
    built.precision = precision;
    table = FollowPrecision(BuildTable(run, built), std::move(table), notes);
  }
  JoinReport(*report, table, notes);
  return table;
}

}  // namespace

RunTable TableOfRun(Run run, const TableOptions& options) {
  const std::string name = run.name.empty() ? "" : run.name + ": ";
  RunTable made;
  Lines lines;
  const std::optional<BenchReport> report = Parse(run.report, lines);
  made.replayed = JoinReplays(std::move(run));
  made.table = MakeTable(made.replayed.run, options, report, lines.notes);
  for (const std::string& note : lines.notes) made.table.notes.push_back(name + note);
  for (const std::string& trouble : lines.troubles) made.troubles.push_back(name + trouble);
  if (!made.replayed.other_calls.empty()) {
    made.remark = name + "application replay: not all runs called each region as often (" +
                  made.replayed.other_calls +
                  "); amounts are those of a mean call of the set's run times the calls of the "
                  "first run";
    made.table.notes.push_back(made.remark);
  }
  if (made.replayed.refused.empty()) return made;
  made.refused = name +
                 "application replay: the runs did not do the same, so they are not put together "
                 "and rows are those of single runs: " +
                 made.replayed.refused +
                 "; let every run do the same (inputs, seeds, number of steps), or " +
                 "count one run without --replay and --exact";
  made.table.notes.insert(made.table.notes.begin(), made.refused);
  return made;
}

}  // namespace rafter
