// Runs the real `rafter` in a folder of its own and keeps what it said.
//
//   Threads   one.
//   Blocking  until the program has ended.
//   Memory    keeps both outputs.
//   Lifetime  the folder goes with the object.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace rafter {

struct Said {
  int exit_status = 0;
  std::string out;
  std::string err;
};

class ToolsProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = ::testing::TempDir() + "rafter-tools-XXXXXX";
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Runs a shell line in the folder, with $RAFTER and $COLLECTOR the programs and
  // without variables that would change what they do.
  Said Shell(const std::string& line) {
    const std::string script =
        "cd '" + folder_.string() +
        "'; unset RAFTER_REQUIRE_CUPTI CUDA_INJECTION64_PATH "
        "NVTX_INJECTION64_PATH RAFTER_SET RAFTER_OUTPUT "
        "RAFTER_COLLECTOR RAFTER_EXACT RAFTER_REPLAY XDG_RUNTIME_DIR; RAFTER='" RAFTER_PROGRAM
        "'; COLLECTOR='" RAFTER_COLLECTOR_PROGRAM "'; { " +
        line + "\n} >out.txt 2>err.txt";
    const int status = std::system(script.c_str());
    Said said;
    said.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    said.out = Read("out.txt");
    said.err = Read("err.txt");
    return said;
  }
  std::string Read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  bool Exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  std::filesystem::path folder_;
};

}  // namespace rafter
