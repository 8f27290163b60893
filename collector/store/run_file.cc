#include "collector/store/run_file.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <initializer_list>

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

// Fails for a run file that a process is writing.
absl::Status CheckIdle(const std::string& path) {
  if (!CheckBytes(path).ok()) return absl::OkStatus();
  sqlite3* database = nullptr;
  bool busy = false;
  if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
    busy = sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_BUSY;
  }
  sqlite3_close(database);
  if (!busy) return absl::OkStatus();
  return Named(absl::StatusCode::kUnavailable, path,
               "is being written by another process; choose another name");
}

absl::Status RemoveEndings(const std::string& path, std::initializer_list<const char*> endings) {
  for (const char* ending : endings) {
    if (unlink((path + ending).c_str()) != 0 && errno != ENOENT) {
      return Named(
          absl::StatusCode::kPermissionDenied, path,
          absl::StrCat("cannot be replaced: ", std::strerror(errno), "; choose another name"));
    }
  }
  return absl::OkStatus();
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
  RAFTER_STORE_TRY(CheckIdle(path));
  return RemoveEndings(path, {"-wal", "-shm", "-journal", ""});
}

}  // namespace

RunFile::RunFile(sqlite3* database, std::string path)
    : database_(database),
      path_(std::move(path)),
      statements_(std::make_unique<Statements>(database_, path_)) {}

absl::StatusOr<std::unique_ptr<RunFile>> RunFile::Create(const std::string& path,
                                                         Existing existing) {
  struct stat status {};
  const bool goes_on = existing == Existing::kAppend || existing == Existing::kAmend;
  if (goes_on && stat(path.c_str(), &status) == 0) {
    auto opened = OpenForMore(path);
    if (!opened.ok() || existing == Existing::kAmend) return opened;
    const auto commands = (*opened)->Commands();
    if (!commands.ok()) return commands.status();
    RAFTER_STORE_TRY((*opened)->CheckOneCommand(*commands));
    return opened;
  }
  if (existing == Existing::kReplace) RAFTER_STORE_TRY(RemoveIdle(path));
  auto made = MakeNew(path);
  if (!made.ok()) return made;
  RAFTER_STORE_TRY((*made)->statements_->Write(
      "INSERT INTO commands (command, rafter_version, created_unix_s) SELECT ?, rafter_version,"
      " created_unix_s FROM run",
      kOwnCommand));
  RAFTER_STORE_TRY((*made)->Commit());
  return made;
}

absl::StatusOr<std::unique_ptr<RunFile>> RunFile::CreateEmpty(const std::string& path) {
  RAFTER_STORE_TRY(RemoveIdle(path));
  return MakeNew(path);
}

absl::Status RunFile::ClearBeside(const std::string& path) {
  RAFTER_STORE_TRY(CheckIdle(path));
  return RemoveEndings(path, {"-wal", "-shm", "-journal"});
}

absl::StatusOr<std::unique_ptr<RunFile>> RunFile::MakeNew(const std::string& path) {
  RAFTER_STORE_TRY(MakeEmpty(path));
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<RunFile> run_file(new RunFile(database, path));
  if (code != SQLITE_OK) return SqliteFailure(database, path, "opening failed");
  RAFTER_STORE_TRY(run_file->Prepare(/*writable=*/true, /*is_new=*/true));
  return run_file;
}

absl::StatusOr<std::unique_ptr<RunFile>> RunFile::OpenForMore(const std::string& path) {
  RAFTER_STORE_TRY(CheckBytes(path));
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<RunFile> run_file(new RunFile(database, path));
  if (code != SQLITE_OK) return SqliteFailure(database, path, "opening failed");
  const absl::StatusOr<int64_t> schema = CheckedSchema(database, path);
  if (!schema.ok()) return schema.status();
  RAFTER_STORE_TRY(run_file->Prepare(/*writable=*/true, /*is_new=*/false));
  RAFTER_STORE_TRY(run_file->BringUpToDate());
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
  RAFTER_STORE_TRY(run_file->ReadOlderSchema(*schema));
  return run_file;
}

absl::Status RunFile::ReadOlderSchema(int64_t schema) {
  const auto read_as = [&](const char* views) { return Execute(database_, path_, views); };
  if (schema < 2) RAFTER_STORE_TRY(read_as(kReadSchema1));
  if (schema == 2) RAFTER_STORE_TRY(read_as(kReadColumns2));
  if (schema < 3) RAFTER_STORE_TRY(read_as(kReadSchema2));
  if (schema > 3) return absl::OkStatus();
  RAFTER_STORE_TRY(read_as(kReadSchema3));
  return read_as(HasReplays() ? kReadReplays3 : kReadWithoutReplays);
}

// Under the write lock, so that two writers do not both do it.
absl::Status RunFile::BringUpToDate() {
  const absl::StatusOr<int64_t> schema = CheckedSchema(database_, path_);
  if (!schema.ok()) return schema.status();
  if (*schema == kSchemaVersion) return absl::OkStatus();
  const char* const steps[] = {*schema < 2 ? kSchema1To2 : "", *schema < 3 ? kSchema2To3 : "",
                               HasReplays() ? "" : kAddReplays, kSchema3To4};
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
  if (!is_new) return absl::OkStatus();
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

bool RunFile::HasReplays() {
  Statement row(
      statements_->Get("SELECT 1 FROM pragma_table_info('processes') WHERE name='replay'"));
  return row.Step();
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
