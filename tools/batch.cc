// `rafter batch`: counts a set of programs, into one run file and one table.
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "tools/batch_outputs.h"
#include "tools/batch_plan.h"
#include "tools/batch_programs.h"
#include "tools/batch_request.h"
#include "tools/batch_run.h"
#include "tools/batch_runs.h"
#include "tools/child.h"
#include "tools/counting_forecast.h"
#include "tools/exit_status.h"
#include "tools/merge.h"
#include "tools/message.h"
#include "tools/run_request.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

namespace fs = std::filesystem;

int Refuse(const std::string& line) { return SayWrongUse("batch: " + line); }

// What `rafter run` would refuse of one command, or say before it starts.
std::optional<int> CheckCommand(const std::vector<std::string>& words, const Variables& variables,
                                bool quiet) {
  RunRequest request;
  const auto refused = ReadRunRequest({words.begin() + 2, words.end()}, variables, request);
  if (refused.has_value()) return refused;
  if (request.likwid.chosen() || !request.sets_by_run.empty()) return std::nullopt;
  const Result<std::vector<std::string>> forecast = ForecastCounting(request, variables);
  if (!forecast.ok()) return Refuse(forecast.status().message());
  for (const std::string& line : *forecast) {
    if (!quiet) Say(line);
  }
  return std::nullopt;
}

// The options of run are run's to check, before anything starts. They are the same for
// all programs.
std::optional<int> CheckRunOptions(const std::vector<PlannedProgram>& plan,
                                   const Variables& variables, bool quiet) {
  for (const PlannedProgram& planned : plan) {
    if (planned.words.empty()) continue;
    const auto refused = CheckCommand(planned.words, variables, quiet);
    if (refused.has_value() || planned.again.empty()) return refused;
    return CheckCommand(planned.again, variables, true);
  }
  return std::nullopt;
}

std::string SummaryLine(const std::vector<BatchOutcome>& outcomes) {
  const std::pair<BatchState, const char*> words[] = {
      {BatchState::kCounted, "counted"},
      {BatchState::kReused, "taken from reports that were there"},
      {BatchState::kNoCounters, "without all counters"},
      {BatchState::kNoGpu, "never reached the GPU"},
      {BatchState::kFailed, "failed"},
      {BatchState::kNotRun, "not run"}};
  std::string line = "batch: " + CountText(outcomes.size(), "program", "programs");
  const char* separator = ": ";
  for (const auto& [state, word] : words) {
    size_t count = 0;
    for (const BatchOutcome& outcome : outcomes) count += outcome.state == state ? 1 : 0;
    if (count == 0) continue;
    line += separator + std::to_string(count) + " " + word;
    separator = ", ";
  }
  return line;
}

// Whether all programs gave what was asked for; says the counts, and which did not.
bool SaySummary(const std::vector<BatchOutcome>& outcomes, bool quiet) {
  bool complete = true;
  if (!quiet) Say(SummaryLine(outcomes));
  for (const BatchOutcome& outcome : outcomes) {
    complete = complete && outcome.result.troubles.empty();
    if (outcome.why.empty()) continue;
    complete = false;
    const bool failed = outcome.state == BatchState::kFailed;
    const bool no_gpu = outcome.state == BatchState::kNoGpu;
    Say("batch: " + outcome.name +
        (failed   ? ": failed: "
         : no_gpu ? ": never reached the GPU: "
                  : ": ") +
        outcome.why);
  }
  return complete;
}

// Rows of the tables that were given, then those of the programs.
int Finish(const BatchRequest& request, const std::vector<PlannedProgram>& plan,
           std::vector<NamedTable> tables, std::vector<BatchOutcome> outcomes,
           BatchOutputs& outputs) {
  bool complete = outcomes.empty() || SaySummary(outcomes, request.quiet);
  complete = outputs.WriteRuns(plan, outcomes) && complete;
  for (BatchOutcome& outcome : outcomes) {
    if (outcome.result.table.rows.empty()) continue;
    tables.push_back({outcome.name, std::move(outcome.result.table)});
  }
  if (tables.empty()) {
    Say("batch: no program gave a row, so nothing is written");
    return kIncomplete;
  }
  MergedTable merged = MergeTables(std::move(tables));
  for (const std::string& warning : merged.warnings) Say(warning);
  complete = outputs.Write(merged.table) && merged.warnings.empty() && complete;
  return complete ? kDone : kIncomplete;
}

// The tables of --from-csv; what --precision and the like choose is settled in them.
Result<std::vector<NamedTable>> ReadGiven(const BatchRequest& request,
                                          std::vector<std::string>& notes) {
  TableChoices choices;
  choices.peak_flop_per_s = request.choices.peak_flop_per_s;
  choices.peak_bytes_per_s = request.choices.peak_bytes_per_s;
  std::vector<NamedTable> tables;
  for (const std::string& path : request.tables) {
    Result<Table> table = ReadTables({path}, choices, notes);
    if (!table.ok()) return table.status();
    tables.push_back({path, std::move(*table)});
  }
  return tables;
}

Result<std::vector<PlannedProgram>> MakePlan(const BatchRequest& request,
                                             std::vector<std::string>& notes) {
  if (request.patterns.empty()) return std::vector<PlannedProgram>();
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    return Status::Failed("/proc/self/exe: cannot be read (" + error.message() +
                          "); mount /proc, programs are run by rafter run");
  }
  Result<std::vector<BatchProgram>> programs =
      request.skip_profile ? FindReported(request) : FindPrograms(request, notes);
  if (!programs.ok()) return programs.status();
  return PlanBatch(request, self.string(), *programs);
}

// What is said of each program before it is run.
void SayPlan(const BatchRequest& request, const std::vector<PlannedProgram>& plan) {
  for (const PlannedProgram& planned : plan) {
    if (!planned.remark.empty() && !request.quiet) Say(planned.remark);
    if (!request.verbose || planned.words.empty()) continue;
    Say(planned.program.name +
        (planned.program.is_benchmark ? ": a Google Benchmark program" : ": another program"));
  }
}

Status MakeReportFolder(const BatchRequest& request) {
  if (request.patterns.empty() || request.skip_profile) return Status::Ok();
  std::error_code error;
  fs::create_directories(*request.report_dir.value, error);
  if (!error) return Status::Ok();
  return Status::Failed("--report-dir " + *request.report_dir.value + ": cannot be made (" +
                        error.message() + "); choose a place that you may write to");
}

}  // namespace

int VerbBatch(Words words) {
  const std::vector<int> inherited = OpenDescriptors();
  const Variables variables = CurrentVariables();
  BatchRequest request;
  const auto status = ReadBatchRequest({words.begin(), words.end()}, variables, request);
  if (status.has_value()) return *status;
  for (const std::string& unknown : UnknownVariables(variables)) {
    if (!request.quiet) Say(unknown);
  }
  std::vector<std::string> notes;
  const Result<std::vector<PlannedProgram>> plan = MakePlan(request, notes);
  if (!plan.ok()) return Refuse(plan.status().message());
  if (const Status free = CheckBatchRuns(request, *plan); !free.ok()) return Refuse(free.message());
  const auto refused = CheckRunOptions(*plan, variables, request.quiet || request.dry_run);
  if (refused.has_value()) return *refused;
  Result<std::vector<NamedTable>> given = ReadGiven(request, notes);
  if (!given.ok()) return Refuse(given.status().message());
  const bool found_all = notes.empty();
  for (const std::string& note : notes) Say("batch: " + note);
  if (request.dry_run) {
    return Print(DryRunText(request, *plan)) && found_all ? kDone : kIncomplete;
  }
  BatchOutputs outputs(request);
  if (const Status taken = outputs.Take(); !taken.ok()) return Refuse(taken.message());
  if (const Status made = MakeReportFolder(request); !made.ok()) return Refuse(made.message());
  if (!request.makes_runs() && !request.quiet) {
    Say("tables of --from-csv are no runs, so " + request.runs() + " is not written");
  }
  SayPlan(request, *plan);
  std::vector<BatchOutcome> outcomes = RunBatch(request, *plan, variables, inherited);
  const int finished = Finish(request, *plan, std::move(*given), std::move(outcomes), outputs);
  return found_all ? finished : kIncomplete;
}

}  // namespace rafter
