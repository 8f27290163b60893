#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "collector/evaluate/cupti_worker.h"
#include "collector/plan/planner.h"
#include "proto/plan_cache.h"
#include "tests/unit/real_cupti.h"
#include "tests/unit/temporary_folder.h"
#include "tests/unit/wire_stream.h"

namespace rafter {
namespace {

using testing::HasSubstr;

CuptiSearch NoCupti(const TemporaryFolder& folder) {
  return {.override_path = folder.path(), .cuda_home = "", .reuse_mapped = false};
}

// The file in which the plan for MakeDevice() belongs.
std::string FileFor(const std::string& cache, const wire::Device& device) {
  return cache + "/" +
         PlanCacheFile(device.chip(), device.cupti_version(), device.counter_availability().data(),
                       device.counter_availability().size(), device.wanted_sets());
}

wire::Plan PlanOf(const wire::Device& device) {
  wire::Plan plan = MakePlan();
  plan.set_wanted_sets(device.wanted_sets());
  plan.set_availability_hash(
      PlanHash(device.counter_availability().data(), device.counter_availability().size()));
  return plan;
}

TEST(PlanCacheFolder, IsXdgThenHomeThenNone) {
  EXPECT_EQ(PlanCacheFolder("/x", "/home/me"), "/x/rafter/plans");
  EXPECT_EQ(PlanCacheFolder("relative", "/home/me"), "/home/me/.cache/rafter/plans");
  EXPECT_EQ(PlanCacheFolder("", "/home/me"), "/home/me/.cache/rafter/plans");
  EXPECT_EQ(PlanCacheFolder("", ""), "");
}

TEST(PlanCache, GivesBackWhatItKeptAndClosesItsFolder) {
  TemporaryFolder folder;
  const std::string where = folder / "deep/plans";
  const PlanCache cache(where);
  wire::Device device = MakeDevice(2);
  device.set_counter_availability("abc");
  ASSERT_TRUE(cache.Keep(device, PlanOf(device)).ok());
  struct stat status {};
  ASSERT_EQ(stat(where.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  const auto found = cache.Find(device, 130001);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->origin(), "cache");
  EXPECT_EQ(found->device(), 2u);
  EXPECT_EQ(found->configuration(), "configuration");
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(where)) ++files;
  EXPECT_EQ(files, 1u);
  EXPECT_TRUE(std::filesystem::exists(FileFor(where, device)));
}

TEST(PlanCache, IgnoresDamagedAndForeignFilesAndWritesThemAnew) {
  TemporaryFolder folder;
  const PlanCache cache(folder.path());
  const wire::Device device = MakeDevice();
  const std::string file = FileFor(folder.path(), device);
  wire::Plan other_chip = PlanOf(device);
  other_chip.set_chip("GA100");
  wire::Plan other_hash = PlanOf(device);
  other_hash.set_availability_hash(1);
  wire::Plan gap = PlanOf(device);
  gap.mutable_sets(0)->set_first_pass(1);
  wire::Plan no_passes = PlanOf(device);
  no_passes.set_passes(0);
  for (const std::string& bytes :
       {std::string(), std::string("garbage"), other_chip.SerializeAsString(),
        other_hash.SerializeAsString(), gap.SerializeAsString(), no_passes.SerializeAsString(),
        PlanOf(device).SerializeAsString().substr(0, 40)}) {
    WriteFile(file, bytes);
    EXPECT_FALSE(cache.Find(device, 130001).has_value());
  }
  ASSERT_TRUE(cache.Keep(device, PlanOf(device)).ok());
  EXPECT_TRUE(cache.Find(device, 130001).has_value());
}

TEST(PlanCache, NamesAFolderThatCannotBeMade) {
  const absl::Status kept = PlanCache("/proc/none/plans").Keep(MakeDevice(), MakePlan());
  EXPECT_THAT(std::string(kept.message()), HasSubstr("/proc/none/plans"));
}

TEST(Planner, TakesAPlanFromTheCacheWithoutCupti) {
  TemporaryFolder folder;
  const wire::Device device = MakeDevice();
  ASSERT_TRUE(PlanCache(folder.path()).Keep(device, PlanOf(device)).ok());
  CuptiWorker worker(NoCupti(folder), folder.path(), {});
  const wire::Plan plan = worker.PlanFor(device);
  EXPECT_EQ(plan.error(), "");
  EXPECT_EQ(plan.origin(), "cache");
}

TEST(Planner, PutsTheReasonIntoAPlanThatCannotBeMade) {
  TemporaryFolder folder;
  CuptiWorker worker(NoCupti(folder), "", {});
  wire::Device device = MakeDevice(1);
  wire::Plan plan = worker.PlanFor(device);
  EXPECT_THAT(plan.error(), HasSubstr("CUPTI"));
  EXPECT_EQ(plan.device(), 1u);
  EXPECT_EQ(plan.configuration(), "");
  device.set_wanted_sets("memroy");
  EXPECT_THAT(worker.PlanFor(device).error(), HasSubstr("did you mean \"memory\""));
}

TEST(Planner, PlansEachSetInPassesOfItsOwnAndKeepsThePlan) {
  RAFTER_NEED_REAL_CUPTI();
  TemporaryFolder folder;
  CuptiWorker worker(SearchFromEnvironment(), folder.path(), {});
  wire::Device device = MakeDevice();
  device.set_wanted_sets("time,memory,sm,flop");
  const wire::Plan plan = worker.PlanFor(device);
  ASSERT_EQ(plan.error(), "");
  EXPECT_TRUE(IsSoundPlan(plan));
  EXPECT_EQ(plan.origin(), "collector");
  ASSERT_EQ(plan.sets_size(), 4);
  EXPECT_EQ(plan.sets(1).name(), "memory");
  EXPECT_EQ(plan.availability_hash(), PlanHash("", 0));
  EXPECT_TRUE(std::filesystem::exists(FileFor(folder.path(), device)));
  const wire::Plan again = worker.PlanFor(device);
  EXPECT_EQ(again.origin(), "cache");
  EXPECT_EQ(again.configuration(), plan.configuration());
}

TEST(Planner, RefusesAnUnknownChipAndAnotherMajorVersion) {
  RAFTER_NEED_REAL_CUPTI();
  CuptiWorker worker(SearchFromEnvironment(), "", {});
  wire::Device device = MakeDevice();
  device.set_chip("H100");
  EXPECT_THAT(worker.PlanFor(device).error(), HasSubstr("H100"));
  device = MakeDevice();
  device.set_cupti_version(120900);
  EXPECT_THAT(worker.PlanFor(device).error(), HasSubstr("the program uses CUPTI 12.9"));
}

TEST(Planner, OutlivesACounterAvailabilityThatIsGarbage) {
  RAFTER_NEED_REAL_CUPTI();
  CuptiWorker worker(SearchFromEnvironment(), "", {});
  wire::Device device = MakeDevice();
  device.set_counter_availability(std::string(5000, '\x5a'));
  (void)worker.PlanFor(device);
  EXPECT_EQ(worker.PlanFor(MakeDevice()).error(), "");
}

}  // namespace
}  // namespace rafter
