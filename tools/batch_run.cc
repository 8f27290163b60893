#include "tools/batch_run.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "collector/store/utf8.h"
#include "collector/table/number_text.h"
#include "tools/batch_progress.h"
#include "tools/child.h"
#include "tools/exit_status.h"
#include "tools/message.h"

namespace rafter {
namespace {

namespace fs = std::filesystem;

// Of a log, that a last line is looked for in; and of that line.
constexpr std::streamoff kTailBytes = 4096;
constexpr size_t kMostLineBytes = 200;

// The last line of a log that is not empty: usually why the program gave up.
std::string LastLine(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file.is_open()) return "";
  file.seekg(std::max<std::streamoff>(0, file.tellg() - kTailBytes));
  std::string last;
  for (std::string line; std::getline(file, line);) {
    line = OneLine(line);
    if (line.find_first_not_of(' ') != std::string::npos) last = line;
  }
  if (last.size() > kMostLineBytes) last = last.substr(0, kMostLineBytes) + "...";
  return last;
}

// What one run of a program left, put aside while it is run once for each set: that
// may fail, or do something else each time.
class FirstRun {
 public:
  explicit FirstRun(const PlannedProgram& planned) : planned_(planned) {
    for (const std::string* path : {&planned.report, &planned.json}) Move(*path, Aside(*path));
  }
  // For good: the other runs gave more.
  void Remove() const {
    for (const std::string* path : {&planned_.report, &planned_.json}) {
      std::error_code ignored;  // not every program writes a report
      fs::remove(Aside(*path), ignored);
    }
  }
  // In the place of what the other runs left, whose run file is kept as that of a failure.
  void PutBack() const {
    std::error_code unknown;
    if (fs::exists(planned_.report, unknown)) Move(planned_.report, planned_.failed);
    for (const std::string* path : {&planned_.report, &planned_.json}) Move(Aside(*path), *path);
  }

 private:
  static std::string Aside(const std::string& path) { return path + ".once"; }
  static void Move(const std::string& from, const std::string& to) {
    std::error_code ignored;  // there may be none
    fs::rename(from, to, ignored);
  }

  const PlannedProgram& planned_;
};

class BatchRun {
 public:
  BatchRun(const BatchRequest& request, const std::vector<PlannedProgram>& plan,
           const Variables& variables, const std::vector<int>& inherited)
      : request_(request),
        plan_(plan),
        variables_(variables),
        inherited_(inherited),
        progress_(BatchProgress::FormFor(request.quiet), CountRuns(plan)) {}

  std::vector<BatchOutcome> Go();

 private:
  static size_t CountRuns(const std::vector<PlannedProgram>& plan) {
    return static_cast<size_t>(std::count_if(
        plan.begin(), plan.end(), [](const PlannedProgram& each) { return !each.words.empty(); }));
  }
  BatchOutcome Process(const PlannedProgram& planned);
  // Once for each set; `once` is what one run gave, and stays where that gives no more.
  BatchOutcome ProcessAgain(const PlannedProgram& planned, BatchOutcome once);
  // Why there are no rows; empty: there are. Leaves the run file of a failure aside.
  std::string RunProgram(const PlannedProgram& planned, const std::vector<std::string>& words,
                         bool again);
  std::string WhyFailed(const PlannedProgram& planned, const Ending& ending, double wall_s) const;
  // Reads what the report gives into `outcome`; why there are no rows.
  void TakeResult(const PlannedProgram& planned, BatchOutcome& outcome);
  void Report(const PlannedProgram& planned, const BatchOutcome& outcome);

  const BatchRequest& request_;
  const std::vector<PlannedProgram>& plan_;
  const Variables& variables_;
  const std::vector<int>& inherited_;
  HeldSignals signals_;
  BatchProgress progress_;
  bool interrupted_ = false;
};

std::string BatchRun::WhyFailed(const PlannedProgram& planned, const Ending& ending,
                                double wall_s) const {
  std::string why;
  const int status = ending.exit_status;
  std::error_code unknown;
  const bool started = fs::exists(planned.report, unknown);
  const bool is_terminated = status == kSignalBase + SIGTERM || status == kSignalBase + SIGKILL;
  if (interrupted_) {
    why = "interrupted";
  } else if (ending.signal != 0) {
    why = "its rafter run was ended by signal " + std::to_string(ending.signal);
  } else if (!started && (status == kNotFound || status == kNotExecutable || status == kWrongUse)) {
    why = "could not be started";
  } else if (is_terminated && request_.timeout_s.has_value() && wall_s >= *request_.timeout_s) {
    why = "still ran after " + NumberText(*request_.timeout_s) + " s (--timeout)";
  } else if (status > kSignalBase) {
    why = "ended by signal " + std::to_string(status - kSignalBase) + " (" +
          strsignal(status - kSignalBase) + ")";
  } else {
    why = "ended with status " + std::to_string(status);
  }
  why += "; see " + planned.log;
  const bool was_stopped = interrupted_ || status > kSignalBase;  // it gave no reason itself
  const std::string last = was_stopped ? "" : LastLine(planned.log);
  return why + (last.empty() ? "" : ": " + last);
}

std::string BatchRun::RunProgram(const PlannedProgram& planned,
                                 const std::vector<std::string>& words, bool again) {
  const auto start = std::chrono::steady_clock::now();
  NullStreams streams;
  streams.input = true;
  streams.log = planned.log;
  streams.append_log = again;
  const Spawned spawned = Spawn(words, variables_, signals_, inherited_, streams);
  if (spawned.error != 0) {
    return words.front() + ": cannot be started (" + ErrnoText(spawned.error) + ")";
  }
  const Ending ending = Await(spawned.pid, signals_, std::nullopt, [this] { progress_.Tick(); });
  interrupted_ = interrupted_ || ending.interrupted;
  if (ending.exit_status == 0 && !interrupted_) return "";
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  std::string why = WhyFailed(planned, ending, wall.count());
  std::error_code ignored;  // there may be none
  fs::rename(planned.report, planned.failed, ignored);
  return why;
}

void BatchRun::TakeResult(const PlannedProgram& planned, BatchOutcome& outcome) {
  Result<BatchResult> result = ReadResult(planned, request_.choices);
  if (!result.ok()) {
    outcome.state = BatchState::kFailed;
    outcome.why = result.status().message();
    return;
  }
  outcome.result = std::move(*result);
  outcome.state = planned.words.empty() ? BatchState::kReused : BatchState::kCounted;
  if (!outcome.result.lacking.empty()) {
    outcome.state = BatchState::kNoCounters;
    outcome.why = outcome.result.lacking;
  } else if (!outcome.result.reached_gpu) {
    outcome.state = BatchState::kNoGpu;
    outcome.why =
        "no process of it made a CUDA context; if it uses OpenCL or Vulkan, its work runs in one "
        "that CUPTI does not see";
    if (request_.likwid.chosen()) outcome.why = "LIKWID counted nothing in it";
  }
  if (!outcome.why.empty() && planned.words.empty()) {
    outcome.why += " (says " + planned.report + ", which was there)";
  }
}

BatchOutcome BatchRun::Process(const PlannedProgram& planned) {
  BatchOutcome outcome;
  outcome.name = planned.program.name;
  if (!planned.blocked.empty()) {
    outcome.state = BatchState::kFailed;
    outcome.why = "not run: " + planned.blocked;
    return outcome;
  }
  if (planned.words.empty()) {
    TakeResult(planned, outcome);
    return outcome;
  }
  std::error_code ignored;  // there may be none
  fs::remove(planned.json, ignored);
  outcome.state = BatchState::kFailed;
  outcome.why = RunProgram(planned, planned.words, false);
  if (!outcome.why.empty()) return outcome;
  TakeResult(planned, outcome);
  if (planned.again.empty() || !outcome.result.lacks_sets) return outcome;
  return ProcessAgain(planned, std::move(outcome));
}

BatchOutcome BatchRun::ProcessAgain(const PlannedProgram& planned, BatchOutcome once) {
  if (request_.verbose) {
    progress_.Say(once.name + ": regions lack sets; it is run once for each set");
  }
  const FirstRun first(planned);
  BatchOutcome again;
  again.name = once.name;
  std::string why = RunProgram(planned, planned.again, true);
  if (why.empty()) TakeResult(planned, again);
  if (why.empty() && again.state == BatchState::kCounted && again.result.refused.empty()) {
    first.Remove();
    return again;
  }
  first.PutBack();
  if (why.empty()) why = again.result.refused;
  if (why.empty()) why = again.why;
  once.result.troubles.push_back("run once for each set as well, it gave no more: " + why +
                                 "; its rows are those of one run");
  return once;
}

void BatchRun::Report(const PlannedProgram& planned, const BatchOutcome& outcome) {
  if (!request_.quiet) {
    if (!outcome.why.empty()) progress_.Say(outcome.name + ": " + outcome.why);
    for (const std::string& note : outcome.result.table.notes) {
      progress_.Say(outcome.name + ": " + note);
    }
  }
  for (const std::string& trouble : outcome.result.troubles) {
    progress_.Say(outcome.name + ": " + trouble);
  }
  if (!request_.verbose || !outcome.why.empty()) return;
  progress_.Say(outcome.name + ": " + CountText(outcome.result.table.rows.size(), "row", "rows") +
                " of " + planned.report);
}

std::vector<BatchOutcome> BatchRun::Go() {
  std::vector<BatchOutcome> outcomes;
  for (const PlannedProgram& planned : plan_) {
    if (interrupted_) {
      outcomes.push_back(
          {planned.program.name, BatchState::kNotRun, "a signal asked for the end", {}});
      continue;
    }
    if (!planned.words.empty()) progress_.Start(planned.program.name);
    BatchOutcome outcome = Process(planned);
    if (!planned.words.empty()) progress_.End();
    Report(planned, outcome);
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace

std::vector<BatchOutcome> RunBatch(const BatchRequest& request,
                                   const std::vector<PlannedProgram>& plan,
                                   const Variables& variables, const std::vector<int>& inherited) {
  return BatchRun(request, plan, variables, inherited).Go();
}

}  // namespace rafter
