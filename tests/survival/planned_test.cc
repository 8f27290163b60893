// With a collector that plans, the target calls nothing of CUPTI's host half,
// and what arrives is exactly what the kernels did.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>

#include "tests/survival/planning_collector.h"
#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

TEST(Planned, ByACollectorTheTargetLeavesTheHostHalfAlone) {
  ProgramRun run("cuda_target", {"counts_for_a_while"});
  PlanningCollector collector(run.folder() + "/collector.sock");
  const std::string log = run.folder() + "/calls";
  const Outcome outcome = run.Set("RAFTER_COLLECTOR", run.folder() + "/collector.sock")
                              .Set("RAFTER_FAKE_CUPTI_LOG", log)
                              .Enter(kCuda | kNvtx)
                              .Go();
  collector.Finish();
  EXPECT_EQ(outcome.out, "counted\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(collector.faults().empty()) << collector.faults().front();
  EXPECT_TRUE(collector.said_goodbye());
  EXPECT_TRUE(run.FilesEndingIn(".spool").empty());
  std::ifstream calls(log);
  size_t ranges = 0;
  for (std::string call; std::getline(calls, call);) {
    EXPECT_FALSE(call.starts_with("cuptiProfilerHost")) << call;
    ranges += call.starts_with("cuptiRangeProfilerPushRange");
  }
  EXPECT_GT(ranges, 10u);
}

TEST(Planned, CountsArriveExactlyAsTheKernelsMadeThem) {
  ProgramRun run("cuda_target", {"counts_for_a_while"});
  PlanningCollector collector(run.folder() + "/collector.sock");
  run.Set("RAFTER_COLLECTOR", run.folder() + "/collector.sock").Enter(kCuda | kNvtx).Go();
  collector.Finish();
  EXPECT_TRUE(collector.faults().empty()) << collector.faults().front();
  const auto expect = [&](const char* region, const char* set, const char* metric, double each) {
    const Measured measured = collector.Of(region, set, metric);
    EXPECT_GT(measured.instances, 0u) << region << " " << set;
    EXPECT_EQ(measured.value, each * static_cast<double>(measured.instances))
        << region << " " << metric;
  };
  expect("copy", "time", "gpu__time_duration.sum", 100'000);
  expect("copy", "memory", "dram__bytes.sum", 2000);
  expect("copy", "flop", "sm__sass_thread_inst_executed_op_ffma_pred_on.sum", 0);
  expect("compute", "memory", "dram__bytes.sum", 0);
  expect("compute", "sm", "gpu__time_duration.sum", 100'000);
  expect("compute", "flop", "sm__sass_thread_inst_executed_op_ffma_pred_on.sum", 5000);
}

// Two processes on one GPU: both finish as alone, whoever had the counters.
TEST(Planned, TwoProcessesOnOneGpuDoNotDisturbEachOther) {
  ProgramRun first("cuda_target", {"counts_for_a_while"});
  ProgramRun second("cuda_target", {"counts_for_a_while"});
  second.Set("RAFTER_FAKE_STATE", first.folder() + "/state")
      .Set("XDG_RUNTIME_DIR", first.folder() + "/runtime")
      .Enter(kCuda | kNvtx);
  first.Enter(kCuda | kNvtx);
  Outcome one, two;
  std::thread beside([&] { two = second.Go(); });
  one = first.Go();
  beside.join();
  for (const Outcome& outcome : {one, two}) {
    EXPECT_EQ(StatusText(outcome.status), "exit status 0");
    EXPECT_EQ(outcome.out, "counted\n");
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(outcome.was_there);
    EXPECT_LT(outcome.seconds, 1.9);
  }
}

}  // namespace
}  // namespace rafter::survival
