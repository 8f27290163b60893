// The writing half of RunFile: one method a record.
#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>

#include <tuple>
#include <utility>

#include "collector/store/compressed.h"
#include "collector/store/statements.h"

namespace rafter {
namespace {

Blob AsBlob(const std::vector<uint8_t>& bytes) {
  return {{reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
}

}  // namespace

absl::StatusOr<int64_t> RunFile::AddProcess(const RunProcess& identity) {
  Statements& db = *statements_;
  RAFTER_STORE_TRY(db.CommitIfDue());
  RAFTER_STORE_TRY(db.Write(
      "INSERT OR IGNORE INTO processes (command, host, boot_id, pid, start_ticks, executable, rank,"
      " job, monotonic_ns, realtime_ns, library_version, replay) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
      kOwnCommand, identity.host, identity.boot_id, identity.pid, identity.start_ticks,
      identity.executable, identity.rank, identity.job, identity.monotonic_ns, identity.realtime_ns,
      identity.library_version,
      identity.replay == 0 ? std::nullopt : std::optional<uint32_t>(identity.replay)));
  const bool is_new = sqlite3_changes(database_) == 1;
  int64_t id = 0;
  {
    Statement found(
        db.Get("SELECT process FROM processes WHERE command=? AND host=? AND boot_id=? AND pid=?"
               " AND start_ticks=?"));
    found.Bind(kOwnCommand, identity.host, identity.boot_id, identity.pid, identity.start_ticks);
    if (!found.Step()) return db.ReadFailure();
    id = found.I64(0);
  }
  if (!is_new) return id;
  for (size_t i = 0; i < identity.arguments.size(); ++i) {
    RAFTER_STORE_TRY(db.Write("INSERT INTO arguments VALUES (?,?,?)", id, static_cast<uint64_t>(i),
                              identity.arguments[i]));
  }
  for (const auto& [name, value] : identity.environment) {
    RAFTER_STORE_TRY(
        db.Write("INSERT OR REPLACE INTO environment VALUES (?,?,?)", id, name, value));
  }
  return id;
}

absl::Status RunFile::AddDevice(int64_t process, const RunDevice& device,
                                const std::vector<uint8_t>& counter_availability) {
  Statements& db = *statements_;
  RAFTER_STORE_TRY(db.CommitIfDue());
  const absl::StatusOr<std::string> availability = Compress(std::string_view(
      reinterpret_cast<const char*>(counter_availability.data()), counter_availability.size()));
  if (!availability.ok()) return availability.status();
  return db.Write(
      "INSERT INTO devices (process, device, uuid, pci_address, name, chip, driver_version,"
      " cupti_version, cupti_path, sm_count, memory_bytes, sm_clock_hz, memory_clock_hz,"
      " memory_bus_bits, l2_bytes, compute_major, compute_minor, wanted_sets, availability)"
      " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (process, device) DO UPDATE SET"
      " uuid=excluded.uuid, pci_address=excluded.pci_address, name=excluded.name,"
      " chip=excluded.chip, driver_version=excluded.driver_version,"
      " cupti_version=excluded.cupti_version, cupti_path=excluded.cupti_path,"
      " sm_count=excluded.sm_count, memory_bytes=excluded.memory_bytes,"
      " sm_clock_hz=excluded.sm_clock_hz, memory_clock_hz=excluded.memory_clock_hz,"
      " memory_bus_bits=excluded.memory_bus_bits, l2_bytes=excluded.l2_bytes,"
      " compute_major=excluded.compute_major, compute_minor=excluded.compute_minor,"
      " wanted_sets=excluded.wanted_sets, availability=excluded.availability",
      process, device.device, device.uuid, device.pci_address, device.name, device.chip,
      device.driver_version, device.cupti_version, device.cupti_path, device.sm_count,
      device.memory_bytes, device.sm_clock_hz, device.memory_clock_hz, device.memory_bus_bits,
      device.l2_bytes, device.compute_major, device.compute_minor, device.wanted_sets,
      Blob{*availability});
}

absl::Status RunFile::PutSets(int64_t process, const RunDevice& device) {
  Statements& db = *statements_;
  RAFTER_STORE_TRY(
      db.Write("DELETE FROM sets WHERE process=? AND device=?", process, device.device));
  RAFTER_STORE_TRY(
      db.Write("DELETE FROM counters WHERE process=? AND device=?", process, device.device));
  RAFTER_STORE_TRY(db.Write("DELETE FROM missing_counters WHERE process=? AND device=?", process,
                            device.device));
  for (size_t s = 0; s < device.sets.size(); ++s) {
    const CounterSet& set = device.sets[s];
    RAFTER_STORE_TRY(db.Write("INSERT INTO sets VALUES (?,?,?,?,?,?)", process, device.device,
                              static_cast<uint64_t>(s), set.name, set.first_pass, set.passes));
    for (size_t c = 0; c < set.counters.size(); ++c) {
      const Counter& counter = set.counters[c];
      RAFTER_STORE_TRY(db.Write("INSERT INTO counters VALUES (?,?,?,?,?,?,?)", process,
                                device.device, static_cast<uint64_t>(s), static_cast<uint64_t>(c),
                                counter.metric, counter.unit, counter.description));
    }
  }
  for (size_t m = 0; m < device.missing.size(); ++m) {
    const MissingCounter& missing = device.missing[m];
    RAFTER_STORE_TRY(db.Write("INSERT INTO missing_counters VALUES (?,?,?,?,?,?)", process,
                              device.device, static_cast<uint64_t>(m), missing.set, missing.metric,
                              missing.reason));
  }
  return absl::OkStatus();
}

absl::Status RunFile::SetPlan(int64_t process, const RunDevice& device,
                              const std::vector<uint8_t>& configuration) {
  Statements& db = *statements_;
  RAFTER_STORE_TRY(db.CommitIfDue());
  RAFTER_STORE_TRY(PutSets(process, device));
  return db.Write(
      "UPDATE devices SET plan_origin=?, plan_error=?, configuration=? WHERE process=? AND"
      " device=?",
      device.plan_origin, device.plan_error, AsBlob(configuration), process, device.device);
}

absl::Status RunFile::AddPath(int64_t process, const RegionPath& path) {
  Statements& db = *statements_;
  RAFTER_STORE_TRY(db.CommitIfDue());
  RAFTER_STORE_TRY(db.Write("INSERT OR IGNORE INTO regions VALUES (?,?,?,?,?)", process, path.path,
                            path.parent, path.name, path.domain));
  for (size_t i = 0; i < path.members.size(); ++i) {
    RAFTER_STORE_TRY(db.Write("INSERT OR IGNORE INTO region_members VALUES (?,?,?,?)", process,
                              path.path, static_cast<uint64_t>(i), path.members[i]));
  }
  if (!path.launch) return absl::OkStatus();
  const LaunchKind& launch = *path.launch;
  return db.Write("INSERT OR IGNORE INTO launches VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", process,
                  path.path, launch.symbol, launch.signature, launch.grid[0], launch.grid[1],
                  launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
                  launch.dynamic_shared_bytes, launch.static_shared_bytes, launch.registers);
}

absl::Status RunFile::AddInstances(int64_t process, std::span<const StoredInstance> instances,
                                   uint64_t* duplicates) {
  Statements& db = *statements_;
  RAFTER_STORE_TRY(db.CommitIfDue());
  // Where the clock is coarse, instances of one call may start together; the
  // ordinal keeps those apart.
  absl::flat_hash_map<std::tuple<uint32_t, uint32_t, uint32_t>, std::pair<uint64_t, uint32_t>> last;
  for (const StoredInstance& instance : instances) {
    auto& [start_ns, ordinal] = last.try_emplace({instance.path, instance.thread, instance.device},
                                                 instance.start_ns, UINT32_MAX)
                                    .first->second;
    ordinal = start_ns == instance.start_ns ? ordinal + 1 : 0;
    start_ns = instance.start_ns;
    RAFTER_STORE_TRY(db.Write(
        "INSERT OR IGNORE INTO instances (process, path, thread, start_ns, ordinal, duration_ns,"
        " epoch, uncounted, launches, device, category, payload) VALUES"
        " (?,?,?,?,?,?,?,?,?,?,?,?)",
        process, instance.path, instance.thread, instance.start_ns, ordinal, instance.duration_ns,
        instance.epoch, instance.uncounted, instance.launches, instance.device, instance.category,
        instance.payload));
    if (duplicates != nullptr && sqlite3_changes(database_) == 0) ++*duplicates;
  }
  return absl::OkStatus();
}

absl::Status RunFile::AddMarkName(int64_t process, const RegionPath& path) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  return statements_->Write("INSERT OR IGNORE INTO mark_names VALUES (?,?,?,?,?)", process,
                            path.path, path.parent, path.name, path.domain);
}

absl::Status RunFile::AddMarks(int64_t process, std::span<const StoredMark> marks) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  for (const StoredMark& mark : marks) {
    RAFTER_STORE_TRY(statements_->Write("INSERT OR IGNORE INTO marks VALUES (?,?,?,?,?,?)", process,
                                        mark.path, mark.thread, mark.time_ns, mark.category,
                                        mark.payload));
  }
  return absl::OkStatus();
}

absl::Status RunFile::NameCategory(int64_t process, const std::string& domain, uint32_t category,
                                   const std::string& name) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  return statements_->Write("INSERT OR REPLACE INTO categories VALUES (?,?,?,?)", process, domain,
                            category, name);
}

absl::Status RunFile::SetDroppedInstances(int64_t process, uint32_t path, uint64_t count) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  return statements_->Write(
      "INSERT INTO dropped_instances VALUES (?,?,?) ON CONFLICT DO UPDATE SET count=max(count,"
      " excluded.count)",
      process, path, count);
}

absl::Status RunFile::AddBaseline(int64_t process, uint32_t device, uint32_t baseline,
                                  const std::string& serialised) {
  Statements& db = *statements_;
  RAFTER_STORE_TRY(db.CommitIfDue());
  const absl::StatusOr<std::string> data = Compress(serialised);
  if (!data.ok()) return data.status();
  {
    // The same one again, from the rest of a stream that broke.
    Statement found(
        db.Get("SELECT data FROM baselines WHERE process=? AND device=? AND baseline=?"
               " ORDER BY id DESC LIMIT 1"));
    found.Bind(process, device, baseline);
    if (found.Step() && found.Bytes(0) == *data) return absl::OkStatus();
  }
  return db.Write("INSERT INTO baselines (process, device, baseline, data) VALUES (?,?,?,?)",
                  process, device, baseline, Blob{*data});
}

absl::StatusOr<bool> RunFile::HasEpoch(int64_t process, uint32_t epoch) {
  Statement found(statements_->Get("SELECT 1 FROM epochs WHERE process=? AND epoch=?"));
  found.Bind(process, epoch);
  const bool has = found.Step();
  if (!found.ok()) return statements_->ReadFailure();
  return has;
}

namespace {

bool IsEvaluated(const Epoch& epoch) {
  for (const SlotValues& slot : epoch.slots) {
    if (!slot.evaluated) return false;
  }
  return true;
}

}  // namespace

absl::Status RunFile::PutSlots(int64_t process, const Epoch& epoch) {
  Statements& db = *statements_;
  int64_t id = 0;
  {
    Statement found(db.Get("SELECT id FROM epochs WHERE process=? AND epoch=?"));
    found.Bind(process, epoch.epoch);
    if (!found.Step()) {
      if (!found.ok()) return db.ReadFailure();
      return absl::NotFoundError(
          absl::StrCat("run file \"", path_, "\" has no epoch ", epoch.epoch));
    }
    id = found.I64(0);
  }
  RAFTER_STORE_TRY(db.Write("DELETE FROM slots WHERE epoch_id=?", id));
  RAFTER_STORE_TRY(db.Write("DELETE FROM slot_values WHERE epoch_id=?", id));
  for (size_t s = 0; s < epoch.slots.size(); ++s) {
    const SlotValues& slot = epoch.slots[s];
    RAFTER_STORE_TRY(db.Write(
        "INSERT INTO slots (epoch_id, position, path, instances, incomplete, segments,"
        " cut_segments, counted_ns, call, range, crossed) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        id, static_cast<uint64_t>(s), slot.path, slot.instances, slot.incomplete, slot.segments,
        slot.cut_segments, slot.counted_ns, slot.call, slot.range, slot.crossed));
    for (size_t v = 0; v < slot.values.size(); ++v) {
      if (!slot.values[v].has_value()) continue;
      RAFTER_STORE_TRY(db.Write("INSERT INTO slot_values VALUES (?,?,?,?)", id,
                                static_cast<uint64_t>(s), static_cast<uint64_t>(v),
                                *slot.values[v]));
    }
  }
  return db.Write("UPDATE epochs SET evaluated=? WHERE id=?", IsEvaluated(epoch), id);
}

absl::Status RunFile::AddEpoch(int64_t process, const Epoch& epoch,
                               const std::string& serialised_image) {
  Statements& db = *statements_;
  RAFTER_STORE_TRY(db.CommitIfDue());
  RAFTER_STORE_TRY(db.Write(
      "INSERT OR IGNORE INTO epochs (process, epoch, device, pass, set_name, start_ns, end_ns,"
      " evaluated, chain) VALUES (?,?,?,?,?,?,?,0,?)",
      process, epoch.epoch, epoch.device, epoch.pass, epoch.set, epoch.start_ns, epoch.end_ns,
      epoch.chain));
  if (sqlite3_changes(database_) == 0) {
    return absl::AlreadyExistsError(
        absl::StrCat("epoch ", epoch.epoch, " of this process is stored already"));
  }
  const int64_t id = sqlite3_last_insert_rowid(database_);
  RAFTER_STORE_TRY(PutSlots(process, epoch));
  const absl::StatusOr<std::string> data = Compress(serialised_image);
  if (!data.ok()) return data.status();
  if (!db.kept_image_bytes.has_value()) {
    Statement kept(db.Get("SELECT coalesce(sum(length(data)), 0) FROM images"));
    kept.Step();
    if (!kept.ok()) return db.ReadFailure();
    db.kept_image_bytes = kept.U64(0);
  }
  if (IsEvaluated(epoch) && *db.kept_image_bytes + data->size() > kMaxKeptImageBytes) {
    return AddCollectorLoss("raw images not kept", 1);
  }
  *db.kept_image_bytes += data->size();
  return db.Write(
      "INSERT INTO images VALUES (?, (SELECT max(id) FROM baselines WHERE process=? AND device=?"
      " AND baseline=?), ?)",
      id, process, epoch.device, epoch.baseline, Blob{*data});
}

absl::Status RunFile::SetEpochValues(int64_t process, const Epoch& epoch) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  return PutSlots(process, epoch);
}

absl::Status RunFile::AddKernel(int64_t process, const RunKernel& kernel) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  return statements_->Write(
      "INSERT INTO kernels (process, path, symbol, grid_x, grid_y, grid_z, block_x, block_y,"
      " block_z, shared_bytes, signature, launches, device) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"
      " ON CONFLICT DO UPDATE SET launches=max(launches, excluded.launches)",
      process, kernel.path, kernel.symbol, kernel.grid[0], kernel.grid[1], kernel.grid[2],
      kernel.block[0], kernel.block[1], kernel.block[2], kernel.shared_bytes, kernel.signature,
      kernel.launches, kernel.device);
}

absl::Status RunFile::AddNote(int64_t process, const RunNote& note) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  return statements_->Write(
      "INSERT OR IGNORE INTO notes (process, severity, about, text) VALUES (?,?,?,?)", process,
      note.severity, note.about, note.text);
}

absl::Status RunFile::RemoveNotes(int64_t process, const std::string& text_prefix) {
  return statements_->Write("DELETE FROM notes WHERE process=?1 AND substr(text,1,length(?2))=?2",
                            process, text_prefix);
}

absl::Status RunFile::SetLoss(int64_t process, const std::string& kind, uint64_t count) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  return statements_->Write(
      "INSERT INTO losses VALUES (?,?,?) ON CONFLICT DO UPDATE SET count=max(count,"
      " excluded.count)",
      process, kind, count);
}

absl::Status RunFile::SetCost(int64_t process, const RunCost& cost) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  return statements_->Write(
      "INSERT INTO costs VALUES (?,?,?,?,?,?) ON CONFLICT DO UPDATE SET wall_ns=excluded.wall_ns,"
      " set_up_ns=excluded.set_up_ns, rotation_ns=excluded.rotation_ns,"
      " border_ns=excluded.border_ns, slowed_ns=excluded.slowed_ns"
      " WHERE excluded.wall_ns >= wall_ns",
      process, cost.wall_ns, cost.set_up_ns, cost.rotation_ns, cost.border_ns, cost.slowed_ns);
}

absl::Status RunFile::SetEnding(int64_t process, const std::string& ending) {
  RAFTER_STORE_TRY(statements_->CommitIfDue());
  return statements_->Write("UPDATE processes SET ending=? WHERE process=?", ending, process);
}

absl::StatusOr<std::string> RunFile::Ending(int64_t process) {
  Statement row(statements_->Get("SELECT ending FROM processes WHERE process=?"));
  row.Bind(process);
  if (row.Step()) return row.Text(0);
  return row.ok() ? absl::NotFoundError("no such process") : statements_->ReadFailure();
}

}  // namespace rafter
