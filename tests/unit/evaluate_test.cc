#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "collector/evaluate/counter_image.h"
#include "collector/evaluate/cupti_worker.h"
#include "collector/evaluate/evaluator.h"
#include "tests/unit/real_cupti.h"
#include "tests/unit/temporary_folder.h"
#include "tests/unit/wire_stream.h"

namespace rafter {
namespace {

using testing::HasSubstr;

std::vector<uint8_t> H200Image() {
  const std::string bytes = ReadFile(H200File("image.cdi"));
  return {bytes.begin(), bytes.end()};
}

std::vector<Counter> H200Counters() {
  std::vector<Counter> counters;
  const wire::Plan plan = MakePlan();
  for (const wire::Counter& counter : plan.sets(0).counters()) {
    counters.push_back({counter.metric(), "", ""});
  }
  return counters;
}

// shared/data/h200/README.md, to the last digit.
const std::vector<std::optional<double>> kCopy = {1072917248., 486272., 1619863712.,
                                                  1073741824., 962721., 1504.};
const std::vector<std::optional<double>> kFma = {129024., 12896., 439488., 135168., 25437., 1504.};

// First, because a process that has found CUPTI keeps it.
TEST(WithoutCupti, SaysWhatWasTriedWithoutCupti) {
  TemporaryFolder folder;
  CuptiWorker worker({.override_path = folder.path(), .cuda_home = "", .reuse_mapped = false}, "",
                     {});
  const absl::Status can = worker.CanEvaluate({"GH100", 130001, {}, ""});
  EXPECT_TRUE(absl::IsUnavailable(can)) << can;
  EXPECT_THAT(std::string(can.message()), HasSubstr("RAFTER_CUPTI_PATH"));
}

TEST(Evaluator, GivesTheValuesThatTheH200Gave) {
  RAFTER_NEED_REAL_CUPTI();
  CuptiDoor door(SearchFromEnvironment());
  Evaluator evaluator(door);
  const auto ranges = evaluator.Ranges({"GH100", 130001, {}, ""}, H200Image(), H200Counters());
  ASSERT_TRUE(ranges.ok()) << ranges.status();
  ASSERT_EQ(ranges->size(), 2u);
  EXPECT_EQ((*ranges)[0].name, "copy");
  EXPECT_EQ((*ranges)[0].values, kCopy);
  EXPECT_EQ((*ranges)[1].name, "fma");
  EXPECT_EQ((*ranges)[1].values, kFma);
}

TEST(Evaluator, LeavesAValueAbsentThatTheImageDoesNotHave) {
  RAFTER_NEED_REAL_CUPTI();
  CuptiDoor door(SearchFromEnvironment());
  Evaluator evaluator(door);
  const auto ranges = evaluator.Ranges(
      {"GH100", 130001, {}, ""}, H200Image(),
      {{"dram__bytes.sum", "", ""}, {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum", "", ""}});
  ASSERT_TRUE(ranges.ok()) << ranges.status();
  EXPECT_EQ((*ranges)[0].values[0], 1072917248.);
  EXPECT_EQ((*ranges)[0].values[1], std::nullopt);
}

TEST(Evaluator, RefusesAnImageOfAnotherMajorVersionWithTheReason) {
  RAFTER_NEED_REAL_CUPTI();
  CuptiDoor door(SearchFromEnvironment());
  Evaluator evaluator(door);
  const absl::Status can = evaluator.CanEvaluate({"GH100", 120900, {}, ""});
  EXPECT_TRUE(absl::IsFailedPrecondition(can)) << can;
  EXPECT_THAT(std::string(can.message()),
              HasSubstr("counted with CUPTI 12.9, but here is CUPTI 13"));
  EXPECT_TRUE(evaluator.CanEvaluate({"GH100", 130100, {}, ""}).ok());
}

TEST(CuptiWorker, GivesTheSameValuesFromItsOwnProcess) {
  RAFTER_NEED_REAL_CUPTI();
  CuptiWorker worker(SearchFromEnvironment(), "", {});
  const auto ranges = worker.Ranges({"GH100", 130001, {}, ""}, H200Image(), H200Counters());
  ASSERT_TRUE(ranges.ok()) << ranges.status();
  ASSERT_EQ(ranges->size(), 2u);
  EXPECT_EQ((*ranges)[0].values, kCopy);
  EXPECT_EQ((*ranges)[1].values, kFma);
}

TEST(CuptiWorker, OutlivesImagesThatCrashCupti) {
  RAFTER_NEED_REAL_CUPTI();
  CuptiWorker worker(SearchFromEnvironment(), "", {});
  std::mt19937 random(1);  // fixed: the same images each time
  int refused = 0;
  for (int i = 0; i < 10; ++i) {
    std::vector<uint8_t> image = H200Image();
    for (int k = 0; k < 20; ++k) image[random() % 2000] = static_cast<uint8_t>(random());
    const auto ranges = worker.Ranges({"GH100", 130001, {}, ""}, image, H200Counters());
    if (!ranges.ok()) ++refused;
  }
  EXPECT_GT(refused, 0);
  std::vector<uint8_t> cut_off = H200Image();
  cut_off.resize(1000);
  EXPECT_FALSE(worker.Ranges({"GH100", 130001, {}, ""}, cut_off, H200Counters()).ok());
  const auto ranges = worker.Ranges({"GH100", 130001, {}, ""}, H200Image(), H200Counters());
  ASSERT_TRUE(ranges.ok()) << ranges.status();
  EXPECT_EQ((*ranges)[0].values, kCopy);
}

TEST(CounterImage, IsBaselinePatchedOverZerosAndImagePatchedOverBaseline) {
  wire::Baseline baseline;
  baseline.set_size(8);
  wire::Patch* patch = baseline.add_patches();
  patch->set_offset(2);
  patch->set_data("ab");
  const auto below = RebuildBaseline(baseline);
  ASSERT_TRUE(below.ok());
  EXPECT_EQ(*below, (std::vector<uint8_t>{0, 0, 'a', 'b', 0, 0, 0, 0}));
  wire::Image image;
  patch = image.add_patches();
  patch->set_offset(3);
  patch->set_data("xyz12");
  EXPECT_EQ(*RebuildImage(*below, image),
            (std::vector<uint8_t>{0, 0, 'a', 'x', 'y', 'z', '1', '2'}));
}

TEST(CounterImage, RefusesPatchesOutsideAndSizesBeyondTheLimit) {
  wire::Image image;
  wire::Patch* patch = image.add_patches();
  patch->set_data("ab");
  for (const uint64_t offset :
       {uint64_t{7}, uint64_t{8}, uint64_t{9}, UINT64_MAX, UINT64_MAX - 1}) {
    patch->set_offset(offset);
    EXPECT_FALSE(RebuildImage(std::vector<uint8_t>(8), image).ok()) << offset;
  }
  patch->set_offset(6);
  EXPECT_TRUE(RebuildImage(std::vector<uint8_t>(8), image).ok());
  wire::Baseline baseline;
  for (const uint64_t size : {uint64_t{0}, uint64_t{kMaxImageBytes} + 1, UINT64_MAX}) {
    baseline.set_size(size);
    EXPECT_FALSE(RebuildBaseline(baseline).ok()) << size;
  }
  baseline.set_size(10);
  baseline.set_slots(kMaxSlots + 1);
  EXPECT_FALSE(RebuildBaseline(baseline).ok());
}

TEST(FillSlots, FindsSlotsByPathNumberAndNamesWhatDoesNotFit) {
  Epoch epoch;
  epoch.epoch = 5;
  epoch.slots = {{12, 1, 0, 1, false, {}}, {3, 1, 0, 1, false, {}}};
  const std::string trouble =
      FillSlots({{"3", {1.0}}, {"12x", {2.0}}, {"99", {3.0}}, {"3", {4.0}}}, 1, epoch);
  EXPECT_EQ(trouble,
            "epoch 5: its counters lack 1 region that it counted and hold 3 that it did not");
  EXPECT_TRUE(epoch.slots[0].evaluated);
  EXPECT_EQ(epoch.slots[0].values, (std::vector<std::optional<double>>{std::nullopt}));
  EXPECT_EQ(epoch.slots[1].values, (std::vector<std::optional<double>>{1.0}));
}

TEST(FillSlots, TakesRepeatedLaunchesByTheirNumber) {
  Epoch epoch;
  SlotValues first{7, 0, 0, 1, false, {}};
  first.range = 18;  // launch 17
  SlotValues second = first;
  second.range = 20;
  const SlotValues passes{7, 2, 0, 0, false, {}};  // calls that ended, no range of its own
  epoch.slots = {first, second, passes};
  // Launch 18 was outside of regions, and one bears the number of the path.
  EXPECT_EQ(FillSlots({{"17", {1.0}}, {"18", {9.0}}, {"19", {2.0}}, {"7", {5.0}}}, 1, epoch), "");
  EXPECT_EQ(epoch.slots[0].values, (std::vector<std::optional<double>>{1.0}));
  EXPECT_EQ(epoch.slots[1].values, (std::vector<std::optional<double>>{2.0}));
  EXPECT_EQ(epoch.slots[2].values, (std::vector<std::optional<double>>{std::nullopt}));
}

TEST(FillSlots, TellsTheCallsOfOnePathApart) {
  Epoch epoch;
  for (const uint32_t call : {1, 2}) {
    epoch.slots.push_back({12, 1, 0, 1, false, {}});
    epoch.slots.back().call = call;
  }
  EXPECT_EQ(FillSlots({{"12.2", {2.0}}, {"12.1", {1.0}}}, 1, epoch), "");
  EXPECT_EQ(epoch.slots[0].values, (std::vector<std::optional<double>>{1.0}));
  EXPECT_EQ(epoch.slots[1].values, (std::vector<std::optional<double>>{2.0}));
  for (const char* foreign : {"12", "12.", "12.0", "12.3", "12.1x", ".1", "12.1.1"}) {
    EXPECT_NE(FillSlots({{foreign, {3.0}}}, 1, epoch), "") << foreign;
    EXPECT_EQ(epoch.slots[0].values[0], std::nullopt) << foreign;
  }
}

TEST(SetOfPass, IsTheSetWhosePassesContainIt) {
  const std::vector<CounterSet> sets = {{"time", 0, 1, {}}, {"tensor", 1, 3, {}}};
  EXPECT_EQ(SetOfPass(sets, 0)->name, "time");
  EXPECT_EQ(SetOfPass(sets, 1)->name, "tensor");
  EXPECT_EQ(SetOfPass(sets, 3)->name, "tensor");
  EXPECT_EQ(SetOfPass(sets, 4), nullptr);
}

}  // namespace
}  // namespace rafter
