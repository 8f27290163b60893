#include "inject/counters/installed_plan.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "inject/record/encode.h"
#include "proto/rafter.pb.h"

namespace rafter {
namespace {

wire::Plan GoodPlan() {
  wire::Plan plan;
  plan.set_chip("GH100");
  plan.set_cupti_version(130001);
  plan.set_wanted_sets("time,flop");
  plan.set_passes(3);
  plan.set_configuration("config");
  auto* time = plan.add_sets();
  time->set_name("time");
  time->set_first_pass(0);
  time->set_passes(1);
  time->add_counters()->set_metric("gpu__time_duration.sum");
  auto* flop = plan.add_sets();
  flop->set_name("flop");
  flop->set_first_pass(1);
  flop->set_passes(2);
  flop->add_counters()->set_metric("a.sum");
  flop->add_counters()->set_metric("gpu__time_duration.sum");
  return plan;
}

DeviceFacts Facts() {
  DeviceFacts facts;
  facts.chip = "GH100";
  facts.counter_availability = {1, 2, 3};
  return facts;
}

class PlanCache : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("rafter-plan-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST(ParsePlan, ReadsWhatProtobufWrites) {
  const Result<InstalledPlan> plan = ParsePlan(GoodPlan().SerializeAsString());
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->passes, 3u);
  ASSERT_EQ(plan->sets.size(), 2u);
  EXPECT_EQ(plan->sets[1].metrics.size(), 2u);
  EXPECT_EQ(plan->Metrics(), (std::vector<std::string>{"gpu__time_duration.sum", "a.sum"}));
  ASSERT_EQ(plan->Passes().size(), 3u);
  EXPECT_EQ(plan->Passes()[2].set, "flop");
}

TEST(ParsePlan, RefusesPlansThatWouldMakeCountersMisread) {
  wire::Plan plan = GoodPlan();
  plan.set_passes(4);
  EXPECT_FALSE(ParsePlan(plan.SerializeAsString()).ok());
  plan = GoodPlan();
  plan.mutable_sets(1)->set_first_pass(0);
  EXPECT_FALSE(ParsePlan(plan.SerializeAsString()).ok());
  plan = GoodPlan();
  plan.clear_configuration();
  EXPECT_FALSE(ParsePlan(plan.SerializeAsString()).ok());
  plan = GoodPlan();
  plan.mutable_sets(0)->clear_counters();
  EXPECT_FALSE(ParsePlan(plan.SerializeAsString()).ok());
  plan = GoodPlan();  // passes that add up only because the sum overflows
  plan.mutable_sets(0)->set_passes(0xfffffffe);
  plan.mutable_sets(1)->set_first_pass(0xfffffffe);
  plan.mutable_sets(1)->set_passes(5);
  EXPECT_FALSE(ParsePlan(plan.SerializeAsString()).ok());
  EXPECT_FALSE(ParsePlan("\xff\xff\xff").ok());
  EXPECT_FALSE(ParsePlan("").ok());
}

TEST(ParsePlan, RefusesMorePassesThanARunGoesRoundAndSaysHowMany) {
  wire::Plan plan = GoodPlan();
  plan.mutable_sets(1)->set_passes(Scheduler::kMaxPasses);
  plan.set_passes(Scheduler::kMaxPasses + 1);
  const Result<InstalledPlan> parsed = ParsePlan(plan.SerializeAsString());
  ASSERT_FALSE(parsed.ok());
  EXPECT_NE(parsed.status().message().find(std::to_string(Scheduler::kMaxPasses + 1) + " passes"),
            std::string::npos);
}

TEST(InstalledPlan, KnowsItsSetsThatPatchKernels) {
  wire::Plan message = GoodPlan();
  message.mutable_sets(1)->set_name("metrics");
  message.mutable_sets(1)->mutable_counters(0)->set_metric(
      "smsp__sass_thread_inst_executed_op_integer_pred_on.sum");
  message.mutable_sets(0)->add_counters()->set_metric(
      "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained");
  const Result<InstalledPlan> plan = ParsePlan(message.SerializeAsString());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->PatchedSets(), std::vector<std::string>{"metrics"});
}

TEST(ParsePlan, TakesAPlanThatSaysWhyThereIsNone) {
  wire::Plan plan;
  plan.set_error("chip X is unknown");
  const Result<InstalledPlan> parsed = ParsePlan(plan.SerializeAsString());
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->error, "chip X is unknown");
}

TEST(EncodePlan, SendsThePlanOnWithDeviceAndOrigin) {
  Result<InstalledPlan> plan = ParsePlan(GoodPlan().SerializeAsString());
  ASSERT_TRUE(plan.ok());
  plan->origin = "cache";
  wire::Plan sent;
  ASSERT_TRUE(sent.ParseFromString(EncodePlan(5, *plan)));
  EXPECT_EQ(sent.device(), 5u);
  EXPECT_EQ(sent.origin(), "cache");
  EXPECT_EQ(sent.sets_size(), 2);
  EXPECT_EQ(sent.configuration(), "config");
}

TEST_F(PlanCache, GivesBackExactlyThePlanThatWasPutIn) {
  Result<InstalledPlan> plan = ParsePlan(GoodPlan().SerializeAsString());
  ASSERT_TRUE(plan.ok());
  WriteCachedPlan(folder_, Facts(), 130001, *plan);
  const auto cached = ReadCachedPlan(folder_, Facts(), 130001, "time,flop");
  ASSERT_TRUE(cached.has_value());
  EXPECT_EQ(cached->message, plan->message);
  EXPECT_EQ(cached->origin, "cache");
}

TEST_F(PlanCache, HasNothingForAnotherChipCuptiAvailabilityOrListOfSets) {
  Result<InstalledPlan> plan = ParsePlan(GoodPlan().SerializeAsString());
  ASSERT_TRUE(plan.ok());
  WriteCachedPlan(folder_, Facts(), 130001, *plan);
  DeviceFacts other = Facts();
  other.counter_availability = {1, 2, 4};
  EXPECT_FALSE(ReadCachedPlan(folder_, other, 130001, "time,flop").has_value());
  other = Facts();
  other.chip = "GA100";
  EXPECT_FALSE(ReadCachedPlan(folder_, other, 130001, "time,flop").has_value());
  EXPECT_FALSE(ReadCachedPlan(folder_, Facts(), 130000, "time,flop").has_value());
  EXPECT_FALSE(ReadCachedPlan(folder_, Facts(), 130001, "time").has_value());
}

TEST_F(PlanCache, IgnoresACorruptFile) {
  Result<InstalledPlan> plan = ParsePlan(GoodPlan().SerializeAsString());
  ASSERT_TRUE(plan.ok());
  WriteCachedPlan(folder_, Facts(), 130001, *plan);
  const auto file = std::filesystem::directory_iterator(folder_)->path();
  std::ofstream(file, std::ios::trunc) << "garbage";
  EXPECT_FALSE(ReadCachedPlan(folder_, Facts(), 130001, "time,flop").has_value());
}

}  // namespace
}  // namespace rafter
