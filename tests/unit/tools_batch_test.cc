// `rafter batch` with small programs, none of which needs a GPU: what is found, what is
// run, and what becomes of those that fail.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>

#include "collector/table/table.h"
#include "tests/unit/tools_program.h"
#include "tools/batch_progress.h"
#include "tools/batch_result.h"

namespace rafter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RafterBatch : public ToolsProgram {
 protected:
  // An executable script below build/.
  void Program(const std::string& name, const std::string& body) {
    std::filesystem::create_directories((folder_ / "build" / name).parent_path());
    Write("build/" + name, "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(folder_ / "build" / name, std::filesystem::perms::owner_all);
  }
  Said Batch(const std::string& options) {
    return Shell("unset RAFTER_QUIET; $RAFTER batch -b build " + options);
  }
  // Programs that a dry run would run, in its order.
  std::string Found(const std::string& options) {
    const Said said = Batch("-n " + options);
    EXPECT_EQ(said.exit_status, 0) << said.err;
    std::istringstream lines(said.out);
    std::string names;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("# ") && !line.starts_with("# and, ") &&
          line.find(" run ") == std::string::npos) {
        names += line.substr(2, line.find(": ") - 2) + " ";
      }
    }
    return names;
  }
};

TEST_F(RafterBatch, FindsProgramsByNameBelowItsPaths) {
  for (const char* name : {"src/a/mat_cuda", "src/b/mat_omp", "src/b/vec_cuda", "tools/mat_tool",
                           "src/CMakeFiles/mat_check"}) {
    Program(name, "true");
  }
  Write("build/src/mat_notes.txt", "#!/bin/sh\n");
  Shell(
      "ln -s . build/loop; ln -s mat_cuda build/src/a/mat_link; printf x > build/src/mat_text; "
      "chmod +x build/src/mat_text");
  EXPECT_EQ(Found("-r ^mat_"), "mat_cuda mat_omp mat_tool ");
  EXPECT_EQ(Found("-r '_(cuda|omp)$'"), "mat_cuda mat_omp vec_cuda ");
  EXPECT_EQ(Found("-r mat_omp vec"), "mat_omp vec_cuda ");
  EXPECT_EQ(Found("-r mat_omp -r vec"), "mat_omp vec_cuda ");
  EXPECT_EQ(Found("-r . -x cuda -x tool link"), "mat_omp ");
  EXPECT_EQ(Found("-r . -p src/a -p tools"), "mat_cuda mat_tool ");
}

TEST_F(RafterBatch, TakesNoLibraryForAProgram) {
  Shell(
      "mkdir build; cp $RAFTER build/real; cp \"$(ldd $RAFTER | awk '/libm\\./ {print $3}')\" "
      "build/real.so; chmod +x build/real.so");
  ASSERT_TRUE(Exists("build/real.so"));
  EXPECT_EQ(Found("-r real"), "real ");
}

TEST_F(RafterBatch, RefusesTwoProgramsOfOneName) {
  Program("a/bench", "true");
  Program("b/bench", "true");
  const Said said = Batch("-r bench");
  EXPECT_EQ(said.exit_status, 2);
  EXPECT_THAT(said.err, HasSubstr("batch: bench: is there twice, build/a/bench and build/b/bench"));
  EXPECT_EQ(Found("-r bench -p b"), "bench ");
}

TEST_F(RafterBatch, TellsBenchmarksFromOtherPrograms) {
  Program("bench", "# benchmark_out_format\ntouch \"$1\"");
  Program("plain", "echo $#");
  const Said said = Batch("-n -r . --target-arg --size --target-arg 'a b'");
  EXPECT_THAT(said.out, HasSubstr("# bench: a Google Benchmark program\n"));
  EXPECT_THAT(said.out, HasSubstr("# plain: another program\n"));
  EXPECT_THAT(said.out, HasSubstr(" -o rafter-reports/bench.rafter -- build/bench "
                                  "'--benchmark_out=rafter-reports/bench.json' "
                                  "'--benchmark_out_format=json' --size 'a b' < /dev/null > "
                                  "rafter-reports/bench.log 2>&1\n"));
  EXPECT_THAT(said.out, HasSubstr(" -- build/plain --size 'a b' < /dev/null > "));
  EXPECT_FALSE(Exists("rafter-reports"));
  EXPECT_THAT(Batch("-v -r .").err, AllOf(HasSubstr("bench: a Google Benchmark program"),
                                          HasSubstr("plain: another program")));
}

TEST_F(RafterBatch, ADryRunPrintsWhatIsRun) {
  Program("sub dir/one", "echo \"$@\"; pwd");
  Program("two", "exit 0");
  const std::string options =
      "-r . -d 'my reports' --set time --domain all --region 'a b' "
      "--timeout 30 --granularity instance --target-arg '*'";
  ASSERT_EQ(Shell("$RAFTER batch -b build -n " + options + " > script && sh script").exit_status,
            0);
  EXPECT_THAT(Read("my reports/one.log"), StartsWith("*\n"));
  const std::string by_hand = Read("my reports/one.log");
  // They are the reports of the same commands.
  const Said again = Batch(options);
  EXPECT_THAT(again.err, Not(HasSubstr("is of another command")));
  EXPECT_THAT(again.err, Not(HasSubstr("batch: 1 of")));
  const Said other = Batch(options + " --target-arg more");
  EXPECT_THAT(other.err, HasSubstr("my reports/one.rafter: is of another command"));
  ASSERT_EQ(Batch(options + " --force").exit_status, 1);
  EXPECT_EQ(Read("my reports/one.log"), by_hand);
}

TEST_F(RafterBatch, GoesOnWhenProgramsFailAndSaysWhich) {
  Program("a_fails", "echo the disk is full; exit 3");
  Program("b_hangs", "exec sleep 60");
  Program("c_killed", "kill -9 $$");
  Program("d_plain", "touch ran");
  Program("e_broken", "");
  Write("build/e_broken", "#!/no/such/interpreter\n");
  const Said said = Batch("-r . --timeout 1");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_TRUE(Exists("ran"));
  EXPECT_THAT(said.err, HasSubstr("rafter: batch: a_fails: failed: ended with status 3; see "
                                  "rafter-reports/a_fails.log: the disk is full\n"));
  EXPECT_THAT(said.err, HasSubstr("batch: b_hangs: failed: still ran after 1 s (--timeout); see "));
  EXPECT_THAT(said.err, HasSubstr("batch: c_killed: failed: ended by signal 9 (Killed); see "));
  EXPECT_THAT(said.err, HasSubstr("batch: d_plain: "));
  EXPECT_THAT(said.err, HasSubstr("batch: e_broken: failed: could not be started; see "
                                  "rafter-reports/e_broken.log: rafter: build/e_broken: its "
                                  "interpreter is not there"));
  EXPECT_THAT(said.err, HasSubstr("rafter: batch: 5 programs: "));
  EXPECT_THAT(said.err, HasSubstr("4 failed\n"));
  EXPECT_THAT(said.err, HasSubstr("batch: no program gave a row, so nothing is written"));
  EXPECT_FALSE(Exists("batch.csv"));
  EXPECT_FALSE(Exists("batch.rafter"));
  EXPECT_TRUE(Exists("rafter-reports/a_fails.failed.rafter"));
  EXPECT_FALSE(Exists("rafter-reports/a_fails.rafter"));
  EXPECT_EQ(said.out, "");
  std::istringstream lines(said.err);
  for (std::string line; std::getline(lines, line);) EXPECT_THAT(line, StartsWith("rafter: "));
}

TEST_F(RafterBatch, RunsAgainOnlyWhatFailed) {
  Program("good", "echo x >> good_runs");
  Program("bad", "echo x >> bad_runs; exit 1");
  Batch("-r .");
  Batch("-r .");
  EXPECT_EQ(Read("good_runs"), "x\n");
  EXPECT_EQ(Read("bad_runs"), "x\nx\n");
  Batch("-r . --force");
  EXPECT_EQ(Read("good_runs"), "x\nx\n");
  const Said skipped = Batch("-s -r .");
  EXPECT_EQ(Read("good_runs"), "x\nx\n");
  EXPECT_EQ(Read("bad_runs"), "x\nx\nx\n");
  EXPECT_THAT(skipped.err, HasSubstr("1 program: "));
}

// Of a batch, or a run, that was killed itself.
TEST_F(RafterBatch, DoesNotUseAReportThatWasNotFinished) {
  Program("slow", "echo $$ > pid; echo x >> runs; test -e quick || exec sleep 60");
  Shell(
      "mkdir rafter-reports; $RAFTER run -o rafter-reports/slow.rafter -- build/slow & "
      "while [ ! -e runs ]; do sleep 0.05; done; kill -9 $! $(cat pid); touch quick");
  const Said said = Batch("-r slow");
  EXPECT_THAT(said.err, HasSubstr("rafter-reports/slow.rafter: its run did not come to an end; it "
                                  "is counted again"));
  EXPECT_EQ(Read("runs"), "x\nx\n");
}

TEST_F(RafterBatch, LeavesFilesThatAreNotItsOwnAlone) {
  Program("one", "true");
  Shell("mkdir rafter-reports; echo mine > rafter-reports/one.rafter; echo mine > batch.csv");
  const Said taken = Batch("-r one");
  EXPECT_EQ(taken.exit_status, 2);
  EXPECT_THAT(taken.err, HasSubstr("batch.csv: exists; give --force to overwrite it, or another "
                                   "name (with --force every program is run again)"));
  const Said said = Batch("-r one -o other");
  EXPECT_THAT(said.err, HasSubstr("batch: one: failed: not run: "));
  EXPECT_THAT(said.err, HasSubstr("is not a run file of Rafter"));
  EXPECT_EQ(Read("batch.csv"), "mine\n");
  EXPECT_EQ(Read("rafter-reports/one.rafter"), "mine\n");
  EXPECT_THAT(Batch("-n -r one").out, HasSubstr("# one: not run, "));
}

TEST_F(RafterBatch, EndsWhenASignalAsksForIt) {
  Program("a_waits", "touch started; exec sleep 60");
  Program("b_never", "touch never");
  const Said said = Shell(
      "$RAFTER batch -b build -r . & while [ ! -e started ]; do sleep 0.05; done; "
      "kill -TERM $!; wait $!");
  EXPECT_EQ(said.exit_status, 1);
  EXPECT_THAT(said.err, HasSubstr("batch: a_waits: failed: interrupted"));
  EXPECT_THAT(said.err, HasSubstr("batch: b_never: a signal asked for the end"));
  EXPECT_THAT(said.err, HasSubstr("1 failed, 1 not run"));
  EXPECT_FALSE(Exists("never"));
}

TEST_F(RafterBatch, QuietSaysOnlyWhatFailed) {
  Program("bad", "exit 1");
  EXPECT_EQ(Batch("-r bad --quiet --no-csv").err,
            "rafter: batch: bad: failed: ended with status 1; see rafter-reports/bad.log\n"
            "rafter: batch: no program gave a row, so nothing is written\n");
}

TEST_F(RafterBatch, WrongUseIsFoundBeforeAnyProgramStarts) {
  Program("one", "touch ran");
  const struct {
    const char* options;
    const char* said;
  } cases[] = {
      {"", "--regex: no program is asked for; give -r RE, or --from-csv FILE"},
      {"-r '('", "--regex (: no regular expression ("},
      {"-r . -x '['", "--exclude [: no regular expression ("},
      {"-r none", "--regex none: no program below build matches"},
      {"-r . -x one", "matches and is not excluded"},
      {"-r . -p no", "--path build/no: no folder"},
      {"-r . -p ..", "--path build/..: is not below --build-dir build"},
      {"-r . -b no", "--build-dir: given more than once"},
      {"-r . --set tiem", "did you mean \"time\"?"},
      {"-r . --granularity regoin", "did you mean region?"},
      {"-r . --exact --skip 3", "--skip: contradicts --exact"},
      {"-r . --domain 'a' --regions none", "--domain: contradicts --regions none"},
      {"-r . --timeout soon", "--timeout soon: not a number above zero"},
      {"-r . --quiet -v", "--quiet: contradicts --verbose"},
      {"-r . --target-arg --benchmark_out=x", "batch gives --benchmark_out itself"},
      {"-r . --roofline a.gif", "no chart format has this suffix"},
      {"-r . --roofline a.svg --roofline a.svg", "named for two results"},
      {"-r . -o /no/such/folder/a", "/no/such/folder/a.csv: cannot be written"},
      {"-r . -d build/one/x", "--report-dir build/one/x: cannot be made"},
      {"-r . --precision fp61", "--precision fp61: not known"},
      {"-r . -O iterations=20", "-O iterations: source cupti has no such option, nor any other"},
      {"-r . -O events=A",
       "-O events: source cupti has no such option; it is one of --source "
       "likwid"},
      {"-r . --source likwid -O evnts=A",
       "source likwid has no such option (did you mean events?)"},
      {"-r . --source likwid -O events", "-O events: not NAME=VALUE"},
      {"-r . --source likwid -O counter-scale=two", "--counter-scale two: neither a number"},
      {"-r . --source likwid -O events=A --events B", "-O events: given more than once"},
      {"-r . --source ncu", "is not there yet"},
      {"-r . --measure-overhead", "--measure-overhead: is for one command"},
      {"-r . --collector /x", "--collector: no such option"},
      {"--from-csv none.csv", "none.csv: cannot be read"},
      {"--from-csv a.csv -p src", "--path: is for programs"},
      {"--from-csv a.csv --no-csv", "--no-csv: nothing would come of --from-csv"},
      {"--from-csv batch.csv", "batch.csv: is an input too and would be lost"},
      {"-s -r .", "--report-dir rafter-reports: cannot be read"},
      {"stray -r .", "\"stray\": not expected here"},
  };
  for (const auto& [options, expected] : cases) {
    const Said said = Batch(options);
    EXPECT_EQ(said.exit_status, 2) << options << "\n" << said.err;
    EXPECT_THAT(said.err, HasSubstr(expected)) << options;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_FALSE(Exists("ran")) << options;
    EXPECT_FALSE(Exists("batch.csv")) << options;
    EXPECT_FALSE(Exists("batch.rafter")) << options;
  }
  EXPECT_THAT(Shell("RAFTER_COLLECTOR=/x $RAFTER batch -b build -r .").err,
              HasSubstr("unset RAFTER_COLLECTOR"));
}

TEST_F(RafterBatch, OptionsOfTheSourceReachTheRun) {
  Program("one", "true");
  const Said said = Batch(
      "-n -r . --source likwid -O events='DRAM_BYTES_SUM|L2_BYTES_SUM' -O counter-scale=2 -O "
      "likwid=build --timeout 2.5");
  EXPECT_THAT(said.out,
              HasSubstr("--source likwid --events 'DRAM_BYTES_SUM|L2_BYTES_SUM' --likwid "));
  EXPECT_THAT(said.out, HasSubstr("--counter-scale 2 --timeout 2.5 -o "));
  EXPECT_THAT(said.out, Not(HasSubstr("lack sets")));
}

TEST_F(RafterBatch, ReplaysWhereNeededUnlessToldOtherwise) {
  Program("one", "true");
  EXPECT_THAT(Batch("-n -r .").out,
              AllOf(HasSubstr("# and, where that leaves regions that lack sets:\n# "),
                    HasSubstr("--replay application --force -o ")));
  EXPECT_THAT(Batch("-n -r . --replay none").out,
              AllOf(HasSubstr("--replay none -o "), Not(HasSubstr("application"))));
  EXPECT_THAT(Batch("-n -r . --replay application").out,
              AllOf(HasSubstr("--replay application -o "), Not(HasSubstr("lack sets"))));
  EXPECT_THAT(Batch("-n -r . --exact").out,
              AllOf(HasSubstr("--exact"), Not(HasSubstr("lack sets"))));
}

TEST_F(RafterBatch, PutsTablesOfSeveralSourcesIntoOne) {
  const std::string header = "Executable,Region,Kernel ID,Kernel,Duration [s],Source\n";
  Write("cupti.csv", header + "bench,a,,,1,cupti\nbench,b,,,2,cupti\n");
  Write("likwid.csv", header + "bench,a,,,3,likwid\n");
  Write("later.csv", header + "bench,b,,,4,cupti\n");
  const Said both = Batch("--from-csv cupti.csv likwid.csv -o both");
  EXPECT_EQ(both.exit_status, 0) << both.err;
  EXPECT_EQ(FromCsv(Read("both.csv"))->rows.size(), 3u);
  EXPECT_THAT(both.err, HasSubstr("both.csv: 3 rows"));
  const Said all = Batch("--from-csv cupti.csv --from-csv likwid.csv later.csv -o all");
  EXPECT_EQ(all.exit_status, 1);
  EXPECT_THAT(all.err, HasSubstr("later.csv: replaces 1 row of cupti.csv"));
  EXPECT_EQ(FromCsv(Read("all.csv"))->rows.size(), 3u);
  EXPECT_EQ(Batch("--from-csv cupti.csv -o both").exit_status, 2);
  EXPECT_EQ(Batch("--from-csv cupti.csv -o both --force").exit_status, 0);
  EXPECT_EQ(FromCsv(Read("both.csv"))->rows.size(), 2u);
}

TEST(BatchProgress, TellsTimesRoughly) {
  EXPECT_EQ(RoughTime(std::chrono::seconds(0)), "0 s");
  EXPECT_EQ(RoughTime(std::chrono::seconds(99)), "99 s");
  EXPECT_EQ(RoughTime(std::chrono::seconds(629)), "10 min");
  EXPECT_EQ(RoughTime(std::chrono::seconds(3 * 3600 + 290)), "3 h 5 min");
}

TEST(BatchProgress, GuessesTheTimeLeftByThoseThatEnded) {
  using std::chrono::seconds;
  EXPECT_EQ(TimeLeft(seconds(0), 0, 5, seconds(9)), std::nullopt);
  EXPECT_EQ(TimeLeft(seconds(20), 2, 5, seconds(0)), seconds(30));
  EXPECT_EQ(TimeLeft(seconds(20), 2, 5, seconds(4)), seconds(26));
  EXPECT_EQ(TimeLeft(seconds(20), 2, 5, seconds(400)), seconds(20));
  EXPECT_EQ(TimeLeft(seconds(20), 2, 3, seconds(400)), std::nullopt);  // nobody knows
  EXPECT_EQ(TimeLeft(seconds(20), 5, 5, seconds(0)), std::nullopt);
}

std::string Shown(BatchProgress::Form form) {
  ::testing::internal::CaptureStderr();
  {
    BatchProgress progress(form, 2);
    progress.Start("first");
    progress.Tick();
    progress.End();
    progress.Start("second");
    progress.Say("a word");
    progress.End();
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(BatchProgress, IsALineForEachProgramWhereNobodyCanRewriteIt) {
  EXPECT_EQ(Shown(BatchProgress::Form::kLines),
            "rafter: batch: 1 of 2: first\n"
            "rafter: batch: 2 of 2: second\n"
            "rafter: a word\n");
  EXPECT_EQ(Shown(BatchProgress::Form::kNone), "rafter: a word\n");
}

TEST(BatchProgress, IsOneLineOnATerminalAndLeavesNothingBehind) {
  const std::string clear = "\r\x1b[K";
  const std::string first = clear + "rafter: batch: 1 of 2: first 0 s";
  const std::string second = clear + "rafter: batch: 2 of 2: second 0 s";
  EXPECT_EQ(Shown(BatchProgress::Form::kUpdating),
            first + first + clear + second + clear + "rafter: a word\n" + second + clear);
}

// A run in which region 1 was counted in both sets and region 2 in one.
Run TwoSets() {
  Run run;
  RunProcess& process = run.processes.emplace_back();
  RunDevice& device = process.devices.emplace_back();
  device.sets = {{"time", 0, 1, {{"a", "", ""}}}, {"memory", 1, 1, {{"b", "", ""}}}};
  for (const uint32_t number : {1u, 2u}) {
    RegionPath& path = process.paths.emplace_back();
    path.path = number;
    path.calls = 2;
    path.last_end_ns = 10;
  }
  const auto counted = [&](const char* set, std::vector<uint32_t> paths) {
    Epoch& epoch = process.epochs.emplace_back();
    epoch.set = set;
    for (const uint32_t path : paths) {
      SlotValues& slot = epoch.slots.emplace_back();
      slot.path = path;
      slot.instances = 1;
    }
  };
  counted("time", {1, 2});
  counted("memory", {1});
  return run;
}

TEST(LacksSets, WhereARegionWithAGpuHasNoWholeCallInOne) {
  rafter::Run run = TwoSets();
  EXPECT_TRUE(LacksSets(run));
  rafter::Run whole = TwoSets();
  whole.processes[0].epochs[1].slots.push_back(whole.processes[0].epochs[0].slots[1]);
  EXPECT_FALSE(LacksSets(whole));
  run.processes[0].paths[1].last_end_ns = 0;  // it never had a GPU
  EXPECT_FALSE(LacksSets(run));
}

TEST(LacksSets, IsNotMendedByMoreRunsWhereNothingWasCounted) {
  rafter::Run run = TwoSets();
  run.processes[0].epochs.clear();
  EXPECT_FALSE(LacksSets(run));
  EXPECT_FALSE(LacksSets({}));
}

}  // namespace
}  // namespace rafter
