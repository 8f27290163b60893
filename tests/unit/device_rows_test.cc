// Rows of several devices, of launches, and of devices that others use. Every
// expected number is worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "collector/store/uncounted.h"
#include "tests/unit/run_maker.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

InstanceSums Sums(uint64_t calls, uint64_t launches_per_call) {
  InstanceSums sums;
  sums.calls = sums.counted_calls = sums.watched_calls = calls;
  sums.launches = calls * launches_per_call;
  sums.least_launches = sums.most_launches = launches_per_call;
  return sums;
}

// Puts sums of instances on a device (its index plus one; 0: none is named).
void Put(RegionPath& region, uint32_t device, const InstanceSums& sums) {
  region.by_device[device].Add(sums);
  region.Add(sums);
}

TEST(DeviceRows, HaveTheCallsAndLaunchesOfTheirDevice) {
  RunMaker maker;
  maker.AddDevice();
  maker.device().wanted_sets = maker.process().devices[1].wanted_sets = "memory";
  RegionPath& region = maker.Region(1, "a", 0);
  Put(region, 0, Sums(1, 2));
  Put(region, 1, Sums(3, 2));
  Put(region, 2, Sums(8, 5));
  maker.Epoch("memory", {Slot(1, 4, Memory(40, 400))});
  maker.Epoch("memory", {Slot(1, 2, Memory(20, 600))}).device = 1;
  const Table table = maker.Make();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].device, "0");
  EXPECT_EQ(table.rows[0].calls, 4u);  // with the one that names no device
  EXPECT_EQ(table.rows[0].launches, 8u);
  EXPECT_EQ(table.rows[0].measured_calls, 4u);
  EXPECT_EQ(table.rows[0].traffic_bytes, 400);
  EXPECT_EQ(table.rows[0].validity, "measured");
  EXPECT_EQ(table.rows[1].device, "1");
  EXPECT_EQ(table.rows[1].device_uuid, "GPU-2");
  EXPECT_EQ(table.rows[1].calls, 8u);
  EXPECT_EQ(table.rows[1].launches, 40u);
  EXPECT_EQ(table.rows[1].measured_calls, 2u);
  EXPECT_EQ(table.rows[1].traffic_bytes, 2400);  // 300 a call
  // Twice two launches here and five there are no unlike calls.
  EXPECT_EQ(table.rows[1].validity, "extrapolated");
}

TEST(DeviceRows, HaveTheTensorWorkOfTheirOwnCalls) {
  RunMaker maker;
  maker.device().chip = "GH100";
  maker.device().wanted_sets = "tensor";
  maker.device().sets = {
      {"tensor.bf16", 0, 1, {{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", "", ""}}}};
  maker.AddDevice();
  RegionPath& region = maker.Region(1, "a", 0);
  Put(region, 1, Sums(2, 1));
  Put(region, 2, Sums(6, 1));
  maker.Epoch("tensor.bf16", {Slot(1, 2, {20.0})});
  maker.Epoch("tensor.bf16", {Slot(1, 3, {90.0})}).device = 1;
  for (const char* precision : {"auto", "tensor.bf16"}) {
    const Table table = maker.Make({.precision = precision});
    ASSERT_EQ(table.rows.size(), 2u);
    EXPECT_EQ(table.rows[0].flop, 20) << precision;
    EXPECT_EQ(table.rows[0].flop_tensor, 20) << precision;
    EXPECT_EQ(table.rows[1].flop, 180) << precision;  // 30 a call, of its six
    EXPECT_EQ(table.rows[1].flop_tensor, 180) << precision;
  }
}

TEST(DeviceRows, AreThereForInstancesWithoutASlot) {
  RunMaker maker;
  maker.AddDevice();
  RegionPath& region = maker.Region(1, "a", 0);
  Put(region, 2, Sums(3, 0));
  region.by_device[2].uncounted[std::string(kResting)] = 3;
  maker.Region(2, "b", 1);
  maker.Epoch("memory", {Slot(2, 1, Memory(10, 1))});
  const Table table = maker.Make();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].region, "b");
  EXPECT_EQ(table.rows[0].device, "0");
  EXPECT_EQ(table.rows[1].region, "a");
  EXPECT_EQ(table.rows[1].device, "1");
  EXPECT_EQ(table.rows[1].calls, 3u);
  EXPECT_THAT(table.rows[1].reason, HasSubstr("no kernel was launched"));
}

TEST(DeviceRows, HaveNoDeviceWhereSeveralAreThereAndNoneIsNamed) {
  RunMaker maker;
  maker.AddDevice();
  Put(maker.Region(1, "early", 0), 0, Sums(2, 0));
  maker.process().paths[0].by_device[0].uncounted[std::string(kNoContext)] = 2;
  maker.Region(2, "b", 1);
  maker.Epoch("memory", {Slot(2, 1, Memory(10, 1))}).device = 1;
  const Row row = RowOf(maker.Make(), "early");
  EXPECT_EQ(row.device, "");
  EXPECT_EQ(row.device_uuid, "");
  EXPECT_EQ(row.hardware, "");
  EXPECT_EQ(row.calls, 2u);
  EXPECT_EQ(row.validity, "missing");
  EXPECT_THAT(row.reason, HasSubstr("2 calls not counted: no CUDA context was current"));
}

TEST(DeviceRows, TakeKernelsOfTheirDevice) {
  RunMaker maker;
  maker.AddDevice();
  RegionPath& region = maker.Region(1, "a", 0);
  Put(region, 1, Sums(2, 1));
  Put(region, 2, Sums(3, 1));
  RunKernel kernel;
  kernel.path = 1;
  kernel.symbol = kernel.signature = "f";
  kernel.launches = 2;
  kernel.device = 1;
  maker.process().kernels.push_back(kernel);
  kernel.symbol = kernel.signature = "g";
  kernel.launches = 3;
  kernel.device = 2;
  maker.process().kernels.push_back(kernel);
  const Table table = maker.Make();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].kernel, "f");
  EXPECT_EQ(table.rows[1].kernel, "g");
}

TEST(DeviceRows, CountWhatTheSlotsOfADeviceHoldWhereRecordsWereLost) {
  RunMaker maker;
  maker.AddDevice();
  RegionPath& region = maker.Region(1, "a", 0);
  Put(region, 1, Sums(2, 1));
  Put(region, 2, Sums(1, 1));
  maker.Epoch("memory", {Slot(1, 4, Memory(40, 400))}).device = 1;
  const Table table = maker.Make();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].calls, 4u);
  EXPECT_EQ(table.rows[1].traffic_bytes, 400);
}

RegionPath& AddLaunch(RunMaker& maker, uint32_t path, uint32_t parent, uint64_t launches,
                      std::string symbol, uint32_t blocks) {
  RegionPath& region = maker.Region(path, "", launches, parent);
  LaunchKind& launch = region.launch.emplace();
  launch.signature = symbol.empty() ? "" : "void ns::" + symbol + "<float>(int)";
  launch.symbol = std::move(symbol);
  if (launch.symbol.empty()) return region;
  launch.grid[0] = blocks;
  launch.grid[1] = launch.grid[2] = 1;
  launch.block[0] = 256;
  launch.block[1] = launch.block[2] = 1;
  launch.dynamic_shared_bytes = 1024;
  launch.static_shared_bytes = 48;
  launch.registers = 32;
  return region;
}

TEST(LaunchRows, StandUnderTheirRegionWithAllThatMakesThemOneKind) {
  RunMaker maker;
  maker.device().wanted_sets = "memory";
  maker.Region(1, "solve", 2);
  AddLaunch(maker, 2, 1, 4, "f", 132);
  AddLaunch(maker, 3, 1, 2, "f", 264);
  maker.Region(4, "check", 1);
  AddLaunch(maker, 5, 4, 1, "f", 132);
  AddLaunch(maker, 6, 4, 1, "", 0);
  maker.Epoch("memory",
              {Slot(1, 2, Memory(1, 1)), Slot(2, 2, Memory(20, 200)), Slot(3, 2, Memory(30, 300)),
               Slot(4, 1, Memory(1, 1)), Slot(5, 1, Memory(9, 90)), Slot(6, 1, Memory(7, 70))});
  const Table table = maker.Make();
  ASSERT_EQ(table.rows.size(), 6u);
  const Row& row = table.rows[1];
  EXPECT_EQ(row.region, "solve");
  EXPECT_EQ(row.kernel_id, "0");
  EXPECT_EQ(row.kernel, "ns::f");
  EXPECT_EQ(row.kernel_signature, "void ns::f<float>(int)");
  EXPECT_EQ(row.grid_size, "(132, 1, 1)");
  EXPECT_EQ(row.block_size, "(256, 1, 1)");
  EXPECT_EQ(row.calls, 4u);
  EXPECT_EQ(row.launches, 4u);
  EXPECT_EQ(row.traffic_bytes, 400);  // 100 a launch
  EXPECT_EQ(row.metrics.at("launch__registers_per_thread"), 32);
  EXPECT_EQ(row.metrics.at("launch__shared_mem_per_block_static"), 48);
  EXPECT_EQ(row.metrics.at("launch__shared_mem_per_block_dynamic"), 1024);
  EXPECT_THAT(ToCsv(table), HasSubstr("launch__registers_per_thread [register/thread],"
                                      "launch__shared_mem_per_block_dynamic [Byte/block],"
                                      "launch__shared_mem_per_block_static [Byte/block]"));
  EXPECT_EQ(table.rows[0].kernel_id, "");
  EXPECT_EQ(table.rows[0].traffic_bytes, 501);  // with its launches: 1 + 200 + 300
  EXPECT_EQ(table.rows[0].exclusive_traffic_bytes, 1);
  EXPECT_FALSE(table.rows[0].metrics.contains("launch__registers_per_thread"));
  EXPECT_EQ(table.rows[2].kernel_id, "1");
  EXPECT_EQ(table.rows[2].grid_size, "(264, 1, 1)");
  EXPECT_EQ(table.rows[4].region, "check");
  EXPECT_EQ(table.rows[4].kernel_id, "0");  // the same kind in another region
  EXPECT_EQ(table.rows[5].kernel, "CUDA graph");
  EXPECT_EQ(table.rows[5].kernel_id, "2");
  EXPECT_EQ(table.rows[5].grid_size, "");
}

// Two processes on one host, whose monotonic clocks began 1000 s apart.
class SharedDevice : public ::testing::Test {
 protected:
  SharedDevice() {
    maker_.process().realtime_ns = 1'000'000'000'000'000;
    RegionPath& region = maker_.Region(1, "a", 2);
    region.first_start_ns = 100'000'000'000;
    region.last_end_ns = 110'000'000'000;
    maker_.Epoch("time", {Slot(1, 1, {1000.0})});
    maker_.Epoch("memory", {Slot(1, 1, Memory(1000, 100))});
    maker_.Epoch("flop", {Slot(1, 1, Flop(0, 0, 50))});
  }
  // The other's only region, from and to on the clock of the first.
  RunProcess& AddOther(uint64_t start_s, uint64_t end_s) {
    RunProcess other;
    other.host = "node1";
    other.pid = 78;
    other.ending = "exit";
    other.monotonic_ns = 5'000'000'000'000;
    other.realtime_ns = 1'000'000'000'000'000;
    other.devices = {maker_.device()};
    RegionPath region;
    region.path = 1;
    region.name = "b";
    region.calls = 1;
    region.first_start_ns = 5'000'000'000'000 + start_s * 1'000'000'000;
    region.last_end_ns = 5'000'000'000'000 + end_s * 1'000'000'000;
    other.paths.push_back(region);
    maker_.run().processes.push_back(other);
    return maker_.run().processes.back();
  }
  Row MakeRow() { return RowOf(maker_.Make(), "a"); }

  RunMaker maker_;
};

TEST_F(SharedDevice, LeavesWorkAndTakesWhatNeedsTheGpuForItself) {
  AddOther(105, 120);
  const Row row = MakeRow();
  EXPECT_EQ(row.validity, "shared device");
  EXPECT_THAT(row.reason, HasSubstr("process 78 of this run used this GPU at the same time: GPU "
                                    "time and the counters of DRAM and L2 include that work, FLOP "
                                    "are the region's own"));
  EXPECT_EQ(row.flop, 200);
  EXPECT_EQ(row.traffic_bytes, 200);
  EXPECT_EQ(row.duration_s, 2e-6);
  EXPECT_FALSE(row.flop_per_byte.has_value());
  EXPECT_FALSE(row.flop_per_s.has_value());
}

TEST_F(SharedDevice, IsNoneAtAnotherTimeOrOnAnotherGpu) {
  AddOther(110, 120);
  EXPECT_EQ(MakeRow().validity, "extrapolated");
  AddOther(50, 200).devices[0].uuid = "GPU-9";
  EXPECT_EQ(MakeRow().validity, "extrapolated");
  EXPECT_TRUE(MakeRow().flop_per_s.has_value());
}

TEST_F(SharedDevice, IsToldByInstancesOfTheDeviceThatTheyName) {
  RunProcess& other = AddOther(105, 120);
  other.devices.push_back(other.devices[0]);
  other.devices[1].device = 1;
  other.devices[1].uuid = "GPU-9";
  other.paths[0].by_device[2] = other.paths[0];
  EXPECT_EQ(MakeRow().validity, "extrapolated");
  std::swap(maker_.run().processes[1].devices[0].uuid, maker_.run().processes[1].devices[1].uuid);
  EXPECT_EQ(MakeRow().validity, "shared device");
}

TEST_F(SharedDevice, IsToldByTurnsOfOthers) {
  maker_.process().paths[0].uncounted[std::string(kNotOurTurn)] = 1;
  const Row row = MakeRow();
  EXPECT_EQ(row.validity, "shared device");
  EXPECT_THAT(row.reason,
              HasSubstr("another process, context or profiler used this GPU at the same time"));
  EXPECT_THAT(row.reason, HasSubstr("1 call not counted: another process, context or profiler"));
}

TEST_F(SharedDevice, DoesNotConcernRowsOfPatchedKernelsAlone) {
  AddOther(105, 120);
  maker_.device().wanted_sets = "flop";
  maker_.process().epochs.erase(maker_.process().epochs.begin(),
                                maker_.process().epochs.begin() + 2);
  const Row row = MakeRow();
  EXPECT_EQ(row.validity, "extrapolated");
  EXPECT_THAT(row.reason, Not(HasSubstr("at the same time")));
}

TEST(DramClock, IsAColumnOfItsOwn) {
  RunMaker maker;
  maker.Region(1, "a", 1);
  maker.Epoch("memory", {Slot(1, 1, Memory(10, 100))});
  const Table table = maker.Make();
  EXPECT_EQ(table.rows[0].dram_clock_hz, 2.5e9);
  EXPECT_THAT(ToCsv(table), HasSubstr(",SM Clock [Hz],DRAM Clock [Hz]\n"));
  EXPECT_THAT(ToCsv(table), ::testing::EndsWith(",1500000000,2500000000\n"));
  EXPECT_THAT(ToJson(table), HasSubstr("\"sm_clock_hz\":1500000000,\"dram_clock_hz\":2500000000"));
}

}  // namespace
}  // namespace rafter
