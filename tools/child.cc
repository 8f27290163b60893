#include "tools/child.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "tools/exit_status.h"

namespace rafter {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kHeld[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// In the order of our own environment, so that the program sees it as it was.
std::vector<std::string> Settings(Variables variables) {
  std::vector<std::string> settings;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto found = variables.find(text.substr(0, text.find('=')));
    if (found == variables.end()) continue;
    settings.push_back(found->first + "=" + found->second);
    variables.erase(found);
  }
  for (const auto& [name, value] : variables) settings.push_back(name + "=" + value);
  return settings;
}

// A hang-up of the terminal reaches the program without us.
bool IsPassedOn(int signal, const siginfo_t& info) {
  if (signal == SIGHUP) return info.si_code != SI_KERNEL;
  return signal == SIGTERM || signal == SIGUSR1 || signal == SIGUSR2;
}

// The next of the held signals, or 0 when `deadline` has come first.
int NextSignal(const sigset_t& held, std::optional<Clock::time_point> deadline, siginfo_t& info) {
  if (!deadline.has_value()) {
    const int signal = sigwaitinfo(&held, &info);
    return signal < 0 ? 0 : signal;
  }
  const auto left = std::max(*deadline - Clock::now(), Clock::duration::zero());
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
  const timespec wait = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  const int signal = sigtimedwait(&held, &info, &wait);
  return signal < 0 ? 0 : signal;
}

// Longer than any run, and short enough for the clock's arithmetic.
constexpr double kLongestTimeout_s = 1e8;

constexpr std::chrono::seconds kTick{1};

}  // namespace

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : kHeld) sigaddset(&held_, signal);
  pthread_sigmask(SIG_BLOCK, &held_, &inherited_mask_);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &inherited_pipe_);
  // Where SIGCHLD was ignored the program's status would be lost.
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, &inherited_child_);
}

HeldSignals::~HeldSignals() {
  const timespec now = {0, 0};
  while (sigtimedwait(&held_, nullptr, &now) > 0) {
  }
  sigaction(SIGPIPE, &inherited_pipe_, nullptr);
  sigaction(SIGCHLD, &inherited_child_, nullptr);
  pthread_sigmask(SIG_SETMASK, &inherited_mask_, nullptr);
}

std::vector<int> OpenDescriptors() {
  std::vector<int> open;
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return open;
  while (const dirent* entry = readdir(folder)) {
    char* end = nullptr;
    const long number = std::strtol(entry->d_name, &end, 10);
    if (end == entry->d_name || number == dirfd(folder)) continue;
    open.push_back(static_cast<int>(number));
  }
  closedir(folder);
  return open;
}

Spawned Spawn(const std::vector<std::string>& arguments, const Variables& environment,
              const HeldSignals& signals, const std::vector<int>& inherited,
              const NullStreams& null_streams) {
  for (const int descriptor : OpenDescriptors()) {
    if (std::find(inherited.begin(), inherited.end(), descriptor) != inherited.end()) continue;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  std::vector<std::string> words = arguments;
  std::vector<std::string> settings = Settings(environment);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &signals.inherited_mask());
  sigset_t standard;
  sigemptyset(&standard);
  if (!signals.pipe_was_ignored()) sigaddset(&standard, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &standard);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto open_null = [&actions](int descriptor, int flags) {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", flags, 0);
  };
  if (null_streams.input) open_null(STDIN_FILENO, O_RDONLY);
  if (null_streams.output) open_null(STDOUT_FILENO, O_WRONLY);
  if (null_streams.errors) open_null(STDERR_FILENO, O_WRONLY);
  if (!null_streams.log.empty()) {
    const int flags = O_WRONLY | O_CREAT | (null_streams.append_log ? O_APPEND : O_TRUNC);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, null_streams.log.c_str(), flags,
                                     0666);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  Spawned spawned;
  spawned.error = posix_spawnp(&spawned.pid, words[0].c_str(), &actions, &attributes,
                               Pointers(words).data(), Pointers(settings).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return spawned;
}

Ending Await(pid_t pid, const HeldSignals& signals, std::optional<double> timeout_s,
             const std::function<void()>& tick) {
  Ending ending;
  std::optional<Clock::time_point> deadline;
  if (timeout_s.has_value()) {
    const std::chrono::duration<double> patience(std::min(*timeout_s, kLongestTimeout_s));
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
  }
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) {  // somebody else has taken the status
      ending.exit_status = kIncomplete;
      return ending;
    }
    if (ended == pid) {
      ending.exit_status = ShellStatus(status);
      ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      return ending;
    }
    if (deadline.has_value() && Clock::now() >= *deadline) {
      kill(pid, ending.timed_out ? SIGKILL : SIGTERM);
      if (!ending.timed_out) kill(pid, SIGCONT);
      deadline.reset();
      if (!ending.timed_out) deadline = Clock::now() + std::chrono::seconds(kKillDelay_s);
      ending.timed_out = true;
      continue;
    }
    siginfo_t info = {};
    std::optional<Clock::time_point> wake = deadline;
    if (tick) {
      tick();
      const Clock::time_point next = Clock::now() + kTick;
      wake = deadline.has_value() ? std::min(*deadline, next) : next;
    }
    const int signal = NextSignal(signals.held(), wake, info);
    if (IsPassedOn(signal, info)) kill(pid, signal);
    const bool asks_for_end =
        signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGHUP;
    ending.interrupted = ending.interrupted || asks_for_end;
  }
}

}  // namespace rafter
