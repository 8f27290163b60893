#include "tools/likwid_run.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "collector/ingest/marker_process.h"
#include "collector/ingest/scale_proof.h"
#include "collector/store/run_file.h"
#include "collector/table/empty_rows.h"
#include "tools/absl_status.h"
#include "tools/child.h"
#include "tools/exit_status.h"
#include "tools/likwid_lines.h"
#include "tools/likwid_plan.h"
#include "tools/likwid_proof.h"
#include "tools/likwid_target.h"
#include "tools/message.h"
#include "tools/run_ending.h"
#include "tools/run_input.h"
#include "tools/run_results.h"
#include "tools/shell_quote.h"

namespace rafter {
namespace {

// All that a run holds while LIKWID counts its program.
class LikwidRun {
 public:
  LikwidRun(const RunRequest& request, const Variables& variables, RunInput input,
            std::vector<int> inherited, std::vector<LikwidGroup> groups)
      : request_(request),
        variables_(variables),
        input_(input),
        inherited_(std::move(inherited)),
        groups_(std::move(groups)),
        results_(request) {}

  int Execute();

 private:
  void SayUnlessQuiet(const std::string& line) const {
    if (!request_.quiet) Say(line);
  }
  Status TakeOutputs();
  Status FindScale();
  // Leaves nothing behind of a run whose program never started.
  void Abandon();
  // Starts the program and waits for it; the errno when it could not be started.
  // `number` 0: without LIKWID.
  int RunProgram(size_t number, const Variables& environment, const NullStreams& streams,
                 Ending& ending);
  // Run `number`, from 1, of the program that ended so before; why there was none, or nothing.
  std::string RunAgain(size_t number, Ending& ending);
  std::string NameOf(size_t number) const { return "run-" + std::to_string(number); }
  void SayRun(size_t number) const;
  // Takes over what the processes of run `number` left behind.
  void Collect(size_t number, const Ending& ending);
  void Keep(size_t number, const MarkerResult& result);
  Ending RunOtherGroups(Ending last);
  void RunWithoutLikwid(const Ending& last);
  void Finish(const Ending& ending);
  void Check(const absl::Status& status) {
    if (status.ok()) return;
    Say("run: " + std::string(status.message()));
    Lack(std::string(status.message()));
  }
  void Lack(const std::string& reason) {
    if (lacking_.empty()) lacking_ = reason;
  }

  const RunRequest& request_;
  const Variables& variables_;
  const RunInput input_;
  const std::vector<int> inherited_;
  const std::vector<LikwidGroup> groups_;
  HeldSignals signals_;
  std::optional<LikwidTarget> target_;
  std::unique_ptr<RunFile> run_file_;
  RunResults results_;
  std::vector<ProgramRun> program_runs_;
  double scale_ = 0;
  ScaleOrigin origin_ = ScaleOrigin::kKept;
  size_t processes_ = 0;  // of the last run, that left a result
  std::string lacking_;   // why counters were not obtained; empty: they were
};

Status LikwidRun::TakeOutputs() {
  RAFTER_RETURN_IF_ERROR(results_.Take());
  auto file = RunFile::Create(*request_.output.value, request_.force ? RunFile::Existing::kReplace
                                                                     : RunFile::Existing::kRefuse);
  if (!file.ok()) return ToStatus(file.status());
  run_file_ = *std::move(file);
  return Status::Ok();
}

void LikwidRun::Abandon() {
  (void)run_file_->Close();
  unlink(run_file_->path().c_str());
}

Status LikwidRun::FindScale() {
  scale_ = request_.likwid.given_scale.value_or(kKeptScale);
  if (request_.likwid.given_scale.has_value()) origin_ = ScaleOrigin::kGiven;
  if (!request_.likwid.proves_scale()) return Status::Ok();
  SayUnlessQuiet("a known kernel first, to prove the counter scale");
  Result<LikwidScale> proved = ProveLikwidScale(*target_, groups_, signals_, inherited_);
  if (!proved.ok()) return Status::Failed("--counter-scale auto: " + proved.status().message());
  for (const std::string& line : proved->lines) SayUnlessQuiet(line);
  scale_ = proved->scale;
  origin_ = ScaleOrigin::kProved;
  return Status::Ok();
}

int LikwidRun::RunProgram(size_t number, const Variables& environment, const NullStreams& streams,
                          Ending& ending) {
  const auto start = std::chrono::steady_clock::now();
  const Spawned spawned = Spawn(request_.program, environment, signals_, inherited_, streams);
  if (spawned.error != 0) return spawned.error;
  ending = Await(spawned.pid, signals_, request_.timeout_s);
  const auto wall = std::chrono::steady_clock::now() - start;
  SayEnding(request_.program[0], ending, request_.timeout_s, request_.quiet);
  program_runs_.push_back(
      {static_cast<uint32_t>(number), number == 0 ? "" : TitleOf(groups_[number - 1]),
       ending.exit_status,
       static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count())});
  return 0;
}

void LikwidRun::SayRun(size_t number) const {
  const LikwidGroup& group = groups_[number - 1];
  SayUnlessQuiet("run " + std::to_string(number) + " of " + std::to_string(groups_.size()) + ": " +
                 (group.title.empty() ? "" : group.title + ": ") + EventsOf(group));
}

std::string LikwidRun::RunAgain(size_t number, Ending& ending) {
  if (const Status rewound = input_.Rewind(); !rewound.ok()) return rewound.message();
  SayRun(number);
  const int error = RunProgram(number, target_->EnvironmentOf(NameOf(number), groups_[number - 1]),
                               {input_.is_terminal(), true, false}, ending);
  if (error != 0) return "the program could not be started again (" + ErrnoText(error) + ")";
  Collect(number, ending);
  return "";
}

void LikwidRun::Keep(size_t number, const MarkerResult& result) {
  MarkerCounting counting;
  counting.run = groups_.size() > 1 ? static_cast<uint32_t>(number) : 0;
  counting.name = "run " + std::to_string(number) + " (" + TitleOf(groups_[number - 1]) + ")";
  counting.events = groups_[number - 1].events;
  counting.scale = scale_;
  counting.origin = origin_;
  const RunProcess process = MarkerProcessOf(result);
  const absl::StatusOr<int64_t> id = run_file_->AddMarkerProcess(process);
  if (!id.ok()) return Check(id.status());
  for (const RunNote& note : process.notes) {
    Check(run_file_->AddNote(*id, note));
    const std::string line = ProcessName(process) + ": " + note.text;
    if (note.severity == "failure") {
      Say(line);
      Lack(note.text);
    } else if (!request_.quiet && (note.severity == "warning" || request_.verbose)) {
      Say(line);
    }
  }
  Check(run_file_->AddMarkerReadings(MarkerReadingsOf(result, counting, *id)));
}

void LikwidRun::Collect(size_t number, const Ending& ending) {
  const LikwidTarget::Written written = target_->Read(NameOf(number));
  processes_ = written.results.size();
  for (const std::string& trouble : written.troubles) {
    Say("run: " + trouble);
    Lack(trouble);
  }
  for (const MarkerResult& result : written.results) Keep(number, result);
  if (processes_ > 0) return;
  const std::string why =
      WhyNothingOfLikwid(request_.program[0], ending, !written.troubles.empty());
  Say("run: " + why);
  Lack(why);
  Check(run_file_->AddCollectorLoss(kNoMarkerLoss, 1));
}

// The runs after the first; how the last of them ended.
Ending LikwidRun::RunOtherGroups(Ending last) {
  const int first_status = last.exit_status;
  for (size_t number = 2; number <= groups_.size(); ++number) {
    std::string why = WhyNoMoreRuns(last);
    if (why.empty() && processes_ == 0) why = "nothing was counted in it";
    if (why.empty() && last.exit_status != first_status) {
      why = "it ended with status " + std::to_string(last.exit_status) + ", the first with " +
            std::to_string(first_status);
    }
    if (why.empty()) why = RunAgain(number, last);
    if (why.empty()) continue;
    std::string titles = TitleOf(groups_[number - 1]);
    for (size_t k = number; k < groups_.size(); ++k) titles += "; " + TitleOf(groups_[k]);
    const std::string text = "not counted: " + titles + ": run " + std::to_string(number - 1) +
                             " was the last, since " + why;
    Say("run: " + text);
    Lack(text);
    break;
  }
  return last;
}

// After the counted runs, so that cold caches never make counting look cheap.
void LikwidRun::RunWithoutLikwid(const Ending& last) {
  std::string why = WhyNoMoreRuns(last);
  if (const Status rewound = input_.Rewind(); why.empty() && !rewound.ok()) why = rewound.message();
  Variables environment = variables_;
  environment.erase("RAFTER_OUTPUT");
  Ending ending;
  if (why.empty()) {
    SayUnlessQuiet("run without Rafter, to see what counting costs");
    const int error = RunProgram(0, environment, {input_.is_terminal(), true, true}, ending);
    if (error != 0) why = "the program could not be started again (" + ErrnoText(error) + ")";
  }
  if (!why.empty()) Say("run: --measure-overhead: it was not run without Rafter, since " + why);
}

void LikwidRun::Finish(const Ending& ending) {
  Check(run_file_->SetCommand(ShellCommand(request_.program), ending.exit_status));
  if (program_runs_.size() > 1) {
    for (const ProgramRun& each : program_runs_) Check(run_file_->AddProgramRun(each));
  }
  Check(run_file_->Commit());
  absl::StatusOr<Run> run = run_file_->Read();
  Check(run.status());
  if (run.ok()) {
    const std::vector<std::string> spread =
        request_.verbose ? DurationLines(*run) : std::vector<std::string>();
    for (const std::string& line : spread) Say(line);
    Lack(results_.Write(*std::move(run), run_file_->path(), false));
  }
  Check(run_file_->Close());
}

int LikwidRun::Execute() {
  Result<LikwidTarget> target = LikwidTarget::Make(request_, variables_);
  if (!target.ok()) return SayWrongUse("run: LIKWID cannot count: " + target.status().message());
  target_.emplace(std::move(*target));
  if (const Status status = TakeOutputs(); !status.ok()) {
    return SayWrongUse("run: " + status.message());
  }
  if (const Status status = FindScale(); !status.ok()) {
    Abandon();
    return SayWrongUse("run: " + status.message());
  }
  if (input_.is_terminal()) {
    SayUnlessQuiet("standard input is a terminal; the program reads /dev/null in every run");
  }
  SayRun(1);
  Ending ending;
  const Variables environment = target_->EnvironmentOf(NameOf(1), groups_[0]);
  if (const int error = RunProgram(1, environment, {input_.is_terminal()}, ending); error != 0) {
    Abandon();
    return SayStartFailed(request_.program[0], error);
  }
  Collect(1, ending);
  const Ending last = RunOtherGroups(ending);
  if (request_.counting.measure_overhead) RunWithoutLikwid(last);
  Finish(ending);
  if (ending.timed_out && ending.signal == 0) return kSignalBase + SIGTERM;
  if (request_.strict && !lacking_.empty()) {
    Say("run: not all was obtained (--strict): " + lacking_);
    if (ending.exit_status == 0) return kNotCounted;
  }
  return ending.exit_status;
}

}  // namespace

int RunWithLikwid(const RunRequest& request, const Variables& variables, bool has_input,
                  std::vector<int> inherited) {
  Result<LikwidForecast> forecast = ForecastLikwid(request.likwid, CuptiSearchOf(variables));
  if (!forecast.ok()) return SayWrongUse("run: --source likwid: " + forecast.status().message());
  RunInput input;
  const bool several = forecast->groups.size() > 1 || request.counting.measure_overhead;
  if (several) {
    Result<RunInput> inspected = RunInput::Inspect(has_input, "--source likwid");
    if (!inspected.ok()) return SayWrongUse("run: " + inspected.status().message());
    input = *inspected;
  }
  for (const std::string& warning : forecast->warnings) {
    if (!request.quiet) Say(warning);
  }
  return LikwidRun(request, variables, input, std::move(inherited), std::move(forecast->groups))
      .Execute();
}

}  // namespace rafter
