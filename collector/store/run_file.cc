#include "collector/store/run_file.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "collector/store/older_schemas.h"
#include "collector/store/schema.h"
#include "collector/store/statements.h"

#ifndef RAFTER_VERSION
#define RAFTER_VERSION "unknown"
#endif

namespace rafter {
namespace {

constexpr char kSqliteMagic[16] = "SQLite format 3";
constexpr char kSpoolStart[8] = {'R', 'A', 'F', 'T', 'E', 'R', 'S', 'P'};

// A reader beside a writer meets short locks only (WAL).
constexpr int kReaderPatienceMs = 2000;

absl::Status Named(absl::StatusCode code, const std::string& path, const std::string& rest) {
  return absl::Status(code, absl::StrCat("run file \"", path, "\" ", rest));
}

// Whether the bytes are SQLite's at all, before SQLite is let near them.
absl::Status CheckBytes(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    if (errno == ENOENT) {
      return Named(absl::StatusCode::kNotFound, path,
                   "is not there; correct the name or make one with \"rafter run\"");
    }
    return Named(absl::StatusCode::kPermissionDenied, path,
                 absl::StrCat("cannot be read: ", std::strerror(errno),
                              "; ask its owner for the right to read it"));
  }
  struct stat status {};
  char start[sizeof(kSqliteMagic)] = {};
  ssize_t got = -1;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) got = read(file, start, sizeof(start));
  const int error = errno;
  close(file);
  if (!S_ISREG(status.st_mode)) {
    return Named(absl::StatusCode::kPermissionDenied, path,
                 absl::StrCat("cannot be read: it is ",
                              S_ISDIR(status.st_mode) ? "a folder" : "not a plain file",
                              "; name the run file itself"));
  }
  if (got < 0) {
    return Named(absl::StatusCode::kPermissionDenied, path,
                 absl::StrCat("cannot be read: ", std::strerror(error), "; check the disk"));
  }
  if (got >= static_cast<ssize_t>(sizeof(kSpoolStart)) &&
      std::memcmp(start, kSpoolStart, sizeof(kSpoolStart)) == 0) {
    return Named(absl::StatusCode::kInvalidArgument, path,
                 "is a spool file; make a run file of it with \"rafter ingest\"");
  }
  if (got != sizeof(start) || std::memcmp(start, kSqliteMagic, sizeof(start)) != 0) {
    return Named(absl::StatusCode::kInvalidArgument, path,
                 got == 0 ? "is empty, so it is not a run file of Rafter; name another"
                          : "is not a run file of Rafter; name one that \"rafter run\" made");
  }
  return absl::OkStatus();
}

int64_t Pragma(sqlite3* database, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  int64_t value = -1;
  if (sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    value = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  return value;
}

// The schema of a database that is a run file, where we know it.
absl::StatusOr<int64_t> CheckedSchema(sqlite3* database, const std::string& path) {
  const int64_t id = Pragma(database, "PRAGMA application_id");
  if (id < 0) return SqliteFailure(database, path, "opening failed");
  if (static_cast<uint32_t>(id) != kRunFileApplicationId) {
    return Named(absl::StatusCode::kInvalidArgument, path,
                 "is not a run file of Rafter but another program's SQLite file; name one that "
                 "\"rafter run\" made");
  }
  const int64_t version = Pragma(database, "PRAGMA user_version");
  if (version > kSchemaVersion) {
    return Named(absl::StatusCode::kFailedPrecondition, path,
                 absl::StrCat("was made by a newer Rafter (schema ", version,
                              "; this one reads up to ", kSchemaVersion, "); update Rafter"));
  }
  return version;
}

absl::Status Execute(sqlite3* database, const std::string& path, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return absl::OkStatus();
  return SqliteFailure(database, path, "setting up failed");
}

// Makes the file, or fails because somebody else just did.
absl::Status MakeEmpty(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file >= 0) {
    close(file);
    return absl::OkStatus();
  }
  if (errno == EEXIST) {
    return Named(absl::StatusCode::kAlreadyExists, path,
                 "exists; choose another name or give --force");
  }
  return Named(absl::StatusCode::kPermissionDenied, path,
               absl::StrCat("cannot be made: ", std::strerror(errno),
                            "; choose a place that can be written with --output"));
}

// Removes a file that nobody is writing.
absl::Status RemoveIdle(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return absl::OkStatus();
    return Named(absl::StatusCode::kPermissionDenied, path,
                 absl::StrCat("cannot be replaced: ", std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) {
    return Named(absl::StatusCode::kPermissionDenied, path,
                 "cannot be replaced: it is a folder; choose another name");
  }
  if (CheckBytes(path).ok()) {
    sqlite3* database = nullptr;
    bool busy = false;
    if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
      busy = sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_BUSY;
    }
    sqlite3_close(database);
    if (busy) {
      return Named(absl::StatusCode::kUnavailable, path,
                   "is being written by another process; choose another name");
    }
  }
  for (const char* ending : {"-wal", "-shm", "-journal", ""}) {
    if (unlink((path + ending).c_str()) != 0 && errno != ENOENT) {
      return Named(
          absl::StatusCode::kPermissionDenied, path,
          absl::StrCat("cannot be replaced: ", std::strerror(errno), "; choose another name"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

RunFile::RunFile(sqlite3* database, std::string path)
    : database_(database),
      path_(std::move(path)),
      statements_(std::make_unique<Statements>(database_, path_)) {}

absl::StatusOr<std::unique_ptr<RunFile>> RunFile::Create(const std::string& path,
                                                         Existing existing) {
  struct stat status {};
  const bool append = existing == Existing::kAppend && stat(path.c_str(), &status) == 0;
  if (append) {
    if (absl::Status bytes = CheckBytes(path); !bytes.ok()) return bytes;
  } else {
    if (existing == Existing::kReplace) {
      if (absl::Status removed = RemoveIdle(path); !removed.ok()) return removed;
    }
    if (absl::Status made = MakeEmpty(path); !made.ok()) return made;
  }
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<RunFile> run_file(new RunFile(database, path));
  if (code != SQLITE_OK) return SqliteFailure(database, path, "opening failed");
  if (append) {
    const absl::StatusOr<int64_t> schema = CheckedSchema(database, path);
    if (!schema.ok()) return schema.status();
  }
  if (absl::Status prepared = run_file->Prepare(/*writable=*/true, !append); !prepared.ok()) {
    return prepared;
  }
  if (append) {
    if (absl::Status brought = run_file->BringUpToDate(); !brought.ok()) return brought;
  }
  return run_file;
}

absl::StatusOr<std::unique_ptr<RunFile>> RunFile::OpenForReading(const std::string& path) {
  if (absl::Status bytes = CheckBytes(path); !bytes.ok()) return bytes;
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<RunFile> run_file(new RunFile(database, path));
  if (code != SQLITE_OK) return SqliteFailure(database, path, "opening failed");
  if (absl::Status prepared = run_file->Prepare(/*writable=*/false, false); !prepared.ok()) {
    return prepared;
  }
  const absl::StatusOr<int64_t> schema = CheckedSchema(database, path);
  if (!schema.ok()) return schema.status();
  if (*schema < 2) {
    if (absl::Status set = Execute(database, path, kReadSchema1); !set.ok()) return set;
  }
  if (*schema == 2) {
    if (absl::Status set = Execute(database, path, kReadColumns2); !set.ok()) return set;
  }
  if (*schema < 3) {
    if (absl::Status set = Execute(database, path, kReadSchema2); !set.ok()) return set;
  }
  return run_file;
}

// Under the write lock, so that two writers do not both do it.
absl::Status RunFile::BringUpToDate() {
  const absl::StatusOr<int64_t> schema = CheckedSchema(database_, path_);
  if (!schema.ok()) return schema.status();
  if (*schema == kSchemaVersion) return absl::OkStatus();
  const char* const steps[] = {*schema < 2 ? kSchema1To2 : "", kSchema2To3};
  for (const char* step : steps) {
    if (sqlite3_exec(database_, step, nullptr, nullptr, nullptr) == SQLITE_OK) continue;
    return SqliteFailure(database_, path_, "bringing it to the schema of this Rafter failed");
  }
  return statements_->Commit();
}

absl::Status RunFile::Prepare(bool writable, bool is_new) {
  sqlite3_extended_result_codes(database_, 0);
  if (!writable) {
    sqlite3_busy_timeout(database_, kReaderPatienceMs);
    return absl::OkStatus();
  }
  // A network file system may not give WAL; the old journal is as safe there.
  sqlite3_exec(database_, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
  if (absl::Status set = Execute(database_, path_, "PRAGMA synchronous=NORMAL"); !set.ok()) {
    return set;
  }
  statements_->writable = true;
  if (absl::Status begun = statements_->Begin(); !begun.ok()) return begun;
  if (!is_new) return AddReplays();
  const std::string identity = absl::StrCat("PRAGMA application_id=", kRunFileApplicationId,
                                            "; PRAGMA user_version=", kSchemaVersion);
  if (absl::Status set = Execute(database_, path_, identity.c_str()); !set.ok()) return set;
  if (absl::Status made = Execute(database_, path_, kSchema); !made.ok()) return made;
  if (absl::Status put = statements_->Write(
          "INSERT INTO run (id, rafter_version, created_unix_s) VALUES (1, ?, ?)",
          std::string(RAFTER_VERSION), static_cast<int64_t>(std::time(nullptr)));
      !put.ok()) {
    return put;
  }
  return statements_->Commit();
}

bool RunFile::Has(const char* table, const char* column) {
  Statement row(statements_->Get("SELECT 1 FROM pragma_table_info(?) WHERE name=?"));
  row.Bind(std::string(table), std::string(column));
  return row.Step();
}

absl::Status RunFile::AddReplays() {
  if (Has("processes", "replay")) return absl::OkStatus();
  std::string sql = "ALTER TABLE processes ADD COLUMN replay INTEGER;";
  const std::string schema = kSchema;
  for (const char* table : {"CREATE TABLE costs ", "CREATE TABLE program_runs "}) {
    const size_t start = schema.find(table);
    sql += schema.substr(start, schema.find(';', start) + 1 - start);
  }
  return Execute(database_, path_, sql.c_str());
}

RunFile::~RunFile() {
  (void)Close();  // its failure is in failure(), for those who ask before
  statements_.reset();
  sqlite3_close(database_);
}

const absl::Status& RunFile::failure() const { return statements_->first_failure; }

absl::Status RunFile::Commit() { return statements_->Commit(); }

absl::Status RunFile::Close() {
  if (!statements_->writable || statements_->closed) return statements_->first_failure;
  if (statements_->first_failure.ok() &&
      sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr) != SQLITE_OK) {
    statements_->Fail().IgnoreError();
  }
  for (const auto& [sql, statement] : statements_->prepared) sqlite3_reset(statement);
  // One plain file that can be read from a read-only place. A reader that is
  // there just now keeps it in WAL, which is as good.
  sqlite3_exec(database_, "PRAGMA journal_mode=DELETE", nullptr, nullptr, nullptr);
  statements_->closed = true;
  return statements_->first_failure;
}

}  // namespace rafter
