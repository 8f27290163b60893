// The part of RunFile that knows commands: what was run, how it ended, what it wrote of
// itself, what the collector lost of it.
#include <absl/strings/str_cat.h>

#include "collector/store/compressed.h"
#include "collector/store/statements.h"

namespace rafter {

absl::Status RunFile::SetCommand(const std::string& command, std::optional<int> exit_status) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  return statements_->Write("UPDATE commands SET line=?, exit_status=? WHERE command=?", command,
                            exit_status, kOwnCommand);
}

absl::Status RunFile::AddProgramRun(const ProgramRun& run) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  return statements_->Write("INSERT OR REPLACE INTO program_runs VALUES (?,?,?,?,?)", kOwnCommand,
                            run.run, run.sets, run.exit_status, run.wall_ns);
}

absl::Status RunFile::AddCollectorLoss(const std::string& kind, uint64_t more) {
  return statements_->Write(
      "INSERT INTO collector_losses VALUES (?,?,?) ON CONFLICT DO UPDATE SET count=count+"
      "excluded.count",
      kOwnCommand, kind, more);
}

absl::StatusOr<std::vector<uint32_t>> RunFile::Commands() {
  std::vector<uint32_t> commands;
  Statement row(statements_->Get("SELECT command FROM commands ORDER BY command"));
  while (row.Step()) commands.push_back(row.U32(0));
  if (!row.ok()) return statements_->ReadFailure();
  return commands;
}

absl::Status RunFile::CheckOneCommand(const std::vector<uint32_t>& commands) const {
  if (commands.size() == 1) return absl::OkStatus();
  if (commands.empty()) {
    return absl::NotFoundError(
        absl::StrCat("run file \"", path_, "\" holds no run; make one with \"rafter run\""));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("run file \"", path_, "\" holds the runs of ", commands.size(),
                   " programs, as \"rafter batch\" puts them together; name that of one program"));
}

absl::StatusOr<Run> RunFile::Read() {
  const absl::StatusOr<std::vector<uint32_t>> commands = Commands();
  if (!commands.ok()) return commands.status();
  RAFTER_STORE_TRY(CheckOneCommand(*commands));
  return ReadCommand(commands->front());
}

absl::Status RunFile::ReadCommandLine(Run& run, uint32_t command) {
  Statements& db = *statements_;
  Statement row(
      db.Get("SELECT rafter_version, name, line, exit_status, report, report_source,"
             " report_trouble FROM commands WHERE command=?"));
  row.Bind(command);
  if (!row.Step()) {
    if (!row.ok()) return db.ReadFailure();
    return absl::NotFoundError(absl::StrCat("run file \"", path_, "\" holds no command ", command));
  }
  run.rafter_version = row.Text(0);
  run.name = row.Text(1);
  run.command = row.Text(2);
  if (!row.IsNull(3)) run.exit_status = static_cast<int>(row.I64(3));
  run.report.source = row.Text(5);
  run.report.trouble = row.Text(6);
  if (!row.IsNull(4)) {
    absl::StatusOr<std::string> json = Decompress(row.Bytes(4), kMaxStoredBytes);
    if (!json.ok()) return json.status();
    run.report.json = *std::move(json);
  }
  Statement loss(db.Get("SELECT kind, count FROM collector_losses WHERE command=?"));
  loss.Bind(command);
  while (loss.Step()) run.losses[loss.Text(0)] = loss.U64(1);
  return loss.ok() ? absl::OkStatus() : db.ReadFailure();
}

absl::Status RunFile::ReadProgramRuns(Run& run, uint32_t command) {
  Statement row(
      statements_->Get("SELECT run, sets, exit_status, wall_ns FROM program_runs WHERE command=?"
                       " ORDER BY run"));
  row.Bind(command);
  while (row.Step()) {
    run.program_runs.push_back({row.U32(0), row.Text(1), static_cast<int>(row.I64(2)), row.U64(3)});
  }
  return row.ok() ? absl::OkStatus() : statements_->ReadFailure();
}

}  // namespace rafter
