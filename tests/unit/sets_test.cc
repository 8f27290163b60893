// Plans of every kind of chip, made with the real library: what a set holds,
// and why its numbers can be trusted.
#include "cupti/sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "collector/table/formulas.h"
#include "collector/table/metric.h"
#include "cupti/chip_metrics.h"
#include "cupti/nearest_metrics.h"
#include "cupti/set_table.h"
#include "cupti/tensor_formats.h"
#include "cupti/throughput_parts.h"
#include "tests/unit/real_cupti.h"

namespace rafter {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// One of each kind that CUPTI 13.0 tells apart, but for integrated ones.
const char* const kChips[] = {"TU102", "GA100", "AD102", "GH100", "GB100", "GB110", "GB202"};

class SetsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RAFTER_NEED_REAL_CUPTI();
    auto opened = CuptiHost::Open(SearchFromEnvironment());
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    host_ = std::move(*opened);
  }

  Result<ChosenPlan> Plan(const std::string& chip, const std::string& list) {
    auto items = ParseSetList(list);
    if (!items.ok()) return items.status();
    return PlanSets(*host_, chip, {}, *items);
  }
  ChipMetrics On(const std::string& chip) { return {*host_, chip, everything_}; }

  // Whether `more` adds no raw counter to what is counted for `metric`.
  bool AddsNothing(const std::string& chip, const std::string& metric, const std::string& more) {
    auto without = host_->Plan(chip, {}, {{metric}});
    auto with = host_->Plan(chip, {}, {{metric, more}});
    EXPECT_TRUE(without.ok() && with.ok()) << metric << " " << more;
    return without.ok() && with.ok() && without->image == with->image;
  }

  const std::vector<uint8_t> everything_;
  std::unique_ptr<CuptiHost> host_;
};

std::vector<std::string> NamesOf(const ChosenSet& set) {
  std::vector<std::string> names;
  for (const SetMetric& metric : set.metrics) names.push_back(metric.name);
  return names;
}

std::vector<std::string> SetsOf(const ChosenPlan& plan) {
  std::vector<std::string> names;
  for (const ChosenSet& set : plan.sets) names.push_back(set.name);
  return names;
}

std::vector<std::string> Reasons(const ChosenPlan& plan) {
  std::vector<std::string> reasons;
  for (const AbsentMetric& absent : plan.absent) {
    reasons.push_back(absent.set + " " + absent.name + ": " + absent.reason);
  }
  return reasons;
}

// Each pass can be evaluated by itself only if all of its metrics fit in it. GPU
// time weighs rates, so it is there wherever it can be.
TEST_F(SetsTest, EveryPassHoldsItsMetricsWholeAndGpuTimeUnlessItPatchesKernels) {
  for (const std::string chip : kChips) {
    const auto plan =
        Plan(chip,
             "time,memory,sm,flop,integer,occupancy,memory-workload,speed-of-light,"
             "tensor,metrics:lts__t_requests.sum+sm__inst_executed.avg.per_cycle_active");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan->configuration.passes, plan->sets.size()) << chip;
    EXPECT_LE(plan->sets.size(), kMaxPassesOfRun) << chip;
    for (size_t i = 0; i < plan->sets.size(); ++i) {
      const ChosenSet& set = plan->sets[i];
      EXPECT_EQ(set.first_pass, i);
      EXPECT_EQ(set.passes, 1u);
      const auto alone = host_->Plan(chip, {}, {NamesOf(set)});
      ASSERT_TRUE(alone.ok()) << chip << " " << set.name;
      EXPECT_EQ(alone->passes, 1u) << chip << " " << set.name;
      const std::vector<std::string> names = NamesOf(set);
      const bool patched = std::any_of(names.begin(), names.end(), PatchesKernels);
      EXPECT_EQ(std::count(names.begin(), names.end(), kPassTime), patched ? 0 : 1)
          << chip << " " << set.name;
    }
  }
}

TEST_F(SetsTest, TheDefaultSetsAreAsTheyWere) {
  const auto plan = Plan("GH100", "time,memory,sm,flop");
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(SetsOf(*plan), ElementsAre("time", "memory", "sm", "flop"));
  EXPECT_THAT(plan->absent, IsEmpty());
}

// On Turing the DRAM clock shares no pass with DRAM bytes.
TEST_F(SetsTest, ASetThatTakesTwoPassesOnAChipBecomesTwo) {
  const auto plan = Plan("TU102", "memory");
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(SetsOf(*plan), ElementsAre("memory.1", "memory.2"));
  EXPECT_EQ(plan->sets[1].whole, "memory");
  EXPECT_THAT(NamesOf(plan->sets[0]), Contains("dram__bytes.sum"));
  EXPECT_THAT(NamesOf(plan->sets[1]), Contains("dram__cycles_elapsed.avg.per_second"));
}

TEST_F(SetsTest, OnePassOfASetCanBeAskedFor) {
  const auto whole = Plan("GH100", "occupancy");
  const auto second = Plan("GH100", "occupancy.2");
  ASSERT_TRUE(whole.ok() && second.ok());
  ASSERT_EQ(whole->sets.size(), 2u);
  EXPECT_THAT(SetsOf(*second), ElementsAre("occupancy.2"));
  EXPECT_EQ(NamesOf(second->sets[0]), NamesOf(whole->sets[1]));
  const auto ninth = Plan("GH100", "time,occupancy.9");
  ASSERT_TRUE(ninth.ok());
  EXPECT_THAT(Reasons(*ninth),
              ElementsAre(HasSubstr("set occupancy takes 2 passes on chip GH100")));
}

// What a chip calls missing is only what it has in no form.
TEST_F(SetsTest, WhatChipsLackIsListed) {
  EXPECT_THAT(Plan("GH100", "integer,occupancy,memory-workload,tensor")->absent, IsEmpty());
  EXPECT_THAT(Plan("GB202", "memory,integer,occupancy,tensor")->absent, IsEmpty());
  EXPECT_THAT(Reasons(*Plan("GA100", "memory")),
              ElementsAre("memory gr__ctas_launched.sum: chip GA100 does not have it"));
  EXPECT_THAT(Reasons(*Plan("GB10B", "time,memory-workload")),
              Contains(HasSubstr("dram__bytes.sum.per_second")));
  EXPECT_THAT(Reasons(*Plan("TU116", "time,tensor")),
              ElementsAre("tensor all of set tensor: chip TU116 counts no tensor operations"));
}

TEST_F(SetsTest, PackedFormsAreCountedWhereTheChipHasThem) {
  EXPECT_THAT(NamesOf(Plan("GB100", "flop")->sets[0]),
              Contains("sm__sass_thread_inst_executed_op_ffma2_pred_on.sum"));
  const auto other = Plan("GB202", "flop");
  EXPECT_THAT(NamesOf(other->sets[0]),
              Not(Contains("sm__sass_thread_inst_executed_op_ffma2_pred_on.sum")));
  EXPECT_THAT(other->absent, IsEmpty());
}

TEST_F(SetsTest, TensorFormatsAreThoseOfTheChip) {
  const auto formats = [&](const std::string& chip) {
    std::vector<std::string> names;
    const std::vector<TensorFormat> all = FormatsIn(*host_->BaseMetrics(chip, {}));
    for (const TensorFormat& format : all) {
      names.push_back(format.name);
    }
    return names;
  };
  EXPECT_THAT(formats("TU102"), ElementsAre("fp16", "fp16_bf16_tf32", "int1", "int4", "int8"));
  EXPECT_THAT(formats("GA100"),
              ElementsAre("bf16", "fp16", "fp64", "int1", "int4", "int8", "tf32"));
  EXPECT_THAT(formats("GH100"), ElementsAre("bf16", "fp16", "fp64", "fp8", "int1", "int8", "tf32"));
  EXPECT_THAT(formats("GB100"),
              ElementsAre("bf16", "fp16", "fp4", "fp4_fp6_fp8", "fp64", "int8", "tf32"));
  EXPECT_THAT(formats("GB202"),
              ElementsAre("bf16", "fp16", "fp4", "fp4_fp6", "fp64", "fp8", "int8", "tf32"));
  EXPECT_THAT(formats("TU116"), IsEmpty());
}

// Every operation once: totals have no instruction and no sparsity in their
// names, and differ in source or destination; parts cover their total.
TEST_F(SetsTest, TensorCountersAreADisjointCover) {
  for (const std::string chip : kChips) {
    const std::vector<std::string> names = *host_->BaseMetrics(chip, {});
    std::set<std::string> counted;
    const std::vector<TensorFormat> formats = FormatsIn(names);
    for (const TensorFormat& format : formats) {
      for (const std::string& total : format.totals) {
        for (const char* word : {"_op_", "sparsity", "realtime"}) {
          EXPECT_EQ(total.find(word), std::string::npos) << total;
        }
        const auto counters = CountersOf(On(chip), names, total);
        ASSERT_TRUE(counters.ok()) << chip << " " << total;
        EXPECT_THAT(counters->metrics, Not(IsEmpty())) << chip << " " << total;
        for (const std::string& metric : counters->metrics) {
          EXPECT_TRUE(counted.insert(metric).second) << chip << " counts twice: " << metric;
          EXPECT_EQ(host_->Plan(chip, {}, {{metric}})->passes, 1u) << chip << " " << metric;
          EXPECT_TRUE(AddsNothing(chip, total + ".sum", metric)) << chip << " " << metric;
        }
      }
    }
  }
}

TEST_F(SetsTest, ATotalOfTwoPassesIsCountedByItsParts) {
  const std::string chip = "GH100";
  const auto counters =
      CountersOf(On(chip), *host_->BaseMetrics(chip, {}), "sm__ops_path_tensor_src_fp16");
  EXPECT_THAT(counters->metrics,
              testing::UnorderedElementsAre("sm__ops_path_tensor_op_hgmma_src_fp16.sum",
                                            "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp16.sum",
                                            "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum"));
  // Parts that do not cover the total are not taken for it.
  const auto half = CountersOf(
      On(chip), {"sm__ops_path_tensor_src_fp16", "sm__ops_path_tensor_op_hgmma_src_fp16"},
      "sm__ops_path_tensor_src_fp16");
  EXPECT_THAT(half->metrics, IsEmpty());
  EXPECT_THAT(half->reason, HasSubstr("several passes on chip GH100"));
}

TEST_F(SetsTest, OneFormatCanBeAskedFor) {
  const auto plan = Plan("GH100", "tensor.bf16");
  ASSERT_TRUE(plan.ok());
  ASSERT_THAT(SetsOf(*plan), ElementsAre("tensor.bf16"));
  EXPECT_THAT(NamesOf(plan->sets[0]),
              ElementsAre("gpu__time_duration.sum", "sm__ops_path_tensor_src_bf16_dst_fp32.sum",
                          "sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained"));
  EXPECT_THAT(Reasons(*Plan("GA100", "time,tensor.fp8")),
              ElementsAre(HasSubstr("chip GA100 has no such tensor format; it has tensor.bf16")));
}

// Parts are made of raw counters of the throughput that they stand for: they add
// none to it.
TEST_F(SetsTest, PartsBelongToTheThroughputTheyStandFor) {
  for (const std::string chip : kChips) {
    for (const Throughput& throughput : kThroughputs) {
      const std::string whole = PartMetrics(throughput.cupti)[0];
      ASSERT_TRUE(*host_->HasMetric(chip, {}, whole)) << chip << " " << whole;
      size_t parts = 0;
      for (const std::string_view part : throughput.parts) {
        for (const std::string& metric : PartMetrics(part)) {
          if (!*host_->HasMetric(chip, {}, metric)) continue;
          EXPECT_TRUE(AddsNothing(chip, whole, metric)) << chip << " " << whole << " " << metric;
          ++parts;
          break;  // the first that the chip has
        }
      }
      EXPECT_GE(parts, throughput.parts.size() / 2) << chip << " " << whole;
    }
    for (const HigherThroughput& higher : kHigherThroughputs) {
      for (const Throughput& throughput : kThroughputs) {
        if (throughput.name != higher.of[0] && throughput.name != higher.of[1]) continue;
        EXPECT_TRUE(
            AddsNothing(chip, PartMetrics(higher.cupti)[0], PartMetrics(throughput.cupti)[0]))
            << chip << " " << higher.cupti;
      }
    }
  }
}

// The rate of CUPTI and our two amounts are made of the same raw counters.
TEST_F(SetsTest, HitRatesAreMadeOfHitsAndLookups) {
  for (const std::string chip : kChips) {
    for (const auto& [rate, hits, all] :
         {std::tuple{"lts__t_sector_hit_rate.pct", "lts__t_sectors_lookup_hit.sum",
                     "lts__t_sectors.sum"},
          {"l1tex__t_sector_hit_rate.pct", "l1tex__t_sectors_lookup_hit.sum",
           "l1tex__t_sectors.sum"}}) {
      EXPECT_TRUE(AddsNothing(chip, rate, hits)) << chip;
      EXPECT_TRUE(AddsNothing(chip, rate, all)) << chip;
      const auto without = host_->Plan(chip, {}, {{hits, all}});
      const auto with = host_->Plan(chip, {}, {{hits, all, rate}});
      EXPECT_TRUE(without->image == with->image) << chip << " " << rate;
    }
  }
}

TEST_F(SetsTest, DerivedColumnsFindTheirPartsInTheirSets) {
  for (const char* set : {"speed-of-light", "memory-workload"}) {
    const SetWishes* wishes = FindWishes(set);
    ASSERT_NE(wishes, nullptr);
    std::set<std::string> names;
    for (const Wish& wish : wishes->wishes) names.insert(wish.names.begin(), wish.names.end());
    for (const DerivedMetric& derived : DerivedMetrics()) {
      names.insert(derived.name);
      if (std::find(derived.whole.begin(), derived.whole.end(), set) == derived.whole.end())
        continue;
      for (const std::string& part : derived.of)
        EXPECT_TRUE(names.contains(part)) << set << " " << part;
    }
  }
}

// By CUPTI's own types: roll-ups of ratios and throughputs are rates, bare ones
// of counters amounts.
TEST_F(SetsTest, KindOfAgreesWithCuptisTypes) {
  for (const std::string chip : {"GH100", "GB202"}) {
    const std::vector<std::string> bases = *host_->BaseMetrics(chip, {});
    for (const std::string& base : bases) {
      const std::vector<std::string> roll_ups = *host_->RollUps(chip, {}, base);
      const auto has = [&](const char* roll_up) {
        return std::find(roll_ups.begin(), roll_ups.end(), roll_up) != roll_ups.end();
      };
      ASSERT_FALSE(roll_ups.empty()) << base;
      for (const std::string& roll_up : roll_ups) {
        const MetricKind kind = KindOf(base + roll_up);
        if (roll_up.ends_with(".per_second") || roll_up.find("per_cycle") != std::string::npos ||
            roll_up.find("pct") != std::string::npos || roll_up == ".ratio") {
          EXPECT_EQ(kind, MetricKind::kRate) << base << roll_up;
        }
      }
      if (has(".sum")) {
        EXPECT_EQ(KindOf(base + ".sum"), MetricKind::kAmount) << base;
      }
    }
  }
}

TEST_F(SetsTest, MetricsByNameAreGroupedByPass) {
  const auto plan =
      Plan("GH100",
           "metrics:dram__bytes.sum+smsp__sass_thread_inst_executed_op_integer_pred_on"
           ".sum+lts__t_requests.sum+dram__bytes.sum.peak_sustained");
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  ASSERT_THAT(SetsOf(*plan), ElementsAre("metrics.1", "metrics.2"));
  EXPECT_THAT(NamesOf(plan->sets[0]),
              ElementsAre("gpu__time_duration.sum", "dram__bytes.sum", "lts__t_requests.sum",
                          "dram__bytes.sum.peak_sustained"));
  EXPECT_THAT(NamesOf(plan->sets[1]),
              ElementsAre("smsp__sass_thread_inst_executed_op_integer_pred_on.sum"));
  // A peak alone has nothing to count; time goes along.
  const auto peak = Plan("GH100", "metrics:dram__bytes.sum.peak_sustained");
  ASSERT_TRUE(peak.ok());
  EXPECT_THAT(NamesOf(peak->sets[0]),
              ElementsAre("gpu__time_duration.sum", "dram__bytes.sum.peak_sustained"));
}

TEST_F(SetsTest, AMetricOfSeveralPassesIsMissingWithWhatStandsForIt) {
  const auto plan = Plan("GH100",
                         "time,metrics:sm__throughput.avg.pct_of_peak_sustained_elapsed"
                         "+lts__t_sector_hit_rate.pct");
  EXPECT_THAT(SetsOf(*plan), ElementsAre("time"));
  EXPECT_THAT(
      Reasons(*plan),
      ElementsAre(testing::AllOf(HasSubstr("it takes 8 passes on chip GH100"),
                                 HasSubstr("set speed-of-light has rafter__sm_throughput.pct")),
                  testing::AllOf(HasSubstr("it takes 2 passes"),
                                 HasSubstr("memory-workload has rafter__l2_hit_rate.pct")),
                  "metrics all of set metrics: none of its metrics can be counted on chip "
                  "GH100"));
}

TEST_F(SetsTest, AMisspeltMetricIsOfferedTheNearest) {
  const std::string chip = "GH100";
  const auto why = [&](const char* metric) { return *WhyNoMetric(On(chip), metric); };
  EXPECT_EQ(why("dram__bytes.sum"), "");
  EXPECT_THAT(why("dram__byts.sum"), HasSubstr("the nearest that it has: dram__bytes.sum"));
  EXPECT_THAT(why("dram__bytes"), HasSubstr("a roll-up is missing; take dram__bytes.sum or"));
  EXPECT_THAT(why("dram__bytes.smu"),
              HasSubstr("there is no roll-up \".smu\"; take dram__bytes.sum"));
  EXPECT_THAT(why("l1tex__t_sector_hit_rate"),
              HasSubstr("take l1tex__t_sector_hit_rate.ratio or l1tex__t_sector_hit_rate.pct"));
  EXPECT_EQ(why("nothing_like_it_at_all__whatever.sum"), "chip GH100 does not have it");
  EXPECT_EQ(why(""), "chip GH100 does not have it");
}

TEST_F(SetsTest, APlanOfNothingSaysWhyForEach) {
  const auto plan = Plan("GH100", "metrics:dram__byts.sum");
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.status().message(), HasSubstr("dram__byts.sum: chip GH100 does not have it"));
}

// More passes than a run goes round: the commands that get them, each of which
// can be planned.
TEST_F(SetsTest, SetsThatDoNotFitInOneRunComeWithTheCommandsThatGetThem) {
  const auto items = ParseSetList("time,occupancy,tensor,metrics:dram__bytes.sum+lts__t_bytes.sum");
  constexpr size_t kMost = 5;
  const auto plan = PlanSets(*host_, "GH100", {}, *items, kMost);
  ASSERT_FALSE(plan.ok());
  const std::string& text = plan.status().message();
  EXPECT_THAT(text, HasSubstr("take 13 passes on chip GH100, and one run goes round 5"));
  std::vector<std::string> sets;
  for (size_t at = text.find("--set "); at != std::string::npos; at = text.find("--set ", at + 1)) {
    sets.push_back(text.substr(at + 6, text.find(" -- PROGRAM", at) - at - 6));
    const auto run = PlanSets(*host_, "GH100", {}, *ParseSetList(sets.back()), kMost);
    EXPECT_TRUE(run.ok()) << sets.back();
  }
  EXPECT_THAT(sets,
              ElementsAre("time,occupancy.1,occupancy.2,tensor.bf16,tensor.fp16.1",
                          "tensor.fp16.2,tensor.fp64,tensor.fp8,tensor.int1,tensor.int8.1",
                          "tensor.int8.2,tensor.tf32,metrics:dram__bytes.sum+lts__t_bytes.sum"));
}

}  // namespace
}  // namespace rafter
