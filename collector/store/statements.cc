#include "collector/store/statements.h"

#include <absl/strings/str_cat.h>

#include <cerrno>
#include <cstring>

namespace rafter {
namespace {

// A process that dies loses at most this much of what it was told.
constexpr std::chrono::seconds kCommitInterval{1};

}  // namespace

absl::Status SqliteFailure(sqlite3* database, const std::string& path, const std::string& what) {
  const int last_error = errno;
  const int code = sqlite3_errcode(database) & 0xFF;  // without SQLite's finer reasons
  // SQLite forgets it where a rollback came between.
  const int kept_error = sqlite3_system_errno(database);
  const int system_error = kept_error != 0 ? kept_error : last_error;
  std::string text =
      absl::StrCat("run file \"", path, "\": ", what, ": ", sqlite3_errmsg(database));
  const bool by_system = code == SQLITE_IOERR || code == SQLITE_FULL || code == SQLITE_CANTOPEN;
  if (by_system && system_error != 0)
    absl::StrAppend(&text, " (", std::strerror(system_error), ")");
  switch (code) {
    case SQLITE_FULL:
      return absl::ResourceExhaustedError(absl::StrCat(text, "; free some space and run again"));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return absl::PermissionDeniedError(
          absl::StrCat(text, "; choose a place that can be written with --output"));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(
          absl::StrCat(text, "; another process writes it: wait for that or choose another file"));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(absl::StrCat(text, "; the file is damaged: use a copy of it"));
    default:
      return absl::InternalError(text);
  }
}

RunFile::Statements::~Statements() {
  for (const auto& [sql, statement] : prepared) sqlite3_finalize(statement);
}

sqlite3_stmt* RunFile::Statements::Get(const char* sql) {
  sqlite3_stmt*& statement = prepared[sql];
  if (statement == nullptr) {
    sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  }
  return statement;
}

absl::Status RunFile::Statements::Ready() const {
  if (!first_failure.ok()) return first_failure;
  if (closed) {
    return absl::FailedPreconditionError(absl::StrCat("run file \"", path, "\" is closed"));
  }
  if (!writable) {
    return absl::FailedPreconditionError(
        absl::StrCat("run file \"", path, "\" is open for reading only"));
  }
  return absl::OkStatus();
}

absl::Status RunFile::Statements::Begin() {
  if (sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) != SQLITE_OK) {
    return Fail();
  }
  return absl::OkStatus();
}

absl::Status RunFile::Statements::Commit() {
  if (absl::Status ready = Ready(); !ready.ok()) return ready;
  last_commit = std::chrono::steady_clock::now();
  if (sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr) != SQLITE_OK) return Fail();
  return Begin();
}

absl::Status RunFile::Statements::CommitIfDue() {
  if (std::chrono::steady_clock::now() - last_commit < kCommitInterval) return absl::OkStatus();
  return Commit();
}

absl::Status RunFile::Statements::Fail() {
  first_failure = SqliteFailure(database, path, "writing failed");
  if (sqlite3_get_autocommit(database) == 0) {
    sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  return first_failure;
}

absl::Status RunFile::Statements::ReadFailure() const {
  return SqliteFailure(database, path, "reading failed");
}

}  // namespace rafter
