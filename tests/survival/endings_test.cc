// However a program ends or starts others, it looks the same with us in it.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

struct Visit {
  const char* program;
  unsigned entries;
};

void PrintTo(const Visit& visit, std::ostream* out) {
  *out << visit.program << " by " << EntryName(visit.entries);
}

// CUDA_INJECTION64_PATH reaches only programs with CUDA, NVTX_INJECTION64_PATH
// only those with NVTX.
const Visit kVisits[] = {
    {"plain_target", kPreload},
    {"nvtx_target", kNvtx},
    {"nvtx_target", kCuda | kNvtx | kPreload},
    {"cuda_target", kCuda},
    {"cuda_target", kCuda | kNvtx},
    {"cuda_target", kPreload},
    {"cuda_target", kCuda | kNvtx | kPreload},
};

const std::string kEndings[] = {
    "works_once",
    "returns_0",
    "returns_43",
    "exits_43",
    "underscore_exits_7",
    "quick_exits_8",
    "exits_from_a_thread",
    "main_thread_ends_first",
    "exits_while_a_thread_works",
    "killed_by_sigterm",
    "killed_by_sigkill",
    "killed_by_sigsegv",
    "aborts",
    "terminates",
    "catches_its_exceptions",
    "works_in_atexit",
    "works_in_a_static_destructor",
    "works_on_threads_that_end",
    "forks_without_exec",
    "forked_child_exits",
    "forks_before_it_works",
    "forks_twice",
    "forks_and_execs",
    "vforks",
    "spawns",
    "runs_a_shell",
    "becomes_a_daemon",
    "executes_itself_again",
    "executes_itself_after_work",
    "waits_for_no_child",
    "prints_its_state",
    "handles_its_own_sigsegv",
    "its_signals_run_on_its_own_threads",
    "waits_for_a_signal",
    "closes_files_it_did_not_open",
    "has_no_standard_streams",
    "may_not_write_files",
    "may_write_small_files",
    "loses_its_memory_after_work",
    "may_not_open_files",
    "has_little_memory",
    "changes_its_folder",
};

class Ending : public ::testing::TestWithParam<std::tuple<Visit, std::string>> {};

TEST_P(Ending, LooksTheSameWithUs) {
  const auto& [visit, story] = GetParam();
  ExpectUnchanged(visit.program, story, visit.entries);
}

INSTANTIATE_TEST_SUITE_P(Survival, Ending,
                         ::testing::Combine(::testing::ValuesIn(kVisits),
                                            ::testing::ValuesIn(kEndings)),
                         [](const auto& parameter) {
                           const Visit& visit = std::get<0>(parameter.param);
                           return std::string(visit.program).substr(0, 5) + "_" +
                                  EntryName(visit.entries) + "_" + std::get<1>(parameter.param);
                         });

}  // namespace
}  // namespace rafter::survival
