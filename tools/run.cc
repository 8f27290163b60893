// `rafter run`: counts one command.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "collector/ingest/collector.h"
#include "collector/store/run_file.h"
#include "tools/chart_output.h"
#include "tools/child.h"
#include "tools/exit_status.h"
#include "tools/injection.h"
#include "tools/message.h"
#include "tools/output_file.h"
#include "tools/private_folder.h"
#include "tools/run_request.h"
#include "tools/run_summary.h"
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
  CountedRun(const RunRequest& request, const Variables& variables, std::vector<int> inherited)
      : request_(request), variables_(variables), inherited_(std::move(inherited)) {}

  int Execute();

 private:
  void SayUnlessQuiet(const std::string& line) const {
    if (!request_.quiet) Say(line);
  }
  Status TakeOutputs();
  void PrepareTarget();
  void StartCollector(const Variables& variables);
  void CheckRunningCollector();
  void Abandon();
  int StartFailed(int error);
  void SayEnding(const Ending& ending) const;
  void Finish(const Ending& ending);
  // Whether it was written; says why not.
  bool Put(OutputFile& file, const std::string& content);
  void WriteResults(const Run& run);
  void Lack(const std::string& reason) {
    if (lacking_.empty()) lacking_ = reason;
  }

  const RunRequest& request_;
  const Variables& variables_;
  const std::vector<int> inherited_;
  HeldSignals signals_;  // before the collector's thread starts
  Variables target_;     // the program's environment
  std::optional<PrivateFolder> folder_;
  std::unique_ptr<RunFile> run_file_;
  std::unique_ptr<Collector> collector_;
  std::optional<OutputFile> csv_;
  std::vector<OutputFile> charts_;
  bool entered_ = false;  // the library is in the program's way
  std::string lacking_;   // why counters were not obtained; empty: they were
};

Status CountedRun::TakeOutputs() {
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
  if (request_.collector.value.has_value()) return Status::Ok();
  auto file = RunFile::Create(*request_.output.value, request_.force ? RunFile::Existing::kReplace
                                                                     : RunFile::Existing::kRefuse);
  if (!file.ok()) return Status::Failed(std::string(file.status().message()));
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
  if (request_.quiet) target_["RAFTER_QUIET"] = "1";
  Result<std::string> library = FindInjectLibrary();
  if (!library.ok()) {
    Say("run: counters are off: " + library.status().message());
    Lack(library.status().message());
    return;
  }
  InjectionPlan plan = PlanInjection(*library, variables_);
  for (const std::string& note : plan.notes) SayUnlessQuiet(note);
  if (!plan.counters) Lack(plan.notes.back());
  entered_ = true;
  for (const auto& [name, value] : plan.set) {
    target_[name] = value;
    if (request_.verbose) Say(name + "=" + value);
  }
}

void CountedRun::StartCollector(const Variables& variables) {
  const auto failed = [&](const std::string& reason) {
    Say("run: no collector: " + reason +
        "; the program writes spool files instead, put them together with \"rafter ingest\"");
    Lack(reason);
    collector_.reset();
    unlink(run_file_->path().c_str());
    run_file_.reset();
  };
  Result<PrivateFolder> folder = PrivateFolder::Make(variables);
  if (!folder.ok()) return failed(folder.status().message());
  folder_.emplace(std::move(*folder));
  CollectorOptions options;
  options.socket_path = folder_->path() + "/collector.sock";
  options.cupti = CuptiSearchOf(variables);
  options.plan_cache = PlanCacheOf(variables);
  options.report = [quiet = request_.quiet](const std::string& line) {
    if (!quiet) Say(line);
  };
  collector_ = std::make_unique<Collector>(*run_file_, options);
  const absl::Status started = collector_->Start();
  if (!started.ok()) return failed(std::string(started.message()));
  target_["RAFTER_COLLECTOR"] = options.socket_path;
  if (request_.verbose) Say("collector: listening at " + options.socket_path);
}

// The program starts whatever comes of this: without a collector it spools.
void CountedRun::CheckRunningCollector() {
  std::error_code ignored;
  const std::string path = std::filesystem::absolute(*request_.collector.value, ignored).string();
  target_["RAFTER_COLLECTOR"] = path;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  int error = ENAMETOOLONG;
  if (path.size() < sizeof(address.sun_path)) {
    std::memcpy(address.sun_path, path.data(), path.size());
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    error = connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0
                ? 0
                : errno;
    close(descriptor);
  }
  if (error == 0 || error == EAGAIN) return;
  Say(path + ": no collector answers there (" + ErrnoText(error) +
      "); the program writes spool files instead, put them together with \"rafter ingest\"");
}

// Leaves nothing behind of a run whose program never started.
void CountedRun::Abandon() {
  if (collector_ != nullptr) (void)collector_->Stop(std::chrono::milliseconds(0));
  if (run_file_ == nullptr) return;
  (void)run_file_->Close();
  unlink(run_file_->path().c_str());
}

int CountedRun::StartFailed(int error) {
  Abandon();
  const std::string& program = request_.program[0];
  const bool is_path = program.find('/') != std::string::npos;
  if (error == ENOENT && is_path && access(program.c_str(), F_OK) == 0) {
    Say(program + ": its interpreter is not there; look at its first line");
    return kNotExecutable;
  }
  if (error == ENOENT || error == ENOTDIR) {
    Say(program + ": not found" +
        (is_path ? "; check the path" : " in PATH; check the name, or give a path"));
    return kNotFound;
  }
  Say(program + ": cannot be executed (" + ErrnoText(error) +
      "); check its rights and that it is a program");
  return kNotExecutable;
}

void CountedRun::SayEnding(const Ending& ending) const {
  const std::string& program = request_.program[0];
  if (ending.timed_out) {
    std::string seconds = std::to_string(*request_.timeout_s);
    seconds.erase(seconds.find_last_not_of('0') + 1);
    if (seconds.ends_with('.')) seconds.pop_back();
    Say(program + ": still ran after " + seconds + " s (--timeout); it was sent SIGTERM" +
        (ending.signal == SIGKILL ? " and SIGKILL" : "") + ", what it did until then is kept");
  } else if (ending.signal != 0) {
    SayUnlessQuiet(program + ": ended by signal " + std::to_string(ending.signal) + " (" +
                   strsignal(ending.signal) + ")");
  }
}

bool CountedRun::Put(OutputFile& file, const std::string& content) {
  const Status written = file.Write(content);
  if (written.ok()) return true;
  const bool is_table = csv_.has_value() && &file == &*csv_;
  Say("run: " + written.message() + ", then make it from the run file: rafter " +
      (is_table ? "report " : "roofline ") + ShellQuote(run_file_->path()) + " --output FILE");
  Lack(written.message());
  return false;
}

void CountedRun::WriteResults(const Run& run) {
  const Table table = BuildTable(run, request_.choices.Options());
  std::vector<std::string> lines = SummaryOf(run_file_->path(), run, table, entered_);
  if (csv_.has_value()) {
    const bool written = Put(*csv_, ToCsv(table));
    if (written) lines.push_back(csv_->path() + ": " + CountText(table.rows.size(), "row", "rows"));
  }
  RooflineOptions options;
  options.peak_flop_per_s = request_.peak_flop_per_s;
  options.peak_bytes_per_s = request_.peak_bytes_per_s;
  for (OutputFile& chart : charts_) {
    std::vector<std::string> notes;
    Result<std::string> drawing = DrawChart(BuildRoofline(table, options), chart.path(), notes);
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
  for (const std::string& line : lines) SayUnlessQuiet(line);
  std::string reason;
  if (!CountersObtained(run, table, reason)) Lack(reason);
}

void CountedRun::Finish(const Ending& ending) {
  if (collector_ == nullptr) return;
  const auto check = [this](const absl::Status& status) {
    if (status.ok()) return;
    Say("run: " + std::string(status.message()));
    Lack(std::string(status.message()));
  };
  check(collector_->Stop(kPatience));
  check(run_file_->SetCommand(ShellCommand(request_.program), ending.exit_status));
  check(run_file_->Commit());
  absl::StatusOr<Run> run = run_file_->Read();
  check(run.status());
  if (run.ok()) WriteResults(*run);
  check(run_file_->Close());
}

int CountedRun::Execute() {
  if (const Status status = TakeOutputs(); !status.ok())
    return SayWrongUse("run: " + status.message());
  PrepareTarget();
  if (request_.collector.value.has_value()) {
    CheckRunningCollector();
  } else {
    target_.erase("RAFTER_COLLECTOR");
    StartCollector(variables_);
  }
  if (request_.strict && !lacking_.empty()) {
    Say("run: the program was not started: counters are off, and --strict was given; see above");
    Abandon();
    return kNotCounted;
  }
  const Spawned spawned = Spawn(request_.program, target_, signals_, inherited_);
  if (spawned.error != 0) return StartFailed(spawned.error);
  Ending ending = Await(spawned.pid, signals_, request_.timeout_s);
  SayEnding(ending);
  Finish(ending);
  if (ending.timed_out && ending.signal == 0) return kSignalBase + SIGTERM;
  if (request_.strict && !lacking_.empty()) {
    Say("run: not all was obtained (--strict): " + lacking_);
    if (ending.exit_status == 0) return kNotCounted;
  }
  return ending.exit_status;
}

}  // namespace

int VerbRun(Words words) {
  std::vector<int> inherited = OpenDescriptors();
  const Variables variables = CurrentVariables();
  RunRequest request;
  const auto status =
      ReadRunRequest(std::vector<std::string>(words.begin(), words.end()), variables, request);
  if (status.has_value()) return *status;
  for (const std::string& unknown : UnknownVariables(variables)) {
    if (!request.quiet) Say(unknown);
  }
  return CountedRun(request, variables, std::move(inherited)).Execute();
}

}  // namespace rafter
