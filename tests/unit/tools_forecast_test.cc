// What `rafter run` says of passes before the program starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/real_cupti.h"
#include "tools/counting_forecast.h"

namespace rafter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class ForecastOnChipsTest : public ::testing::Test {
 protected:
  void SetUp() override { RAFTER_NEED_REAL_CUPTI(); }
  static Result<std::vector<std::string>> Forecast(const std::vector<std::string>& chips,
                                                   const std::string& sets) {
    return ForecastOnChips(SearchFromEnvironment(), chips, sets);
  }
};

TEST_F(ForecastOnChipsTest, CountsPassesBySet) {
  const auto lines = Forecast({"GH100"}, "time,occupancy,metrics:dram__bytes.sum");
  ASSERT_TRUE(lines.ok()) << lines.status().message();
  EXPECT_THAT(*lines, ElementsAre("counting on chip GH100 takes 4 passes: time 1, occupancy 2, "
                                  "metrics 1"));
}

TEST_F(ForecastOnChipsTest, RefusesAMetricThatNoChipHasWithTheNearest) {
  const auto lines = Forecast({"GH100"}, "time,metrics:dram__byts.sum+lts__t_bytes.sum");
  ASSERT_FALSE(lines.ok());
  EXPECT_THAT(lines.status().message(),
              AllOf(HasSubstr("dram__byts.sum: "), HasSubstr("dram__bytes.sum")));
  EXPECT_FALSE(Forecast({"GH100"}, "time,metrics:lts__t_bytes").ok());  // no roll-up
}

TEST_F(ForecastOnChipsTest, SaysWhatOneChipLacksAndAnotherHas) {
  const std::string packed = "sm__sass_thread_inst_executed_op_ffma2_pred_on.sum";
  const auto lines = Forecast({"GH100", "GB100"}, "time,metrics:" + packed);
  ASSERT_TRUE(lines.ok()) << lines.status().message();
  EXPECT_THAT(*lines,
              ElementsAre(HasSubstr("missing on chip GH100: " + packed + ": chip GH100 does not"),
                          HasSubstr("missing on chip GH100: all of set metrics: none of"),
                          "counting on chip GH100 takes 1 pass: time 1",
                          "counting on chip GB100 takes 2 passes: time 1, metrics 1"));
}

TEST_F(ForecastOnChipsTest, SaysWhyNothingCanBeCountedOnceForEachSet) {
  const auto lines = Forecast({"TU116"}, "tensor");
  ASSERT_FALSE(lines.ok());
  EXPECT_EQ(lines.status().message(),
            "chip TU116 can count nothing of what was asked for; set tensor: chip TU116 counts no "
            "tensor operations; \"rafter metrics --chip TU116\" lists what it has");
}

TEST_F(ForecastOnChipsTest, NamesThreeMetricsThatASetLacksAndCountsTheRest) {
  const auto lines = Forecast({"GA10B"}, "memory");  // shares its memory with the host
  ASSERT_TRUE(lines.ok()) << lines.status().message();
  EXPECT_THAT(*lines, ElementsAre("missing on chip GA10B: dram__bytes.sum, dram__bytes_read.sum, "
                                  "dram__bytes_write.sum and 2 more of set memory: chip GA10B does "
                                  "not have it",
                                  HasSubstr("counting on chip GA10B takes ")));
}

TEST_F(ForecastOnChipsTest, RefusesSetsThatNoChipHereCanCount) {
  EXPECT_FALSE(Forecast({"TU116"}, "tensor").ok());
  const auto lines = Forecast({"TU116", "GH100"}, "tensor.bf16");
  ASSERT_TRUE(lines.ok());
  EXPECT_THAT(*lines, ElementsAre("counting on chip GH100 takes 1 pass: tensor.bf16 1",
                                  HasSubstr("not on chip TU116: ")));
}

TEST(WantedSetsOf, IsTheDefaultAndTheMetrics) {
  RunRequest request;
  EXPECT_EQ(WantedSetsOf(request), "time,memory,sm,flop");
  request.metrics = {"a__b.sum,c__d.avg", "--metrics"};
  EXPECT_EQ(WantedSetsOf(request), "time,memory,sm,flop,metrics:a__b.sum+c__d.avg");
  request.sets = {"time", "--set"};
  EXPECT_EQ(WantedSetsOf(request), "time,metrics:a__b.sum+c__d.avg");
}

}  // namespace
}  // namespace rafter
