// Untidy regions and loaded modules: bounded, and unseen by the program.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <tuple>

#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

const std::string kUntidy[] = {
    "pops_without_pushing",
    "pushes_without_popping",
    "goes_10000_deep",
    "goes_10000_deep_in_one_name",
    "uses_names_of_a_megabyte",
    "uses_a_name_for_each_call",
    "uses_names_that_are_no_text",
    "uses_1000_threads",
    "has_1000_threads_at_once",
    "ends_ranges_it_never_started",
    "starts_100000_ranges_at_once",
    "ends_a_range_on_another_thread",
    "uses_all_of_nvtx",
    "unloads_a_plugin_that_marked_regions",
    "unloads_us",
};

class Untidy : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Untidy, RegionsLookTheSameWithUs) {
  const auto& [program, story] = GetParam();
  ExpectUnchanged(program, story, program == "nvtx_target" ? kNvtx : kCuda | kNvtx);
}

INSTANTIATE_TEST_SUITE_P(Survival, Untidy,
                         ::testing::Combine(::testing::Values("nvtx_target", "cuda_target"),
                                            ::testing::ValuesIn(kUntidy)),
                         [](const auto& parameter) {
                           return std::get<0>(parameter.param).substr(0, 5) +
                                  std::get<1>(parameter.param);
                         });

TEST(Survival, PushAndPopReturnTheTrueLevel) {
  const Outcome outcome = ProgramRun("nvtx_target", {"prints_levels"}).Enter(kNvtx).Go();
  EXPECT_EQ(outcome.out, "push 0 1 other thread 0 0 domain 0 0 pop 1 0 too many 1\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.was_there);
}

class Storm : public ::testing::TestWithParam<std::string> {};

TEST_P(Storm, OfAMillionRegionsLeavesMemoryFlat) {
  ProgramRun run(GetParam(), {"storms"});
  const Outcome outcome = run.Enter(kCuda | kNvtx).Limit(60).Go();
  EXPECT_EQ(StatusText(outcome.status), "exit status 0") << outcome.err;
  EXPECT_EQ(outcome.out, "over\n");
  EXPECT_TRUE(outcome.was_there);
  long grown_kib = -1, ns = -1;
  ASSERT_EQ(std::sscanf(outcome.aside.c_str(), "%ld %ld", &grown_kib, &ns), 2) << outcome.aside;
  RecordProperty("ns_per_region", static_cast<int>(ns));
  // The ring and the sender's buffers are there before the storm begins.
  EXPECT_LT(grown_kib, 16 << 10);
}

INSTANTIATE_TEST_SUITE_P(Survival, Storm, ::testing::Values("nvtx_target", "cuda_target"));

TEST(Survival, DlcloseLeavesUsMapped) {
  ProgramRun run("nvtx_target", {"unloads_us"});
  const Outcome outcome = run.Enter(kNvtx).Go();
  EXPECT_EQ(outcome.out, "unloaded\n");
  EXPECT_EQ(StatusText(outcome.status), "exit status 0");
  EXPECT_TRUE(outcome.was_there);
}

}  // namespace
}  // namespace rafter::survival
