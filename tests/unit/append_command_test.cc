// Commands of several run files in one: every row is there as it was, whatever its numbers
// were before, and nothing of two commands is taken for one thing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collector/store/run_file.h"
#include "collector/store/schema.h"
#include "tests/unit/temporary_folder.h"

namespace rafter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kFixture[] = RAFTER_SOURCE_DIR "/tests/golden/fixture-h200.rafter";  // schema 1
constexpr char kLikwid[] = RAFTER_SOURCE_DIR "/tests/golden/likwid-h200.rafter";    // schema 3

std::vector<std::string> Column(const std::string& path, const std::string& sql) {
  std::vector<std::string> texts;
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sql;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const unsigned char* cell = sqlite3_column_text(statement, 0);
    texts.emplace_back(cell == nullptr ? "" : reinterpret_cast<const char*>(cell));
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return texts;
}

std::vector<std::string> TableNames(const std::string& path) {
  return Column(path, "SELECT name FROM sqlite_schema WHERE type='table' AND name != 'run'");
}

// What was added to numbers that one file alone knows.
struct Moved {
  std::string process = "0";
  std::string epoch = "0";
  std::string baseline = "0";
  std::string marker = "0";
};

// Rows of one command, each as text, with numbers as they were before they were moved.
std::vector<std::string> Rows(const std::string& path, const std::string& table, int command,
                              const Moved& moved) {
  const std::string number = std::to_string(command);
  const std::string processes = "(SELECT process FROM processes WHERE command=" + number + ")";
  const std::string epochs = "(SELECT id FROM epochs WHERE process IN " + processes + ")";
  const std::string markers = "(SELECT marker FROM markers WHERE process IN " + processes + ")";
  std::string where;
  std::string text = "''";
  for (const std::string& column :
       Column(path, "SELECT name FROM pragma_table_info('" + table + "')")) {
    std::string value = column;
    if (column == "process") value += "-" + moved.process;
    if (column == "epoch_id" || (table == "epochs" && column == "id")) value += "-" + moved.epoch;
    if (column == "baseline_id" || (table == "baselines" && column == "id")) {
      value += "-" + moved.baseline;
    }
    if (column == "marker") value += "-" + moved.marker;
    if (column == "process") where = "process IN " + processes;
    if (column == "command") where = "command=" + number;
    if (column == "epoch_id") where = "epoch_id IN " + epochs;
    if (column == "marker" && table != "markers") where = "marker IN " + markers;
    const bool is_new = column == "command" || (table == "commands" && column == "name") ||
                        (table == "notes" && column == "id");
    if (is_new) continue;
    text += "||quote(" + value + ")||'|'";
  }
  return Column(path, "SELECT " + text + " FROM " + table + " WHERE " + where +
                          (table == "notes" ? " ORDER BY process, id" : " ORDER BY 1"));
}

// What numbers of `command` are moved by behind those of the commands before.
Moved MovedOf(const std::string& path, int command) {
  const std::string before =
      "(SELECT process FROM processes WHERE command<" + std::to_string(command) + ")";
  const auto greatest = [&](const char* id, const char* table) {
    return Column(path, std::string("SELECT coalesce(max(") + id + "), 0) FROM " + table +
                            " WHERE process IN " + before)[0];
  };
  return {greatest("process", "processes"), greatest("id", "epochs"), greatest("id", "baselines"),
          greatest("marker", "markers")};
}

void Execute(const std::string& path, const char* sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
}

class Commands : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) { return folder_ / name; }

  // A file with a row in every table. `pid` and `text` tell two of them apart.
  void MakeFull(const std::string& name, uint32_t pid, const std::string& text) {
    auto file = *RunFile::Create(Path(name), RunFile::Existing::kRefuse);
    RunProcess process;
    process.host = "node1";
    process.boot_id = "b007";
    process.pid = pid;
    process.executable = "/opt/" + text;
    process.arguments = {"./" + text, "--size=1"};
    process.environment = {{"OMP_NUM_THREADS", "4"}};
    process.replay = 1;
    const int64_t id = *file->AddProcess(process);
    RunDevice device;
    device.uuid = "GPU-1";
    device.chip = "GH100";
    device.sets = {{"memory", 0, 1, {{text, "byte", ""}, {"other", "", ""}}}};
    device.missing = {{"sm", "l1tex__t_bytes.sum", "chip does not have it"}};
    ASSERT_TRUE(file->AddDevice(id, device, {1, 2, 3}).ok());
    ASSERT_TRUE(file->SetPlan(id, device, {9}).ok());
    RegionPath top;
    top.path = 1;
    top.name = "top of " + text;
    RegionPath kind;
    kind.path = 2;
    kind.parent = 1;
    kind.members = {1};
    kind.launch = LaunchKind{"_Z1fv", "f()", {1, 2, 3}, {4, 5, 6}, 7, 8, 9};
    ASSERT_TRUE(file->AddPath(id, top).ok());
    ASSERT_TRUE(file->AddPath(id, kind).ok());
    ASSERT_TRUE(
        file->AddInstances(
                id, std::vector<StoredInstance>{{1, 11, 100, 5, 1, 0, 2u, 1, 3, int64_t{-1}},
                                                {1, 11, 200, 5, 2, 0, std::nullopt, 1, 0, 0.5}})
            .ok());
    ASSERT_TRUE(file->SetDroppedInstances(id, 1, 4).ok());
    ASSERT_TRUE(file->NameCategory(id, "d", 3, "phase").ok());
    ASSERT_TRUE(file->AddMarkName(id, top).ok());
    ASSERT_TRUE(
        file->AddMarks(id, std::vector<StoredMark>{{1, 11, 150, 3, std::string("9e99")}}).ok());
    for (const uint32_t number : {1u, 2u}) {  // the second has no values yet
      ASSERT_TRUE(file->AddBaseline(id, 0, number, text + " baseline").ok());
      Epoch epoch;
      epoch.epoch = number;
      epoch.set = "memory";
      epoch.baseline = number;
      epoch.slots = {{1, 2, 1, 3, number == 1, {}}};
      if (number == 1) epoch.slots[0].values = {1.5, std::nullopt};
      ASSERT_TRUE(file->AddEpoch(id, epoch, text + " image").ok());
    }
    RunKernel kernel;
    kernel.path = 1;
    kernel.symbol = "_Z1fv";
    kernel.launches = 6;
    ASSERT_TRUE(file->AddKernel(id, kernel).ok());
    ASSERT_TRUE(file->AddNote(id, {"warning", "flop", "z first"}).ok());
    ASSERT_TRUE(file->AddNote(id, {"warning", "flop", "a second"}).ok());
    ASSERT_TRUE(file->SetLoss(id, "instances dropped", 4).ok());
    ASSERT_TRUE(file->SetCost(id, {5, 4, 3, 2, 1}).ok());
    ASSERT_TRUE(file->SetEnding(id, "exit").ok());
    MarkerReadings markers;
    markers.process = id;
    markers.source = text + ".marker";
    markers.events = {{"A_SUM"}, {"B_SUM"}};
    markers.readings = {{"x", 0, 1, 7, 0.5, {1.5}}, {"y", 1, 0, 1, std::nullopt, {3}}};
    ASSERT_TRUE(file->AddMarkerReadings(markers).ok());
    ASSERT_TRUE(file->SetCommand("./" + text + " --size=1", 0).ok());
    ASSERT_TRUE(file->AddProgramRun({1, "memory", 0, 123}).ok());
    ASSERT_TRUE(file->AddCollectorLoss("epochs refused", pid).ok());
    ASSERT_TRUE(file->Close().ok());
  }

  absl::Status Append(RunFile& file, const std::string& path, const std::string& name,
                      const ProgramReport& report = {}) {
    auto source = RunFile::OpenForReading(path);
    EXPECT_TRUE(source.ok()) << source.status();
    return file.AppendCommand(**source, name, report);
  }

  // `name` of these files.
  void Combine(const std::string& name, const std::vector<std::string>& paths) {
    auto file = RunFile::CreateEmpty(Path(name));
    ASSERT_TRUE(file.ok()) << file.status();
    for (const std::string& path : paths) {
      ASSERT_EQ(Append(**file, path, std::filesystem::path(path).stem()), absl::OkStatus());
    }
    ASSERT_EQ((*file)->Close(), absl::OkStatus());
  }

  TemporaryFolder folder_;
};

TEST_F(Commands, EveryRowIsThereAsItWas) {
  MakeFull("full.rafter", 5, "full");
  for (const std::string& table : TableNames(Path("full.rafter"))) {
    EXPECT_NE(Column(Path("full.rafter"), "SELECT count(*) FROM " + table)[0], "0") << table;
  }
  const std::vector<std::string> sources = {kLikwid, Path("full.rafter"), kFixture,
                                            Path("full.rafter")};
  Combine("all.rafter", sources);
  const std::string all = Path("all.rafter");
  EXPECT_THAT(Column(all, "PRAGMA integrity_check"), ElementsAre("ok"));
  EXPECT_THAT(Column(all, "SELECT name FROM commands ORDER BY command"),
              ElementsAre("likwid-h200", "full", "fixture-h200", "full"));
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string source = Path("source.rafter");  // at today's schema
    std::filesystem::copy_file(sources[i], source,
                               std::filesystem::copy_options::overwrite_existing);
    ASSERT_TRUE(RunFile::Create(source, RunFile::Existing::kAmend).ok());
    const int command = static_cast<int>(i) + 1;
    const Moved moved = MovedOf(all, command);
    EXPECT_EQ(moved.process == "0", i == 0);
    for (const std::string& table : TableNames(source)) {
      EXPECT_EQ(Rows(all, table, command, moved), Rows(source, table, 1, {}))
          << table << " of " << sources[i];
    }
  }
}

TEST_F(Commands, AreReadOneByOne) {
  MakeFull("a.rafter", 5, "a");
  MakeFull("b.rafter", 5, "b");  // the same process, as far as its identity goes
  Combine("all.rafter", {Path("a.rafter"), Path("b.rafter")});
  auto file = *RunFile::OpenForReading(Path("all.rafter"));
  EXPECT_THAT(*file->Commands(), ElementsAre(1u, 2u));
  int64_t last = 0;
  for (const std::string name : {"a", "b"}) {
    const absl::StatusOr<rafter::Run> run = file->ReadCommand(name == "a" ? 1 : 2);
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->name, name);
    EXPECT_EQ(run->command, "./" + name + " --size=1");
    EXPECT_EQ(run->exit_status, 0);
    EXPECT_EQ(run->losses.at("epochs refused"), 5u);
    EXPECT_EQ(run->program_runs.size(), 1u);
    ASSERT_EQ(run->processes.size(), 1u);
    const RunProcess& process = run->processes[0];
    EXPECT_GT(process.id, last);
    last = process.id;
    EXPECT_EQ(process.pid, 5u);
    EXPECT_EQ(process.replay, 1u);
    EXPECT_EQ(process.executable, "/opt/" + name);
    EXPECT_EQ(process.paths[0].name, "top of " + name);
    EXPECT_EQ(process.paths[0].calls, 6u);
    EXPECT_EQ(process.devices[0].sets[0].counters[0].metric, name);
    EXPECT_EQ(process.epochs.size(), 2u);
    EXPECT_EQ(process.epochs[0].slots[0].values[0], 1.5);
    EXPECT_EQ(process.cost->wall_ns, 5u);
    ASSERT_EQ(run->markers.size(), 1u);
    EXPECT_EQ(run->markers[0].process, process.id);
    EXPECT_EQ(run->markers[0].source, name + ".marker");
    EXPECT_EQ(run->markers[0].readings.size(), 2u);
  }
}

TEST_F(Commands, EpochsWithoutValuesGetThemInTheFileOfAll) {
  MakeFull("a.rafter", 5, "a");
  MakeFull("b.rafter", 5, "b");
  Combine("all.rafter", {Path("a.rafter"), Path("b.rafter")});
  {
    auto file = *RunFile::Create(Path("all.rafter"), RunFile::Existing::kAmend);
    const auto waiting = *file->UnevaluatedEpochs();
    ASSERT_EQ(waiting.size(), 2u);
    EXPECT_EQ(waiting[0].baseline, "a baseline");
    EXPECT_EQ(waiting[0].image, "a image");
    EXPECT_EQ(waiting[1].baseline, "b baseline");
    EXPECT_EQ(waiting[1].image, "b image");
    EXPECT_EQ(waiting[1].counters[0].metric, "b");
    EXPECT_EQ(waiting[1].availability, (std::vector<uint8_t>{1, 2, 3}));
    Epoch epoch = waiting[1].stored;
    epoch.slots[0].evaluated = true;
    epoch.slots[0].values = {2.5, 3.5};
    ASSERT_TRUE(file->SetEpochValues(waiting[1].process, epoch).ok());
  }
  auto file = *RunFile::OpenForReading(Path("all.rafter"));
  EXPECT_FALSE(file->ReadCommand(1)->processes[0].epochs[1].slots[0].evaluated);
  EXPECT_EQ(file->ReadCommand(2)->processes[0].epochs[1].slots[0].values[1], 3.5);
  EXPECT_EQ(file->ReadCommand(2)->processes[0].epochs[0].slots[0].values[0], 1.5);
}

TEST_F(Commands, WhatTheProgramWroteOfItselfIsKept) {
  MakeFull("a.rafter", 5, "a");
  const std::string json = "{\"context\": {\"paradigm\": \"Cuda\"}}";
  {
    auto file = *RunFile::CreateEmpty(Path("one.rafter"));
    ASSERT_TRUE(Append(*file, Path("a.rafter"), "a", {json, "a.json", ""}).ok());
  }
  {
    auto file = *RunFile::CreateEmpty(Path("all.rafter"));
    ASSERT_TRUE(Append(*file, Path("one.rafter"), "").ok());
    ASSERT_TRUE(Append(*file, Path("one.rafter"), "b", {"", "b.json", "it is gone"}).ok());
  }
  auto file = *RunFile::OpenForReading(Path("all.rafter"));
  const rafter::Run kept = *file->ReadCommand(1);
  EXPECT_EQ(kept.name, "a");
  EXPECT_EQ(kept.report.json, json);
  EXPECT_EQ(kept.report.source, "a.json");
  EXPECT_EQ(kept.report.trouble, "");
  const rafter::Run replaced = *file->ReadCommand(2);
  EXPECT_EQ(replaced.name, "b");
  EXPECT_EQ(replaced.report.json, "");
  EXPECT_EQ(replaced.report.trouble, "it is gone");
}

TEST_F(Commands, SeveralAreNoRunOfOneProgram) {
  MakeFull("a.rafter", 5, "a");
  Combine("one.rafter", {Path("a.rafter")});
  EXPECT_TRUE((*RunFile::OpenForReading(Path("one.rafter")))->Read().ok());
  EXPECT_TRUE(RunFile::Create(Path("one.rafter"), RunFile::Existing::kAppend).ok());
  Combine("all.rafter", {Path("a.rafter"), Path("a.rafter"), kFixture});
  const std::string why =
      "all.rafter\" holds the runs of 3 programs, as \"rafter batch\" puts them together; name "
      "that of one program";
  const auto read = (*RunFile::OpenForReading(Path("all.rafter")))->Read();
  EXPECT_THAT(std::string(read.status().message()), HasSubstr(why));
  const auto appended = RunFile::Create(Path("all.rafter"), RunFile::Existing::kAppend);
  EXPECT_THAT(std::string(appended.status().message()), HasSubstr(why));
  auto file = *RunFile::CreateEmpty(Path("more.rafter"));
  EXPECT_THAT(std::string(Append(*file, Path("all.rafter"), "all").message()), HasSubstr(why));
  EXPECT_THAT(*file->Commands(), ElementsAre());
  EXPECT_THAT(std::string(file->Read().status().message()),
              HasSubstr("more.rafter\" holds no run; make one with \"rafter run\""));
}

TEST_F(Commands, OneThatCannotBeReadCostsOnlyItself) {
  MakeFull("a.rafter", 5, "a");
  MakeFull("b.rafter", 6, "b");
  MakeFull("broken.rafter", 7, "c");
  // Two processes of one identity, which no run file of ours has.
  Execute(Path("broken.rafter"),
          "CREATE TABLE loose AS SELECT * FROM processes; UPDATE loose SET process=9;"
          "INSERT INTO loose SELECT * FROM processes; DROP TABLE processes;"
          "ALTER TABLE loose RENAME TO processes");
  MakeFull("lacking.rafter", 8, "d");
  Execute(Path("lacking.rafter"), "DROP TABLE marker_values");
  auto file = *RunFile::CreateEmpty(Path("all.rafter"));
  ASSERT_TRUE(Append(*file, Path("a.rafter"), "a").ok());
  const absl::Status broken = Append(*file, Path("broken.rafter"), "c");
  EXPECT_THAT(std::string(broken.message()),
              testing::AllOf(HasSubstr("broken.rafter\" is damaged: table processes: "),
                             HasSubstr("use a copy of it")));
  EXPECT_THAT(std::string(Append(*file, Path("lacking.rafter"), "d").message()),
              HasSubstr("lacking.rafter"));
  EXPECT_TRUE(file->failure().ok());
  ASSERT_EQ(Append(*file, Path("b.rafter"), "b"), absl::OkStatus());
  EXPECT_THAT(*file->Commands(), ElementsAre(1u, 2u));
  EXPECT_EQ(file->ReadCommand(2)->processes[0].pid, 6u);
  ASSERT_TRUE(file->Close().ok());
  EXPECT_THAT(Column(Path("all.rafter"), "SELECT count(*) FROM processes"), ElementsAre("2"));
  EXPECT_THAT(Column(Path("all.rafter"), "SELECT count(*) FROM instances"), ElementsAre("4"));
}

TEST_F(Commands, TakeThePlaceOfWhatSqliteLeftThere) {
  MakeFull("a.rafter", 5, "a");
  for (const char* ending : {"-wal", "-shm", "-journal"}) {
    WriteFile(Path("all.rafter") + ending, "left by a crash");
  }
  WriteFile(Path("all.rafter"), "");
  ASSERT_EQ(RunFile::ClearBeside(Path("all.rafter")), absl::OkStatus());
  EXPECT_TRUE(std::filesystem::exists(Path("all.rafter")));
  for (const char* ending : {"-wal", "-shm", "-journal"}) {
    EXPECT_FALSE(std::filesystem::exists(Path("all.rafter") + ending)) << ending;
  }
  auto writer = *RunFile::Create(Path("a.rafter"), RunFile::Existing::kAppend);
  EXPECT_THAT(std::string(RunFile::ClearBeside(Path("a.rafter")).message()),
              HasSubstr("is being written by another process"));
}

}  // namespace
}  // namespace rafter
