#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "collector/store/compressed.h"
#include "collector/store/run_file.h"
#include "collector/store/schema.h"
#include "collector/store/uncounted.h"
#include "tests/unit/temporary_folder.h"

namespace rafter {
namespace {

using testing::HasSubstr;

RunProcess Process(uint32_t pid) {
  RunProcess process;
  process.host = "node1";
  process.boot_id = "b007";
  process.pid = pid;
  process.start_ticks = 77;
  process.executable = "/opt/bench";
  process.arguments = {"./bench", "--size=1"};
  process.environment = {{"OMP_NUM_THREADS", "4"}};
  process.rank = 3;
  process.realtime_ns = UINT64_MAX;
  return process;
}

RunDevice Device() {
  RunDevice device;
  device.uuid = "GPU-1";
  device.name = "NVIDIA H200";
  device.chip = "GH100";
  device.cupti_version = 130001;
  device.sets = {{"time", 0, 1, {{"gpu__time_duration.sum", "nsecond", "Time."}}},
                 {"memory", 1, 2, {{"dram__bytes.sum", "byte", ""}, {"lts__t_bytes.sum", "", ""}}}};
  device.missing = {{"sm", "l1tex__t_bytes.sum", "chip does not have it"}};
  device.plan_origin = "collector";
  return device;
}

Epoch MakeEpoch(uint32_t number, bool evaluated) {
  Epoch epoch;
  epoch.epoch = number;
  epoch.pass = 1;
  epoch.set = "memory";
  epoch.baseline = 1;
  epoch.slots = {{1, 2, 1, 3, evaluated, {}}};
  if (evaluated) epoch.slots[0].values = {1.5, std::nullopt};
  return epoch;
}

StoredInstance Instance(uint32_t path, uint64_t start_ns, uint32_t epoch) {
  return {path, 11, start_ns, 500, epoch, epoch == 0 ? 1u : 0u, std::nullopt};
}

RegionPath Path(uint32_t path, uint32_t parent, const std::string& name) {
  RegionPath made;
  made.path = path;
  made.parent = parent;
  made.name = name;
  return made;
}

std::unique_ptr<RunFile> Make(const std::string& path) {
  auto made = RunFile::Create(path, RunFile::Existing::kRefuse);
  EXPECT_TRUE(made.ok()) << made.status();
  return std::move(*made);
}

void Execute(const std::string& path, const char* sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
}

std::string OpenMessage(const std::string& path) {
  const auto opened = RunFile::OpenForReading(path);
  EXPECT_FALSE(opened.ok());
  const std::string message(opened.status().message());
  EXPECT_THAT(message, HasSubstr(path));
  EXPECT_EQ(message.find('\n'), std::string::npos);
  return message;
}

TEST(RunFile, GivesBackEverythingThatWasPutIn) {
  TemporaryFolder folder;
  {
    auto file = Make(folder / "a.rafter");
    const int64_t id = *file->AddProcess(Process(5));
    ASSERT_TRUE(file->AddDevice(id, Device(), {1, 2, 3}).ok());
    ASSERT_TRUE(file->SetPlan(id, Device(), {9}).ok());
    RegionPath path = Path(2, 1, "k\xC3\xB6rper");
    path.domain = "d";
    path.members = {1};
    ASSERT_TRUE(file->AddPath(id, Path(1, 0, "top")).ok());
    ASSERT_TRUE(file->AddPath(id, path).ok());
    ASSERT_TRUE(file->AddBaseline(id, 0, 1, "baseline").ok());
    ASSERT_TRUE(file->AddEpoch(id, MakeEpoch(1, true), "image").ok());
    RunKernel kernel;
    kernel.path = 2;
    kernel.symbol = "_Z1fv";
    kernel.signature = "f()";
    kernel.grid[0] = 132;
    kernel.block[2] = 4;
    kernel.launches = 6;
    ASSERT_TRUE(file->AddKernel(id, kernel).ok());
    kernel.launches = 8;
    ASSERT_TRUE(file->AddKernel(id, kernel).ok());
    ASSERT_TRUE(file->AddNote(id, {"warning", "flop", "left out"}).ok());
    ASSERT_TRUE(file->AddNote(id, {"warning", "flop", "left out"}).ok());
    ASSERT_TRUE(file->SetLoss(id, "instances dropped", 4).ok());
    ASSERT_TRUE(file->SetLoss(id, "instances dropped", 3).ok());
    ASSERT_TRUE(file->SetEnding(id, "exit").ok());
    ASSERT_TRUE(file->SetCommand("./bench --size=1", 43).ok());
    ASSERT_TRUE(file->AddCollectorLoss("epochs refused", 2).ok());
    ASSERT_TRUE(file->AddCollectorLoss("epochs refused", 1).ok());
    ASSERT_TRUE(file->Close().ok());
  }
  auto file = RunFile::OpenForReading(folder / "a.rafter");
  ASSERT_TRUE(file.ok()) << file.status();
  const absl::StatusOr<rafter::Run> run = (*file)->Read();
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->rafter_version, "0.1.0");
  EXPECT_EQ(run->command, "./bench --size=1");
  EXPECT_EQ(run->exit_status, 43);
  EXPECT_EQ(run->losses.at("epochs refused"), 3u);
  ASSERT_EQ(run->processes.size(), 1u);
  const RunProcess& process = run->processes[0];
  EXPECT_EQ(process.pid, 5u);
  EXPECT_EQ(process.rank, 3u);
  EXPECT_EQ(process.realtime_ns, UINT64_MAX);
  EXPECT_EQ(process.arguments, Process(5).arguments);
  EXPECT_EQ(process.environment, Process(5).environment);
  EXPECT_EQ(process.ending, "exit");
  ASSERT_EQ(process.devices.size(), 1u);
  EXPECT_EQ(process.devices[0].chip, "GH100");
  ASSERT_EQ(process.devices[0].sets.size(), 2u);
  EXPECT_EQ(process.devices[0].sets[1].counters, Device().sets[1].counters);
  EXPECT_EQ(process.devices[0].sets[1].passes, 2u);
  ASSERT_EQ(process.devices[0].missing.size(), 1u);
  EXPECT_EQ(process.devices[0].missing[0].reason, "chip does not have it");
  ASSERT_EQ(process.paths.size(), 2u);
  EXPECT_EQ(process.paths[1].name, "k\xC3\xB6rper");
  EXPECT_EQ(process.paths[1].members, std::vector<uint32_t>{1});
  ASSERT_EQ(process.epochs.size(), 1u);
  ASSERT_EQ(process.epochs[0].slots.size(), 1u);
  const SlotValues& slot = process.epochs[0].slots[0];
  EXPECT_TRUE(slot.evaluated);
  EXPECT_EQ(slot.incomplete, 1u);
  ASSERT_EQ(slot.values.size(), 2u);
  EXPECT_EQ(slot.values[0], 1.5);
  EXPECT_EQ(slot.values[1], std::nullopt);
  ASSERT_EQ(process.kernels.size(), 1u);
  EXPECT_EQ(process.kernels[0].launches, 8u);
  EXPECT_EQ(process.kernels[0].grid[0], 132u);
  EXPECT_EQ(process.notes.size(), 1u);
  EXPECT_EQ(process.losses.at("instances dropped"), 4u);
}

TEST(RunFile, KeepsTheRunsOfAReplayAndTheLastCostOfAProcess) {
  TemporaryFolder folder;
  const RunCost early = {100, 40, 0, 0, 0};
  const RunCost late = {900, 50, 6, 3, 2};
  {
    auto file = Make(folder / "a.rafter");
    RunProcess replayed = Process(1);
    replayed.replay = 2;
    const int64_t id = *file->AddProcess(replayed);
    ASSERT_TRUE(file->AddProcess(Process(2)).ok());
    ASSERT_TRUE(file->SetCost(id, early).ok());
    ASSERT_TRUE(file->SetCost(id, late).ok());
    ASSERT_TRUE(file->SetCost(id, early).ok());  // an older part that came late
    ASSERT_TRUE(file->AddProgramRun({2, "memory", 7, 123}).ok());
    ASSERT_TRUE(file->AddProgramRun({0, "", 0, 100}).ok());
  }
  const rafter::Run run = *(*RunFile::OpenForReading(folder / "a.rafter"))->Read();
  EXPECT_EQ(run.processes[0].replay, 2u);
  EXPECT_EQ(run.processes[0].cost, late);
  EXPECT_EQ(run.processes[1].replay, 0u);
  EXPECT_EQ(run.processes[1].cost, std::nullopt);
  const std::vector<ProgramRun> runs = {{0, "", 0, 100}, {2, "memory", 7, 123}};
  EXPECT_EQ(run.program_runs, runs);
}

TEST(RunFile, SumsInstancesByPathAndSaysWhyTheyWereNotCounted) {
  TemporaryFolder folder;
  auto file = Make(folder / "a.rafter");
  const int64_t id = *file->AddProcess(Process(5));
  ASSERT_TRUE(file->AddPath(id, Path(1, 0, "r")).ok());
  ASSERT_TRUE(file->AddEpoch(id, MakeEpoch(1, true), "image").ok());
  StoredInstance watched = Instance(1, 10, 1);
  watched.launches = 2;
  StoredInstance watched_more = Instance(1, 20, 1);
  watched_more.launches = 5;
  StoredInstance truncated = Instance(1, 30, 0);
  truncated.uncounted = 8;
  const std::vector<StoredInstance> instances = {watched,
                                                 watched_more,
                                                 Instance(1, 25, 2),  // epoch 2 never came
                                                 Instance(1, 40, 0),
                                                 Instance(1, 50, 0),
                                                 truncated};
  ASSERT_TRUE(file->AddInstances(id, instances).ok());
  const absl::StatusOr<rafter::Run> run = file->Read();
  ASSERT_TRUE(run.ok()) << run.status();
  const RegionPath& path = run->processes[0].paths[0];
  EXPECT_EQ(path.calls, 6u);
  EXPECT_EQ(path.counted_calls, 2u);
  EXPECT_EQ(path.uncounted.at("no CUDA context was current"), 2u);
  EXPECT_EQ(path.uncounted.at("still open when the process ended"), 1u);
  EXPECT_EQ(path.uncounted.at(std::string(kEpochLost)), 1u);
  EXPECT_DOUBLE_EQ(path.host_time_s, 6 * 500e-9);
  EXPECT_EQ(path.watched_calls, 2u);
  EXPECT_EQ(path.launches, 7u);
  EXPECT_EQ(path.least_launches, 2u);
  EXPECT_EQ(path.most_launches, 5u);
}

TEST(RunFile, KeepsCallsOfARegionWhoseNameWasLost) {
  TemporaryFolder folder;
  auto file = Make(folder / "a.rafter");
  const int64_t id = *file->AddProcess(Process(5));
  ASSERT_TRUE(file->AddPath(id, Path(9, 4, "child")).ok());
  ASSERT_TRUE(file->AddInstances(id, std::vector<StoredInstance>{Instance(7, 1, 0)}).ok());
  const rafter::Run run = *file->Read();
  ASSERT_EQ(run.processes[0].paths.size(), 3u);
  EXPECT_EQ(run.processes[0].paths[0].name, "(unnamed region 4)");
  EXPECT_EQ(run.processes[0].paths[1].name, "(unnamed region 7)");
  EXPECT_EQ(run.processes[0].paths[1].calls, 1u);
}

TEST(RunFile, StoresAnInstanceThatComesTwiceOnceAndEqualOnesOfOneCallBoth) {
  TemporaryFolder folder;
  auto file = Make(folder / "a.rafter");
  const int64_t id = *file->AddProcess(Process(5));
  const std::vector<StoredInstance> batch = {Instance(1, 10, 0), Instance(1, 10, 0)};
  uint64_t duplicates = 0;
  ASSERT_TRUE(file->AddInstances(id, batch, &duplicates).ok());
  EXPECT_EQ(duplicates, 0u);
  ASSERT_TRUE(file->AddInstances(id, batch, &duplicates).ok());
  EXPECT_EQ(duplicates, 2u);
  EXPECT_EQ(file->Read()->processes[0].paths[0].calls, 2u);
}

TEST(RunFile, FindsTheSameProcessAgainAndTellsAReusedPidApart) {
  TemporaryFolder folder;
  auto file = Make(folder / "a.rafter");
  const int64_t id = *file->AddProcess(Process(5));
  EXPECT_EQ(*file->AddProcess(Process(5)), id);
  RunProcess later = Process(5);
  later.start_ticks = 78;
  EXPECT_NE(*file->AddProcess(later), id);
}

TEST(RunFile, RefusesAnEpochThatItHas) {
  TemporaryFolder folder;
  auto file = Make(folder / "a.rafter");
  const int64_t id = *file->AddProcess(Process(5));
  ASSERT_TRUE(file->AddEpoch(id, MakeEpoch(1, true), "image").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(file->AddEpoch(id, MakeEpoch(1, true), "image")));
  EXPECT_TRUE(*file->HasEpoch(id, 1));
  EXPECT_FALSE(*file->HasEpoch(id, 2));
  EXPECT_EQ(file->Read()->processes[0].epochs.size(), 1u);
  EXPECT_TRUE(file->failure().ok());
}

TEST(RunFile, GivesWhatAnEpochWithoutValuesNeedsAndTakesThemLater) {
  TemporaryFolder folder;
  auto file = Make(folder / "a.rafter");
  const int64_t id = *file->AddProcess(Process(5));
  ASSERT_TRUE(file->AddDevice(id, Device(), {1, 2, 3}).ok());
  ASSERT_TRUE(file->SetPlan(id, Device(), {9}).ok());
  ASSERT_TRUE(file->AddBaseline(id, 0, 1, "first part").ok());
  ASSERT_TRUE(file->AddEpoch(id, MakeEpoch(1, false), "image").ok());
  // The rest of the stream numbers its baselines from 1 again.
  ASSERT_TRUE(file->AddBaseline(id, 0, 1, "second part").ok());
  ASSERT_TRUE(file->AddEpoch(id, MakeEpoch(2, false), "image 2").ok());
  auto waiting = file->UnevaluatedEpochs();
  ASSERT_TRUE(waiting.ok()) << waiting.status();
  ASSERT_EQ(waiting->size(), 2u);
  EXPECT_EQ((*waiting)[0].chip, "GH100");
  EXPECT_EQ((*waiting)[0].cupti_version, 130001u);
  EXPECT_EQ((*waiting)[0].availability, (std::vector<uint8_t>{1, 2, 3}));
  EXPECT_EQ((*waiting)[0].counters, Device().sets[1].counters);
  EXPECT_EQ((*waiting)[0].baseline, "first part");
  EXPECT_EQ((*waiting)[1].baseline, "second part");
  EXPECT_EQ((*waiting)[1].image, "image 2");
  EXPECT_FALSE(file->Read()->processes[0].epochs[0].slots[0].evaluated);
  Epoch epoch = (*waiting)[0].stored;
  epoch.slots[0].evaluated = true;
  epoch.slots[0].values = {2.5, std::nullopt};
  ASSERT_TRUE(file->SetEpochValues(id, epoch).ok());
  EXPECT_EQ(file->UnevaluatedEpochs()->size(), 1u);
  EXPECT_EQ(file->Read()->processes[0].epochs[0].slots[0].values[0], 2.5);
}

TEST(RunFile, LeavesOneFileWhenClosed) {
  TemporaryFolder folder;
  auto file = Make(folder / "a.rafter");
  ASSERT_TRUE(file->AddProcess(Process(1)).ok());
  ASSERT_TRUE(file->Close().ok());
  ASSERT_TRUE(file->Close().ok());
  size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    ++entries;
  }
  EXPECT_EQ(entries, 1u);
}

TEST(RunFile, RefusesAMissingFileByName) {
  TemporaryFolder folder;
  EXPECT_THAT(OpenMessage(folder / "none.rafter"), HasSubstr("is not there"));
}

TEST(RunFile, RefusesAFileThatCannotBeRead) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.rafter");
  EXPECT_THAT(OpenMessage(folder / "folder.rafter"), HasSubstr("cannot be read: it is a folder"));
}

TEST(RunFile, RefusesAForeignFile) {
  TemporaryFolder folder;
  WriteFile(folder / "text", "executable,region,calls\n");
  EXPECT_THAT(OpenMessage(folder / "text"), HasSubstr("is not a run file of Rafter"));
  WriteFile(folder / "empty", "");
  EXPECT_THAT(OpenMessage(folder / "empty"), HasSubstr("is empty"));
  WriteFile(folder / "spool", std::string("RAFTERSP\1\0\0\0\0\0\0\0", 16));
  EXPECT_THAT(OpenMessage(folder / "spool"), HasSubstr("rafter ingest"));
  Execute(folder / "other", "CREATE TABLE t (x)");
  EXPECT_THAT(OpenMessage(folder / "other"), HasSubstr("another program's SQLite file"));
}

TEST(RunFile, RefusesAFileOfANewerSchema) {
  TemporaryFolder folder;
  ASSERT_TRUE(Make(folder / "a.rafter")->Close().ok());
  Execute(folder / "a.rafter", "PRAGMA user_version=99");
  const std::string message = OpenMessage(folder / "a.rafter");
  EXPECT_THAT(message, HasSubstr("newer Rafter (schema 99; this one reads up to 4)"));
  const auto appended = RunFile::Create(folder / "a.rafter", RunFile::Existing::kAppend);
  EXPECT_TRUE(absl::IsFailedPrecondition(appended.status()));
}

TEST(RunFile, NeverOverwritesUnlessAsked) {
  TemporaryFolder folder;
  {
    auto file = Make(folder / "a.rafter");
    ASSERT_TRUE(file->AddProcess(Process(1)).ok());
  }
  const auto refused = RunFile::Create(folder / "a.rafter", RunFile::Existing::kRefuse);
  EXPECT_TRUE(absl::IsAlreadyExists(refused.status()));
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("--force"));
  {
    auto file = RunFile::Create(folder / "a.rafter", RunFile::Existing::kAppend);
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE((*file)->AddProcess(Process(2)).ok());
    EXPECT_EQ((*file)->Read()->processes.size(), 2u);
  }
  auto replaced = RunFile::Create(folder / "a.rafter", RunFile::Existing::kReplace);
  ASSERT_TRUE(replaced.ok()) << replaced.status();
  EXPECT_TRUE((*replaced)->Read()->processes.empty());
}

TEST(RunFile, IsNotReplacedOrAppendedToWhileAnotherWritesIt) {
  TemporaryFolder folder;
  auto writer = Make(folder / "a.rafter");
  for (const RunFile::Existing existing :
       {RunFile::Existing::kReplace, RunFile::Existing::kAppend}) {
    const auto second = RunFile::Create(folder / "a.rafter", existing);
    EXPECT_TRUE(absl::IsUnavailable(second.status())) << second.status();
    EXPECT_THAT(std::string(second.status().message()), HasSubstr("another process"));
  }
  ASSERT_TRUE(writer->AddProcess(Process(1)).ok());
  EXPECT_TRUE(writer->Commit().ok());
}

TEST(RunFile, CanBeReadWhileItIsWritten) {
  TemporaryFolder folder;
  auto writer = Make(folder / "a.rafter");
  ASSERT_TRUE(writer->AddProcess(Process(1)).ok());
  ASSERT_TRUE(writer->Commit().ok());
  ASSERT_TRUE(writer->AddProcess(Process(2)).ok());
  auto reader = RunFile::OpenForReading(folder / "a.rafter");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->Read()->processes.size(), 1u);
  EXPECT_TRUE(absl::IsFailedPrecondition((*reader)->AddProcess(Process(3)).status()));
}

TEST(RunFile, KeepsTheLastCommitWhenTheWriterIsKilled) {
  TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    auto file = RunFile::Create(folder / "a.rafter", RunFile::Existing::kRefuse);
    (void)(*file)->AddProcess(Process(1));
    (void)(*file)->Commit();
    (void)(*file)->AddProcess(Process(2));
    raise(SIGKILL);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  auto reader = RunFile::OpenForReading(folder / "a.rafter");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->Read()->processes.size(), 1u);
}

// A file-size limit stands for a full disk: writes fail with errno in the same
// places.
TEST(RunFile, KeepsTheLastCommitAndNamesPathAndCauseWhenTheDiskIsFull) {
  TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    auto file = RunFile::Create(folder / "a.rafter", RunFile::Existing::kRefuse);
    if (!(*file)->AddProcess(Process(1)).ok() || !(*file)->Commit().ok()) _exit(2);
    const rlimit limit{256 << 10, 256 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    absl::Status status;
    for (uint32_t i = 2; i < 100000 && status.ok(); ++i) {
      RunProcess process = Process(i);
      process.executable = std::string(10000, 'x');
      status = (*file)->AddProcess(process).status();
      if (status.ok()) status = (*file)->Commit();
    }
    if (status.ok()) _exit(3);
    std::ofstream(folder / "message") << status.message();
    const bool sticks = (*file)->AddProcess(Process(1)).status() == status &&
                        (*file)->failure() == status && (*file)->Close() == status;
    _exit(sticks ? 0 : 4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const std::string message = ReadFile(folder / "message");
  EXPECT_THAT(message, HasSubstr(folder / "a.rafter"));
  EXPECT_THAT(message, HasSubstr("File too large"));
  auto reader = RunFile::OpenForReading(folder / "a.rafter");
  ASSERT_TRUE(reader.ok()) << reader.status();
  const absl::StatusOr<rafter::Run> run = (*reader)->Read();
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_GE(run->processes.size(), 2u);
}

TEST(RunFile, NamesPathAndCauseWhereNothingCanBeWritten) {
  const auto made = RunFile::Create("/proc/rafter-test/a.rafter", RunFile::Existing::kRefuse);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(std::string(made.status().message()), HasSubstr("/proc/rafter-test/a.rafter"));
  EXPECT_THAT(std::string(made.status().message()), HasSubstr("No such file or directory"));
}

TEST(RunFile, SaysThatADamagedFileIsDamaged) {
  TemporaryFolder folder;
  {
    auto file = Make(folder / "a.rafter");
    for (uint32_t i = 0; i < 500; ++i) ASSERT_TRUE(file->AddProcess(Process(i)).ok());
  }
  std::string bytes = ReadFile(folder / "a.rafter");
  for (size_t i = 4096; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
  WriteFile(folder / "a.rafter", bytes);
  auto reader = RunFile::OpenForReading(folder / "a.rafter");
  if (reader.ok()) {
    EXPECT_TRUE(absl::IsDataLoss((*reader)->Read().status()));
  } else {
    EXPECT_TRUE(absl::IsDataLoss(reader.status())) << reader.status();
  }
}

TEST(Schema, IsDescribedTableByTable) {
  const std::string document = ReadFile(RAFTER_SOURCE_DIR "/docs/run-file.md");
  const std::string schema = kSchema;
  const std::string create = "CREATE TABLE ";
  size_t tables = 0;
  for (size_t at = schema.find(create); at != std::string::npos; at = schema.find(create, at + 1)) {
    const size_t name = at + create.size();
    EXPECT_THAT(document,
                HasSubstr("`" + schema.substr(name, schema.find(' ', name) - name) + "`"));
    ++tables;
  }
  EXPECT_GT(tables, 10u);
}

TEST(Compressed, RefusesWhatWouldGrowBeyondTheLimit) {
  const std::string packed = *Compress(std::string(1000000, 'a'));
  EXPECT_LT(packed.size(), 1000u);
  EXPECT_EQ(Decompress(packed, 1000000)->size(), 1000000u);
  EXPECT_TRUE(absl::IsDataLoss(Decompress(packed, 999999).status()));
  EXPECT_TRUE(absl::IsDataLoss(Decompress(packed.substr(0, packed.size() / 2), 1 << 30).status()));
  EXPECT_TRUE(absl::IsDataLoss(Decompress("garbage", 100).status()));
}

}  // namespace
}  // namespace rafter
