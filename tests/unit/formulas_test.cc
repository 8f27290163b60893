// The formulas against numbers published by others and NVIDIA's weights.
#include "collector/table/formulas.h"

#include <gtest/gtest.h>

#include <map>

#include "collector/table/kernel_name.h"
#include "collector/table/metric.h"

namespace rafter {
namespace {

std::map<std::string, double> Weights(const std::string& precision, const TableOptions& options) {
  std::map<std::string, double> weights;
  for (const Term& term : FlopTerms(precision, options)) {
    const size_t at = term.metric.find("_op_") + 4;
    weights[term.metric.substr(at, term.metric.find("_pred_on") - at)] = term.weight;
  }
  return weights;
}

using W = std::map<std::string, double>;

TEST(FlopTerms, CountAddMulAndTwiceFma) {
  EXPECT_EQ(Weights("fp32", {}),
            (W{{"fadd", 1}, {"fmul", 1}, {"ffma", 2}, {"fadd2", 2}, {"fmul2", 2}, {"ffma2", 4}}));
  EXPECT_EQ(Weights("fp64", {}), (W{{"dadd", 1}, {"dmul", 1}, {"dfma", 2}}));
}

TEST(FlopTerms, CountHalfPrecisionInPairsUnlessToldOtherwise) {
  EXPECT_EQ(Weights("fp16", {}), (W{{"hadd", 2}, {"hmul", 2}, {"hfma", 4}}));
  TableOptions older;
  older.fp16_add_weight = 1;
  older.fp16_fma_weight = 2;
  EXPECT_EQ(Weights("fp16", older), (W{{"hadd", 1}, {"hmul", 1}, {"hfma", 2}}));
}

TEST(FlopTerms, NeedPackedFormsOnlyWhereTheChipHasThem) {
  for (const Term& term : FlopTerms("fp32", {})) {
    EXPECT_EQ(term.if_planned, term.metric.find("2_pred_on") != std::string::npos) << term.metric;
  }
}

TEST(PeakPerformance, IsTheSeedsFormula) {
  const auto peak = PeakPerformance("fp32");
  ASSERT_TRUE(peak);
  // matMul_acc on an RTX 5080: 10752 ffma per cycle at 2,664,267,713.31 Hz.
  EXPECT_DOUBLE_EQ(peak->per_cycle[0].weight * 10752 * 2664267713.31, 57292412907018.24);
  EXPECT_EQ(peak->per_cycle[0].metric,
            "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained");
  EXPECT_EQ(PeakPerformance("fp16")->per_cycle[0].weight, 4);
  EXPECT_EQ(PeakPerformance("fp64")->per_cycle[0].weight, 2);
  EXPECT_FALSE(PeakPerformance("tensor").has_value());
  EXPECT_FALSE(PeakPerformance("").has_value());
}

TEST(PeakBandwidth, UsesTheClockOfTheUnit) {
  // The same row: 64 bytes per cycle at 14,986,989,719.17 Hz.
  EXPECT_DOUBLE_EQ(PeakBandwidth("dram")->per_cycle[0].weight * 64 * 14986989719.17,
                   959167342026.88);
  EXPECT_EQ(PeakBandwidth("dram")->clocks.front(), "dram__cycles_elapsed.avg.per_second");
  EXPECT_EQ(PeakBandwidth("l2")->clocks.front(), "lts__cycles_elapsed.avg.per_second");
  EXPECT_EQ(PeakBandwidth("l1")->clocks, SmClockMetrics());
  EXPECT_FALSE(PeakBandwidth("l7").has_value());
}

TEST(PeakPerformance, FollowsTheWeightsOfFp16) {
  EXPECT_EQ(
      PeakPerformance("fp16", {.fp16_add_weight = 1, .fp16_fma_weight = 2})->per_cycle[0].weight,
      2);
}

TEST(PeakPerformance, OfATensorFormatIsTheFastestOfItsTotals) {
  std::vector<std::string> metrics;
  const auto peak = PeakPerformance("tensor.fp16");
  ASSERT_TRUE(peak);
  for (const Term& term : peak->per_cycle) {
    EXPECT_EQ(term.weight, 1);
    metrics.push_back(term.metric);
  }
  EXPECT_EQ(metrics,
            (std::vector<std::string>{"sm__ops_path_tensor_src_fp16.sum.peak_sustained",
                                      "sm__ops_path_tensor_src_fp16_dst_fp16.sum.peak_sustained",
                                      "sm__ops_path_tensor_src_fp16_dst_fp32.sum.peak_sustained"}));
}

TEST(TensorFormatOf, IsTheWordBehindTensorInTheNameOfASet) {
  EXPECT_EQ(TensorFormatOf("tensor.fp16"), "fp16");
  EXPECT_EQ(TensorFormatOf("tensor.fp4_fp6_fp8.2"), "fp4_fp6_fp8");
  EXPECT_EQ(TensorFormatOf("tensor"), "");
  EXPECT_EQ(TensorFormatOf("flop"), "");
  EXPECT_TRUE(IsFloatingPoint("tf32"));
  EXPECT_FALSE(IsFloatingPoint("int8"));
}

TEST(CountsTensorOperations, IsTrueOfOperationsAndNotOfTimeOrPeaks) {
  EXPECT_TRUE(CountsTensorOperations("sm__ops_path_tensor_src_fp16.sum"));
  EXPECT_TRUE(CountsTensorOperations("sm__ops_path_tensor_op_hgmma_src_fp16.sum"));
  EXPECT_FALSE(CountsTensorOperations("gpu__time_duration.sum"));
  EXPECT_FALSE(CountsTensorOperations("sm__ops_path_tensor_src_fp16.sum.peak_sustained"));
}

TEST(MayCountTheSame, WhereFormatsShareASourceAndTheListHasNoInstructions) {
  EXPECT_TRUE(MayCountTheSame("GB202", "fp4", "fp4_fp6"));
  EXPECT_FALSE(MayCountTheSame("GB202", "fp8", "fp4_fp6"));
  EXPECT_FALSE(MayCountTheSame("GB100", "fp4", "fp4_fp6_fp8"));
  EXPECT_FALSE(MayCountTheSame("TU102", "fp16", "fp16_bf16_tf32"));
}

TEST(TensorPipeRunsAll, OnlyWhereItsInstructionsIncludeFp64) {
  EXPECT_TRUE(TensorPipeRunsAll("GH100"));
  EXPECT_FALSE(TensorPipeRunsAll("AD102"));
  EXPECT_FALSE(TensorPipeRunsAll(""));
}

TEST(DerivedMetrics, AreRatesUnderNamesOfOurs) {
  for (const DerivedMetric& derived : DerivedMetrics()) {
    EXPECT_TRUE(derived.name.starts_with("rafter__")) << derived.name;
    EXPECT_EQ(KindOf(derived.name), MetricKind::kRate) << derived.name;
    EXPECT_GE(derived.of.size(), 2u) << derived.name;
  }
}

TEST(KindOf, TellsAmountsRatesAndPeaksApart) {
  EXPECT_EQ(KindOf("dram__bytes.sum"), MetricKind::kAmount);
  EXPECT_EQ(KindOf("gpu__time_duration.sum"), MetricKind::kAmount);
  EXPECT_EQ(KindOf("gpc__cycles_elapsed.max"), MetricKind::kAmount);
  EXPECT_EQ(KindOf("sm__cycles_elapsed.avg"), MetricKind::kAmount);
  EXPECT_EQ(KindOf("sm__cycles_elapsed.avg.per_second"), MetricKind::kRate);
  EXPECT_EQ(KindOf("sm__warps_active.avg.pct_of_peak_sustained_active"), MetricKind::kRate);
  EXPECT_EQ(KindOf("l1tex__t_sector_hit_rate.pct"), MetricKind::kRate);
  EXPECT_EQ(KindOf("dram__throughput.max"), MetricKind::kRate);
  EXPECT_EQ(KindOf("dram__bytes.sum.peak_sustained"), MetricKind::kPeak);
  EXPECT_EQ(KindOf("sm__warps_active.avg.peak_sustained"), MetricKind::kPeak);
  EXPECT_EQ(KindOf("lts__t_sector_hit_rate.max_rate"), MetricKind::kPeak);
  EXPECT_EQ(KindOf("sm__warps_active.avg.per_cycle_active"), MetricKind::kRate);
  EXPECT_EQ(KindOf("smsp__thread_inst_executed_per_inst_executed.ratio"), MetricKind::kRate);
  EXPECT_EQ(KindOf("lts__d_sectors.avg.pct_of_peak_sustained_elapsed"), MetricKind::kRate);
  EXPECT_EQ(KindOf("lts__t_sectors_lookup_hit.sum"), MetricKind::kAmount);
  EXPECT_EQ(KindOf("sm__warps_active.sum.peak_sustained_active"), MetricKind::kAmount);
  EXPECT_EQ(KindOf("sm__warps_active.sum.peak_sustained_active.per_second"), MetricKind::kRate);
  EXPECT_EQ(KindOf("SM_A.TriageCompute.l1tex__m_read_sectors.sum"), MetricKind::kAmount);
}

TEST(UnitText, PutsCuptisDimensionsIntoOurWords) {
  EXPECT_EQ(UnitText("byte"), "Byte");
  EXPECT_EQ(UnitText("nanosecond"), "ns");
  EXPECT_EQ(UnitText("byte/dram_cycle"), "Byte/cycle");
  EXPECT_EQ(UnitText("instruction/gpc_cycle"), "instruction/cycle");
  EXPECT_EQ(UnitText("fbp_cycle/second"), "Hz");
  EXPECT_EQ(UnitText("gpc_cycle"), "cycle");
  EXPECT_EQ(UnitText("byte/second"), "Byte/s");
  EXPECT_EQ(UnitText("percent"), "%");
  EXPECT_EQ(UnitText("cta"), "block");
  EXPECT_EQ(UnitText(""), "1");
}

TEST(KernelName, DropsReturnTypeTemplateArgumentsAndParameters) {
  EXPECT_EQ(KernelName("void cutlass::Kernel2<cutlass_80_simt<3, 4>>(Params)"), "cutlass::Kernel2");
  EXPECT_EQ(KernelName("evaluate_46(const Array3Base<float> &)"), "evaluate_46");
  EXPECT_EQ(KernelName("Impl<float>::operator ()(int) const"), "Impl::operator()");
  EXPECT_EQ(KernelName("void (anonymous namespace)::copy<int>(float*)"),
            "(anonymous namespace)::copy");
  EXPECT_EQ(KernelName("operators_run(int)"), "operators_run");
  EXPECT_EQ(KernelName(""), "");
}

}  // namespace
}  // namespace rafter
