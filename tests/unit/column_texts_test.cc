// What is told of columns is what is computed.
#include "collector/table/column_texts.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "collector/table/columns.h"
#include "collector/table/formulas.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;

ColumnText Of(const std::string& name, const TableOptions& options = {}) {
  for (const ColumnText& column : ColumnTexts(options)) {
    if (column.name == name) return column;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(ColumnTexts, TellOfEveryColumnInItsOrderAndUnit) {
  const std::vector<ColumnText> told = ColumnTexts();
  size_t place = 0;
  for (const auto* list :
       {&LeadingColumns(), &FlopColumns(), &TrailingColumns(), &DetailColumns()}) {
    for (const Column& column : *list) {
      ASSERT_LT(place, told.size());
      EXPECT_EQ(told[place].name, column.name);
      EXPECT_EQ(told[place].unit, column.unit);
      ++place;
    }
  }
  for (const ColumnText& column : told) {
    EXPECT_FALSE(column.meaning.empty()) << column.name;
    EXPECT_FALSE(column.source.empty()) << column.name;
  }
  for (const DerivedMetric& derived : DerivedMetrics()) {
    EXPECT_FALSE(Of(derived.name).formula.empty()) << derived.name;
  }
}

TEST(ColumnTexts, TellTheWeightsThatAreComputedWith) {
  EXPECT_EQ(Of("FLOP FP32").formula,
            "fadd + fmul + 2 ffma + 2 fadd2 + 2 fmul2 + 4 ffma2, each "
            "`sm__sass_thread_inst_executed_op_*_pred_on.sum`; fadd2, fmul2, ffma2 where the chip "
            "has them");
  EXPECT_THAT(Of("FLOP FP16").formula, HasSubstr("2 hadd + 2 hmul + 4 hfma, each"));
  TableOptions older;
  older.fp16_add_weight = 1;
  older.fp16_fma_weight = 2;
  EXPECT_THAT(Of("FLOP FP16", older).formula, HasSubstr("hadd + hmul + 2 hfma, each"));
  EXPECT_THAT(Of("Peak Performance").formula, HasSubstr("fp16: 4 hfma"));
  EXPECT_THAT(Of("Peak Performance", older).formula, HasSubstr("fp16: 2 hfma"));
}

TEST(ColumnTexts, TellTheCountersOfEveryLevel) {
  for (const char* level : {"dram", "l2", "l1"}) {
    EXPECT_THAT(Of("Memory Traffic").formula, HasSubstr(std::string(TrafficMetric(level))));
    const PeakFormula peak = *PeakBandwidth(level);
    EXPECT_THAT(Of("Peak Bandwidth").formula, HasSubstr(peak.per_cycle.front().metric));
    EXPECT_THAT(Of("Peak Bandwidth").formula, HasSubstr(peak.clocks.front()));
  }
  EXPECT_EQ(Of("rafter__l2_hit_rate.pct").formula,
            "100 x `lts__t_sectors_lookup_hit.sum` / `lts__t_sectors.sum`");
  EXPECT_THAT(Of("rafter__sm_throughput.pct").formula,
              HasSubstr("rafter__sm_instruction_throughput, rafter__sm_memory_throughput, each "
                        "`*.pct`"));
}

TEST(ColumnTexts, EscapeWhatWouldEndACell) {
  EXPECT_EQ(ColumnsMarkdown({{"a", "", "b | c", "", "d"}}),
            "| column | unit | meaning | formula | source |\n|---|---|---|---|---|\n"
            "| a | | b \\| c | | d |\n");
}

}  // namespace
}  // namespace rafter
