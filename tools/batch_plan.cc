#include "tools/batch_plan.h"

#include <filesystem>
#include <optional>

#include "collector/store/run_file.h"
#include "collector/table/reason_text.h"
#include "tools/shell_quote.h"

namespace rafter {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> ProgramWords(const BatchRequest& request, const PlannedProgram& planned) {
  std::vector<std::string> words = {planned.program.path};
  if (planned.program.is_benchmark) {
    words.push_back("--benchmark_out=" + planned.json);
    words.emplace_back("--benchmark_out_format=json");
  }
  words.insert(words.end(), request.target_args.begin(), request.target_args.end());
  return words;
}

// What is known of a run file that is there.
struct Report {
  bool is_ours = false;  // a run file, which a new run may take the place of
  std::string unsound;   // why its numbers are not used
  std::string command;   // that it is of
};

Report LookAt(const std::string& path) {
  Report report;
  auto file = RunFile::OpenForReading(path);
  auto run = file.ok() ? (*file)->Read() : absl::StatusOr<Run>(file.status());
  if (!run.ok()) {
    report.unsound = std::string(run.status().message());
    return report;
  }
  report.is_ours = true;
  report.command = run->command;
  if (!run->exit_status.has_value()) {
    report.unsound = path + ": its run did not come to an end";
  } else if (*run->exit_status != 0) {
    report.unsound = path + ": its program ended with status " + std::to_string(*run->exit_status);
  }
  return report;
}

bool IsOlder(const std::string& report, const std::string& program) {
  std::error_code error;
  const auto of_report = fs::last_write_time(report, error);
  if (error) return false;
  const auto of_program = fs::last_write_time(program, error);
  return !error && of_report < of_program;
}

// How a report that is used may not be what was asked for.
std::string RemarkOn(const Report& report, const PlannedProgram& planned,
                     const std::string& command) {
  std::string remark;
  if (!report.command.empty() && report.command != command) {
    remark = planned.report + ": is of another command (" + report.command + ")";
  } else if (IsOlder(planned.report, planned.program.path)) {
    remark = planned.report + ": is older than the program";
  }
  return remark.empty() ? remark : remark + "; it is used all the same, --force counts again";
}

std::vector<std::string> RunWords(const BatchRequest& request, const std::string& self,
                                  const PlannedProgram& planned, bool force, bool replay) {
  std::vector<std::string> words = {self, "run"};
  const std::vector<std::string> options = request.RunOptions();
  words.insert(words.end(), options.begin(), options.end());
  if (replay) {
    words.insert(words.end(), {"--replay", "application"});
  } else if (request.counting.replay.origin == "--replay") {
    words.insert(words.end(), {"--replay", *request.counting.replay.value});
  }
  if (force) words.emplace_back("--force");
  words.insert(words.end(), {"-o", planned.report, "--"});
  const std::vector<std::string> program = ProgramWords(request, planned);
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

PlannedProgram Plan(const BatchRequest& request, const std::string& self,
                    const BatchProgram& program) {
  PlannedProgram planned;
  planned.program = program;
  const std::string base = (fs::path(*request.report_dir.value) / program.name).string();
  planned.report = base + kReportEnding;
  planned.failed = base + kFailedEnding;
  planned.json = base + ".json";
  planned.log = base + ".log";
  if (request.skip_profile) return planned;
  std::error_code unknown;
  const bool is_there = fs::exists(planned.report, unknown);
  bool force = request.force && is_there;
  if (is_there && !request.force) {
    const Report report = LookAt(planned.report);
    if (report.unsound.empty()) {
      planned.remark = RemarkOn(report, planned, ShellCommand(ProgramWords(request, planned)));
      return planned;
    }
    if (!report.is_ours) {
      planned.blocked = report.unsound + "; move it, or give --force to overwrite it";
      return planned;
    }
    planned.remark = report.unsound + "; it is counted again";
    force = true;
  }
  planned.words = RunWords(request, self, planned, force, false);
  if (request.replays_where_needed()) {
    planned.again = RunWords(request, self, planned, true, true);
  }
  return planned;
}

std::string Redirected(const std::vector<std::string>& words, const std::string& log,
                       const char* arrow) {
  return ShellCommand(words) + " < /dev/null " + arrow + " " + ShellQuote(log) + " 2>&1\n";
}

// What is made of all of them.
std::string OutputsText(const BatchRequest& request) {
  std::vector<std::string> names;
  if (request.makes_runs()) names.push_back(ShellQuote(request.runs()) + " (the run file of all)");
  if (!request.no_csv) names.push_back(ShellQuote(request.csv()));
  for (const std::string& chart : request.charts) names.push_back(ShellQuote(chart));
  return "# and, of all that gives rows: " + Join(names, ", ") + "\n";
}

}  // namespace

std::vector<PlannedProgram> PlanBatch(const BatchRequest& request, const std::string& self,
                                      const std::vector<BatchProgram>& programs) {
  std::vector<PlannedProgram> plan;
  plan.reserve(programs.size());
  for (const BatchProgram& program : programs) plan.push_back(Plan(request, self, program));
  return plan;
}

std::string DryRunText(const BatchRequest& request, const std::vector<PlannedProgram>& plan) {
  std::string text;
  std::error_code unknown;
  if (!request.skip_profile && !fs::is_directory(*request.report_dir.value, unknown)) {
    text = "mkdir -p " + ShellQuote(*request.report_dir.value) + "\n";
  }
  for (const PlannedProgram& planned : plan) {
    std::string comment = planned.program.name;
    if (!planned.blocked.empty()) {
      comment += ": not run, " + planned.blocked;
    } else if (planned.words.empty()) {
      comment += ": not run, " + planned.report + " is used";
    } else {
      comment +=
          planned.program.is_benchmark ? ": a Google Benchmark program" : ": another program";
    }
    if (!planned.remark.empty()) comment += "; " + planned.remark;
    text += "# " + comment + "\n";
    if (planned.words.empty()) continue;
    if (fs::exists(planned.json, unknown)) text += "rm -f " + ShellQuote(planned.json) + "\n";
    text += Redirected(planned.words, planned.log, ">");
    if (planned.again.empty()) continue;
    text += "# and, where that leaves regions that lack sets:\n# " +
            Redirected(planned.again, planned.log, ">>");
  }
  return text + OutputsText(request);
}

}  // namespace rafter
