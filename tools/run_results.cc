#include "tools/run_results.h"

#include <algorithm>
#include <set>
#include <utility>

#include "collector/roofline/roofline.h"
#include "collector/table/aggregate.h"
#include "tools/chart_output.h"
#include "tools/message.h"
#include "tools/run_cost.h"
#include "tools/run_summary.h"
#include "tools/run_table.h"
#include "tools/shell_quote.h"

namespace rafter {

Status RunResults::Take() {
  if (request_.csv.value.has_value()) {
    Result<OutputFile> file = OutputFile::Take(*request_.csv.value, request_.force);
    if (!file.ok()) return file.status();
    csv_.emplace(std::move(*file));
  }
  for (const std::string& chart : request_.charts) {
    Result<OutputFile> file = OutputFile::Take(chart, request_.force);
    if (!file.ok()) return file.status();
    charts_.push_back(std::move(*file));
  }
  return Status::Ok();
}

bool RunResults::Put(OutputFile& file, const std::string& content) {
  const Status written = file.Write(content);
  if (written.ok()) return true;
  const bool is_table = csv_.has_value() && &file == &*csv_;
  Say("run: " + written.message() + ", then make it from the run file: rafter " +
      (is_table ? "report " : "roofline ") + ShellQuote(run_file_) + " --output FILE");
  Lack(written.message());
  return false;
}

// Rows that lack instances of some set, where all were asked for.
void RunResults::CheckExact(const Table& table) {
  if (!request_.counting.exact) return;
  const auto inexact = std::count_if(table.rows.begin(), table.rows.end(), [](const Row& row) {
    if (!row.calls.has_value()) return false;  // no region, which is said by itself
    return row.validity == "missing" || row.validity == "extrapolated" ||
           row.measured_calls.value_or(0) < row.calls.value_or(0);
  });
  if (inexact == 0) return;
  const std::string text = "--exact: " + std::to_string(inexact) + " of " +
                           CountText(table.rows.size(), "row", "rows") +
                           " lack instances in some set; the rows say why";
  Say("run: " + text);
  Lack(text);
}

// Ranks that were asked for and that no process had. A `rafter run` that is a rank
// itself sees its own alone.
void RunResults::CheckRanks(const Run& run) {
  if (request_.is_rank) return;
  std::set<uint64_t> seen;
  for (const RunProcess& process : run.processes) {
    if (process.rank.has_value()) seen.insert(*process.rank);
  }
  const std::vector<RankSpan> absent = AbsentRanks(request_.counting.wanted_ranks, seen);
  if (absent.empty()) return;
  const std::string text = "--ranks: no process that was counted was of rank " + SpansText(absent) +
                           "; the launcher's variable says who is, another one is named in "
                           "RAFTER_RANK_VARIABLE";
  Say("run: " + text);
  Lack(text);
}

void RunResults::DrawCharts(const Table& given, std::vector<std::string>& lines) {
  if (charts_.empty()) return;
  const Table table =
      request_.rows.Arrange(given, request_.choices.Levels(), Aggregation::kSum, lines);
  RooflineOptions options;
  options.peak_flop_per_s = request_.peak_flop_per_s;
  options.peak_bytes_per_s = request_.peak_bytes_per_s;
  const Roofline roofline = BuildRoofline(table, options);
  for (OutputFile& chart : charts_) {
    std::vector<std::string> notes;
    Result<std::string> drawing = DrawChart({roofline, table}, chart.path(), notes);
    if (!drawing.ok()) {  // what cannot be drawn in one format cannot in any
      Say("run: " + drawing.status().message());
      Lack(drawing.status().message());
      break;
    }
    if (!Put(chart, *drawing)) continue;
    // What is not drawn is the same for every format.
    const bool is_first = &chart == &charts_.front();
    lines.insert(lines.end(), notes.begin(), is_first ? notes.end() : notes.begin() + 1);
  }
}

std::string RunResults::Write(Run given, const std::string& run_file, bool entered) {
  run_file_ = run_file;
  std::vector<std::string> cost_lines = CostLines(given);
  TableOptions choices = request_.choices.Options();
  choices.peak_flop_per_s = request_.peak_flop_per_s;
  choices.peak_bytes_per_s = request_.peak_bytes_per_s;
  RunTable made = TableOfRun(std::move(given), choices);
  const Run& run = made.replayed.run;
  const Table& table = made.table;
  std::vector<std::string> lines = SummaryOf(run_file_, run, table, entered);
  if (made.replayed.joined > 0) {
    lines.front() += ", " + std::to_string(made.replayed.joined) + " runs put together";
    if (!made.remark.empty()) lines.insert(lines.begin() + 1, made.remark);
  }
  if (!made.refused.empty()) {
    Say("run: " + made.refused);
    Lack(made.refused);
  }
  CheckExact(table);
  CheckRanks(run);
  if (csv_.has_value()) {
    const Table rows =
        request_.rows.Arrange(table, request_.choices.Levels(), Aggregation::kNone, lines);
    const bool written = Put(*csv_, ToCsv(rows));
    if (written) lines.push_back(csv_->path() + ": " + CountText(rows.rows.size(), "row", "rows"));
  }
  DrawCharts(table, lines);
  const std::vector<std::string> overhead = OverheadLines(run.program_runs);
  lines.insert(lines.end(), cost_lines.begin(), cost_lines.end());
  lines.insert(lines.end(), overhead.begin(), overhead.end());
  for (const std::string& line : lines) {
    if (!request_.quiet) Say(line);
  }
  std::string reason;
  if (!CountersObtained(run, table, reason)) Lack(reason);
  return lacking_;
}

}  // namespace rafter
