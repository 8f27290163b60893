// The part of RunFile that hands out single passes and marks, in the order of time.
#include "collector/store/statements.h"

namespace rafter {
namespace {

StoredPayload PayloadAt(const Statement& row, int column) {
  switch (row.Type(column)) {
    case SQLITE_INTEGER:
      return row.I64(column);
    case SQLITE_FLOAT:
      return row.Real(column);
    case SQLITE_TEXT:
      return row.Text(column);
    default:
      return std::monostate{};
  }
}

}  // namespace

absl::Status RunFile::EachInstance(int64_t process,
                                   const std::function<absl::Status(const StoredInstance&)>& take) {
  Statement row(statements_->Get(
      "SELECT path, thread, start_ns, duration_ns, epoch, uncounted, launches, device, category,"
      " payload FROM instances WHERE process=?"
      " ORDER BY thread, start_ns, duration_ns DESC, path, ordinal, device"));
  row.Bind(process);
  while (row.Step()) {
    StoredInstance instance;
    instance.path = row.U32(0);
    instance.thread = row.U32(1);
    instance.start_ns = row.U64(2);
    instance.duration_ns = row.U64(3);
    instance.epoch = row.U32(4);
    instance.uncounted = row.U32(5);
    if (!row.IsNull(6)) instance.launches = row.U32(6);
    instance.device = row.U32(7);
    instance.category = row.U32(8);
    instance.payload = PayloadAt(row, 9);
    RAFTER_STORE_TRY(take(instance));
  }
  return row.ok() ? absl::OkStatus() : statements_->ReadFailure();
}

absl::Status RunFile::EachMark(int64_t process,
                               const std::function<absl::Status(const StoredMark&)>& take) {
  Statement row(
      statements_->Get("SELECT path, thread, time_ns, category, payload FROM marks WHERE process=?"
                       " ORDER BY thread, time_ns, path"));
  row.Bind(process);
  while (row.Step()) {
    RAFTER_STORE_TRY(take({row.U32(0), row.U32(1), row.U64(2), row.U32(3), PayloadAt(row, 4)}));
  }
  return row.ok() ? absl::OkStatus() : statements_->ReadFailure();
}

absl::StatusOr<std::map<uint32_t, RegionPath>> RunFile::MarkNames(int64_t process) {
  std::map<uint32_t, RegionPath> names;
  Statement row(
      statements_->Get("SELECT path, parent, name, domain FROM mark_names WHERE process=?"));
  row.Bind(process);
  while (row.Step()) {
    RegionPath& name = names[row.U32(0)];
    name.path = row.U32(0);
    name.parent = row.U32(1);
    name.name = row.Text(2);
    name.domain = row.Text(3);
  }
  if (!row.ok()) return statements_->ReadFailure();
  return names;
}

absl::StatusOr<std::map<std::pair<std::string, uint32_t>, std::string>> RunFile::CategoryNames(
    int64_t process) {
  std::map<std::pair<std::string, uint32_t>, std::string> names;
  Statement row(statements_->Get("SELECT domain, category, name FROM categories WHERE process=?"));
  row.Bind(process);
  while (row.Step()) names[{row.Text(0), row.U32(1)}] = row.Text(2);
  if (!row.ok()) return statements_->ReadFailure();
  return names;
}

}  // namespace rafter
