// Statements is a run file's connection: prepared statements, the open
// transaction and the first failure. Included by run_file*.cc only.
//
//   Threads   one thread at a time.
//   Blocking  disk.
//   Memory    one prepared statement per SQL text.
//   Lifetime  inside its RunFile; the connection outlives it.
#pragma once

#include <absl/status/status.h>
#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "collector/store/run_file.h"

// Ends the calling function with the failure of a step, if it has one.
#define RAFTER_STORE_TRY(expression)                  \
  do {                                                \
    const absl::Status rafter_stored_ = (expression); \
    if (!rafter_stored_.ok()) return rafter_stored_;  \
  } while (false)

namespace rafter {

// Number of the command of a file that holds one, and of the first of several.
inline constexpr uint32_t kOwnCommand = 1;

// A stored image, baseline, availability or report is never longer than a frame.
inline constexpr size_t kMaxStoredBytes = 64u << 20;

// Bytes that are bound or read as a BLOB.
struct Blob {
  std::string_view bytes;
};

// One use of a prepared statement; reset when it goes out of scope.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() {
    if (statement_ == nullptr) return;
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }

  template <typename... Values>
  void Bind(const Values&... values) {
    int position = 0;
    (BindOne(++position, values), ...);
  }

  // True with a row, false at the end or after a failure, which code() tells.
  bool Step() {
    code_ = statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_);
    return code_ == SQLITE_ROW;
  }
  bool ok() const { return code_ == SQLITE_ROW || code_ == SQLITE_DONE; }

  uint64_t U64(int column) const {
    return static_cast<uint64_t>(sqlite3_column_int64(statement_, column));
  }
  int64_t I64(int column) const { return sqlite3_column_int64(statement_, column); }
  uint32_t U32(int column) const { return static_cast<uint32_t>(U64(column)); }
  double Real(int column) const { return sqlite3_column_double(statement_, column); }
  int Type(int column) const {
    return sqlite3_column_type(statement_, column);
  }  // SQLITE_INTEGER...
  bool IsNull(int column) const { return Type(column) == SQLITE_NULL; }
  std::string Text(int column) const { return Bytes(column); }
  std::string Bytes(int column) const {
    const void* data = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return data == nullptr ? std::string()
                           : std::string(static_cast<const char*>(data), static_cast<size_t>(size));
  }

 private:
  // Unsigned numbers are stored with the same 64 bits.
  void BindOne(int position, uint64_t value) {
    sqlite3_bind_int64(statement_, position, static_cast<int64_t>(value));
  }
  void BindOne(int position, int64_t value) { sqlite3_bind_int64(statement_, position, value); }
  void BindOne(int position, uint32_t value) { sqlite3_bind_int64(statement_, position, value); }
  void BindOne(int position, int value) { sqlite3_bind_int64(statement_, position, value); }
  void BindOne(int position, bool value) { sqlite3_bind_int64(statement_, position, value); }
  void BindOne(int position, double value) { sqlite3_bind_double(statement_, position, value); }
  void BindOne(int position, std::string_view value) {
    sqlite3_bind_text64(statement_, position, value.data() == nullptr ? "" : value.data(),
                        value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  void BindOne(int position, const std::string& value) {
    BindOne(position, std::string_view(value));
  }
  void BindOne(int position, Blob value) {
    sqlite3_bind_blob64(statement_, position,
                        value.bytes.data() == nullptr ? "" : value.bytes.data(), value.bytes.size(),
                        SQLITE_TRANSIENT);
  }
  void BindOne(int position, std::nullopt_t) { sqlite3_bind_null(statement_, position); }
  void BindOne(int position, std::monostate) { sqlite3_bind_null(statement_, position); }
  template <typename... Ts>
  void BindOne(int position, const std::variant<Ts...>& value) {
    std::visit([&](const auto& one) { BindOne(position, one); }, value);
  }
  template <typename T>
  void BindOne(int position, const std::optional<T>& value) {
    if (value.has_value()) {
      BindOne(position, *value);
    } else {
      sqlite3_bind_null(statement_, position);
    }
  }

  sqlite3_stmt* statement_;
  int code_ = SQLITE_DONE;
};

struct RunFile::Statements {
  Statements(sqlite3* connection, std::string file_path)
      : database(connection), path(std::move(file_path)) {}
  ~Statements();

  // The prepared form of `sql`, which must be a literal: its address is the key.
  sqlite3_stmt* Get(const char* sql);

  // Runs one writing statement. The first failure undoes what is not committed
  // and stays.
  template <typename... Values>
  absl::Status Write(const char* sql, const Values&... values) {
    if (absl::Status ready = Ready(); !ready.ok()) return ready;
    Statement statement(Get(sql));
    statement.Bind(values...);
    statement.Step();
    return statement.ok() ? absl::OkStatus() : Fail();
  }

  absl::Status Ready() const;  // whether a write may be tried
  absl::Status Begin();        // takes the write lock
  absl::Status Commit();       // and begins again
  absl::Status CommitIfDue();  // called before each record, so that records stay whole
  absl::Status Fail();         // of a write: remembers it
  absl::Status ReadFailure() const;

  sqlite3* database;
  std::string path;
  absl::Status first_failure;
  bool writable = false;
  bool closed = false;
  std::chrono::steady_clock::time_point last_commit = std::chrono::steady_clock::now();
  std::optional<uint64_t> kept_image_bytes;  // compressed; absent: not yet asked
  std::unordered_map<const char*, sqlite3_stmt*> prepared;
};

// `what` and SQLite's and the system's words for the last error.
absl::Status SqliteFailure(sqlite3* database, const std::string& path, const std::string& what);

}  // namespace rafter
