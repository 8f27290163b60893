// Which events LIKWID counts in which run: the list, and what the real CUPTI says
// of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/real_cupti.h"
#include "tools/likwid_plan.h"

namespace rafter {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ParseLikwidEvents, TakesGroupsWithAndWithoutCounters) {
  const auto groups = ParseLikwidEvents("A_SUM:GPU0,B_SUM|C_SUM:GPU7");
  ASSERT_TRUE(groups.ok()) << groups.status().message();
  EXPECT_THAT(*groups,
              ElementsAre(LikwidGroup{"", {"A_SUM", "B_SUM"}}, LikwidGroup{"", {"C_SUM"}}));
  EXPECT_EQ(LikwidEventsText((*groups)[0]), "A_SUM:GPU0,B_SUM:GPU1");
}

TEST(ParseLikwidEvents, RefusesWhatLikwidCannotCountRight) {
  for (const char* list : {"", "|", "A_SUM|", "A_SUM,,B_SUM", "A_SUM:CPU0", "A SUM", "FLOPS_SP",
                           "A_AVG", "A_PCT", "_SUM", "SUM", "A_SUM,A_SUM", "A_SUM|A_SUM"}) {
    EXPECT_FALSE(ParseLikwidEvents(list).ok()) << list;
  }
  EXPECT_THAT(ParseLikwidEvents("A_MAX").status().message(), HasSubstr("is no sum"));
}

TEST(ParseLikwidEvents, HoldsAGroupToLikwidsArray) {
  std::string list;
  for (size_t i = 0; i < kMostLikwidEvents; ++i) {
    list += (i == 0 ? "E" : ",E") + std::to_string(i) + "_SUM";
  }
  EXPECT_TRUE(ParseLikwidEvents(list).ok());
  EXPECT_THAT(ParseLikwidEvents(list + ",X_SUM").status().message(), HasSubstr("31 events"));
}

class ForecastLikwidOnChipsTest : public ::testing::Test {
 protected:
  void SetUp() override { RAFTER_NEED_REAL_CUPTI(); }
  static Result<LikwidForecast> Forecast(const std::vector<std::string>& chips,
                                         const std::string& events = "") {
    std::vector<LikwidGroup> groups;
    if (!events.empty()) groups = *ParseLikwidEvents(events);
    return ForecastLikwidOnChips(SearchFromEnvironment(), chips, groups);
  }
};

TEST_F(ForecastLikwidOnChipsTest, CountsAllPrecisionsInOneRunAndTrafficInAnother) {
  for (const char* chip : {"GH100", "GB203", "GA102", "AD104"}) {
    const auto forecast = Forecast({chip});
    ASSERT_TRUE(forecast.ok()) << forecast.status().message();
    ASSERT_THAT(forecast->groups, SizeIs(2)) << chip;
    EXPECT_EQ(forecast->groups[0].title, "FLOP by precision");
    EXPECT_THAT(forecast->groups[0].events, SizeIs(9));
    EXPECT_THAT(forecast->groups[1].events, ElementsAre("DRAM_BYTES_SUM"));
    EXPECT_THAT(forecast->warnings, IsEmpty());
  }
}

TEST_F(ForecastLikwidOnChipsTest, CountsPackedOperationsWhereTheChipHasThem) {
  const auto forecast = Forecast({"GB100"});
  ASSERT_TRUE(forecast.ok()) << forecast.status().message();
  std::vector<std::string> all;
  for (const LikwidGroup& group : forecast->groups) {
    all.insert(all.end(), group.events.begin(), group.events.end());
  }
  EXPECT_THAT(all, Contains("SMSP_SASS_THREAD_INST_EXECUTED_OP_FFMA2_PRED_ON_SUM"));
  EXPECT_THAT(all, Contains("DRAM_BYTES_SUM"));
}

TEST_F(ForecastLikwidOnChipsTest, LeavesOutTrafficWhereTheChipDoesNotCountIt) {
  const auto forecast = Forecast({"GA10B"});  // shares its memory with the host
  ASSERT_TRUE(forecast.ok()) << forecast.status().message();
  EXPECT_THAT(forecast->warnings, ElementsAre(HasSubstr("event DRAM_BYTES_SUM: chip GA10B")));
  EXPECT_THAT(forecast->groups, SizeIs(1));
}

TEST_F(ForecastLikwidOnChipsTest, NamesTheNearestEvents) {
  const auto forecast = Forecast({"GH100"}, "DRAM_BYTE_SUM");
  ASSERT_FALSE(forecast.ok());
  EXPECT_THAT(forecast.status().message(),
              AllOf(HasSubstr("event DRAM_BYTE_SUM: chip GH100 does not have it (did you mean "),
                    HasSubstr("DRAM_BYTES_SUM"), HasSubstr("LIKWID crashes")));
}

TEST_F(ForecastLikwidOnChipsTest, SaysHowToSplitAGroupOfTwoPasses) {
  const auto forecast =
      Forecast({"GH100"}, "DRAM_BYTES_SUM,SMSP_SASS_THREAD_INST_EXECUTED_OP_FADD_PRED_ON_SUM");
  ASSERT_FALSE(forecast.ok());
  EXPECT_THAT(forecast.status().message(),
              AllOf(HasSubstr("needs 2 passes on chip GH100"), HasSubstr("split it, as in '")));
  EXPECT_TRUE(
      Forecast({"GH100"}, "DRAM_BYTES_SUM|SMSP_SASS_THREAD_INST_EXECUTED_OP_FADD_PRED_ON_SUM")
          .ok());
}

TEST_F(ForecastLikwidOnChipsTest, AsksEveryChip) {
  EXPECT_TRUE(Forecast({"GH100"}, "DRAM_BYTES_READ_SUM").ok());
  const auto forecast = Forecast({"GH100", "GB203"}, "DRAM_BYTES_READ_SUM");
  ASSERT_FALSE(forecast.ok());
  EXPECT_THAT(forecast.status().message(), HasSubstr("chip GB203 does not have it"));
}

TEST_F(ForecastLikwidOnChipsTest, GroupsForUnknownChipsTakeOnePassOnAllOfThem) {
  const auto host = CuptiHost::Open(SearchFromEnvironment());
  ASSERT_TRUE(host.ok());
  const auto chips = (*host)->Chips();
  ASSERT_TRUE(chips.ok());
  size_t checked = 0;
  const std::vector<uint8_t> any;
  for (const std::string& chip : *chips) {
    for (const LikwidGroup& group : LikwidGroupsOfAnyChip()) {
      const Status status = CheckLikwidGroups({**host, chip, any}, {group});
      // Some chips lack events; none takes two passes for what it has.
      EXPECT_THAT(status.message(), ::testing::Not(HasSubstr("passes"))) << chip;
      ++checked;
    }
  }
  EXPECT_GT(checked, 10u);
}

}  // namespace
}  // namespace rafter
