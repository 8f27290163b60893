// LIKWID's names for CUPTI's metrics, and its lists of events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "collector/plan/likwid_events.h"
#include "tests/unit/real_cupti.h"

namespace rafter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::vector<std::string>> Names(const std::string& list) {
  const auto groups = ParseEventList(list);
  EXPECT_TRUE(groups.ok()) << groups.status();
  std::vector<std::vector<std::string>> names;
  if (!groups.ok()) return names;
  for (const auto& group : *groups) {
    names.emplace_back();
    for (const ListedEvent& event : group) names.back().push_back(event.name);
  }
  return names;
}

std::string WhyNot(const std::string& list) {
  return std::string(ParseEventList(list).status().message());
}

TEST(LikwidEvents, AreMetricsInCapitals) {
  EXPECT_EQ(LikwidEventOf("dram__bytes.sum"), "DRAM_BYTES_SUM");
  EXPECT_EQ(LikwidEventOf("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"),
            "SMSP_SASS_THREAD_INST_EXECUTED_OP_FFMA_PRED_ON_SUM");
  EXPECT_EQ(LikwidEventOf("l1tex__t_bytes"), "L1TEX_T_BYTES");
  EXPECT_EQ(LikwidEventOf("sm__x.sum.max_rate"), "SM_X_SUM_MAX_RATE");
  EXPECT_EQ(LikwidEventOf(""), "");
}

TEST(LikwidEvents, AreFoundAmongMetrics) {
  const std::vector<std::string> metrics = {"dram__bytes.sum", "lts__t_bytes.sum"};
  EXPECT_EQ(MetricOfEvent("LTS_T_BYTES_SUM", metrics), "lts__t_bytes.sum");
  EXPECT_EQ(MetricOfEvent("LTS_T_BYTES_AVG", metrics), std::nullopt);
}

TEST(LikwidEvents, TellTheirMetricWithoutAList) {
  EXPECT_EQ(MetricOfEvent("DRAM_BYTES_SUM"), "dram__bytes.sum");
  EXPECT_EQ(MetricOfEvent("SM_CYCLES_ACTIVE_AVG"), "sm__cycles_active.avg");
  EXPECT_EQ(MetricOfEvent("LTS_T_SECTOR_HIT_RATE_PCT"), "lts__t_sector_hit_rate.pct");
  EXPECT_EQ(MetricOfEvent("SM_WARPS_ACTIVE_MAX_RATE"), "sm__warps_active.max_rate");
  EXPECT_EQ(MetricOfEvent("POWER_USAGE"), "power__usage");
  EXPECT_EQ(MetricOfEvent("SUM"), "sum");
}

// Every name of every chip comes back from its event, by the rule alone.
TEST(LikwidEvents, TellEveryMetricOfRealChips) {
  RAFTER_NEED_REAL_CUPTI();
  auto host = CuptiHost::Open(SearchFromEnvironment());
  ASSERT_TRUE(host.ok()) << host.status().message();
  for (const char* chip : {"TU102", "GA100", "AD102", "GH100", "GB203"}) {
    const auto metrics = (*host)->BaseMetrics(chip, {});
    if (!metrics.ok()) continue;  // of a CUPTI that has given the chip up
    size_t plain = 0;
    for (const std::string& metric : *metrics) {
      // Units with dots have capitals of their own: "SM_B.TriageCompute.l1tex__throughput".
      if (metric.find('.') != std::string::npos) continue;
      // A capital is lost: sizes in bytes are "32B", in bits "32b".
      std::string expected = metric + ".sum";
      std::replace(expected.begin(), expected.end(), 'B', 'b');
      EXPECT_EQ(MetricOfEvent(LikwidEventOf(metric + ".sum")), expected) << chip;
      ++plain;
    }
    EXPECT_GT(plain, 1000u) << chip;
  }
  EXPECT_TRUE((*host)->BaseMetrics("GH100", {}).ok());
}

TEST(LikwidEvents, OnlySumsAddUp) {
  EXPECT_TRUE(AddsUp("DRAM_BYTES_SUM"));
  for (const char* event : {"DRAM_BYTES_AVG", "DRAM_BYTES_MAX", "DRAM_BYTES_MIN", "X_Y_PCT",
                            "X_Y_RATIO", "X_Y_MAX_RATE", "POWER_USAGE", "SUM"}) {
    EXPECT_FALSE(AddsUp(event)) << event;
  }
  EXPECT_TRUE(CountsInstructions("SMSP_INST_EXECUTED_SUM"));
  EXPECT_FALSE(CountsInstructions("SMSP_INST_EXECUTED_AVG"));
  EXPECT_FALSE(CountsInstructions("DRAM_BYTES_SUM"));
}

TEST(EventList, IsReadAsLikwidWritesIt) {
  EXPECT_THAT(Names("A_SUM:GPU0,B_SUM:GPU1|C_SUM:GPU0"),
              ElementsAre(ElementsAre("A_SUM", "B_SUM"), ElementsAre("C_SUM")));
}

TEST(EventList, NeedsNoCountersAndToleratesBlanks) {
  EXPECT_THAT(Names(" A_SUM , B_SUM : GPU12\n| C_SUM "),
              ElementsAre(ElementsAre("A_SUM", "B_SUM"), ElementsAre("C_SUM")));
  EXPECT_FALSE(ParseEventList("A_SUM")->front().front().has_counter);
  EXPECT_TRUE(ParseEventList("A_SUM:GPU3")->front().front().has_counter);
}

TEST(EventList, NamesWhatIsWrongWithIt) {
  EXPECT_THAT(WhyNot(""), HasSubstr("the list of events is empty"));
  EXPECT_THAT(WhyNot("A,,B"), HasSubstr("an event has no name"));
  EXPECT_THAT(WhyNot("A|"), HasSubstr("a group of events is empty"));
  EXPECT_THAT(WhyNot("A:PMC0"), HasSubstr("is GPU and a number"));
  EXPECT_THAT(WhyNot("A:GPU"), HasSubstr("is GPU and a number"));
  EXPECT_THAT(WhyNot("dram__bytes.sum"), HasSubstr("as in DRAM_BYTES_SUM"));
  EXPECT_THAT(WhyNot("A,B,A"), HasSubstr("\"A\": stands in one group twice"));
  std::string many = "A0";
  for (int i = 1; i < 100; ++i) many += ",A" + std::to_string(i);
  EXPECT_THAT(WhyNot(many), HasSubstr("more than 64 events"));
  std::string groups = "A";
  for (int i = 1; i < 100; ++i) groups += "|A";
  EXPECT_THAT(WhyNot(groups), HasSubstr("more than 64 groups"));
}

}  // namespace
}  // namespace rafter
