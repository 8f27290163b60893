// The part of RunFile that puts a command of one file into another. Numbers that are
// known in one file only (of processes, epochs, baselines, markers) are moved beyond
// those that are taken; all else is copied as it is.
#include <absl/strings/str_cat.h>

#include <cstring>
#include <memory>

#include "collector/store/compressed.h"
#include "collector/store/statements.h"

namespace rafter {
namespace {

// Every table that belongs to a command, those it is known by first.
constexpr const char* kTables[] = {"collector_losses",
                                   "processes",
                                   "arguments",
                                   "environment",
                                   "devices",
                                   "sets",
                                   "counters",
                                   "missing_counters",
                                   "regions",
                                   "region_members",
                                   "launches",
                                   "instances",
                                   "dropped_instances",
                                   "categories",
                                   "mark_names",
                                   "marks",
                                   "epochs",
                                   "slots",
                                   "slot_values",
                                   "baselines",
                                   "images",
                                   "kernels",
                                   "notes",
                                   "losses",
                                   "costs",
                                   "program_runs",
                                   "markers",
                                   "marker_events",
                                   "marker_readings",
                                   "marker_values"};

// What a column is where it is no plain value. ?1 to ?5 are bound in this order.
struct Moved {
  const char* table;  // nullptr: any
  const char* column;
  const char* value;
};
constexpr Moved kMoved[] = {
    {nullptr, "process", "process+?1"},
    {"epochs", "id", "id+?2"},
    {nullptr, "epoch_id", "epoch_id+?2"},
    {"baselines", "id", "id+?3"},
    {nullptr, "baseline_id", "baseline_id+?3"},
    {nullptr, "marker", "marker+?4"},
    {nullptr, "command", "?5"},
    {"notes", "id", "NULL"},  // given anew
};

// One state of a file that another process may be writing, while it is in scope.
class Snapshot {
 public:
  explicit Snapshot(sqlite3* database)
      : database_(database), is_ours_(sqlite3_get_autocommit(database) != 0) {
    if (is_ours_) sqlite3_exec(database_, "BEGIN", nullptr, nullptr, nullptr);
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() {
    if (is_ours_) sqlite3_exec(database_, "END", nullptr, nullptr, nullptr);
  }

 private:
  sqlite3* database_;
  bool is_ours_;
};

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

// Nothing where SQLite refuses the text; it then knows why.
Prepared PrepareText(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  return Prepared(statement);
}

std::string ValueOf(std::string_view table, const std::string& column) {
  for (const Moved& moved : kMoved) {
    const bool is_here = moved.table == nullptr || moved.table == table;
    if (is_here && column == moved.column) return moved.value;
  }
  return column;
}

// Reading one table of a file that holds one command, and writing it here.
struct TableSql {
  std::string select;
  std::string insert;
};

TableSql SqlOf(const std::string& table, const std::vector<std::string>& columns) {
  std::string names;
  std::string values;
  std::string places;
  for (const std::string& column : columns) {
    const char* separator = names.empty() ? "" : ", ";
    absl::StrAppend(&names, separator, column);
    absl::StrAppend(&values, separator, ValueOf(table, column));
    absl::StrAppend(&places, separator, "?");
  }
  // Notes are read in the order in which they came.
  const char* order = table == "notes" ? " ORDER BY id" : "";
  return {absl::StrCat("SELECT ", values, " FROM ", table, order),
          absl::StrCat("INSERT INTO ", table, " (", names, ") VALUES (", places, ")")};
}

// A row that the tables here do not allow is of a file that was not made by us.
bool IsSourcesFault(int code) { return code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH; }

}  // namespace

// What is added to numbers of the source, and the number that its command gets.
struct RunFile::Shifts {
  int64_t process = 0;
  int64_t epoch = 0;
  int64_t baseline = 0;
  int64_t marker = 0;
  uint32_t command = kOwnCommand;
};

absl::Status RunFile::AppendCommand(RunFile& source, const std::string& name,
                                    const ProgramReport& report) {
  Statements& db = *statements_;
  const Snapshot snapshot(source.database_);
  const auto theirs = source.Commands();
  if (!theirs.ok()) return theirs.status();
  RAFTER_STORE_TRY(source.CheckOneCommand(*theirs));
  RAFTER_STORE_TRY(db.Commit());
  const absl::Status copied = CopyCommand(source, theirs->front(), name, report);
  if (copied.ok()) return db.Commit();
  if (!db.first_failure.ok()) return copied;
  sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  RAFTER_STORE_TRY(db.Begin());
  return copied;
}

absl::Status RunFile::CopyCommand(RunFile& source, uint32_t from, const std::string& name,
                                  const ProgramReport& report) {
  Statements& db = *statements_;
  Shifts shifts;
  {
    Statement row(
        db.Get("SELECT (SELECT coalesce(max(process), 0) FROM processes),"
               " (SELECT coalesce(max(id), 0) FROM epochs),"
               " (SELECT coalesce(max(id), 0) FROM baselines),"
               " (SELECT coalesce(max(marker), 0) FROM markers),"
               " (SELECT coalesce(max(command), 0) + 1 FROM commands)"));
    if (!row.Step()) return db.ReadFailure();
    shifts = {row.I64(0), row.I64(1), row.I64(2), row.I64(3), row.U32(4)};
  }
  RAFTER_STORE_TRY(CopyCommandLine(source, from, shifts.command, name, report));
  for (const char* table : kTables) RAFTER_STORE_TRY(CopyTable(source, table, shifts));
  return absl::OkStatus();
}

absl::Status RunFile::CopyTable(RunFile& source, const std::string& table, const Shifts& shifts) {
  Statements& db = *statements_;
  std::vector<std::string> columns;
  {
    Statement column(db.Get("SELECT name FROM pragma_table_info(?) ORDER BY cid"));
    column.Bind(table);
    while (column.Step()) columns.push_back(column.Text(0));
    if (!column.ok()) return db.ReadFailure();
  }
  const TableSql sql = SqlOf(table, columns);
  const Prepared select = PrepareText(source.database_, sql.select);
  const Prepared insert = PrepareText(database_, sql.insert);
  if (select == nullptr) return source.statements_->ReadFailure();
  if (insert == nullptr) return db.Fail();
  Statement row(select.get());
  row.Bind(shifts.process, shifts.epoch, shifts.baseline, shifts.marker, shifts.command);
  while (row.Step()) {
    Statement put(insert.get());
    for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
      sqlite3_bind_value(insert.get(), i + 1, sqlite3_column_value(select.get(), i));
    }
    put.Step();
    if (put.ok()) continue;
    if (!IsSourcesFault(sqlite3_errcode(database_) & 0xFF)) return db.Fail();
    return absl::DataLossError(absl::StrCat("run file \"", source.path_, "\" is damaged: table ",
                                            table, ": ", sqlite3_errmsg(database_),
                                            "; use a copy of it"));
  }
  return row.ok() ? absl::OkStatus() : source.statements_->ReadFailure();
}

absl::Status RunFile::CopyCommandLine(RunFile& source, uint32_t from, uint32_t to,
                                      const std::string& name, const ProgramReport& report) {
  Run run;
  RAFTER_STORE_TRY(source.ReadCommandLine(run, from));
  int64_t created_unix_s = 0;
  {
    Statement row(source.statements_->Get("SELECT created_unix_s FROM commands WHERE command=?"));
    row.Bind(from);
    if (!row.Step()) return source.statements_->ReadFailure();
    created_unix_s = row.I64(0);
  }
  const ProgramReport& kept = report.says_anything() ? report : run.report;
  std::optional<Blob> json;
  absl::StatusOr<std::string> compressed;
  if (!kept.json.empty()) {
    compressed = Compress(kept.json);
    if (!compressed.ok()) return compressed.status();
    json = Blob{*compressed};
  }
  return statements_->Write("INSERT INTO commands VALUES (?,?,?,?,?,?,?,?,?)", to,
                            name.empty() ? run.name : name, run.command, run.exit_status,
                            run.rafter_version, created_unix_s, json, kept.source, kept.trouble);
}

}  // namespace rafter
