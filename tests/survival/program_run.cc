#include "tests/survival/program_run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace rafter::survival {
namespace {

namespace fs = std::filesystem;

// What a run may take beyond the same program without us: the second that the
// library may spend on its goodbye, and half a one for a machine under load.
constexpr double kAllowedDelay_s = 1.5;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// In the child: what a launched program finds, and nothing of the test's own.
[[noreturn]] void Become(const std::string& folder, const std::string& program,
                         const std::vector<std::string>& arguments,
                         const std::map<std::string, std::string>& environment,
                         const std::vector<int>& closed) {
  setpgid(0, 0);
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_DFL);
  if (chdir((folder + "/here").c_str()) != 0) _exit(126);
  const auto redirect = [&](const char* path, int flags, int to) {
    const int file = open(path, flags, 0600);
    dup2(file, to);
    if (file != to) close(file);
  };
  redirect("/dev/null", O_RDONLY, 0);
  redirect((folder + "/out").c_str(), O_WRONLY | O_CREAT | O_APPEND, 1);
  redirect((folder + "/err").c_str(), O_WRONLY | O_CREAT | O_APPEND, 2);
  for (int file = 3; file < 1024; ++file) close(file);
  for (const int file : closed) close(file);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> texts;
  for (const auto& [name, value] : environment) texts.push_back(name + "=" + value);
  std::vector<char*> envp;
  for (std::string& text : texts) envp.push_back(text.data());
  envp.push_back(nullptr);
  execve(program.c_str(), argv.data(), envp.data());
  _exit(127);
}

// Waits for the child within the limit; kills it and its group after.
int WaitFor(pid_t child, double limit_s, bool& timed_out) {
  const auto start = std::chrono::steady_clock::now();
  int status = -1;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (SecondsSince(start) > limit_s) {
      timed_out = true;
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  return status;
}

}  // namespace

std::string InjectPath() { return RAFTER_BINARY_DIR "/lib/libinject.so"; }
std::string FakesPath() { return RAFTER_BINARY_DIR "/fakes"; }
std::string ProgramPath(const std::string& name) {
  return name.starts_with("/") ? name : RAFTER_BINARY_DIR "/tests/targets/" + name;
}

std::string EntryName(unsigned entries) {
  std::string name;
  if (entries & kCuda) name += "Cuda";
  if (entries & kNvtx) name += "Nvtx";
  if (entries & kPreload) name += "Preload";
  return name.empty() ? "None" : name;
}

std::string StatusText(int status) {
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  if (WIFEXITED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
  return "status " + std::to_string(status);
}

ProgramRun::ProgramRun(std::string program, std::vector<std::string> arguments)
    : program_(ProgramPath(program)), arguments_(std::move(arguments)) {
  std::string name = (fs::temp_directory_path() / "survival.XXXXXX").string();
  folder_ = mkdtemp(name.data());
  for (const char* below : {"here", "runtime", "cache", "state"}) {
    fs::create_directory(folder_ + "/" + below);
    fs::permissions(folder_ + "/" + below, fs::perms::owner_all);
  }
  environment_ = {
      {"PATH", "/usr/local/bin:/usr/bin:/bin"},
      {"HOME", folder_},
      {"XDG_RUNTIME_DIR", folder_ + "/runtime"},
      {"XDG_CACHE_HOME", folder_ + "/cache"},
      {"RAFTER_QUIET", "1"},
      {"RAFTER_CUPTI_PATH", FakesPath()},
      {"RAFTER_FAKE_STATE", folder_ + "/state"},
      // As the real one: a call too early ends the program.
      {"RAFTER_FAKE_CRASH", "1"},
      {"SURVIVAL_MAPS", folder_ + "/maps"},
      {"SURVIVAL_ASIDE", folder_ + "/aside"},
      {"SURVIVAL_INJECT", InjectPath()},
      {"SURVIVAL_PLUGIN", ProgramPath("plugin.so")},
      {"SURVIVAL_CUPTI", FakesPath() + "/libcupti.so.13"},
  };
  // A sanitiser's settings are the user's, not ours.
  for (const char* keep : {"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    if (std::getenv(keep) != nullptr) environment_[keep] = std::getenv(keep);
  }
}

ProgramRun::~ProgramRun() {
  std::error_code ignored;
  if (std::getenv("SURVIVAL_KEEP") == nullptr) fs::remove_all(folder_, ignored);
}

ProgramRun& ProgramRun::Enter(unsigned entries) {
  if (entries & kCuda) environment_["CUDA_INJECTION64_PATH"] = InjectPath();
  if (entries & kNvtx) environment_["NVTX_INJECTION64_PATH"] = InjectPath();
  if (entries & kPreload) {
    std::string& preload = environment_["LD_PRELOAD"];
    preload = preload.empty() ? InjectPath() : preload + ":" + InjectPath();
  }
  return *this;
}

ProgramRun& ProgramRun::Set(const std::string& name, const std::string& value) {
  environment_[name] = value;
  return *this;
}

ProgramRun& ProgramRun::Unset(const std::string& name) {
  environment_.erase(name);
  return *this;
}

ProgramRun& ProgramRun::Limit(double seconds) {
  limit_s_ = seconds;
  return *this;
}

ProgramRun& ProgramRun::Close(int file) {
  closed_.push_back(file);
  return *this;
}

Outcome ProgramRun::Go() {
  Outcome outcome;
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) Become(folder_, program_, arguments_, environment_, closed_);
  outcome.status = WaitFor(child, limit_s_, outcome.timed_out);
  outcome.seconds = SecondsSince(start);
  kill(-child, SIGKILL);  // whatever it left behind
  outcome.out = ReadFile(folder_ + "/out");
  outcome.err = ReadFile(folder_ + "/err");
  outcome.aside = ReadFile(folder_ + "/aside");
  outcome.was_there = ReadFile(folder_ + "/maps").find(InjectPath()) != std::string::npos;
  return outcome;
}

std::vector<std::string> ProgramRun::FilesEndingIn(const std::string& suffix) const {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    const std::string path = entry.path().string();
    if (path.ends_with(suffix)) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void ExpectSame(const Outcome& without, const Outcome& with, bool prove) {
  EXPECT_FALSE(without.timed_out) << "the program hangs by itself";
  EXPECT_FALSE(with.timed_out) << "hung after " << with.seconds << " s\nout:\n"
                               << with.out << "\nerr:\n"
                               << with.err;
  EXPECT_EQ(StatusText(without.status), StatusText(with.status));
  EXPECT_EQ(without.out, with.out);
  EXPECT_EQ(without.err, with.err);
  EXPECT_LT(with.seconds, without.seconds + kAllowedDelay_s);
  EXPECT_FALSE(without.was_there);
  if (prove) {
    EXPECT_TRUE(with.was_there) << "our library was not in the program";
  }
}

}  // namespace rafter::survival
