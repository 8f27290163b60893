// The part of RunFile that reads regions and sums their instances up.
#include <absl/strings/str_cat.h>

#include <map>
#include <utility>
#include <vector>

#include "collector/store/statements.h"
#include "collector/store/uncounted.h"

namespace rafter {
namespace {

// Categories of one region that are listed; a program that has more does not group by
// them.
constexpr size_t kMostCategories = 8;

// The path of this number. Where its Names frame was lost, its calls are not.
RegionPath& Named(std::map<uint32_t, RegionPath>& paths, uint32_t number) {
  RegionPath& path = paths[number];
  if (path.path == 0) {
    path.path = number;
    path.name = absl::StrCat("(unnamed region ", number, ")");
  }
  return path;
}

}  // namespace

absl::Status RunFile::ReadPaths(RunProcess& process) {
  Statements& db = *statements_;
  std::map<uint32_t, RegionPath> paths;
  {
    Statement row(
        db.Get("SELECT path, parent, name, domain FROM regions WHERE process=? ORDER BY path"));
    row.Bind(process.id);
    while (row.Step()) {
      RegionPath& path = paths[row.U32(0)];
      path.path = row.U32(0);
      path.parent = row.U32(1);
      path.name = row.Text(2);
      path.domain = row.Text(3);
    }
    Statement member(
        db.Get("SELECT path, member FROM region_members WHERE process=? ORDER BY path,"
               " position"));
    member.Bind(process.id);
    while (member.Step()) {
      const auto owner = paths.find(member.U32(0));
      if (owner != paths.end()) owner->second.members.push_back(member.U32(1));
    }
    if (!row.ok() || !member.ok()) return db.ReadFailure();
  }
  RAFTER_STORE_TRY(ReadLaunches(paths, process.id));
  RAFTER_STORE_TRY(ReadInstances(paths, process.id));
  RAFTER_STORE_TRY(ReadDetails(paths, process.id));
  RAFTER_STORE_TRY(ReadDropped(paths, process.id));
  std::vector<uint32_t> parents;
  for (const auto& [number, path] : paths) parents.push_back(path.parent);
  for (const uint32_t parent : parents) {
    if (parent != 0) Named(paths, parent);
  }
  for (auto& [number, path] : paths) process.paths.push_back(std::move(path));
  return absl::OkStatus();
}

absl::Status RunFile::ReadLaunches(std::map<uint32_t, RegionPath>& paths, int64_t process) {
  Statement row(statements_->Get(
      "SELECT path, symbol, signature, grid_x, grid_y, grid_z, block_x, block_y, block_z,"
      " dynamic_shared_bytes, static_shared_bytes, registers FROM launches WHERE process=?"));
  row.Bind(process);
  while (row.Step()) {
    const auto path = paths.find(row.U32(0));
    if (path == paths.end()) continue;
    LaunchKind& launch = path->second.launch.emplace();
    launch.symbol = row.Text(1);
    launch.signature = row.Text(2);
    for (int i = 0; i < 3; ++i) {
      launch.grid[i] = row.U32(3 + i);
      launch.block[i] = row.U32(6 + i);
    }
    launch.dynamic_shared_bytes = row.U32(9);
    launch.static_shared_bytes = row.U32(10);
    launch.registers = row.U32(11);
  }
  return row.ok() ? absl::OkStatus() : statements_->ReadFailure();
}

absl::Status RunFile::ReadInstances(std::map<uint32_t, RegionPath>& paths, int64_t process) {
  Statements& db = *statements_;
  // By reason: a call is counted when its epoch arrived.
  Statement row(db.Get(
      "SELECT i.path, i.uncounted, i.epoch != 0 AS had_epoch, e.epoch IS NOT NULL AS arrived,"
      " count(*), total(i.duration_ns), count(i.launches), coalesce(sum(i.launches), 0),"
      " min(i.launches), max(i.launches), i.device, min(i.start_ns), max(i.start_ns +"
      " i.duration_ns) FROM instances i LEFT JOIN epochs e ON"
      " e.process = i.process AND e.epoch = i.epoch WHERE i.process=? GROUP BY 1, 2, 3, 4, 11"));
  row.Bind(process);
  while (row.Step()) {
    const uint32_t reason = row.U32(1);
    InstanceSums sums;
    sums.calls = row.U64(4);
    sums.host_time_s = row.Real(5) * 1e-9;
    if (reason != 0) {
      sums.uncounted[std::string(UncountedReason(reason))] = sums.calls;
    } else if (row.U64(2) == 0) {
      sums.uncounted[std::string(kCountingOff)] = sums.calls;
    } else if (row.U64(3) == 0) {
      sums.uncounted[std::string(kEpochLost)] = sums.calls;
    } else {
      sums.counted_calls = sums.calls;
    }
    sums.watched_calls = row.U64(6);
    sums.launches = row.U64(7);
    sums.least_launches = row.U64(8);
    sums.most_launches = row.U64(9);
    if (UncountedReason(reason) != kNoContext) {
      sums.first_start_ns = row.U64(11);
      sums.last_end_ns = row.U64(12);
    }
    RegionPath& path = Named(paths, row.U32(0));
    path.Add(sums);
    path.by_device[row.U32(10)].Add(sums);
  }
  return row.ok() ? absl::OkStatus() : db.ReadFailure();
}

// Categories and payloads of all calls of a region, in words.
absl::Status RunFile::ReadDetails(std::map<uint32_t, RegionPath>& paths, int64_t process) {
  Statements& db = *statements_;
  {
    Statement row(
        db.Get("SELECT DISTINCT i.path, i.category, c.name FROM instances i LEFT JOIN regions r ON"
               " r.process = i.process AND r.path = i.path LEFT JOIN categories c ON c.process ="
               " i.process AND c.domain = r.domain AND c.category = i.category WHERE i.process=?"
               " AND i.category != 0 ORDER BY 1, 2"));
    row.Bind(process);
    std::map<uint32_t, size_t> listed;
    while (row.Step()) {
      std::string& text = Named(paths, row.U32(0)).category;
      const size_t count = listed[row.U32(0)]++;
      if (count > kMostCategories) continue;
      if (count > 0) text += ", ";
      text += count == kMostCategories ? "..."
              : row.IsNull(2)          ? absl::StrCat(row.U32(1))
                                       : row.Text(2);
    }
    if (!row.ok()) return db.ReadFailure();
  }
  Statement row(
      db.Get("SELECT path, CAST(min(payload) AS TEXT), CAST(max(payload) AS TEXT), min(payload) ="
             " max(payload) FROM instances WHERE process=? AND payload IS NOT NULL GROUP BY 1"));
  row.Bind(process);
  while (row.Step()) {
    std::string& text = Named(paths, row.U32(0)).payload;
    text = row.U32(3) != 0 ? row.Text(1) : row.Text(1) + ".." + row.Text(2);
  }
  return row.ok() ? absl::OkStatus() : db.ReadFailure();
}

absl::Status RunFile::ReadDropped(std::map<uint32_t, RegionPath>& paths, int64_t process) {
  Statement dropped(statements_->Get("SELECT path, count FROM dropped_instances WHERE process=?"));
  dropped.Bind(process);
  while (dropped.Step()) {
    InstanceSums sums;
    sums.calls = sums.dropped_calls = dropped.U64(1);
    sums.uncounted[std::string(kInstanceDropped)] = sums.calls;
    RegionPath& path = Named(paths, dropped.U32(0));
    path.Add(sums);
    path.by_device[0].Add(sums);
  }
  return dropped.ok() ? absl::OkStatus() : statements_->ReadFailure();
}

}  // namespace rafter
