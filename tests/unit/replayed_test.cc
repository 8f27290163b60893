// Runs of an application replay put together, or refused with what differs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collector/table/replayed.h"
#include "collector/table/table.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kFfma[] = "sm__sass_thread_inst_executed_op_ffma_pred_on.sum";

CounterSet SetNamed(const std::string& name) {
  if (name == "time") return {name, 0, 1, {{"gpu__time_duration.sum", "nanosecond", ""}}};
  if (name == "memory") return {name, 0, 1, {{"dram__bytes.sum", "byte", ""}}};
  return {name,
          0,
          1,
          {{"sm__sass_thread_inst_executed_op_fadd_pred_on.sum", "instruction", ""},
           {"sm__sass_thread_inst_executed_op_fmul_pred_on.sum", "instruction", ""},
           {kFfma, "instruction", ""}}};
}

std::vector<std::optional<double>> Values(const std::string& set, double each, uint64_t calls) {
  const double sum = each * static_cast<double>(calls);
  if (set == "flop") return {0.0, 0.0, sum};
  return {sum};
}

// "solve" with "smooth" in it, `calls` times, counted in one set.
RunProcess Counted(uint32_t replay, const std::string& set, uint64_t calls, double each) {
  RunProcess process;
  process.id = process.pid = 100 + replay;
  process.replay = replay;
  process.host = "node1";
  process.executable = "/opt/bench";
  process.ending = "exit";
  RunDevice device;
  device.uuid = "GPU-7";
  device.name = "NVIDIA H200";
  device.wanted_sets = set;
  device.sets = {SetNamed(set)};
  process.devices = {device};
  for (uint32_t i = 1; i <= 2; ++i) {
    RegionPath path;
    path.path = i;
    path.parent = i - 1;
    path.name = i == 1 ? "solve" : "smooth";
    path.calls = path.counted_calls = i == 1 ? 1 : calls;
    process.paths.push_back(path);
  }
  Epoch epoch;
  epoch.epoch = 1;
  epoch.set = set;
  epoch.slots = {{1, 1, 0, 1, true, Values(set, 0, 1)},
                 {2, calls, 0, calls, true, Values(set, each, calls)}};
  process.epochs = {epoch};
  return process;
}

Run Replay(const std::vector<RunProcess>& processes) {
  Run run;
  run.processes = processes;
  for (const RunProcess& process : processes) {
    run.program_runs.push_back({process.replay, process.devices[0].wanted_sets, 0, 1});
  }
  return run;
}

Run ThreeSets() {
  return Replay(
      {Counted(1, "time", 20, 1000), Counted(2, "memory", 20, 64), Counted(3, "flop", 20, 10)});
}

TEST(JoinReplays, GivesOneProcessWithEverySetMeasured) {
  const Replayed joined = JoinReplays(ThreeSets());
  EXPECT_EQ(joined.refused, "");
  EXPECT_EQ(joined.joined, 3u);
  ASSERT_EQ(joined.run.processes.size(), 1u);
  EXPECT_EQ(joined.run.processes[0].pid, 101u);
  EXPECT_EQ(joined.run.processes[0].devices[0].wanted_sets, "time,memory,flop");
  const Table table = BuildTable(joined.run, {});
  ASSERT_EQ(table.rows.size(), 2u);
  const Row& smooth = table.rows[1];
  EXPECT_EQ(smooth.region, "solve/smooth");
  EXPECT_EQ(smooth.validity, "measured");
  EXPECT_EQ(smooth.calls, 20u);
  EXPECT_EQ(smooth.measured_calls, 20u);
  EXPECT_EQ(smooth.duration_s, 20e-6);
  EXPECT_EQ(smooth.traffic_bytes, 20 * 64.0);
  EXPECT_EQ(smooth.flop, 20 * 20.0);
  EXPECT_EQ(smooth.flop_per_byte, 400.0 / 1280.0);
}

// Instances that name their GPU, as they do since the first issue on exact counters.
Run ThreeSetsOnANamedGpu() {
  rafter::Run run = ThreeSets();
  for (RunProcess& process : run.processes) {
    for (RegionPath& path : process.paths) {
      path.watched_calls = path.calls;
      path.launches = 2 * path.calls;
      path.least_launches = path.most_launches = 2;
      path.by_device[1] = path;
    }
  }
  return run;
}

TEST(JoinReplays, JoinsWhatInstancesSayOfTheirGpu) {
  rafter::Run run = ThreeSetsOnANamedGpu();
  run.processes[0].paths[1].by_device[1].watched_calls = 0;  // set time watches nothing
  run.processes[0].paths[1].watched_calls = 0;
  run.processes[2].paths[1].by_device[1].counted_calls = 18;
  run.processes[2].paths[1].by_device[1].uncounted["it rained"] = 2;
  const Replayed joined = JoinReplays(run);
  EXPECT_EQ(joined.refused, "");
  const InstanceSums& sums = joined.run.processes[0].paths[1].by_device.at(1);
  EXPECT_EQ(sums.calls, 20u);
  EXPECT_EQ(sums.counted_calls, 18u);
  EXPECT_EQ(sums.launches, 40u);
  EXPECT_EQ(sums.watched_calls, 20u);
  EXPECT_EQ(sums.uncounted.at("it rained"), 2u);
}

TEST(JoinReplays, NamesTheGpuOnWhichARegionWasCalledMoreOften) {
  rafter::Run run = ThreeSetsOnANamedGpu();
  RegionPath& path = run.processes[2].paths[1];
  path.by_device[1].calls = 15;  // five went to another GPU
  path.by_device[2].calls = 5;
  EXPECT_THAT(JoinReplays(run).refused, HasSubstr("20 calls in run 1 (set time), 15 calls in run "
                                                  "3 (set flop) on device 0"));
}

TEST(JoinReplays, KeepsChainsOfEpochsApart) {
  rafter::Run run = ThreeSets();
  for (RunProcess& process : run.processes) {
    process.epochs[0].epoch = 4;
    process.epochs[0].chain = 4;
  }
  const Replayed joined = JoinReplays(run);
  ASSERT_EQ(joined.run.processes[0].epochs.size(), 3u);
  EXPECT_EQ(joined.run.processes[0].epochs[1].chain, 8u);
  EXPECT_EQ(joined.run.processes[0].epochs[2].chain, 12u);
  EXPECT_EQ(BuildTable(joined.run, {}).rows[1].flop, 400.0);
}

TEST(JoinReplays, KeepsWhatLikwidReadOfEachRun) {
  // Of processes that are put together, and of one that marked no region of ours.
  rafter::Run run = ThreeSets();
  for (int64_t process : {101, 103, 104}) {
    MarkerReadings& markers = run.markers.emplace_back();
    markers.process = process;
    markers.run = static_cast<uint32_t>(process - 100);
  }
  run.processes.push_back(Counted(3, "flop", 20, 10));
  run.processes.back().id = 104;
  run.processes.back().executable = "/opt/other";
  run.processes.back().paths.clear();
  run.processes.back().epochs.clear();
  const Replayed joined = JoinReplays(run);
  EXPECT_EQ(joined.refused, "");
  ASSERT_EQ(joined.run.processes.size(), 2u);
  ASSERT_EQ(joined.run.markers.size(), 3u);
  EXPECT_EQ(joined.run.markers[0].process, 101);
  EXPECT_EQ(joined.run.markers[1].process, 101);
  EXPECT_EQ(joined.run.markers[2].process, 104);
  EXPECT_EQ(joined.run.processes[1].id, 104);
}

TEST(JoinReplays, LeavesARunThatIsNoReplayAlone) {
  rafter::Run run = Replay({Counted(0, "time", 3, 1), Counted(0, "time", 4, 1)});
  run.program_runs = {{0, "", 0, 5}, {1, "", 0, 6}};
  const Replayed joined = JoinReplays(run);
  EXPECT_EQ(joined.joined, 0u);
  EXPECT_EQ(joined.refused, "");
  EXPECT_EQ(joined.run.processes.size(), 2u);
}

TEST(JoinReplays, NamesTheRegionThatWasCalledMoreOften) {
  rafter::Run run = ThreeSets();
  run.processes[2].paths[1].calls = 21;
  const Replayed joined = JoinReplays(run);
  EXPECT_EQ(joined.refused,
            "region solve/smooth: 20 calls in run 1 (set time), 21 calls in run 3 (set flop)");
  EXPECT_EQ(joined.run.processes.size(), 3u);
  EXPECT_EQ(joined.run.processes[2].replay, 3u);
}

// Twice the calls of everything, as in a benchmark that had time for more.
void CallTwiceAsOften(RunProcess& process) {
  for (RegionPath& path : process.paths) path.calls = path.counted_calls = 2 * path.calls;
  for (SlotValues& slot : process.epochs[0].slots) {
    slot.instances *= 2;
    slot.segments *= 2;
    for (auto& value : slot.values) value = *value * 2;
  }
}

TEST(JoinReplays, TakesMeanCallsWhereARunHadTimeForMoreOfThem) {
  rafter::Run run = ThreeSets();
  CallTwiceAsOften(run.processes[2]);
  const Replayed joined = JoinReplays(run);
  EXPECT_EQ(joined.refused, "");
  EXPECT_EQ(joined.other_calls,
            "region solve: 1 call in run 1 (set time), 2 calls in run 3 (set flop)");
  const Table table = BuildTable(joined.run, {});
  ASSERT_EQ(table.rows.size(), 2u);
  const Row& smooth = table.rows[1];
  EXPECT_EQ(smooth.calls, 20u);
  EXPECT_EQ(smooth.flop, 20 * 20.0);
  EXPECT_EQ(smooth.traffic_bytes, 20 * 64.0);
  EXPECT_EQ(smooth.validity, "extrapolated");
  EXPECT_EQ(smooth.reason, "counted of 20 calls: time 20, memory 20, flop 40");
}

TEST(JoinReplays, RefusesCallsOfAnotherKindInsideARegionOfOtherCalls) {
  rafter::Run run = ThreeSets();
  CallTwiceAsOften(run.processes[2]);
  run.processes[2].paths[1].calls = 41;  // 20 for each call of "solve" in the first run
  EXPECT_EQ(JoinReplays(run).refused,
            "region solve/smooth: 20 calls in run 1 (set time), 41 calls in run 3 (set flop)");
}

TEST(JoinReplays, NamesARegionThatOneRunLacks) {
  rafter::Run run = ThreeSets();
  run.processes[1].paths.pop_back();
  EXPECT_EQ(JoinReplays(run).refused,
            "region solve/smooth: 20 calls in run 1 (set time), none in run 2 (set memory)");
}

TEST(JoinReplays, FindsRegionsByNameWhateverTheirNumbersAre) {
  rafter::Run run = ThreeSets();
  RunProcess& flop = run.processes[2];
  RegionPath never;  // of which a name came, and no call
  never.path = 1;
  never.name = "unused";
  flop.paths.insert(flop.paths.begin(), never);
  flop.paths[1].path = 2;
  flop.paths[2].path = 3;
  flop.paths[2].parent = 2;
  flop.epochs[0].slots[0].path = 2;
  flop.epochs[0].slots[1].path = 3;
  const Replayed joined = JoinReplays(run);
  EXPECT_EQ(joined.refused, "");
  const Table table = BuildTable(joined.run, {});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].flop, 400.0);
  EXPECT_EQ(table.rows[0].flop, 400.0);  // what is inside counts too
}

TEST(JoinReplays, GivesARegionOfUnknownNameToNoOther) {
  rafter::Run run;
  run.processes = {Counted(1, "time", 4, 100), Counted(2, "flop", 4, 10)};
  RegionPath more;  // of the first run alone, with the number of what the second lost
  more.path = 3;
  more.name = "idle";
  run.processes[0].paths.push_back(more);
  run.processes[1].epochs[0].slots.push_back({3, 1, 0, 1, true, Values("flop", 7, 1)});
  const Replayed joined = JoinReplays(run);
  ASSERT_EQ(joined.refused, "");
  EXPECT_EQ(joined.run.processes[0].epochs[1].slots[2].path, 0u);
}

TEST(JoinReplays, TellsRegionsOfOneNameInTwoDomainsApart) {
  rafter::Run run = ThreeSets();
  run.processes[1].paths[1].domain = "other";
  EXPECT_THAT(JoinReplays(run).refused, HasSubstr("20 calls in run 1 (set time), none in run 2"));
}

TEST(JoinReplays, RefusesOtherLaunchesWhereBothWereWatched) {
  rafter::Run run = ThreeSets();
  const auto watch = [&](size_t process, uint64_t watched, uint64_t each) {
    RegionPath& path = run.processes[process].paths[1];
    path.watched_calls = watched;
    path.launches = watched * each;
    path.least_launches = path.most_launches = each;
  };
  watch(0, 8, 2);
  watch(2, 2, 2);  // fewer calls were watched: as alike as can be told
  EXPECT_EQ(JoinReplays(run).refused, "");
  watch(2, 2, 3);
  EXPECT_EQ(
      JoinReplays(run).refused,
      "region solve/smooth: 2 launches a call in run 1 (set time), 3 launches a call in run 3 "
      "(set flop)");
  watch(2, 8, 3);
  EXPECT_EQ(
      JoinReplays(run).refused,
      "region solve/smooth: 16 launches in run 1 (set time), 24 launches in run 3 (set flop)");
}

TEST(JoinReplays, PairsRanksWithThemselves) {
  std::vector<RunProcess> processes;
  for (uint32_t replay = 1; replay <= 2; ++replay) {
    for (uint32_t i = 0; i < 2; ++i) {
      const uint32_t rank = replay == 1 ? i : 1 - i;  // they come in another order
      processes.push_back(Counted(replay, replay == 1 ? "time" : "flop", 3 + rank, 10));
      processes.back().rank = rank;
    }
  }
  const Replayed joined = JoinReplays(Replay(processes));
  EXPECT_EQ(joined.refused, "");
  ASSERT_EQ(joined.run.processes.size(), 2u);
  const Table table = BuildTable(joined.run, {});
  EXPECT_EQ(table.rows[1].rank, "0");
  EXPECT_EQ(table.rows[1].flop, 3 * 20.0);
  EXPECT_EQ(table.rows[3].rank, "1");
  EXPECT_EQ(table.rows[3].flop, 4 * 20.0);
}

TEST(JoinReplays, NamesTheProgramWhoseProcessesChangeInNumber) {
  rafter::Run run = ThreeSets();
  run.processes.push_back(Counted(3, "flop", 20, 10));
  EXPECT_EQ(JoinReplays(run).refused,
            "bench on node1: 1 process in run 1 (set time), 2 processes in run 3 (set flop)");
}

TEST(JoinReplays, MissesTheProcessesOfARunThatLeftNone) {
  rafter::Run run = ThreeSets();
  run.program_runs.push_back({4, "sm", 0, 1});
  EXPECT_EQ(JoinReplays(run).refused,
            "bench on node1: 1 process in run 1 (set time), none in run 4 (set sm)");
}

TEST(JoinReplays, PassesOverProcessesThatMarkNoRegion) {
  rafter::Run run = ThreeSets();
  RunProcess shell;
  shell.replay = 2;
  shell.executable = "/bin/helper";
  run.processes.push_back(shell);
  EXPECT_EQ(JoinReplays(run).refused, "");
}

TEST(JoinReplays, RefusesARunThatEndedOtherwise) {
  rafter::Run run = ThreeSets();
  run.program_runs[1].exit_status = 139;
  EXPECT_EQ(JoinReplays(run).refused,
            "run 2 (set memory) ended with status 139, run 1 (set time) with 0");
}

TEST(JoinReplays, RefusesNumbersOfAnotherGpu) {
  rafter::Run run = ThreeSets();
  run.processes[1].devices[0].uuid = "GPU-8";
  EXPECT_EQ(JoinReplays(run).refused,
            "device 0: GPU-7 in run 1 (set time), GPU-8 in run 2 (set memory)");
}

TEST(JoinReplays, KeepsWhyASetLacksCalls) {
  rafter::Run run = ThreeSets();
  RunProcess& flop = run.processes[2];
  flop.epochs[0].slots[1].instances = 18;
  flop.epochs[0].slots[1].values = Values("flop", 10, 18);
  flop.paths[1].uncounted["counters were still being set up"] = 2;
  const Replayed joined = JoinReplays(run);
  EXPECT_EQ(joined.refused, "");
  const Row row = BuildTable(joined.run, {}).rows[1];
  EXPECT_EQ(row.validity, "extrapolated");
  EXPECT_THAT(row.reason, HasSubstr("counted of 20 calls: time 20, memory 20, flop 18"));
  EXPECT_THAT(row.reason, HasSubstr("2 calls not counted: counters were still being set up"));
  EXPECT_EQ(row.flop, 400.0);
}

TEST(JoinReplays, SaysEachLossAndNoteOfAllRuns) {
  rafter::Run run = ThreeSets();
  run.processes[0].losses["unmatched pops"] = 1;
  run.processes[1].losses["unmatched pops"] = 2;
  run.processes[2].notes = {{"warning", "flop", "left out"}};
  run.processes[2].ending = "";
  const RunProcess process = JoinReplays(run).run.processes[0];
  EXPECT_EQ(process.losses.at("unmatched pops"), 3u);
  ASSERT_EQ(process.notes.size(), 1u);
  EXPECT_THAT(process.ending, IsEmpty());
}

}  // namespace
}  // namespace rafter
