// What a row makes of tensor formats, of sets of several passes and of metrics
// by name. Every expected number is worked out by hand beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "collector/table/set_words.h"
#include "collector/table/table.h"

namespace rafter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Values = std::vector<std::optional<double>>;

// One region "r" of a number of calls on one GPU, each set counted in one epoch
// of one call.
class OneRegion {
 public:
  OneRegion(std::string chip, std::string wanted, uint64_t calls = 1) : calls_(calls) {
    RunProcess process;
    process.executable = "/opt/bench";
    process.ending = "exit";
    RunDevice device;
    device.uuid = "GPU-1";
    device.chip = std::move(chip);
    device.wanted_sets = std::move(wanted);
    process.devices.push_back(device);
    RegionPath region;
    region.path = 1;
    region.name = "r";
    region.calls = region.counted_calls = calls;
    process.paths.push_back(region);
    run_.processes.push_back(process);
  }

  // A set and what its epoch read; no values: planned and never counted.
  OneRegion& Set(const std::string& name, const std::vector<std::string>& metrics,
                 const Values& values) {
    CounterSet set{name, static_cast<uint32_t>(device().sets.size()), 1, {}};
    for (const std::string& metric : metrics) set.counters.push_back({metric, "", ""});
    device().sets.push_back(set);
    if (values.empty()) return *this;
    Epoch epoch;
    epoch.epoch = static_cast<uint32_t>(run_.processes[0].epochs.size() + 1);
    epoch.set = name;
    epoch.slots = {{1, 1, 0, 1, true, values}};
    run_.processes[0].epochs.push_back(epoch);
    return *this;
  }
  // One more epoch of a set that is there.
  OneRegion& Again(const std::string& set, const Values& values) {
    Epoch epoch;
    epoch.epoch = static_cast<uint32_t>(run_.processes[0].epochs.size() + 1);
    epoch.set = set;
    epoch.slots = {{1, 1, 0, 1, true, values}};
    run_.processes[0].epochs.push_back(epoch);
    return *this;
  }
  OneRegion& Note(const std::string& about, const std::string& text) {
    run_.processes[0].notes.push_back({"warning", about, text});
    return *this;
  }
  OneRegion& Missing(const std::string& set, const std::string& metric, const std::string& why) {
    device().missing.push_back({set, metric, why});
    return *this;
  }
  Row Make(const TableOptions& options = {}) const { return BuildTable(run_, options).rows.at(0); }
  RunDevice& device() { return run_.processes[0].devices[0]; }

 private:
  Run run_;
  uint64_t calls_;
};

constexpr char kBf16[] = "sm__ops_path_tensor_src_bf16_dst_fp32.sum";
constexpr char kHgmma[] = "sm__ops_path_tensor_op_hgmma_src_fp16.sum";
constexpr char kHmma16[] = "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp16.sum";
constexpr char kHmma32[] = "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum";
constexpr char kInt8[] = "sm__ops_path_tensor_src_int8.sum";
constexpr char kPipe[] = "sm__inst_executed_pipe_tensor.sum";
constexpr char kPackedHalf[] = "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum";
constexpr char kFma[] = "sm__sass_thread_inst_executed_op_ffma_pred_on.sum";

OneRegion AllFormats(const std::string& wanted, double bf16, double hgmma, double int8) {
  OneRegion region("GH100", wanted, 3);
  region.Set("sm", {kPipe}, {8.0})
      .Set("tensor.bf16", {"gpu__time_duration.sum", kBf16}, {10.0, bf16})
      .Set("tensor.fp16.1", {kHgmma, kHmma16}, {hgmma, 1.0})
      .Set("tensor.fp16.2", {kHmma32}, {2.0})
      .Set("tensor.int8", {kInt8}, {int8});
  return region;
}

TEST(FlopTensor, IsTheSumOfEveryFloatingPointFormat) {
  const Row row = AllFormats("sm,tensor", 100, 40, 1000).Make();
  EXPECT_EQ(row.flop_tensor, 429);  // (100 + 40 + 1 + 2) x 3; integers are no FLOP
  EXPECT_EQ(row.precision, "tensor");
  EXPECT_EQ(row.flop, 429);
  EXPECT_FALSE(row.peak_flop_per_s.has_value());  // formats have different peaks
  EXPECT_THAT(row.reason, Not(HasSubstr("FLOP Tensor")));
}

TEST(FlopTensor, OfSomeFormatsIsMissingAndNotTheirSum) {
  OneRegion region("GH100", "sm,tensor.bf16");
  region.Set("sm", {kPipe}, {8.0}).Set("tensor.bf16", {kBf16}, {100.0});
  const Row row = region.Make();
  EXPECT_FALSE(row.flop_tensor.has_value());
  EXPECT_FALSE(row.flop.has_value());
  EXPECT_EQ(row.validity, "partial");
  EXPECT_THAT(row.reason, HasSubstr("only tensor.bf16 was asked for; --set tensor counts every"));
  const Row of_format = region.Make({.precision = "tensor.bf16"});
  EXPECT_EQ(of_format.flop, 100);
  EXPECT_EQ(of_format.precision, "tensor.bf16");
  EXPECT_FALSE(of_format.flop_tensor.has_value());
}

TEST(FlopTensor, IsZeroWhereNoTensorInstructionRan) {
  OneRegion region("GH100", "sm,tensor.bf16");
  region.Set("sm", {kPipe}, {0.0}).Set("tensor.bf16", {kBf16}, {0.0});
  EXPECT_EQ(region.Make().flop_tensor, 0);
  EXPECT_FALSE(region.Make().flop.has_value());  // nobody counted the other precisions
  // Where FP64 operations run on another pipe, that proves nothing.
  region.device().chip = "AD102";
  EXPECT_FALSE(region.Make().flop_tensor.has_value());
}

TEST(FlopTensor, PackedHalvesOnTheTensorPipeAreNoTensorWork) {
  OneRegion region("GH100", "sm,flop");
  region.Set("sm", {kPipe, kPackedHalf}, {8.0, 8.0}).Set("flop", {kFma}, {50.0});
  const Row row = region.Make();
  EXPECT_EQ(row.flop_tensor, 0);
  EXPECT_EQ(row.validity, "measured") << row.reason;
  OneRegion both("GH100", "sm,flop");
  both.Set("sm", {kPipe, kPackedHalf}, {8.0, 5.0}).Set("flop", {kFma}, {50.0});
  EXPECT_THAT(both.Make().reason, HasSubstr("3 tensor instructions ran"));
}

TEST(FlopTensor, IsMissingWhereAFormatHadNoTurnOrCannotBeHad) {
  OneRegion region("GH100", "tensor");
  region.Set("tensor.bf16", {kBf16}, {100.0}).Set("tensor.fp16.1", {kHgmma}, {});
  EXPECT_FALSE(region.Make().flop_tensor.has_value());
  EXPECT_THAT(region.Make().reason, HasSubstr("no call was counted in tensor.fp16"));
  OneRegion lacking("GH100", "tensor");
  lacking.Set("tensor.bf16", {kBf16}, {100.0})
      .Missing("tensor.fp16", "sm__ops_path_tensor_src_fp16.sum", "it takes several passes");
  EXPECT_FALSE(lacking.Make().flop_tensor.has_value());
  EXPECT_THAT(lacking.Make().reason, HasSubstr("not all of tensor.fp16 can be counted"));
  // An integer format that cannot be had leaves no FLOP out.
  OneRegion integer("GH100", "tensor");
  integer.Set("tensor.bf16", {kBf16}, {100.0}).Missing("tensor.int8", kInt8, "it takes several");
  EXPECT_EQ(integer.Make().flop_tensor, 100);
}

TEST(FlopTensor, IsMissingWhereTwoFormatsMayHaveCountedTheSame) {
  const auto region = [](double fp4, double both) {
    OneRegion made("GB202", "tensor");
    made.Set("tensor.fp4", {"sm__ops_path_tensor_src_fp4_dst_fp32.sum"}, {fp4})
        .Set("tensor.fp4_fp6", {"sm__ops_path_tensor_src_fp4_fp6_dst_fp32.sum"}, {both});
    return made.Make();
  };
  EXPECT_EQ(region(64, 0).flop_tensor, 64);
  EXPECT_EQ(region(0, 32).flop_tensor, 32);
  EXPECT_FALSE(region(64, 64).flop_tensor.has_value());
  EXPECT_THAT(region(64, 64).reason, HasSubstr("tensor.fp4 and tensor.fp4_fp6 both counted"));
}

TEST(FlopTensor, OfOneFormatGoesByItAndHasItsPeak) {
  OneRegion region("GH100", "memory,tensor");
  region.Set("memory", {"gpu__time_duration.sum", "gpc__cycles_elapsed.avg.per_second"}, {1e6, 2e9})
      .Set("tensor.bf16", {kBf16, "sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained"},
           {100.0, 1000.0})
      .Set("tensor.fp16", {kHgmma, "sm__ops_path_tensor_src_fp16.sum.peak_sustained"},
           {0.0, 4000.0});
  const Row row = region.Make();
  EXPECT_EQ(row.precision, "tensor.bf16");
  EXPECT_EQ(row.flop, 100);
  EXPECT_EQ(row.peak_flop_per_s, 2e12);  // 1000 per cycle x 2 GHz
}

TEST(FlopTensor, OfAFormatThatNobodyCountedSaysHowToGetIt) {
  OneRegion region("GH100", "flop");
  region.Set("flop", {kFma}, {5.0});
  const Row row = region.Make({.precision = "tensor.fp8"});
  EXPECT_FALSE(row.flop.has_value());
  EXPECT_EQ(row.validity, "partial");
  EXPECT_THAT(row.reason, HasSubstr("FLOP of tensor.fp8: no set of this run counts it here; --set "
                                    "tensor.fp8 does"));
}

TEST(Derived, HitRateIsHitsByLookupsOverAllCalls) {
  OneRegion region("GH100", "memory-workload", 4);
  region.Set("memory-workload.1", {"lts__t_sectors.sum"}, {200.0})
      .Set("memory-workload.2", {"lts__t_sectors_lookup_hit.sum"}, {150.0});
  const Row row = region.Make();
  EXPECT_EQ(row.metrics.at("rafter__l2_hit_rate.pct"), 75);
  EXPECT_EQ(row.metric_units.at("rafter__l2_hit_rate.pct"), "%");
  EXPECT_EQ(row.metrics.at("lts__t_sectors.sum"), 800);  // an amount, 200 x 4
  OneRegion none("GH100", "memory-workload");
  none.Set("memory-workload.1", {"lts__t_sectors.sum", "lts__t_sectors_lookup_hit.sum"},
           {0.0, 0.0});
  EXPECT_FALSE(none.Make().metrics.at("rafter__l2_hit_rate.pct").has_value());
}

TEST(Derived, ThroughputIsTheHighestOfItsParts) {
  const std::string issue = "sm__issue_active.avg.pct_of_peak_sustained_elapsed";
  const std::string alu = "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed";
  const std::string lsu = "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed";
  OneRegion region("GH100", "speed-of-light", 2);
  region.Set("speed-of-light.1", {issue, alu}, {40.0, 60.0}).Set("speed-of-light.2", {lsu}, {70.0});
  const Row row = region.Make();
  EXPECT_EQ(row.metrics.at("rafter__sm_instruction_throughput.pct"), 60);  // a rate: not x 2
  EXPECT_EQ(row.metrics.at("rafter__sm_memory_throughput.pct"), 70);
  EXPECT_EQ(row.metrics.at("rafter__sm_throughput.pct"), 70);
  EXPECT_FALSE(row.metrics.contains("rafter__memory_throughput.pct"));  // no part was planned
}

TEST(Derived, ThroughputIsMissingWithoutOneOfItsParts) {
  const std::string issue = "sm__issue_active.avg.pct_of_peak_sustained_elapsed";
  const std::string alu = "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed";
  OneRegion region("GH100", "speed-of-light");
  region.Set("speed-of-light.1", {issue}, {40.0}).Set("speed-of-light.2", {alu}, {});
  EXPECT_FALSE(region.Make().metrics.at("rafter__sm_instruction_throughput.pct").has_value());
  // One pass of the set, or a part by name, is not the whole.
  for (const char* wanted : {"speed-of-light.1", "metrics:sm__issue_active.avg.pct"}) {
    OneRegion part("GH100", wanted);
    part.Set(std::string(wanted).starts_with("metrics") ? "metrics" : wanted, {issue}, {40.0});
    EXPECT_FALSE(part.Make().metrics.contains("rafter__sm_instruction_throughput.pct")) << wanted;
  }
}

TEST(WantedSets, AreThePassesOfWhatWasAskedFor) {
  OneRegion region("GH100", "time,tensor,metrics:a__b.sum+c__d.sum,occupancy");
  region.Set("time", {"gpu__time_duration.sum"}, {1.0})
      .Set("tensor.bf16", {kBf16}, {1.0})
      .Set("tensor.fp16.1", {kHgmma}, {1.0})
      .Set("metrics.1", {"a__b.sum"}, {1.0})
      .Set("metrics.2", {"c__d.sum"}, {1.0});
  EXPECT_THAT(WantedSets(region.device()), ElementsAre("time", "tensor.bf16", "tensor.fp16.1",
                                                       "metrics.1", "metrics.2", "occupancy"));
  EXPECT_TRUE(IsWantedWhole(region.device(), "tensor"));
  EXPECT_FALSE(IsWantedWhole(region.device(), "tensor.bf16"));
}

TEST(WantedSets, ThatHadNoTurnComeWithTheOptionThatGetsThem) {
  OneRegion region("GH100", "time,metrics:a__b.sum+c__d.sum");
  region.Set("time", {"gpu__time_duration.sum"}, {1.0})
      .Set("metrics", {"gpu__time_duration.sum", "a__b.sum", "c__d.sum"}, {});
  const Row row = region.Make();
  EXPECT_THAT(row.reason, HasSubstr("no call was counted in set metrics"));
  EXPECT_THAT(row.reason, HasSubstr("rafter run --set metrics:a__b.sum+c__d.sum -- /opt/bench"));
}

// Sets that were planned and never counted, each of one metric.
OneRegion Uncounted(const std::string& wanted, uint64_t calls,
                    const std::vector<std::string>& sets) {
  OneRegion region("GH100", wanted, calls);
  region.Set("time", {"gpu__time_duration.sum"}, {1.0});
  for (const std::string& set : sets) region.Set(set, {"m__" + set + ".sum"}, {});
  return region;
}

TEST(WantedSets, TakeTheFirstPassOfASetThatHasOneForTheSet) {
  OneRegion region("GH100", "occupancy.1,memory.2");
  region.Set("occupancy", {"sm__warps_launched.sum"}, {1.0}).Set("memory", {"x__y.sum"}, {1.0});
  EXPECT_THAT(WantedSets(region.device()), ElementsAre("occupancy", "memory.2"));
}

TEST(SetWords, NameASetOnceForAllOfItsPasses) {
  OneRegion region = Uncounted("time,speed-of-light,tensor", 20,
                               {"speed-of-light.1", "speed-of-light.2", "speed-of-light.3",
                                "tensor.bf16", "tensor.fp16.1", "tensor.fp16.2"});
  EXPECT_THAT(
      region.Make().reason,
      HasSubstr("no call was counted in sets speed-of-light, tensor; run again with: rafter "
                "run --set speed-of-light,tensor -- /opt/bench; counted"));
  // Where they were not asked for as a whole, the whole is not what is missing.
  OneRegion some = Uncounted("time,speed-of-light.1,speed-of-light.3", 20,
                             {"speed-of-light.1", "speed-of-light.3"});
  EXPECT_THAT(some.Make().reason, HasSubstr("in sets speed-of-light.1, speed-of-light.3; "));
}

TEST(SetWords, LetRafterMakeTheRunsWhereThereWouldBeMany) {
  const std::vector<std::string> passes = {"speed-of-light.1", "speed-of-light.2",
                                           "speed-of-light.3", "speed-of-light.4"};
  EXPECT_THAT(Uncounted("time,speed-of-light", 1, passes).Make().reason,
              HasSubstr("rafter run --replay application --set speed-of-light -- /opt/bench"));
  EXPECT_THAT(Uncounted("time,speed-of-light", 2, passes).Make().reason,
              HasSubstr("--set speed-of-light.1,speed-of-light.2 -- /opt/bench (then with --set "
                        "speed-of-light.3,speed-of-light.4)"));
}

TEST(SetWords, CountSetsBeyondThoseThatAreNamed) {
  std::vector<std::string> formats;
  std::string wanted = "time";
  for (const char* name : {"bf16", "fp16", "fp64", "fp8", "int1", "int8", "tf32"}) {
    formats.push_back(std::string("tensor.") + name);
    wanted += "," + formats.back();
  }
  EXPECT_THAT(Uncounted(wanted, 20, formats).Make().reason,
              HasSubstr("no call was counted in sets tensor.bf16, tensor.fp16, tensor.fp64, "
                        "tensor.fp8, tensor.int1, tensor.int8 and 1 more; run"));
}

TEST(SetWords, GiveTheMeasuredCallsOfAllPassesInOneSpan) {
  OneRegion region("GH100", "time,occupancy", 20);
  region.Set("time", {"gpu__time_duration.sum"}, {1.0})
      .Set("occupancy.1", {"a__b.sum"}, {1.0})
      .Set("occupancy.2", {"c__d.sum"}, {1.0})
      .Again("occupancy.2", {1.0});
  EXPECT_THAT(region.Make().reason, HasSubstr("counted of 20 calls: time 1, occupancy 1 to 2"));
}

TEST(SetWords, SayACauseOfSeveralSetsOnce) {
  OneRegion region = Uncounted("time,flop,integer", 20, {"flop", "integer"});
  for (const char* set : {"flop", "integer"}) {
    region.Note(set, std::string(set) + " is left out: the program uses more than one GPU");
  }
  EXPECT_THAT(region.Make().reason,
              HasSubstr("sets flop, integer are left out: the program uses more than one GPU"));
}

TEST(MemoryLevel, L2AndL1TakeTheirOwnBytesAndPeaks) {
  OneRegion region("GH100", "memory,sm,flop");
  region
      .Set("memory",
           {"gpu__time_duration.sum", "lts__t_bytes.sum", "lts__cycles_elapsed.avg.per_second",
            "lts__t_bytes.sum.peak_sustained"},
           {1e6, 400.0, 1.5e9, 6144.0})
      .Set("sm",
           {"gpu__time_duration.sum", "l1tex__t_bytes.sum", "sm__cycles_elapsed.avg.per_second",
            "l1tex__t_bytes.sum.peak_sustained"},
           {1e6, 1600.0, 2e9, 16896.0});
  const Row l2 = region.Make({.memory_level = "l2"});
  EXPECT_EQ(l2.traffic_bytes, 400);
  EXPECT_EQ(l2.peak_bytes_per_s, 6144 * 1.5e9);
  const Row l1 = region.Make({.memory_level = "l1"});
  EXPECT_EQ(l1.traffic_bytes, 1600);
  EXPECT_EQ(l1.peak_bytes_per_s, 16896 * 2e9);
  EXPECT_FALSE(region.Make({.memory_level = "dram"}).traffic_bytes.has_value());
}

}  // namespace
}  // namespace rafter
