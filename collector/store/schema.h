// Schema is the layout of a run file, table by table. docs/run-file.md says
// what each column means; both change together, and kSchemaVersion with them.
//
//   Threads   constants.
//   Blocking  never.
//   Memory    static.
//   Lifetime  static.
#pragma once

#include <cstdint>

namespace rafter {

// "RFTR": SQLite's application_id of a run file.
inline constexpr uint32_t kRunFileApplicationId = 0x52465452;

// SQLite's user_version. A reader refuses a greater one.
inline constexpr int kSchemaVersion = 4;

inline constexpr char kSchema[] = R"sql(
CREATE TABLE run (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  rafter_version TEXT NOT NULL,
  created_unix_s INTEGER NOT NULL
) STRICT;
CREATE TABLE commands (
  command INTEGER PRIMARY KEY,
  name TEXT NOT NULL DEFAULT '',
  line TEXT NOT NULL DEFAULT '',
  exit_status INTEGER,
  rafter_version TEXT NOT NULL,
  created_unix_s INTEGER NOT NULL,
  report BLOB,
  report_source TEXT NOT NULL DEFAULT '',
  report_trouble TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE collector_losses (
  command INTEGER NOT NULL,
  kind TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (command, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE processes (
  process INTEGER PRIMARY KEY,
  command INTEGER NOT NULL,
  host TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  pid INTEGER NOT NULL,
  start_ticks INTEGER NOT NULL,
  executable TEXT NOT NULL,
  rank INTEGER,
  job TEXT NOT NULL,
  monotonic_ns INTEGER NOT NULL,
  realtime_ns INTEGER NOT NULL,
  library_version TEXT NOT NULL,
  ending TEXT NOT NULL DEFAULT '',
  replay INTEGER,
  UNIQUE (command, host, boot_id, pid, start_ticks)
) STRICT;
CREATE TABLE arguments (
  process INTEGER NOT NULL,
  position INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (process, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE environment (
  process INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (process, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE devices (
  process INTEGER NOT NULL,
  device INTEGER NOT NULL,
  uuid TEXT NOT NULL,
  pci_address TEXT NOT NULL,
  name TEXT NOT NULL,
  chip TEXT NOT NULL,
  driver_version INTEGER NOT NULL,
  cupti_version INTEGER NOT NULL,
  cupti_path TEXT NOT NULL,
  sm_count INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL,
  sm_clock_hz INTEGER NOT NULL,
  memory_clock_hz INTEGER NOT NULL,
  memory_bus_bits INTEGER NOT NULL,
  l2_bytes INTEGER NOT NULL,
  compute_major INTEGER NOT NULL,
  compute_minor INTEGER NOT NULL,
  wanted_sets TEXT NOT NULL,
  availability BLOB NOT NULL,
  plan_origin TEXT NOT NULL DEFAULT '',
  plan_error TEXT NOT NULL DEFAULT '',
  configuration BLOB,
  PRIMARY KEY (process, device)
) STRICT;
CREATE TABLE sets (
  process INTEGER NOT NULL,
  device INTEGER NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  first_pass INTEGER NOT NULL,
  passes INTEGER NOT NULL,
  PRIMARY KEY (process, device, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE counters (
  process INTEGER NOT NULL,
  device INTEGER NOT NULL,
  set_position INTEGER NOT NULL,
  position INTEGER NOT NULL,
  metric TEXT NOT NULL,
  unit TEXT NOT NULL,
  description TEXT NOT NULL,
  PRIMARY KEY (process, device, set_position, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE missing_counters (
  process INTEGER NOT NULL,
  device INTEGER NOT NULL,
  position INTEGER NOT NULL,
  set_name TEXT NOT NULL,
  metric TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (process, device, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE regions (
  process INTEGER NOT NULL,
  path INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  name TEXT NOT NULL,
  domain TEXT NOT NULL,
  PRIMARY KEY (process, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE region_members (
  process INTEGER NOT NULL,
  path INTEGER NOT NULL,
  position INTEGER NOT NULL,
  member INTEGER NOT NULL,
  PRIMARY KEY (process, path, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE launches (
  process INTEGER NOT NULL,
  path INTEGER NOT NULL,
  symbol TEXT NOT NULL,
  signature TEXT NOT NULL,
  grid_x INTEGER NOT NULL,
  grid_y INTEGER NOT NULL,
  grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL,
  block_y INTEGER NOT NULL,
  block_z INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER NOT NULL,
  static_shared_bytes INTEGER NOT NULL,
  registers INTEGER NOT NULL,
  PRIMARY KEY (process, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE dropped_instances (
  process INTEGER NOT NULL,
  path INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (process, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE instances (
  process INTEGER NOT NULL,
  path INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  start_ns INTEGER NOT NULL,
  device INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  uncounted INTEGER NOT NULL,
  launches INTEGER,
  category INTEGER NOT NULL DEFAULT 0,
  payload ANY,
  PRIMARY KEY (process, path, thread, start_ns, device, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE categories (
  process INTEGER NOT NULL,
  domain TEXT NOT NULL,
  category INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (process, domain, category)
) STRICT, WITHOUT ROWID;
CREATE TABLE mark_names (
  process INTEGER NOT NULL,
  path INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  name TEXT NOT NULL,
  domain TEXT NOT NULL,
  PRIMARY KEY (process, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE marks (
  process INTEGER NOT NULL,
  path INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  category INTEGER NOT NULL,
  payload ANY,
  PRIMARY KEY (process, path, thread, time_ns)
) STRICT, WITHOUT ROWID;
CREATE TABLE epochs (
  id INTEGER PRIMARY KEY,
  process INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  device INTEGER NOT NULL,
  pass INTEGER NOT NULL,
  set_name TEXT NOT NULL,
  start_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  evaluated INTEGER NOT NULL,
  chain INTEGER NOT NULL DEFAULT 0,
  UNIQUE (process, epoch)
) STRICT;
CREATE INDEX unevaluated_epochs ON epochs (id) WHERE evaluated = 0;
CREATE TABLE slots (
  epoch_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  path INTEGER NOT NULL,
  instances INTEGER NOT NULL,
  incomplete INTEGER NOT NULL,
  segments INTEGER NOT NULL,
  cut_segments INTEGER NOT NULL DEFAULT 0,
  counted_ns INTEGER NOT NULL DEFAULT 0,
  call INTEGER NOT NULL DEFAULT 0,
  range INTEGER NOT NULL DEFAULT 0,
  crossed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (epoch_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE slot_values (
  epoch_id INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  counter INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (epoch_id, slot, counter)
) STRICT, WITHOUT ROWID;
CREATE TABLE baselines (
  id INTEGER PRIMARY KEY,
  process INTEGER NOT NULL,
  device INTEGER NOT NULL,
  baseline INTEGER NOT NULL,
  data BLOB NOT NULL
) STRICT;
CREATE INDEX baselines_by_number ON baselines (process, device, baseline);
CREATE TABLE images (
  epoch_id INTEGER PRIMARY KEY,
  baseline_id INTEGER,
  data BLOB NOT NULL
) STRICT;
CREATE TABLE kernels (
  process INTEGER NOT NULL,
  path INTEGER NOT NULL,
  symbol TEXT NOT NULL,
  grid_x INTEGER NOT NULL,
  grid_y INTEGER NOT NULL,
  grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL,
  block_y INTEGER NOT NULL,
  block_z INTEGER NOT NULL,
  shared_bytes INTEGER NOT NULL,
  device INTEGER NOT NULL,
  signature TEXT NOT NULL,
  launches INTEGER NOT NULL,
  PRIMARY KEY (process, path, symbol, grid_x, grid_y, grid_z, block_x, block_y, block_z,
               shared_bytes, device)
) STRICT, WITHOUT ROWID;
CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  process INTEGER NOT NULL,
  severity TEXT NOT NULL,
  about TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (process, severity, about, text)
) STRICT;
CREATE TABLE losses (
  process INTEGER NOT NULL,
  kind TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (process, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE costs (
  process INTEGER PRIMARY KEY,
  wall_ns INTEGER NOT NULL,
  set_up_ns INTEGER NOT NULL,
  rotation_ns INTEGER NOT NULL,
  border_ns INTEGER NOT NULL,
  slowed_ns INTEGER NOT NULL
) STRICT;
CREATE TABLE program_runs (
  command INTEGER NOT NULL,
  run INTEGER NOT NULL,
  sets TEXT NOT NULL,
  exit_status INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL,
  PRIMARY KEY (command, run)
) STRICT, WITHOUT ROWID;
CREATE TABLE markers (
  marker INTEGER PRIMARY KEY,
  process INTEGER NOT NULL,
  run INTEGER NOT NULL,
  source TEXT NOT NULL,
  scale REAL NOT NULL,
  scale_origin TEXT NOT NULL,
  contradiction TEXT NOT NULL
) STRICT;
CREATE TABLE marker_events (
  marker INTEGER NOT NULL,
  event_group INTEGER NOT NULL,
  position INTEGER NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (marker, event_group, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE marker_readings (
  marker INTEGER NOT NULL,
  position INTEGER NOT NULL,
  region TEXT NOT NULL,
  event_group INTEGER NOT NULL,
  gpu INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  time_s REAL,
  PRIMARY KEY (marker, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE marker_values (
  marker INTEGER NOT NULL,
  reading INTEGER NOT NULL,
  position INTEGER NOT NULL,
  value REAL,
  PRIMARY KEY (marker, reading, position)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace rafter
