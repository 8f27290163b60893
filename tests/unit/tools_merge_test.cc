// Merging of tables, and what a run says at its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/merge.h"
#include "tools/run_summary.h"

namespace rafter {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Row MakeRow(const std::string& region, double flop, const std::string& host = "") {
  Row row;
  row.executable = "bench";
  row.region = region;
  row.host = host;
  row.flop = flop;
  return row;
}

NamedTable MakeTable(const std::string& name, std::vector<Row> rows) {
  NamedTable table;
  table.name = name;
  table.table.rows = std::move(rows);
  return table;
}

TEST(MergeTables, LaterFileWinsWithAWarning) {
  const MergedTable merged = MergeTables({MakeTable("old.csv", {MakeRow("a", 1), MakeRow("b", 2)}),
                                          MakeTable("new.csv", {MakeRow("b", 3)})});
  ASSERT_EQ(merged.table.rows.size(), 2u);
  EXPECT_EQ(merged.table.rows[0].region, "a");
  EXPECT_EQ(merged.table.rows[1].flop, 3);
  ASSERT_EQ(merged.warnings.size(), 1u);
  EXPECT_THAT(merged.warnings[0], HasSubstr("new.csv: replaces 1 row of old.csv"));
}

TEST(MergeTables, ComparesAColumnOnlyWhereBothFilesHaveIt) {
  // The second file knows nothing of hosts, so its row stands for both.
  const MergedTable without =
      MergeTables({MakeTable("hosts.csv", {MakeRow("a", 1, "n1"), MakeRow("a", 2, "n2")}),
                   MakeTable("plain.csv", {MakeRow("a", 3)})});
  ASSERT_EQ(without.table.rows.size(), 1u);
  EXPECT_EQ(without.table.rows[0].flop, 3);
  const MergedTable with =
      MergeTables({MakeTable("hosts.csv", {MakeRow("a", 1, "n1"), MakeRow("a", 2, "n2")}),
                   MakeTable("n2.csv", {MakeRow("a", 3, "n2")})});
  ASSERT_EQ(with.table.rows.size(), 2u);
  EXPECT_EQ(with.table.rows[0].host, "n1");
}

TEST(MergeTables, LeavesRowsOfOneFileAlone) {
  const MergedTable merged =
      MergeTables({MakeTable("a.csv", {MakeRow("a", 1), MakeRow("a", 2)}), MakeTable("b.csv", {})});
  EXPECT_EQ(merged.table.rows.size(), 2u);
  EXPECT_TRUE(merged.warnings.empty());
}

TEST(MergeTables, SaysANoteOnce) {
  NamedTable one = MakeTable("a", {MakeRow("a", 1)});
  one.table.notes = {"3 instances dropped"};
  NamedTable two = MakeTable("b", {MakeRow("b", 1)});
  two.table.notes = {"3 instances dropped", "other"};
  const std::vector<std::string> expected = {"3 instances dropped", "other"};
  EXPECT_EQ(MergeTables({one, two}).table.notes, expected);
}

TEST(SummaryOf, SaysThatNoProcessReachedTheGpu) {
  rafter::Run run;
  run.command = "'/opt/my app/bench' --size 3";
  const auto lines = SummaryOf("x.rafter", run, BuildTable(run, {}), true);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "x.rafter: 0 regions of 0 processes");
  EXPECT_THAT(lines[1], StartsWith("bench: no process of it started CUDA or marked a region; "));
}

TEST(SummaryOf, SaysOnceThatRegionsMetNoGpu) {
  rafter::Run run;
  RunProcess& process = run.processes.emplace_back();
  process.executable = "/bin/bench";
  process.pid = 7;
  RegionPath& region = process.paths.emplace_back();
  region.path = 1;
  region.name = "solve";
  region.calls = 2;
  region.uncounted["no CUDA context was current"] = 2;
  const auto lines = SummaryOf("x.rafter", run, BuildTable(run, {}), true);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1],
            "bench (pid 7): only calls and host times of its regions are there; no GPU of it is "
            "known, so see that it uses CUDA; if it uses OpenCL or Vulkan, its work runs in a "
            "context that CUPTI does not see");
}

TEST(SummaryOf, TellsRegionsFromLaunchesAndOverlaps) {
  rafter::Run run;
  RunProcess& process = run.processes.emplace_back();
  process.paths.resize(4);
  for (uint32_t i = 0; i < 4; ++i) process.paths[i].path = i + 1;
  process.paths[2].launch.emplace();
  process.paths[3].members = {1, 2};
  EXPECT_EQ(SummaryOf("x.rafter", run, Table{}, true)[0],
            "x.rafter: 2 regions and 1 kind of launches of 1 process");
}

TEST(SummaryOf, SaysTheSameReasonOnceForAllProcesses) {
  rafter::Run run;
  for (uint32_t pid = 1; pid <= 1024; ++pid) {
    RunProcess process;
    process.executable = "/bin/bench";
    process.pid = pid;
    process.ending = "exit";
    process.devices.emplace_back().name = "NVIDIA H200";
    run.processes.push_back(process);
  }
  const auto lines = SummaryOf("x.rafter", run, BuildTable(run, {}), true);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "x.rafter: 0 regions of 1024 processes on NVIDIA H200");
  EXPECT_THAT(lines[1], HasSubstr("bench (pid 1) and 1023 more: it marked no region"));
}

TEST(CountersObtained, NeedsARowWithValuesAndNoFailure) {
  rafter::Run run;
  Table table;
  std::string reason;
  EXPECT_FALSE(CountersObtained(run, table, reason));
  EXPECT_EQ(reason, "no region has values");
  table.rows.push_back(MakeRow("a", 1));
  table.rows[0].validity = "measured";
  reason.clear();
  EXPECT_TRUE(CountersObtained(run, table, reason));
  RunProcess process;
  process.notes.push_back({"failure", "counters", "counters off: no rights"});
  run.processes.push_back(process);
  EXPECT_FALSE(CountersObtained(run, table, reason));
  EXPECT_EQ(reason, "counters off: no rights");
}

}  // namespace
}  // namespace rafter
