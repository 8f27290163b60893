// Rafter's own planning runs on the fake as it does on the real library.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cupti/host.h"
#include "cupti/sets.h"
#include "cupti/table.h"
#include "tests/fakes/link.h"

namespace rafter {
namespace {

class FakeHostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fakecuda_reset();
    fakecupti_reset();
    CuptiSearch search;
    search.override_path = RAFTER_BINARY_DIR "/fakes";
    search.reuse_mapped = false;
    Result<std::unique_ptr<CuptiHost>> opened = CuptiHost::Open(search);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    host_ = std::move(*opened);
  }
  std::unique_ptr<CuptiHost> host_;
};

TEST_F(FakeHostTest, PlansEachSetInOnePassOfItsOwn) {
  Result<ChosenPlan> plan = PlanSets(*host_, "GH100", {}, DefaultSets());
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_TRUE(plan->absent.empty());
  EXPECT_EQ(plan->configuration.passes, 4u);
  Result<size_t> together = PassesTogether(*host_, "GH100", {}, *plan);
  ASSERT_TRUE(together.ok());
  EXPECT_EQ(*together, 2u);
}

TEST_F(FakeHostTest, NamesDifferByChip) {
  Result<ChosenPlan> plan = PlanSets(*host_, "FAKE1", {}, DefaultSets());
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_FALSE(plan->absent.empty());
  EXPECT_TRUE(*host_->HasMetric("FAKE1", {}, "dram__bytes_op_read.sum"));
  EXPECT_FALSE(*host_->HasMetric("FAKE1", {}, "dram__bytes_read.sum"));
}

TEST_F(FakeHostTest, RefusesAnUnknownChipAndAnUnknownMetric) {
  EXPECT_FALSE(host_->BaseMetrics("H100", {}).ok());
  EXPECT_FALSE(host_->Plan("GH100", {}, {{"dram__bytes"}}).ok());
  EXPECT_FALSE(host_->Plan("GH100", {}, {{"dram__bytes.sum"}, {"no_such.sum"}}).ok());
}

TEST_F(FakeHostTest, AThroughputTakesEightPasses) {
  auto plan = host_->Plan("GH100", {}, {{"sm__throughput.avg.pct_of_peak_sustained_elapsed"}});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->passes, 8u);
}

TEST_F(FakeHostTest, TheFirstUnknownNamePoisonsTheObject) {
  const CuptiTable& table = **LoadCupti({});
  RAFTER_CUPTI_PARAMS(table, CUpti_Profiler_Host_Initialize_Params, open);
  open.pChipName = "GH100";
  ASSERT_EQ(table.cuptiProfilerHostInitialize(&open), CUPTI_SUCCESS);
  const auto add = [&](const char* name) {
    RAFTER_CUPTI_PARAMS(table, CUpti_Profiler_Host_ConfigAddMetrics_Params, params);
    params.pHostObject = open.pHostObject;
    params.ppMetricNames = &name;
    params.numMetrics = 1;
    return static_cast<int>(table.cuptiProfilerHostConfigAddMetrics(&params));
  };
  EXPECT_EQ(add("dram__bytes.sum"), 0);
  EXPECT_EQ(add("no_such.sum"), 1);
  EXPECT_EQ(add("dram__bytes.sum"), 999);
}

TEST_F(FakeHostTest, AcceptsNoOtherStructSize) {
  const CuptiTable& table = **LoadCupti({});
  for (const long change : {-8, -1, 1, 8}) {
    RAFTER_CUPTI_PARAMS(table, CUpti_Profiler_Host_Initialize_Params, open);
    open.structSize += static_cast<size_t>(change);
    open.pChipName = "GH100";
    EXPECT_EQ(table.cuptiProfilerHostInitialize(&open), CUPTI_ERROR_INVALID_PARAMETER);
  }
}

TEST_F(FakeHostTest, LogsCallsAndAnswersErrorsByName) {
  const std::string log = ::testing::TempDir() + "/cupti.log";
  std::remove(log.c_str());
  setenv("RAFTER_FAKE_CUPTI_LOG", log.c_str(), 1);
  setenv("RAFTER_FAKE_CUPTI_FAIL", "cuptiProfilerHostGetSupportedChips=35@2", 1);
  fakecupti_reset();
  EXPECT_TRUE(host_->Chips().ok());
  EXPECT_FALSE(host_->Chips().ok());
  unsetenv("RAFTER_FAKE_CUPTI_LOG");
  unsetenv("RAFTER_FAKE_CUPTI_FAIL");
  fakecupti_reset();
  std::stringstream text;
  text << std::ifstream(log).rdbuf();
  EXPECT_NE(text.str().find("cuptiProfilerHostGetSupportedChips 0 "), std::string::npos);
  EXPECT_NE(text.str().find("cuptiProfilerHostGetSupportedChips 35 "), std::string::npos);
}

}  // namespace
}  // namespace rafter
