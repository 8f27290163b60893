// The reading half of RunFile: a whole run in memory, and what waits for CUPTI.
#include <absl/strings/str_cat.h>

#include <map>
#include <unordered_map>

#include "collector/store/compressed.h"
#include "collector/store/statements.h"

namespace rafter {
namespace {

absl::StatusOr<std::vector<uint8_t>> Unpack(const std::string& compressed) {
  const absl::StatusOr<std::string> bytes = Decompress(compressed, kMaxStoredBytes);
  if (!bytes.ok()) return bytes.status();
  return std::vector<uint8_t>(bytes->begin(), bytes->end());
}

// The slots of an epoch, without values.
constexpr char kSlotsOfEpoch[] =
    "SELECT path, instances, incomplete, segments, cut_segments, counted_ns, call, range,"
    " crossed FROM slots WHERE epoch_id=? ORDER BY position";

SlotValues ToSlot(const Statement& row) {
  SlotValues slot;
  slot.path = row.U32(0);
  slot.instances = row.U64(1);
  slot.incomplete = row.U64(2);
  slot.segments = row.U64(3);
  slot.cut_segments = row.U64(4);
  slot.counted_ns = row.U64(5);
  slot.call = row.U32(6);
  slot.range = row.U32(7);
  slot.crossed = row.U64(8);
  return slot;
}

}  // namespace

absl::StatusOr<Run> RunFile::ReadCommand(uint32_t command) {
  Run run;
  RAFTER_STORE_TRY(ReadCommandLine(run, command));
  RAFTER_STORE_TRY(ReadProcesses(run, command));
  RAFTER_STORE_TRY(ReadProgramRuns(run, command));
  RAFTER_STORE_TRY(ReadMarkers(run, command));
  for (RunProcess& process : run.processes) {
    RAFTER_STORE_TRY(ReadCost(process));
    RAFTER_STORE_TRY(ReadDevices(process));
    RAFTER_STORE_TRY(ReadPaths(process));
    RAFTER_STORE_TRY(ReadEpochs(process));
    RAFTER_STORE_TRY(ReadRest(process));
  }
  return run;
}

absl::Status RunFile::ReadProcesses(Run& run, uint32_t command) {
  Statement row(statements_->Get(
      "SELECT process, host, boot_id, pid, start_ticks, executable, rank, job, monotonic_ns,"
      " realtime_ns, library_version, ending, replay FROM processes WHERE command=?"
      " ORDER BY process"));
  row.Bind(command);
  while (row.Step()) {
    RunProcess& process = run.processes.emplace_back();
    process.id = row.I64(0);
    process.host = row.Text(1);
    process.boot_id = row.Text(2);
    process.pid = row.U32(3);
    process.start_ticks = row.U64(4);
    process.executable = row.Text(5);
    if (!row.IsNull(6)) process.rank = row.U32(6);
    process.job = row.Text(7);
    process.monotonic_ns = row.U64(8);
    process.realtime_ns = row.U64(9);
    process.library_version = row.Text(10);
    process.ending = row.Text(11);
    if (!row.IsNull(12)) process.replay = row.U32(12);
  }
  return row.ok() ? absl::OkStatus() : statements_->ReadFailure();
}

absl::Status RunFile::ReadCost(RunProcess& process) {
  Statement row(
      statements_->Get("SELECT wall_ns, set_up_ns, rotation_ns, border_ns, slowed_ns FROM costs"
                       " WHERE process=?"));
  row.Bind(process.id);
  if (row.Step()) {
    process.cost = {row.U64(0), row.U64(1), row.U64(2), row.U64(3), row.U64(4)};
  }
  return row.ok() ? absl::OkStatus() : statements_->ReadFailure();
}

absl::Status RunFile::ReadDevices(RunProcess& process) {
  Statements& db = *statements_;
  {
    Statement row(db.Get(
        "SELECT device, uuid, pci_address, name, chip, driver_version, cupti_version, cupti_path,"
        " sm_count, memory_bytes, sm_clock_hz, memory_clock_hz, memory_bus_bits, l2_bytes,"
        " compute_major, compute_minor, wanted_sets, plan_origin, plan_error FROM devices"
        " WHERE process=? ORDER BY device"));
    row.Bind(process.id);
    while (row.Step()) {
      RunDevice& device = process.devices.emplace_back();
      device.device = row.U32(0);
      device.uuid = row.Text(1);
      device.pci_address = row.Text(2);
      device.name = row.Text(3);
      device.chip = row.Text(4);
      device.driver_version = row.U32(5);
      device.cupti_version = row.U32(6);
      device.cupti_path = row.Text(7);
      device.sm_count = row.U32(8);
      device.memory_bytes = row.U64(9);
      device.sm_clock_hz = row.U64(10);
      device.memory_clock_hz = row.U64(11);
      device.memory_bus_bits = row.U32(12);
      device.l2_bytes = row.U64(13);
      device.compute_major = row.U32(14);
      device.compute_minor = row.U32(15);
      device.wanted_sets = row.Text(16);
      device.plan_origin = row.Text(17);
      device.plan_error = row.Text(18);
    }
    if (!row.ok()) return db.ReadFailure();
  }
  for (RunDevice& device : process.devices) {
    Statement set(
        db.Get("SELECT name, first_pass, passes FROM sets WHERE process=? AND device=?"
               " ORDER BY position"));
    set.Bind(process.id, device.device);
    while (set.Step()) device.sets.push_back({set.Text(0), set.U32(1), set.U32(2), {}});
    Statement counter(
        db.Get("SELECT set_position, metric, unit, description FROM counters WHERE"
               " process=? AND device=? ORDER BY set_position, position"));
    counter.Bind(process.id, device.device);
    while (counter.Step()) {
      const uint64_t position = counter.U64(0);
      if (position >= device.sets.size()) continue;
      device.sets[position].counters.push_back({counter.Text(1), counter.Text(2), counter.Text(3)});
    }
    Statement missing(
        db.Get("SELECT set_name, metric, reason FROM missing_counters WHERE"
               " process=? AND device=? ORDER BY position"));
    missing.Bind(process.id, device.device);
    while (missing.Step()) {
      device.missing.push_back({missing.Text(0), missing.Text(1), missing.Text(2)});
    }
    if (!set.ok() || !counter.ok() || !missing.ok()) return db.ReadFailure();
  }
  return absl::OkStatus();
}

absl::Status RunFile::ReadEpochs(RunProcess& process) {
  Statements& db = *statements_;
  // Counters of each device and set, for the width of the values.
  std::map<std::pair<uint32_t, std::string>, size_t> widths;
  for (const RunDevice& device : process.devices) {
    for (const CounterSet& set : device.sets) {
      widths[{device.device, set.name}] = set.counters.size();
    }
  }
  std::unordered_map<int64_t, size_t> by_id;
  {
    Statement row(
        db.Get("SELECT id, epoch, device, pass, set_name, start_ns, end_ns, evaluated, chain"
               " FROM epochs WHERE process=? ORDER BY epoch"));
    row.Bind(process.id);
    while (row.Step()) {
      by_id[row.I64(0)] = process.epochs.size();
      Epoch& epoch = process.epochs.emplace_back();
      epoch.epoch = row.U32(1);
      epoch.device = row.U32(2);
      epoch.pass = row.U32(3);
      epoch.set = row.Text(4);
      epoch.start_ns = row.U64(5);
      epoch.end_ns = row.U64(6);
      const bool evaluated = row.U64(7) != 0;
      epoch.chain = row.U32(8);
      const auto width = widths.find({epoch.device, epoch.set});
      Statement slot(db.Get(kSlotsOfEpoch));
      slot.Bind(row.I64(0));
      while (slot.Step()) {
        SlotValues& values = epoch.slots.emplace_back(ToSlot(slot));
        values.evaluated = evaluated;
        if (evaluated && width != widths.end()) values.values.resize(width->second);
      }
      Statement value(db.Get("SELECT slot, counter, value FROM slot_values WHERE epoch_id=?"));
      value.Bind(row.I64(0));
      while (value.Step()) {
        const uint64_t at = value.U64(0);
        if (at >= epoch.slots.size() || value.U64(1) >= epoch.slots[at].values.size()) continue;
        epoch.slots[at].values[value.U64(1)] = value.Real(2);
      }
      if (!slot.ok() || !value.ok()) return db.ReadFailure();
    }
    if (!row.ok()) return db.ReadFailure();
  }
  return absl::OkStatus();
}

absl::Status RunFile::ReadRest(RunProcess& process) {
  Statements& db = *statements_;
  Statement argument(db.Get("SELECT value FROM arguments WHERE process=? ORDER BY position"));
  argument.Bind(process.id);
  while (argument.Step()) process.arguments.push_back(argument.Text(0));

  Statement variable(db.Get("SELECT name, value FROM environment WHERE process=?"));
  variable.Bind(process.id);
  while (variable.Step()) process.environment[variable.Text(0)] = variable.Text(1);

  Statement kernel(
      db.Get("SELECT path, symbol, signature, grid_x, grid_y, grid_z, block_x, block_y, block_z,"
             " shared_bytes, launches, device FROM kernels WHERE process=?"));
  kernel.Bind(process.id);
  while (kernel.Step()) {
    RunKernel& read = process.kernels.emplace_back();
    read.path = kernel.U32(0);
    read.symbol = kernel.Text(1);
    read.signature = kernel.Text(2);
    for (int i = 0; i < 3; ++i) {
      read.grid[i] = kernel.U32(3 + i);
      read.block[i] = kernel.U32(6 + i);
    }
    read.shared_bytes = kernel.U64(9);
    read.launches = kernel.U64(10);
    read.device = kernel.U32(11);
  }

  Statement note(db.Get("SELECT severity, about, text FROM notes WHERE process=? ORDER BY id"));
  note.Bind(process.id);
  while (note.Step()) process.notes.push_back({note.Text(0), note.Text(1), note.Text(2)});

  Statement loss(db.Get("SELECT kind, count FROM losses WHERE process=?"));
  loss.Bind(process.id);
  while (loss.Step()) process.losses[loss.Text(0)] = loss.U64(1);

  const bool ok = argument.ok() && variable.ok() && kernel.ok() && note.ok() && loss.ok();
  return ok ? absl::OkStatus() : db.ReadFailure();
}

absl::StatusOr<std::vector<RunFile::StoredDevice>> RunFile::Devices(int64_t process) {
  Statements& db = *statements_;
  RunProcess read;
  read.id = process;
  RAFTER_STORE_TRY(ReadDevices(read));
  std::vector<StoredDevice> devices;
  for (RunDevice& device : read.devices) {
    Statement row(
        db.Get("SELECT availability, EXISTS (SELECT 1 FROM epochs e WHERE e.process = d.process AND"
               " e.device = d.device) FROM devices d WHERE process=? AND device=?"));
    row.Bind(process, device.device);
    if (!row.Step()) return db.ReadFailure();
    absl::StatusOr<std::vector<uint8_t>> availability = Unpack(row.Bytes(0));
    if (!availability.ok()) return availability.status();
    devices.push_back({std::move(device), std::move(*availability), row.U64(1) != 0});
  }
  return devices;
}

absl::StatusOr<std::string> RunFile::Baseline(int64_t process, uint32_t device, uint32_t baseline) {
  Statement row(
      statements_->Get("SELECT data FROM baselines WHERE process=? AND device=? AND"
                       " baseline=? ORDER BY id DESC LIMIT 1"));
  row.Bind(process, device, baseline);
  if (row.Step()) return Decompress(row.Bytes(0), kMaxStoredBytes);
  if (!row.ok()) return statements_->ReadFailure();
  return absl::NotFoundError(absl::StrCat("baseline ", baseline, " was never sent"));
}

absl::StatusOr<std::vector<RunFile::Unevaluated>> RunFile::UnevaluatedEpochs(uint64_t at_most,
                                                                             int64_t after) {
  Statements& db = *statements_;
  std::vector<Unevaluated> waiting;
  Statement row(db.Get(
      "SELECT e.id, e.process, e.device, e.epoch, e.pass, e.set_name, e.start_ns, e.end_ns, d.chip,"
      " d.cupti_version, d.availability, b.data, i.data, b.baseline, e.chain, d.uuid FROM epochs e"
      " JOIN images i ON i.epoch_id = e.id"
      " JOIN devices d ON d.process = e.process AND d.device = e.device"
      " JOIN baselines b ON b.id = i.baseline_id"
      " WHERE e.evaluated = 0 AND e.id > ? ORDER BY e.id"));
  row.Bind(after);
  while (waiting.size() < at_most && row.Step()) {
    Unevaluated& one = waiting.emplace_back();
    one.row = row.I64(0);
    one.process = row.I64(1);
    one.device = row.U32(2);
    one.epoch = row.U32(3);
    one.stored.epoch = one.epoch;
    one.stored.device = one.device;
    one.stored.pass = row.U32(4);
    one.stored.set = row.Text(5);
    one.stored.start_ns = row.U64(6);
    one.stored.end_ns = row.U64(7);
    one.stored.baseline = row.U32(13);
    one.stored.chain = row.U32(14);
    one.gpu = row.Text(15);
    one.chip = row.Text(8);
    one.cupti_version = row.U32(9);
    absl::StatusOr<std::vector<uint8_t>> availability = Unpack(row.Bytes(10));
    absl::StatusOr<std::string> baseline = Decompress(row.Bytes(11), kMaxStoredBytes);
    absl::StatusOr<std::string> image = Decompress(row.Bytes(12), kMaxStoredBytes);
    if (!availability.ok()) return availability.status();
    if (!baseline.ok()) return baseline.status();
    if (!image.ok()) return image.status();
    one.availability = std::move(*availability);
    one.baseline = std::move(*baseline);
    one.image = std::move(*image);
    Statement counter(
        db.Get("SELECT c.metric, c.unit, c.description FROM counters c JOIN sets s ON"
               " s.process = c.process AND s.device = c.device AND s.position = c.set_position"
               " WHERE c.process=? AND c.device=? AND s.name=? ORDER BY c.position"));
    counter.Bind(one.process, one.device, one.stored.set);
    while (counter.Step()) {
      one.counters.push_back({counter.Text(0), counter.Text(1), counter.Text(2)});
    }
    Statement slot(db.Get(kSlotsOfEpoch));
    slot.Bind(one.row);
    while (slot.Step()) one.stored.slots.push_back(ToSlot(slot));
    if (!counter.ok() || !slot.ok()) return db.ReadFailure();
  }
  if (!row.ok()) return db.ReadFailure();
  return waiting;
}

}  // namespace rafter
