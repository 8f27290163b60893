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
  EXPECT_DOUBLE_EQ(peak->per_cycle.weight * 10752 * 2664267713.31, 57292412907018.24);
  EXPECT_EQ(peak->per_cycle.metric,
            "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained");
  EXPECT_EQ(PeakPerformance("fp16")->per_cycle.weight, 4);
  EXPECT_EQ(PeakPerformance("fp64")->per_cycle.weight, 2);
  EXPECT_FALSE(PeakPerformance("tensor").has_value());
  EXPECT_FALSE(PeakPerformance("").has_value());
}

TEST(PeakBandwidth, UsesTheClockOfTheUnit) {
  // The same row: 64 bytes per cycle at 14,986,989,719.17 Hz.
  EXPECT_DOUBLE_EQ(PeakBandwidth("dram")->per_cycle.weight * 64 * 14986989719.17, 959167342026.88);
  EXPECT_EQ(PeakBandwidth("dram")->clocks.front(), "dram__cycles_elapsed.avg.per_second");
  EXPECT_EQ(PeakBandwidth("l2")->clocks.front(), "lts__cycles_elapsed.avg.per_second");
  EXPECT_EQ(PeakBandwidth("l1")->clocks, SmClockMetrics());
  EXPECT_FALSE(PeakBandwidth("l7").has_value());
}

TEST(IsTensorFlop, TakesEachFloatingPointFormatOnce) {
  EXPECT_TRUE(IsTensorFlop("sm__ops_path_tensor_src_fp16.sum"));
  EXPECT_TRUE(IsTensorFlop("sm__ops_path_tensor_src_bf16_dst_fp32.sum"));
  EXPECT_FALSE(IsTensorFlop("sm__ops_path_tensor_op_hgmma_src_fp16.sum"));
  EXPECT_FALSE(IsTensorFlop("sm__ops_path_tensor_src_int8.sum"));
  EXPECT_FALSE(IsTensorFlop("sm__ops_path_tensor_src_fp16_sparsity_on.sum"));
  EXPECT_FALSE(IsTensorFlop("sm__ops_path_tensor_src_fp16.sum.peak_sustained"));
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
