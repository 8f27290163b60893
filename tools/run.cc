// `rafter run`: counts one command.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "collector/ingest/collector.h"
#include "collector/store/run_file.h"
#include "tools/absl_status.h"
#include "tools/child.h"
#include "tools/counting_forecast.h"
#include "tools/exit_status.h"
#include "tools/injection.h"
#include "tools/likwid_run.h"
#include "tools/marker_entry.h"
#include "tools/message.h"
#include "tools/private_folder.h"
#include "tools/run_ending.h"
#include "tools/run_input.h"
#include "tools/run_request.h"
#include "tools/run_results.h"
#include "tools/run_sets.h"
#include "tools/running_collector.h"
#include "tools/shell_quote.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

// How long streams may go on after the program has ended. A process that never
// connected is not waited for at all.
constexpr std::chrono::milliseconds kPatience{5000};

// All that a run holds while its program runs.
class CountedRun {
 public:
  CountedRun(const RunRequest& request, const Variables& variables, RunInput input,
             std::vector<int> inherited)
      : request_(request),
        variables_(variables),
        input_(input),
        inherited_(std::move(inherited)),
        sets_by_run_(request.sets_by_run),
        results_(request) {}

  int Execute();

 private:
  void SayUnlessQuiet(const std::string& line) const {
    if (!request_.quiet) Say(line);
  }
  Status TakeOutputs();
  void PrepareTarget();
  void AddToTarget(const Variables& set);
  void StartCollector(uint32_t replay);
  void LoseCollector(const std::string& reason);
  void CheckRunningCollector();
  void RunOnceOnly();
  void Abandon();
  // Starts the program and waits for it. The errno when it could not be started,
  // else 0 and `ending`; its wall time is kept as that of run `number`.
  int RunProgram(uint32_t number, const Variables& environment, const NullStreams& streams,
                 Ending& ending);
  void StopCollector();
  void ExpandFormats();
  Ending Replay(Ending last);
  std::string RunReplay(uint32_t number, Ending& ending);
  void RunWithoutRafter(const Ending& last);
  void SayFirstRun() const;
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
  std::vector<std::string> sets_by_run_;  // of an application replay
  HeldSignals signals_;                   // before the collector's thread starts
  Variables target_;                      // the program's environment
  std::optional<PrivateFolder> folder_;   // of this run's socket and stand-ins
  std::unique_ptr<RunFile> run_file_;
  std::unique_ptr<Collector> collector_;
  RunResults results_;
  std::vector<ProgramRun> program_runs_;
  bool entered_ = false;  // the library is in the program's way
  bool needs_stand_in_ = false;
  bool can_count_ = false;  // as far as is known before the program starts
  std::string lacking_;     // why counters were not obtained; empty: they were
};

Status CountedRun::TakeOutputs() {
  RAFTER_RETURN_IF_ERROR(results_.Take());
  if (request_.collector.value.has_value()) return Status::Ok();
  auto file = RunFile::Create(*request_.output.value, request_.force ? RunFile::Existing::kReplace
                                                                     : RunFile::Existing::kRefuse);
  if (!file.ok()) return ToStatus(file.status());
  run_file_ = *std::move(file);
  return Status::Ok();
}

// The variables that lead the driver and NVTX to the library, and the library to
// the collector.
void CountedRun::PrepareTarget() {
  target_ = variables_;
  // Ours to read, once: a `rafter run` inside this one has files of its own.
  target_.erase("RAFTER_OUTPUT");
  if (request_.sets.value.has_value()) target_["RAFTER_SET"] = *request_.sets.value;
  if (request_.metrics.value.has_value()) target_["RAFTER_METRICS"] = *request_.metrics.value;
  if (request_.quiet) target_["RAFTER_QUIET"] = "1";
  if (request_.verbose) target_["RAFTER_VERBOSE"] = "1";
  for (const Variables& told : {request_.counting.ForLibrary(), request_.regions.ForLibrary()}) {
    for (const auto& [name, value] : told) {
      target_.erase(name);
      if (!value.empty()) target_[name] = value;
    }
  }
  if (!sets_by_run_.empty()) {
    target_["RAFTER_SET"] = sets_by_run_.front();
    target_.erase("RAFTER_METRICS");  // a run of their own
  }
  const MarkerEntry markers = EnterMarkers(request_.regions, request_.program, target_, folder_);
  for (const std::string& note : markers.notes) SayUnlessQuiet(note);
  AddToTarget(markers.set);
  needs_stand_in_ = markers.has_stand_in;
  for (const std::string& trouble : markers.troubles) {
    Say("run: " + trouble);
    Lack(trouble);
  }
  Result<std::string> library = FindInjectLibrary();
  if (!library.ok()) {
    Say("run: counters are off: " + library.status().message());
    Lack(library.status().message());
    return;
  }
  InjectionPlan plan = PlanInjection(*library, variables_);
  for (const std::string& note : plan.notes) SayUnlessQuiet(note);
  entered_ = true;
  AddToTarget(plan.set);
}

void CountedRun::AddToTarget(const Variables& set) {
  for (const auto& [name, value] : set) {
    target_[name] = value;
    if (request_.verbose) Say(name + "=" + value);
  }
}

void CountedRun::LoseCollector(const std::string& reason) {
  collector_.reset();
  Lack(reason);
  if (!program_runs_.empty()) {  // what was counted so far is kept
    Say("run: no collector: " + reason);
    return;
  }
  Say("run: no collector: " + reason +
      "; the program writes spool files instead, put them together with \"rafter ingest\"");
  unlink(run_file_->path().c_str());
  run_file_.reset();
}

// One for each run of the program, so that what comes late from one run is not
// taken for the next one's.
void CountedRun::StartCollector(uint32_t replay) {
  if (!folder_.has_value()) {
    Result<PrivateFolder> folder = PrivateFolder::Make(variables_);
    if (!folder.ok()) return LoseCollector(folder.status().message());
    folder_.emplace(std::move(*folder));
  }
  CollectorOptions options;
  options.socket_path =
      folder_->path() + (replay > 1 ? "/run-" + std::to_string(replay) : "/collector") + ".sock";
  options.cupti = CuptiSearchOf(variables_);
  options.plan_cache = PlanCacheOf(variables_);
  options.replay = replay;
  options.report = [quiet = request_.quiet](const std::string& line) {
    if (!quiet) Say(line);
  };
  collector_ = std::make_unique<Collector>(*run_file_, options);
  const absl::Status started = collector_->Start();
  if (!started.ok()) return LoseCollector(std::string(started.message()));
  target_["RAFTER_COLLECTOR"] = options.socket_path;
  if (request_.verbose) Say("collector: listening at " + options.socket_path);
}

// The program starts whatever comes of this: without a collector it spools.
void CountedRun::CheckRunningCollector() {
  std::error_code ignored;
  const std::string path = std::filesystem::absolute(*request_.collector.value, ignored).string();
  target_["RAFTER_COLLECTOR"] = path;
  const Status answers = AskRunningCollector(path);
  if (!answers.ok()) Say(answers.message());
}

// Where nothing can be counted there is nothing to run again for; what a spool
// file can hold is then counted in one run.
void CountedRun::RunOnceOnly() {
  if (sets_by_run_.empty()) return;
  if (sets_by_run_.size() > 1) {
    Say("run: the program is run once only, since counters are off; see above");
  }
  sets_by_run_.clear();
  target_.erase("RAFTER_EXACT");
  for (const char* name : {"RAFTER_SET", "RAFTER_METRICS"}) {
    target_.erase(name);
    if (variables_.contains(name)) target_[name] = variables_.at(name);
  }
  if (request_.sets.value.has_value()) target_["RAFTER_SET"] = *request_.sets.value;
  if (request_.metrics.value.has_value()) target_["RAFTER_METRICS"] = *request_.metrics.value;
}

// Leaves nothing behind of a run whose program never started.
void CountedRun::Abandon() {
  if (collector_ != nullptr) (void)collector_->Stop(std::chrono::milliseconds(0));
  if (run_file_ == nullptr) return;
  (void)run_file_->Close();
  unlink(run_file_->path().c_str());
}

void CountedRun::StopCollector() {
  if (collector_ != nullptr) Check(collector_->Stop(kPatience));
}

void CountedRun::Finish(const Ending& ending) {
  if (run_file_ == nullptr) return;
  Check(run_file_->SetCommand(ShellCommand(request_.program), ending.exit_status));
  if (!entered_) Check(run_file_->AddCollectorLoss("programs that ran without libinject.so", 1));
  if (program_runs_.size() > 1) {
    for (const ProgramRun& each : program_runs_) Check(run_file_->AddProgramRun(each));
  }
  Check(run_file_->Commit());
  absl::StatusOr<Run> run = run_file_->Read();
  Check(run.status());
  if (run.ok()) Lack(results_.Write(*std::move(run), run_file_->path(), entered_));
  Check(run_file_->Close());
}

int CountedRun::RunProgram(uint32_t number, const Variables& environment,
                           const NullStreams& streams, Ending& ending) {
  const auto start = std::chrono::steady_clock::now();
  const Spawned spawned = Spawn(request_.program, environment, signals_, inherited_, streams);
  if (spawned.error != 0) return spawned.error;
  ending = Await(spawned.pid, signals_, request_.timeout_s);
  const auto wall = std::chrono::steady_clock::now() - start;
  SayEnding(request_.program[0], ending, request_.timeout_s, request_.quiet);
  const bool counted = number > 0 && !sets_by_run_.empty();
  program_runs_.push_back(
      {number, counted ? sets_by_run_[number - 1] : "", ending.exit_status,
       static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count())});
  return 0;
}

// One more run of a replay; why there was none, or nothing.
std::string CountedRun::RunReplay(uint32_t number, Ending& ending) {
  if (const Status rewound = input_.Rewind(); !rewound.ok()) return rewound.message();
  StartCollector(number);
  if (collector_ == nullptr) return "there is no collector";
  SayUnlessQuiet("run " + std::to_string(number) + " of " + std::to_string(sets_by_run_.size()) +
                 ": set " + sets_by_run_[number - 1]);
  target_["RAFTER_SET"] = sets_by_run_[number - 1];
  const int error = RunProgram(number, target_, {input_.is_terminal(), true, false}, ending);
  StopCollector();
  return error == 0 ? "" : "the program could not be started again (" + ErrnoText(error) + ")";
}

// Now that the GPU is known: a run for each format of a set. Where CUPTI cannot
// tell them here, the library counts them in turns in one run.
void CountedRun::ExpandFormats() {
  const auto place = std::find_if(sets_by_run_.begin(), sets_by_run_.end(), HasFormats);
  if (place == sets_by_run_.end()) return;
  const auto formats = FormatsOf(*run_file_, CuptiSearchOf(variables_), *place);
  if (!formats.ok()) {
    Say("run: set " + *place + " takes one run: " + formats.status().message());
  } else if (!formats->empty()) {
    sets_by_run_.insert(sets_by_run_.erase(place), formats->begin(), formats->end());
  }
}

// The runs of a replay after the first; how the last of them ended.
Ending CountedRun::Replay(Ending last) {
  const int first_status = last.exit_status;
  if (sets_by_run_.size() > 1 && collector_ != nullptr) ExpandFormats();
  for (size_t i = 1; i < sets_by_run_.size(); ++i) {
    std::string why = WhyNoMoreRuns(last);
    if (why.empty() && collector_->Totals().processes == 0) {
      why = "no process of it started CUDA or marked a region";
    }
    if (why.empty() && last.exit_status != first_status) {
      why = "it ended with status " + std::to_string(last.exit_status) + ", the first with " +
            std::to_string(first_status);
    }
    if (why.empty()) why = RunReplay(static_cast<uint32_t>(i + 1), last);
    if (why.empty()) continue;
    std::string sets = sets_by_run_[i];
    for (size_t k = i + 1; k < sets_by_run_.size(); ++k) sets += ", " + sets_by_run_[k];
    const std::string text = "not counted: set" +
                             std::string(i + 1 < sets_by_run_.size() ? "s " : " ") + sets +
                             "; run " + std::to_string(i) + " was the last, since " + why;
    Say("run: " + text);
    Lack(text);
    break;
  }
  return last;
}

// After the counted runs, so that cold caches never make counting look cheap.
void CountedRun::RunWithoutRafter(const Ending& last) {
  std::string why = can_count_ ? WhyNoMoreRuns(last) : "counters are off; see above";
  if (const Status rewound = input_.Rewind(); why.empty() && !rewound.ok()) why = rewound.message();
  if (why.empty() && needs_stand_in_) why = "it needs LIKWID, which is not installed";
  Variables environment = WithoutInjection(variables_);
  environment.erase("RAFTER_OUTPUT");
  Ending ending;
  if (why.empty()) {
    SayUnlessQuiet("run without Rafter, to see what counting costs");
    const int error = RunProgram(0, environment, {input_.is_terminal(), true, true}, ending);
    if (error != 0) why = "the program could not be started again (" + ErrnoText(error) + ")";
  }
  if (!why.empty()) Say("run: --measure-overhead: it was not run without Rafter, since " + why);
}

void CountedRun::SayFirstRun() const {
  if (input_.is_terminal()) {
    SayUnlessQuiet("standard input is a terminal; the program reads /dev/null in every run");
  }
  if (sets_by_run_.size() < 2) return;
  SayUnlessQuiet("run 1 of " + std::to_string(sets_by_run_.size()) + ": set " +
                 sets_by_run_.front());
}

int CountedRun::Execute() {
  if (const Status status = TakeOutputs(); !status.ok())
    return SayWrongUse("run: " + status.message());
  PrepareTarget();
  if (request_.collector.value.has_value()) {
    CheckRunningCollector();
  } else {
    target_.erase("RAFTER_COLLECTOR");
    StartCollector(sets_by_run_.size() > 1 ? 1 : 0);
  }
  if (request_.strict && !lacking_.empty()) {
    Say("run: the program was not started: counters are off, and --strict was given; see above");
    Abandon();
    return kNotCounted;
  }
  can_count_ = lacking_.empty();
  if (!can_count_) RunOnceOnly();
  SayFirstRun();
  Ending ending;
  if (const int error = RunProgram(1, target_, {input_.is_terminal()}, ending); error != 0) {
    Abandon();
    return SayStartFailed(request_.program[0], error);
  }
  StopCollector();
  const Ending last = Replay(ending);
  if (request_.counting.measure_overhead) RunWithoutRafter(last);
  Finish(ending);
  if (ending.timed_out && ending.signal == 0) return kSignalBase + SIGTERM;
  if (request_.strict && !lacking_.empty()) {
    Say("run: not all was obtained (--strict): " + lacking_);
    if (ending.exit_status == 0) return kNotCounted;
  }
  return ending.exit_status;
}

// A rank that is not wanted: its program runs as it would without us.
int RunUncounted(const RunRequest& request, const Variables& variables,
                 const std::vector<int>& inherited) {
  const HeldSignals signals;
  Variables environment = WithoutInjection(variables);
  environment.erase("RAFTER_OUTPUT");
  if (request.verbose) Say("this rank is none of --ranks " + *request.counting.ranks.value);
  const Spawned spawned = Spawn(request.program, environment, signals, inherited);
  if (spawned.error != 0) return SayStartFailed(request.program[0], spawned.error);
  const Ending ending = Await(spawned.pid, signals, request.timeout_s);
  SayEnding(request.program[0], ending, request.timeout_s, request.quiet);
  if (ending.timed_out && ending.signal == 0) return kSignalBase + SIGTERM;
  return ending.exit_status;
}

}  // namespace

int VerbRun(Words words) {
  std::vector<int> inherited = OpenDescriptors();
  const bool has_input =
      std::find(inherited.begin(), inherited.end(), STDIN_FILENO) != inherited.end();
  const Variables variables = CurrentVariables();
  RunRequest request;
  const auto status =
      ReadRunRequest(std::vector<std::string>(words.begin(), words.end()), variables, request);
  if (status.has_value()) return *status;
  for (const std::string& unknown : UnknownVariables(variables)) {
    if (!request.quiet) Say(unknown);
  }
  if (request.is_of_unwanted_rank) return RunUncounted(request, variables, inherited);
  if (request.likwid.chosen()) {
    return RunWithLikwid(request, variables, has_input, std::move(inherited));
  }
  RunInput input;
  if (const std::string option = request.several_runs(); !option.empty()) {
    Result<RunInput> inspected = RunInput::Inspect(has_input, option);
    if (!inspected.ok()) return SayWrongUse("run: " + inspected.status().message());
    input = *inspected;
  }
  if (request.sets_by_run.empty()) {
    const Result<std::vector<std::string>> forecast = ForecastCounting(request, variables);
    if (!forecast.ok()) return SayWrongUse("run: " + forecast.status().message());
    for (const std::string& line : *forecast) {
      if (!request.quiet) Say(line);
    }
  }
  return CountedRun(request, variables, input, std::move(inherited)).Execute();
}

}  // namespace rafter
