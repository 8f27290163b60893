// Nothing of ours binds to the program's libraries and nothing of theirs to us.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// What we may bind to: the C library, the loader, the unwinder, and the CUDA
// and CUPTI of the process, which are found by dlsym.
bool MayBindTo(const std::string& library) {
  static const std::regex kAllowed(
      R"((libinject\.so|libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|libgcc_s\.so\.1|)"
      R"(ld-linux.*|libcuda\.so\.1|libcupti\.so\.13|libnvperf_\w+\.so))");
  return std::regex_match(library, kAllowed);
}

TEST(Binding, HasNothingBetweenUsAndTheProgramsProtobufAndAbseil) {
  ProgramRun run("protobuf_target", {"uses_its_own_protobuf"});
  const std::string log = run.folder() + "/bindings";
  const Outcome outcome = run.Set("LD_DEBUG", "bindings")
                              .Set("LD_DEBUG_OUTPUT", log)
                              .Set("LD_BIND_NOW", "1")
                              .Enter(kCuda | kNvtx | kPreload)
                              .Go();
  EXPECT_EQ(StatusText(outcome.status), "exit status 0") << outcome.err;
  EXPECT_TRUE(outcome.was_there);
  // binding file A [0] to B [0]: normal symbol `name' [VERSION]
  // The C library's own objects (stderr) may lie in the program, which copied
  // them; their version says whose they are.
  const std::regex line_form(
      R"(binding file (\S+) \[\d+\] to (\S+) \[\d+\]: (\w+) symbol `([^']+)'(?: \[(\w+))?)");
  size_t ours = 0;
  std::set<std::string> wrong;
  for (const std::string& path : run.FilesEndingIn("")) {
    if (FileName(path).find("bindings.") != 0) continue;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.find("libinject.so") == std::string::npos) continue;
      std::smatch match;
      if (!std::regex_search(line, match, line_form)) continue;
      const std::string from = FileName(match[1]), to = FileName(match[2]), symbol = match[4];
      ++ours;
      const bool of_libc = match[5].str().starts_with("GLIBC_");
      if (from == "libinject.so" && !MayBindTo(to) && !of_libc)
        wrong.insert(from + " -> " + to + " " + symbol);
      if (to == "libinject.so" && from != "libinject.so" &&
          !symbol.starts_with("InitializeInjection")) {
        wrong.insert(from + " -> " + to + " " + symbol);
      }
    }
  }
  EXPECT_GT(ours, 20u) << "the loader's log holds nothing about us";
  EXPECT_TRUE(wrong.empty()) << [&] {
    std::ostringstream text;
    for (const std::string& one : wrong) text << one << "\n";
    return text.str();
  }();
}

TEST(Binding, AProgramWithProtobufLooksTheSameWithUs) {
  ExpectUnchanged("protobuf_target", "uses_its_own_protobuf", kCuda | kNvtx | kPreload);
}

// Memory that runs out inside us turns us off and nothing else.
class Memory : public ::testing::TestWithParam<int> {};

TEST_P(Memory, ThatRunsOutInsideUsIsSurvived) {
  const std::string failing = ProgramPath("failing_malloc.so");
  for (const char* program : {"nvtx_target", "cuda_target"}) {
    const char* story = program == std::string("cuda_target") ? "counts_for_a_while" : "returns_43";
    ExpectUnchanged(program, story, kCuda | kNvtx, [&](ProgramRun& run) {
      run.Set("LD_PRELOAD", failing).Set("FAIL_MALLOC_FROM", std::to_string(GetParam())).Limit(8);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Survival, Memory,
                         ::testing::Values(1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610,
                                           987, 1597, 2584));

}  // namespace
}  // namespace rafter::survival
