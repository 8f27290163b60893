// What a list of sets may say. Needs no chip.
#include "cupti/set_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rafter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Refusal(const std::string& list) {
  const auto items = ParseSetList(list);
  return items.ok() ? "taken" : items.status().message();
}

TEST(ParseSetList, PutsSetsFromCheapToDearEachOnce) {
  EXPECT_THAT(*ParseSetList("flop,time,,memory,time"), ElementsAre("time", "memory", "flop"));
  EXPECT_THAT(*ParseSetList("tensor.bf16,occupancy,sm"),
              ElementsAre("sm", "occupancy", "tensor.bf16"));
}

TEST(ParseSetList, LeavesOutWhatALargerItemHolds) {
  EXPECT_THAT(*ParseSetList("tensor.bf16,tensor,tensor.fp8.2"), ElementsAre("tensor"));
  EXPECT_THAT(*ParseSetList("speed-of-light.2,speed-of-light"), ElementsAre("speed-of-light"));
  EXPECT_THAT(*ParseSetList("speed-of-light.2,speed-of-light.3"),
              ElementsAre("speed-of-light.2", "speed-of-light.3"));
  EXPECT_THAT(*ParseSetList("tensor.fp16,tensor.fp16.1"), ElementsAre("tensor.fp16"));
}

TEST(ParseSetList, TakesMetricsByNameAsOneSet) {
  EXPECT_THAT(
      *ParseSetList("time,metrics:dram__bytes.sum+lts__t_bytes.sum,metrics:dram__bytes.sum"),
      ElementsAre("time", "metrics:dram__bytes.sum+lts__t_bytes.sum"));
  EXPECT_EQ(*MetricsItem("b__c.sum,a__b.avg,b__c.sum"), "metrics:b__c.sum+a__b.avg");
}

TEST(ParseSetList, OffersTheNearestNameForAMisspeltOne) {
  EXPECT_THAT(Refusal("time,memroy"), HasSubstr("did you mean \"memory\"?"));
  EXPECT_THAT(Refusal("speed-of-ligth"), HasSubstr("did you mean \"speed-of-light\"?"));
  EXPECT_THAT(Refusal("tenosr.bf16"), HasSubstr("did you mean \"tensor\"?"));
  EXPECT_THAT(Refusal("time,x"), HasSubstr("Sets are time, memory, sm, flop, integer"));
}

TEST(ParseSetList, RefusesWhatIsNoPassOfASet) {
  for (const char* list : {"time.x", "time.0", "time.1.2", "tensor.1", "tensor.bf16.x", "tensor.",
                           "memory.-1", "memory.99999999999999999999"}) {
    EXPECT_THAT(Refusal(list), HasSubstr("there is no set")) << list;
  }
}

TEST(ParseSetList, RefusesWhatCannotBeAMetric) {
  EXPECT_THAT(Refusal("metrics"), HasSubstr("no metric is named"));
  EXPECT_THAT(Refusal("metrics.2"), HasSubstr("no metric is named"));
  EXPECT_THAT(Refusal("metrics:"), HasSubstr("no metric is named"));
  EXPECT_THAT(Refusal("metrics:dram bytes.sum"), HasSubstr("\"dram bytes.sum\" is no name"));
  EXPECT_THAT(Refusal("metrics:" + std::string(kMaxMetricName + 1, 'a')), HasSubstr("is no name"));
  EXPECT_FALSE(MetricsItem("").ok());
  EXPECT_FALSE(MetricsItem(",,").ok());
}

TEST(ParseSetList, HasABoundOnMetrics) {
  std::string list = "metrics:a__0.sum";
  for (size_t i = 1; i < kMaxAskedMetrics; ++i) list += "+a__" + std::to_string(i) + ".sum";
  EXPECT_EQ(Refusal(list), "taken");
  EXPECT_THAT(Refusal(list + "+b__c.sum"), HasSubstr("a run takes 256"));
  EXPECT_THAT(Refusal(list + ",metrics:b__c.sum"), HasSubstr("a run takes 256"));
}

TEST(ParseSetList, RefusesAnEmptyList) {
  EXPECT_THAT(Refusal(""), HasSubstr("the list of sets is empty"));
  EXPECT_THAT(Refusal(",,"), HasSubstr("the list of sets is empty"));
}

TEST(DefaultSets, AreTheFirstOfTheKnownOnes) {
  EXPECT_THAT(DefaultSets(), ElementsAre("time", "memory", "sm", "flop"));
}

}  // namespace
}  // namespace rafter
