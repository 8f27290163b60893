// OlderSchemas makes files that an earlier Rafter wrote readable, or turns them
// into files of today's schema. Included by run_file.cc only.
//
//   Threads   constants.
//   Blocking  never.
//   Memory    static.
//   Lifetime  static.
#pragma once

namespace rafter {

// For reading a file of schema 1: views of this connection, which stand before
// the tables of the same names and have the columns of schema 2. The file
// itself stays as it is. kReadSchema2 goes with it.
inline constexpr char kReadSchema1[] = R"sql(
PRAGMA temp_store=MEMORY;
CREATE TEMP VIEW instances AS
  SELECT *, 0 AS device, 0 AS category, NULL AS payload FROM main.instances;
CREATE TEMP VIEW epochs AS SELECT *, 0 AS chain FROM main.epochs;
CREATE TEMP VIEW slots AS
  SELECT *, 0 AS cut_segments, 0 AS counted_ns, 0 AS call, 0 AS range, 0 AS crossed
  FROM main.slots;
CREATE TEMP VIEW kernels AS SELECT *, 0 AS device FROM main.kernels;
CREATE TEMP VIEW launches AS
  SELECT 0 AS process, 0 AS path, '' AS symbol, '' AS signature, 0 AS grid_x, 0 AS grid_y,
         0 AS grid_z, 0 AS block_x, 0 AS block_y, 0 AS block_z, 0 AS dynamic_shared_bytes,
         0 AS static_shared_bytes, 0 AS registers WHERE 0;
)sql";

// For writing to a file of schema 1, in one transaction: the keys of instances
// and kernels gain the device, so both tables are made anew. Columns of a key
// stand first and in its order: for others SQLite 3.40's integrity_check
// reports values as missing that are there.
inline constexpr char kSchema1To2[] = R"sql(
ALTER TABLE epochs ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE slots ADD COLUMN cut_segments INTEGER NOT NULL DEFAULT 0;
ALTER TABLE slots ADD COLUMN counted_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE slots ADD COLUMN call INTEGER NOT NULL DEFAULT 0;
ALTER TABLE slots ADD COLUMN range INTEGER NOT NULL DEFAULT 0;
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
ALTER TABLE instances RENAME TO instances_1;
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
  PRIMARY KEY (process, path, thread, start_ns, device, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO instances SELECT process, path, thread, start_ns, 0, ordinal, duration_ns, epoch,
  uncounted, launches FROM instances_1;
DROP TABLE instances_1;
ALTER TABLE kernels RENAME TO kernels_1;
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
INSERT INTO kernels SELECT process, path, symbol, grid_x, grid_y, grid_z, block_x, block_y,
  block_z, shared_bytes, 0, signature, launches FROM kernels_1;
DROP TABLE kernels_1;
PRAGMA user_version=2;
)sql";

// For reading a file of schema 2: its instances and slots have what schema 3's have.
inline constexpr char kReadColumns2[] = R"sql(
PRAGMA temp_store=MEMORY;
CREATE TEMP VIEW instances AS
  SELECT *, 0 AS category, NULL AS payload FROM main.instances;
CREATE TEMP VIEW slots AS SELECT *, 0 AS crossed FROM main.slots;
)sql";

// For reading a file of schema 1 or 2: what schema 3 has more is empty.
inline constexpr char kReadSchema2[] = R"sql(
PRAGMA temp_store=MEMORY;
CREATE TEMP VIEW markers AS SELECT 0 AS marker, 0 AS process, 0 AS run, '' AS source, 0 AS scale,
  '' AS scale_origin, '' AS contradiction WHERE 0;
CREATE TEMP VIEW marker_events AS
  SELECT 0 AS marker, 0 AS event_group, 0 AS position, '' AS event WHERE 0;
CREATE TEMP VIEW marker_readings AS SELECT 0 AS marker, 0 AS position, '' AS region,
  0 AS event_group, 0 AS gpu, 0 AS calls, 0 AS time_s WHERE 0;
CREATE TEMP VIEW marker_values AS
  SELECT 0 AS marker, 0 AS reading, 0 AS position, 0 AS value WHERE 0;
CREATE TEMP VIEW categories AS
  SELECT 0 AS process, '' AS domain, 0 AS category, '' AS name WHERE 0;
CREATE TEMP VIEW mark_names AS
  SELECT 0 AS process, 0 AS path, 0 AS parent, '' AS name, '' AS domain WHERE 0;
CREATE TEMP VIEW marks AS SELECT 0 AS process, 0 AS path, 0 AS thread, 0 AS time_ns,
  0 AS category, NULL AS payload WHERE 0;
)sql";

// For writing to a file of schema 2, in one transaction.
inline constexpr char kSchema2To3[] = R"sql(
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
ALTER TABLE instances ADD COLUMN category INTEGER NOT NULL DEFAULT 0;
ALTER TABLE instances ADD COLUMN payload ANY;
ALTER TABLE slots ADD COLUMN crossed INTEGER NOT NULL DEFAULT 0;
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
PRAGMA user_version=3;
)sql";

// For reading a file of schema 1 to 3, which holds one command. kReadReplays3 goes behind
// it, or kReadWithoutReplays for a file from before application replay. (A change of
// temp_store drops the views that are there.)
inline constexpr char kReadSchema3[] = R"sql(
PRAGMA temp_store=MEMORY;
CREATE TEMP VIEW commands AS
  SELECT 1 AS command, '' AS name, command AS line, exit_status, rafter_version, created_unix_s,
         NULL AS report, '' AS report_source, '' AS report_trouble FROM main.run;
CREATE TEMP VIEW collector_losses AS SELECT 1 AS command, * FROM main.collector_losses;
)sql";
inline constexpr char kReadReplays3[] = R"sql(
CREATE TEMP VIEW processes AS SELECT *, 1 AS command FROM main.processes;
CREATE TEMP VIEW program_runs AS SELECT 1 AS command, * FROM main.program_runs;
)sql";
inline constexpr char kReadWithoutReplays[] = R"sql(
CREATE TEMP VIEW processes AS SELECT *, 1 AS command, NULL AS replay FROM main.processes;
CREATE TEMP VIEW program_runs AS
  SELECT 1 AS command, 0 AS run, '' AS sets, 0 AS exit_status, 0 AS wall_ns WHERE 0;
CREATE TEMP VIEW costs AS SELECT 0 AS process, 0 AS wall_ns, 0 AS set_up_ns, 0 AS rotation_ns,
  0 AS border_ns, 0 AS slowed_ns WHERE 0;
)sql";

// For writing to a file of schema 1 or 2 from before application replay.
inline constexpr char kAddReplays[] = R"sql(
ALTER TABLE processes ADD COLUMN replay INTEGER;
CREATE TABLE costs (
  process INTEGER PRIMARY KEY,
  wall_ns INTEGER NOT NULL,
  set_up_ns INTEGER NOT NULL,
  rotation_ns INTEGER NOT NULL,
  border_ns INTEGER NOT NULL,
  slowed_ns INTEGER NOT NULL
) STRICT;
CREATE TABLE program_runs (
  run INTEGER PRIMARY KEY,
  sets TEXT NOT NULL,
  exit_status INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL
) STRICT;
)sql";

// For writing to a file of schema 3, in one transaction: keys gain the command.
inline constexpr char kSchema3To4[] = R"sql(
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
INSERT INTO commands (command, line, exit_status, rafter_version, created_unix_s)
  SELECT 1, command, exit_status, rafter_version, created_unix_s FROM run;
ALTER TABLE run DROP COLUMN command;
ALTER TABLE run DROP COLUMN exit_status;
ALTER TABLE collector_losses RENAME TO collector_losses_3;
CREATE TABLE collector_losses (
  command INTEGER NOT NULL,
  kind TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (command, kind)
) STRICT, WITHOUT ROWID;
INSERT INTO collector_losses SELECT 1, kind, count FROM collector_losses_3;
DROP TABLE collector_losses_3;
ALTER TABLE processes RENAME TO processes_3;
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
INSERT INTO processes SELECT process, 1, host, boot_id, pid, start_ticks, executable, rank, job,
  monotonic_ns, realtime_ns, library_version, ending, replay FROM processes_3;
DROP TABLE processes_3;
ALTER TABLE program_runs RENAME TO program_runs_3;
CREATE TABLE program_runs (
  command INTEGER NOT NULL,
  run INTEGER NOT NULL,
  sets TEXT NOT NULL,
  exit_status INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL,
  PRIMARY KEY (command, run)
) STRICT, WITHOUT ROWID;
INSERT INTO program_runs SELECT 1, run, sets, exit_status, wall_ns FROM program_runs_3;
DROP TABLE program_runs_3;
PRAGMA user_version=4;
)sql";

}  // namespace rafter
