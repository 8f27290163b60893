// Under LD_PRELOAD every program of a job gets us, whether it wants us or not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

// Prints the maps of a process of the pipeline where the story would.
constexpr char kPipeline[] = "cat /proc/self/maps > $SURVIVAL_MAPS; echo a | sed s/a/b/; exit 3";

TEST(Preload, LeavesAShellPipelineAsItWas) {
  const Outcome without = ProgramRun("/bin/sh", {"-c", kPipeline}).Go();
  ProgramRun run("/bin/sh", {"-c", kPipeline});
  const Outcome with = run.Enter(kPreload).Go();
  EXPECT_EQ(without.out, "b\n");
  ExpectSame(without, with);
  EXPECT_TRUE(run.FilesEndingIn(".spool").empty());
}

TEST(Preload, StartsNoThreadAndOpensNoFileInAProgramWithoutCuda) {
  ExpectUnchanged("plain_target", "counts_threads_and_files", kCuda | kNvtx | kPreload);
}

// Prints the value of variables, with the paths that differ made the same.
std::string Variable(ProgramRun& run, const char* name) {
  const Outcome outcome = run.Go();
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(std::string(name) + "=")) return line.substr(std::string(name).size() + 1);
  }
  return "(unset)";
}

TEST(Preload, SetsTheTwoVariablesThatNvtxAndCudaLookFor) {
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    ProgramRun run("/usr/bin/env", {});
    EXPECT_EQ(Variable(run.Enter(kPreload), name), InjectPath());
  }
}

TEST(Preload, TakesNoneAndEmptyForUnset) {
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    for (const char* value : {"none", ""}) {
      ProgramRun run("/usr/bin/env", {});
      EXPECT_EQ(Variable(run.Set(name, value).Enter(kPreload), name), InjectPath()) << value;
    }
  }
}

TEST(Preload, LeavesAnotherCudaToolAlone) {
  ProgramRun run("/usr/bin/env", {});
  EXPECT_EQ(Variable(run.Set("CUDA_INJECTION64_PATH", "/opt/other/libtool.so").Enter(kPreload),
                     "CUDA_INJECTION64_PATH"),
            "/opt/other/libtool.so");
}

TEST(Preload, ChangesNoOtherVariable) {
  const auto sorted = [](const std::string& text) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("survival.") == std::string::npos && !line.starts_with("LD_PRELOAD=") &&
          !line.starts_with("CUDA_INJECTION64_PATH=") &&
          !line.starts_with("NVTX_INJECTION64_PATH=")) {
        kept += line + "\n";
      }
    }
    return kept;
  };
  const Outcome without = ProgramRun("/usr/bin/env", {}).Go();
  const Outcome with = ProgramRun("/usr/bin/env", {}).Enter(kPreload).Go();
  EXPECT_EQ(sorted(without.out), sorted(with.out));
}

TEST(Preload, KeepsTheLibraryThatTheUserPreloads) {
  for (const char* story : {"returns_43", "spawns"}) {
    const std::string user = ProgramPath("user_preload.so");
    ExpectUnchanged("cuda_target", story, kPreload,
                    [&](ProgramRun& run) { run.Set("LD_PRELOAD", user); });
  }
}

TEST(Preload, PassesRegionsOnToTheOtherNvtxTool) {
  // The user's own tool goes on seeing what it saw.
  const std::string other = ProgramPath("other_tool.so");
  ExpectUnchanged("nvtx_target", "returns_43", kPreload,
                  [&](ProgramRun& run) { run.Set("NVTX_INJECTION64_PATH", other); });
}

TEST(Preload, IsPassedOverByTheLoaderWhenTheFileIsGone) {
  const Outcome outcome = ProgramRun("nvtx_target", {"returns_43"})
                              .Set("NVTX_INJECTION64_PATH", "/gone/libinject.so")
                              .Go();
  EXPECT_EQ(StatusText(outcome.status), "exit status 43");
}

TEST(Locale, WithDecimalCommasChangesNothing) {
  const std::string folder = ::testing::TempDir() + "/survival_locales";
  std::filesystem::create_directory(folder);
  const std::string command =
      "localedef -i de_DE -f UTF-8 '" + folder + "/de_DE.UTF-8' >/dev/null 2>&1";
  // It answers 1 for mere warnings, and leaves an empty folder where it fails.
  (void)!std::system(command.c_str());
  if (!std::filesystem::exists(folder + "/de_DE.UTF-8/LC_NUMERIC")) {
    GTEST_SKIP() << "localedef cannot make de_DE.UTF-8; install the package \"locales\"";
  }
  for (const char* program : {"nvtx_target", "cuda_target"}) {
    ProgramRun run(program, {"writes_decimal_commas"});
    EXPECT_EQ(run.Set("LOCPATH", folder).Go().out, "1,50 de_DE.UTF-8\n");
    ExpectUnchanged(program, "writes_decimal_commas", kCuda | kNvtx,
                    [&](ProgramRun& changed) { changed.Set("LOCPATH", folder); });
  }
}

}  // namespace
}  // namespace rafter::survival
