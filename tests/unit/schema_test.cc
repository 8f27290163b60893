// What schemas 2 to 4 keep more than those before, and what becomes of a file of schema 1
// or 3: tests/golden/fixture-h200.rafter and likwid-h200.rafter, as an earlier Rafter wrote
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collector/store/run_file.h"
#include "collector/store/schema.h"
#include "collector/store/uncounted.h"
#include "tests/unit/temporary_folder.h"

namespace rafter {
namespace {

std::vector<std::string> Column(const std::string& path, const std::string& sql) {
  std::vector<std::string> texts;
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sql;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    std::string& text = texts.emplace_back();
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const unsigned char* cell = sqlite3_column_text(statement, i);
      text += (i == 0 ? "" : "|") + std::string(cell ? reinterpret_cast<const char*>(cell) : "");
    }
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return texts;
}

// Name -> columns with types, defaults and places in the key.
std::map<std::string, std::vector<std::string>> Tables(const std::string& path) {
  std::map<std::string, std::vector<std::string>> tables;
  for (const std::string& name :
       Column(path, "SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name")) {
    tables[name] = Column(path, "PRAGMA table_info(" + name + ")");
  }
  return tables;
}

std::unique_ptr<RunFile> Make(const std::string& path) {
  auto made = RunFile::Create(path, RunFile::Existing::kRefuse);
  EXPECT_TRUE(made.ok()) << made.status();
  return std::move(*made);
}

std::unique_ptr<RunFile> Append(const std::string& path) {
  auto opened = RunFile::Create(path, RunFile::Existing::kAppend);
  EXPECT_TRUE(opened.ok()) << opened.status();
  return std::move(*opened);
}

rafter::Run Read(const std::string& path) {
  auto opened = RunFile::OpenForReading(path);
  EXPECT_TRUE(opened.ok()) << opened.status();
  auto run = (*opened)->Read();
  EXPECT_TRUE(run.ok()) << run.status();
  return std::move(*run);
}

StoredInstance Instance(uint32_t device, uint64_t start_ns, uint64_t duration_ns) {
  StoredInstance instance;
  instance.path = 1;
  instance.thread = 11;
  instance.start_ns = start_ns;
  instance.duration_ns = duration_ns;
  instance.device = device;
  instance.uncounted = 10;  // resting
  return instance;
}

class OldFile : public ::testing::Test {
 protected:
  OldFile() : path_(folder_ / "old.rafter") {
    std::filesystem::copy_file(RAFTER_SOURCE_DIR "/tests/golden/fixture-h200.rafter", path_);
    EXPECT_EQ(Column(path_, "PRAGMA user_version"), std::vector<std::string>{"1"});
  }

  TemporaryFolder folder_;
  const std::string path_;
};

void ExpectFixture(const rafter::Run& run) {
  ASSERT_EQ(run.processes.size(), 1u);
  const RunProcess& process = run.processes[0];
  ASSERT_EQ(process.paths.size(), 21u);
  EXPECT_EQ(process.paths[0].name, "fadd");
  EXPECT_EQ(process.paths[0].calls, 20u);
  EXPECT_EQ(process.paths[0].by_device.at(0).calls, 20u);
  EXPECT_GT(process.paths[0].last_end_ns, process.paths[0].first_start_ns);
  EXPECT_FALSE(process.paths[0].launch.has_value());
  ASSERT_EQ(process.epochs.size(), 27u);
  EXPECT_EQ(process.epochs[0].chain, 0u);
  ASSERT_FALSE(process.epochs[0].slots.empty());
  EXPECT_EQ(process.epochs[0].slots[0].counted_ns, 0u);
  EXPECT_TRUE(process.epochs[0].slots[0].values[0].has_value());
  ASSERT_FALSE(process.kernels.empty());
  EXPECT_EQ(process.kernels[0].device, 0u);
}

TEST_F(OldFile, IsReadAsItIsAndStaysAsItIs) {
  const std::string before = ReadFile(path_);
  ExpectFixture(Read(path_));
  {
    auto opened = RunFile::OpenForReading(path_);
    ASSERT_TRUE(opened.ok());
    EXPECT_TRUE((*opened)->UnevaluatedEpochs().ok());
  }
  EXPECT_EQ(ReadFile(path_), before);
  EXPECT_FALSE(std::filesystem::exists(path_ + "-wal"));
}

TEST_F(OldFile, IsBroughtToTheNewSchemaWhenItIsOpenedForMore) {
  Make(folder_ / "new.rafter");
  ASSERT_TRUE(Append(path_)->Close().ok());
  EXPECT_EQ(Tables(path_), Tables(folder_ / "new.rafter"));
  EXPECT_EQ(Column(path_, "PRAGMA user_version"),
            std::vector<std::string>{std::to_string(kSchemaVersion)});
  EXPECT_EQ(Column(path_, "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
  ExpectFixture(Read(path_));
}

TEST_F(OldFile, TakesWhatTheNewSchemaHasAfterThat) {
  {
    auto file = Append(path_);
    const int64_t id = file->Read()->processes[0].id;
    uint64_t duplicates = 0;
    ASSERT_TRUE(file->AddInstances(id, std::vector{Instance(1, 5, 5)}, &duplicates).ok());
    ASSERT_TRUE(file->AddInstances(id, std::vector{Instance(2, 5, 5)}, &duplicates).ok());
    EXPECT_EQ(duplicates, 0u);
  }
  const rafter::Run run = Read(path_);
  EXPECT_EQ(run.processes[0].paths[0].calls, 22u);
  EXPECT_EQ(run.processes[0].paths[0].by_device.at(2).calls, 1u);
}

// It is from before application replay, too.
TEST_F(OldFile, TakesRunsOfAReplayAfterThat) {
  EXPECT_EQ(Read(path_).processes[0].replay, 0u);
  EXPECT_TRUE(Read(path_).program_runs.empty());
  {
    auto file = Append(path_);
    RunProcess process;
    process.pid = 5;
    process.replay = 1;
    const auto id = file->AddProcess(process);
    ASSERT_TRUE(id.ok()) << id.status();
    ASSERT_TRUE(file->SetCost(*id, {9, 1, 1, 1, 1}).ok());
    ASSERT_TRUE(file->AddProgramRun({1, "memory", 0, 9}).ok());
  }
  const rafter::Run run = Read(path_);
  EXPECT_EQ(run.processes[0].replay, 0u);
  EXPECT_EQ(run.processes[0].cost, std::nullopt);
  EXPECT_EQ(run.processes[1].replay, 1u);
  EXPECT_EQ(run.processes[1].cost->total_ns(), 4u);
  EXPECT_EQ(run.program_runs.size(), 1u);
}

TEST(SchemaTwo, GivesBackLaunchesChainsStretchesAndDevices) {
  TemporaryFolder folder;
  {
    auto file = Make(folder / "a.rafter");
    RunProcess process;
    process.pid = 5;
    const int64_t id = *file->AddProcess(process);
    RegionPath path;
    path.path = 1;
    LaunchKind launch;
    launch.symbol = "_Z1fv";
    launch.signature = "f()";
    launch.grid[0] = 132;
    launch.grid[1] = 2;
    launch.grid[2] = 3;
    launch.block[0] = 256;
    launch.block[1] = 4;
    launch.block[2] = 5;
    launch.dynamic_shared_bytes = 1024;
    launch.static_shared_bytes = 48;
    launch.registers = 32;
    path.launch = launch;
    ASSERT_TRUE(file->AddPath(id, path).ok());
    Epoch epoch;
    epoch.epoch = 7;
    epoch.chain = 6;
    epoch.set = "memory";
    SlotValues slot;
    slot.path = 1;
    slot.segments = 9;
    slot.cut_segments = 2;
    slot.counted_ns = 12345;
    slot.call = 3;
    epoch.slots = {slot, slot};
    epoch.slots[1].call = 4;
    ASSERT_TRUE(file->AddEpoch(id, epoch, "image").ok());
    RunKernel kernel;
    kernel.path = 1;
    kernel.launches = 1;
    kernel.device = 1;
    ASSERT_TRUE(file->AddKernel(id, kernel).ok());
    kernel.launches = 5;
    kernel.device = 2;
    ASSERT_TRUE(file->AddKernel(id, kernel).ok());
  }
  const RunProcess process = Read(folder / "a.rafter").processes[0];
  ASSERT_EQ(process.paths.size(), 1u);
  const LaunchKind& launch = process.paths[0].launch.value();
  EXPECT_EQ(launch.symbol, "_Z1fv");
  EXPECT_EQ(launch.signature, "f()");
  EXPECT_THAT(launch.grid, ::testing::ElementsAre(132, 2, 3));
  EXPECT_THAT(launch.block, ::testing::ElementsAre(256, 4, 5));
  EXPECT_EQ(launch.dynamic_shared_bytes, 1024u);
  EXPECT_EQ(launch.static_shared_bytes, 48u);
  EXPECT_EQ(launch.registers, 32u);
  ASSERT_EQ(process.epochs.size(), 1u);
  EXPECT_EQ(process.epochs[0].chain, 6u);
  ASSERT_EQ(process.epochs[0].slots.size(), 2u);
  EXPECT_EQ(process.epochs[0].slots[0].cut_segments, 2u);
  EXPECT_EQ(process.epochs[0].slots[0].counted_ns, 12345u);
  EXPECT_EQ(process.epochs[0].slots[0].call, 3u);
  EXPECT_EQ(process.epochs[0].slots[1].call, 4u);
  ASSERT_EQ(process.kernels.size(), 2u);
  EXPECT_EQ(process.kernels[0].launches, 1u);
  EXPECT_EQ(process.kernels[1].device, 2u);
}

TEST(SchemaTwo, SumsInstancesByTheDeviceThatTheyName) {
  TemporaryFolder folder;
  auto file = Make(folder / "a.rafter");
  RunProcess process;
  process.pid = 5;
  const int64_t id = *file->AddProcess(process);
  StoredInstance early = Instance(0, 1, 1);
  early.uncounted = 1;  // no context
  StoredInstance watched = Instance(1, 100, 10);
  watched.launches = 4;
  StoredInstance watched_more = Instance(1, 200, 10);
  watched_more.launches = 6;
  StoredInstance other = Instance(2, 100, 50);
  other.launches = 9;
  // A pass that worked on two devices is two instances, even in two batches.
  ASSERT_TRUE(file->AddInstances(id, std::vector{early, watched, watched_more}).ok());
  ASSERT_TRUE(file->AddInstances(id, std::vector{other}).ok());
  ASSERT_TRUE(file->SetDroppedInstances(id, 1, 7).ok());
  const RegionPath path = file->Read()->processes[0].paths[0];
  EXPECT_EQ(path.calls, 11u);
  EXPECT_EQ(path.least_launches, 4u);
  EXPECT_EQ(path.most_launches, 9u);
  EXPECT_EQ(path.first_start_ns, 100u);  // the one without a context used no GPU
  EXPECT_EQ(path.last_end_ns, 210u);
  EXPECT_EQ(path.by_device.at(0).calls, 8u);
  EXPECT_EQ(path.by_device.at(0).dropped_calls, 7u);
  EXPECT_EQ(path.by_device.at(0).uncounted.at(std::string(kNoContext)), 1u);
  EXPECT_EQ(path.by_device.at(0).last_end_ns, 0u);
  EXPECT_EQ(path.by_device.at(1).calls, 2u);
  EXPECT_EQ(path.by_device.at(1).launches, 10u);
  EXPECT_EQ(path.by_device.at(1).least_launches, 4u);
  EXPECT_EQ(path.by_device.at(1).most_launches, 6u);
  EXPECT_DOUBLE_EQ(path.by_device.at(1).host_time_s, 20e-9);
  EXPECT_EQ(path.by_device.at(2).most_launches, 9u);
  EXPECT_EQ(path.by_device.at(2).last_end_ns, 150u);
}

// Takes what schema 4 has more out of a file, and puts back where it had been.
constexpr char kSchema4To3[] = R"sql(
ALTER TABLE run ADD COLUMN command TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN exit_status INTEGER;
UPDATE run SET command=(SELECT line FROM commands),
               exit_status=(SELECT exit_status FROM commands);
DROP TABLE commands;
CREATE TABLE losses_3 (kind TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO losses_3 SELECT kind, count FROM collector_losses;
DROP TABLE collector_losses;
ALTER TABLE losses_3 RENAME TO collector_losses;
CREATE TABLE processes_3 (
  process INTEGER PRIMARY KEY, host TEXT NOT NULL, boot_id TEXT NOT NULL, pid INTEGER NOT NULL,
  start_ticks INTEGER NOT NULL, executable TEXT NOT NULL, rank INTEGER, job TEXT NOT NULL,
  monotonic_ns INTEGER NOT NULL, realtime_ns INTEGER NOT NULL, library_version TEXT NOT NULL,
  ending TEXT NOT NULL DEFAULT '', replay INTEGER, UNIQUE (host, boot_id, pid, start_ticks)) STRICT;
INSERT INTO processes_3 SELECT process, host, boot_id, pid, start_ticks, executable, rank, job,
  monotonic_ns, realtime_ns, library_version, ending, replay FROM processes;
DROP TABLE processes;
ALTER TABLE processes_3 RENAME TO processes;
CREATE TABLE runs_3 (run INTEGER PRIMARY KEY, sets TEXT NOT NULL, exit_status INTEGER NOT NULL,
                     wall_ns INTEGER NOT NULL) STRICT;
INSERT INTO runs_3 SELECT run, sets, exit_status, wall_ns FROM program_runs;
DROP TABLE program_runs;
ALTER TABLE runs_3 RENAME TO program_runs;
PRAGMA user_version=3;
)sql";

// A file of schema 2 is one of today's without what came later.
void MakeSchema2(const std::string& path) {
  {
    auto file = Make(path);
    RunProcess process;
    process.pid = 5;
    ASSERT_TRUE(file->AddProcess(process).ok());
  }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, kSchema4To3, nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  ASSERT_EQ(sqlite3_exec(database,
                         "DROP TABLE markers; DROP TABLE marker_events; DROP TABLE marker_readings;"
                         "DROP TABLE marker_values; DROP TABLE categories; DROP TABLE mark_names;"
                         "DROP TABLE marks; ALTER TABLE instances DROP COLUMN category;"
                         "ALTER TABLE instances DROP COLUMN payload;"
                         "ALTER TABLE slots DROP COLUMN crossed; PRAGMA user_version=2;",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
}

MarkerReadings SomeMarkers() {
  MarkerReadings markers;
  markers.run = 2;
  markers.source = "a.marker";
  markers.events = {{"A_SUM", "B_SUM"}, {"C_SUM"}};
  markers.scale = 3;
  markers.origin = ScaleOrigin::kProved;
  markers.contradiction = "why";
  markers.readings = {{"x-y", 0, 1, 7, 0.5, {1.5, 2}}, {"z", 1, 0, 1, std::nullopt, {3}}};
  return markers;
}

TEST(SchemaThree, IsMadeOfSchemaTwo) {
  TemporaryFolder folder;
  MakeSchema2(folder / "two.rafter");
  const std::string before = ReadFile(folder / "two.rafter");
  EXPECT_EQ(Read(folder / "two.rafter").processes.size(), 1u);
  EXPECT_EQ(ReadFile(folder / "two.rafter"), before);
  Make(folder / "new.rafter");
  ASSERT_TRUE(Append(folder / "two.rafter")->Close().ok());
  EXPECT_EQ(Tables(folder / "two.rafter"), Tables(folder / "new.rafter"));
  EXPECT_EQ(Column(folder / "two.rafter", "PRAGMA user_version"), std::vector<std::string>{"4"});
  EXPECT_EQ(Read(folder / "two.rafter").processes.size(), 1u);
}

TEST(SchemaThree, GivesBackWhatLikwidRead) {
  TemporaryFolder folder;
  MarkerReadings markers = SomeMarkers();
  {
    auto file = Make(folder / "a.rafter");
    RunProcess process;
    process.boot_id = "likwid:a";
    process.executable = "a";
    process.ending = "exit";
    process.devices.resize(2);
    process.devices[1].device = 1;
    process.devices[1].uuid = "GPU-1";
    markers.process = *file->AddMarkerProcess(process);
    EXPECT_EQ(*file->AddMarkerProcess(process), markers.process);
    ASSERT_TRUE(file->AddMarkerReadings(markers).ok());
    // The same once more takes its place.
    ASSERT_TRUE(file->AddMarkerReadings(markers).ok());
  }
  const rafter::Run run = Read(folder / "a.rafter");
  ASSERT_EQ(run.processes.size(), 1u);
  EXPECT_EQ(run.processes[0].ending, "exit");
  ASSERT_EQ(run.processes[0].devices.size(), 2u);
  EXPECT_EQ(run.processes[0].devices[1].uuid, "GPU-1");
  ASSERT_EQ(run.markers.size(), 1u);
  const MarkerReadings& read = run.markers[0];
  EXPECT_EQ(read.process, run.processes[0].id);
  EXPECT_EQ(read.run, 2u);
  EXPECT_EQ(read.source, "a.marker");
  EXPECT_EQ(read.events, markers.events);
  EXPECT_EQ(read.scale, 3);
  EXPECT_EQ(read.origin, ScaleOrigin::kProved);
  EXPECT_EQ(read.contradiction, "why");
  EXPECT_EQ(read.readings, markers.readings);
}

TEST(SchemaThree, KeepsAValueThatIsNoNumberAsSuch) {
  TemporaryFolder folder;
  auto file = Make(folder / "a.rafter");
  MarkerReadings markers = SomeMarkers();
  markers.process = *file->AddMarkerProcess(RunProcess{});
  markers.readings[0].values = {std::nan(""), HUGE_VAL};
  ASSERT_TRUE(file->AddMarkerReadings(markers).ok());
  const auto run = file->Read();
  ASSERT_TRUE(run.ok());
  const std::vector<double>& values = run->markers.at(0).readings.at(0).values;
  ASSERT_EQ(values.size(), 2u);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_TRUE(std::isnan(values[1]));
}

// likwid-h200.rafter: a replay, with what LIKWID read in each of its runs.
void ExpectLikwid(const rafter::Run& run) {
  EXPECT_EQ(run.name, "");
  EXPECT_THAT(run.command, ::testing::HasSubstr("rafter-nvmarkers --crossing"));
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_EQ(run.rafter_version, "0.1.0");
  ASSERT_EQ(run.processes.size(), 2u);
  ASSERT_EQ(run.program_runs.size(), 2u);
  ASSERT_EQ(run.markers.size(), 2u);
  EXPECT_EQ(run.markers[1].process, run.processes[1].id);
  EXPECT_EQ(run.markers[1].run, run.program_runs[1].run);
  EXPECT_EQ(run.markers[1].readings.size(), 10u);
  EXPECT_EQ(run.report.json, "");
}

TEST(SchemaFour, IsMadeOfSchemaThree) {
  TemporaryFolder folder;
  const std::string path = folder / "three.rafter";
  std::filesystem::copy_file(RAFTER_SOURCE_DIR "/tests/golden/likwid-h200.rafter", path);
  ASSERT_EQ(Column(path, "PRAGMA user_version"), std::vector<std::string>{"3"});
  const std::string before = ReadFile(path);
  ExpectLikwid(Read(path));
  EXPECT_EQ(ReadFile(path), before);
  Make(folder / "new.rafter");
  ASSERT_TRUE(Append(path)->Close().ok());
  EXPECT_EQ(Tables(path), Tables(folder / "new.rafter"));
  EXPECT_EQ(Column(path, "PRAGMA user_version"), std::vector<std::string>{"4"});
  EXPECT_EQ(Column(path, "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
  ExpectLikwid(Read(path));
}

TEST(SchemaFour, KeepsWhatTheCollectorLost) {
  TemporaryFolder folder;
  const std::string path = folder / "a.rafter";
  {
    auto file = Make(path);
    ASSERT_TRUE(file->AddCollectorLoss("epochs refused", 2).ok());
  }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, kSchema4To3, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  EXPECT_EQ(Read(path).losses.at("epochs refused"), 2u);
  ASSERT_TRUE(Append(path)->AddCollectorLoss("epochs refused", 1).ok());
  EXPECT_EQ(Read(path).losses.at("epochs refused"), 3u);
}

}  // namespace
}  // namespace rafter
