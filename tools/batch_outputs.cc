#include "tools/batch_outputs.h"

#include <utility>

#include "collector/roofline/roofline.h"
#include "tools/batch_runs.h"
#include "tools/chart_output.h"
#include "tools/message.h"

namespace rafter {
namespace {

Result<OutputFile> TakePlace(const std::string& name, const BatchRequest& request) {
  Result<OutputFile> file = OutputFile::Take(name, request.force);
  if (file.ok()) return file;
  const bool runs_again = !request.patterns.empty() && !request.force && !request.skip_profile;
  return Status::Failed(file.status().message() +
                        (runs_again ? " (with --force every program is run again)" : ""));
}

}  // namespace

Status BatchOutputs::Take() {
  std::vector<std::string> names = request_.charts;
  if (!request_.no_csv) names.insert(names.begin(), request_.csv());
  for (const std::string& name : names) {
    Result<OutputFile> file = TakePlace(name, request_);
    if (!file.ok()) return file.status();
    files_.push_back(std::move(*file));
  }
  if (!request_.makes_runs()) return Status::Ok();
  Result<OutputFile> file = TakePlace(request_.runs(), request_);
  if (!file.ok()) return file.status();
  if (file->is_special()) {
    return Status::Failed(request_.runs() +
                          ": not a regular file, which a run file is; give -o another name");
  }
  runs_.emplace(std::move(*file));
  return Status::Ok();
}

bool BatchOutputs::WriteRuns(const std::vector<PlannedProgram>& plan,
                             const std::vector<BatchOutcome>& outcomes) {
  if (!runs_.has_value()) return true;
  std::vector<std::string> troubles;
  const Result<size_t> programs = WriteBatchRuns(*runs_, plan, outcomes, troubles);
  for (const std::string& trouble : troubles) Say("batch: " + trouble);
  if (!programs.ok()) {
    Say("batch: " + programs.status().message());
    return false;
  }
  const bool has_tables = !request_.tables.empty();
  std::string said;
  if (*programs > 0) {
    said = CountText(*programs, "program", "programs") +
           (has_tables ? ", without the tables of --from-csv, which are no runs" : "");
  } else if (has_tables) {
    said = "not written, no program gave a row";
  }
  if (!said.empty() && !request_.quiet) Say(runs_->path() + ": " + said);
  return troubles.empty();
}

bool BatchOutputs::Write(const Table& given) {
  bool complete = true;
  std::vector<std::string> notes;
  const std::vector<std::string> levels = request_.choices.Levels();
  const Table table = request_.rows.Arrange(given, levels, Aggregation::kNone, notes);
  Table drawn;
  if (!request_.charts.empty()) {
    drawn = request_.rows.Arrange(given, levels, Aggregation::kSum, notes);
  }
  RooflineOptions options;
  options.peak_flop_per_s = request_.choices.peak_flop_per_s;
  options.peak_bytes_per_s = request_.choices.peak_bytes_per_s;
  const Roofline roofline = BuildRoofline(drawn, options);
  for (size_t i = 0; i < files_.size(); ++i) {
    OutputFile& file = files_[i];
    const bool is_table = i == 0 && !request_.no_csv;
    Result<std::string> content = is_table ? Result<std::string>(ToCsv(table))
                                           : DrawChart({roofline, drawn}, file.path(), notes);
    const Status written = content.ok() ? file.Write(*content) : content.status();
    if (!written.ok()) Say("batch: " + written.message());
    complete = complete && written.ok();
    if (is_table && written.ok()) {
      notes.push_back(file.path() + ": " + CountText(table.rows.size(), "row", "rows"));
    }
  }
  for (const std::string& note : notes) {
    if (!request_.quiet) Say(note);
  }
  return complete;
}

}  // namespace rafter
