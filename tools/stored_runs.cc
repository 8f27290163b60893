#include "tools/stored_runs.h"

#include <optional>
#include <utility>

#include "collector/ingest/collector.h"
#include "collector/store/run_file.h"
#include "tools/absl_status.h"
#include "tools/variables.h"

namespace rafter {
namespace {

bool LacksValues(const Run& run) {
  for (const RunProcess& process : run.processes) {
    for (const Epoch& epoch : process.epochs) {
      for (const SlotValues& slot : epoch.slots) {
        if (!slot.evaluated) return true;
      }
    }
  }
  return false;
}

// Evaluates what was stored while CUPTI was not at hand, into the file itself.
absl::Status Evaluate(const std::string& path) {
  auto file = RunFile::Create(path, RunFile::Existing::kAmend);
  if (!file.ok()) return file.status();
  CollectorOptions options;
  options.cupti = CuptiSearchOf(CurrentVariables());
  Collector collector(**file, options);
  const auto evaluated = collector.EvaluateStored();
  if (!evaluated.ok()) return evaluated.status();
  return (*file)->Close();
}

// Reads command after command, and evaluates the file once where one lacks values.
class Reader {
 public:
  Reader(const std::string& path, std::vector<std::string>& notes) : path_(path), notes_(notes) {}

  absl::Status Open() {
    auto opened = RunFile::OpenForReading(path_);
    if (!opened.ok()) return opened.status();
    file_ = *std::move(opened);
    return absl::OkStatus();
  }
  RunFile& file() { return *file_; }

  absl::StatusOr<Run> Read(std::optional<uint32_t> command) {
    absl::StatusOr<Run> run = ReadStored(command);
    if (!run.ok() || evaluated_ || !LacksValues(*run)) return run;
    evaluated_ = true;
    file_.reset();
    const absl::Status evaluated = Evaluate(path_);
    if (!evaluated.ok()) {
      notes_.push_back(path_ + ": some counters are stored without values, and they cannot be " +
                       "evaluated here: " + std::string(evaluated.message()));
    }
    if (absl::Status opened = Open(); !opened.ok()) return opened;
    return evaluated.ok() ? ReadStored(command) : std::move(run);
  }

 private:
  absl::StatusOr<Run> ReadStored(std::optional<uint32_t> command) {
    return command.has_value() ? file_->ReadCommand(*command) : file_->Read();
  }

  const std::string& path_;
  std::vector<std::string>& notes_;
  std::unique_ptr<RunFile> file_;
  bool evaluated_ = false;
};

}  // namespace

Status EachRun(const std::string& path, std::vector<std::string>& notes,
               const std::function<void(Run)>& take) {
  Reader reader(path, notes);
  if (const absl::Status opened = reader.Open(); !opened.ok()) return ToStatus(opened);
  const absl::StatusOr<std::vector<uint32_t>> commands = reader.file().Commands();
  if (!commands.ok()) return ToStatus(commands.status());
  if (commands->empty()) return ToStatus(reader.file().Read().status());  // says so
  for (const uint32_t command : *commands) {
    absl::StatusOr<Run> run = reader.Read(command);
    if (!run.ok()) return ToStatus(run.status());
    take(*std::move(run));
  }
  return Status::Ok();
}

Result<Run> ReadRun(const std::string& path, std::vector<std::string>& notes) {
  Reader reader(path, notes);
  if (const absl::Status opened = reader.Open(); !opened.ok()) return ToStatus(opened);
  absl::StatusOr<Run> run = reader.Read(std::nullopt);
  if (!run.ok()) return ToStatus(run.status());
  return *std::move(run);
}

}  // namespace rafter
