// What a program may look at in itself, and what it may do to itself.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/survival/programs/story.h"

extern char** environ;

namespace rafter::survival {
namespace {

void PrintSignals() {
  for (int signal = 1; signal < 65; ++signal) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    const char* kind = action.sa_handler == SIG_DFL   ? "default"
                       : action.sa_handler == SIG_IGN ? "ignored"
                                                      : "handled";
    std::printf("signal %d %s %x\n", signal, kind, static_cast<unsigned>(action.sa_flags));
  }
  sigset_t blocked, pending;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  sigpending(&pending);
  for (int signal = 1; signal < 65; ++signal) {
    if (sigismember(&blocked, signal) == 1) std::printf("blocked %d\n", signal);
    if (sigismember(&pending, signal) == 1) std::printf("pending %d\n", signal);
  }
  stack_t stack = {};
  sigaltstack(nullptr, &stack);
  std::printf("alternate stack %d\n", stack.ss_flags);
}

void PrintSettings() {
  char name[17] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  std::printf("thread name %.15s\n", name);
  const mode_t mask = umask(0);
  umask(mask);
  std::printf("umask %o, locale %s, rounding %d, exceptions %d, errno %d\n", mask,
              std::setlocale(LC_ALL, nullptr), std::fegetround(), std::fetestexcept(FE_ALL_EXCEPT),
              errno);
  for (int what = 0; what < RLIM_NLIMITS; ++what) {
    struct rlimit limit = {};
    if (getrlimit(static_cast<__rlimit_resource_t>(what), &limit) != 0) continue;
    std::printf("limit %d: %lu %lu\n", what, limit.rlim_cur, limit.rlim_max);
  }
  for (const int timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    struct itimerval value = {};
    getitimer(static_cast<__itimer_which_t>(timer), &value);
    std::printf("timer %d: %ld\n", timer, value.it_value.tv_sec + value.it_value.tv_usec);
  }
}

// All but the variables that name us.
void PrintEnvironment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const bool ours = text.starts_with("CUDA_INJECTION64_PATH=") ||
                      text.starts_with("NVTX_INJECTION64_PATH=") || text.starts_with("LD_PRELOAD=");
    // Folders of one run differ from those of the other.
    const std::string name = text.substr(0, text.find('='));
    if (!ours) variables.push_back(text.find("survival.") == std::string::npos ? text : name);
  }
  std::sort(variables.begin(), variables.end());
  for (const std::string& variable : variables) std::puts(variable.c_str());
}

SURVIVAL_STORY(prints_its_state) {
  errno = 0;
  Prologue();
  errno = 0;
  Work();
  PrintSettings();  // errno first: printing may set it
  PrintSignals();
  PrintEnvironment();
  return 0;
}

size_t CountEntries(const char* folder) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

// For a program that has nothing to do with a GPU: untouched.
SURVIVAL_STORY(counts_threads_and_files) {
  WriteMaps();
  std::printf("threads %zu, files %zu\n", CountEntries("/proc/self/task"),
              CountEntries("/proc/self/fd"));
  const int file = open("/dev/null", O_RDONLY);
  std::printf("the next file is %d\n", file);
  std::printf("here:");
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    std::printf(" %s", entry.path().filename().c_str());
  }
  std::puts("");
  return 0;
}

void OnSegv(int) {
  const char text[] = "my own handler, on my own stack\n";
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, text, sizeof text - 1);
  _exit(15);
}

SURVIVAL_STORY(handles_its_own_sigsegv) {
  static char memory[64 << 10];
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = OnSegv;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  Prologue();
  volatile int* nowhere = nullptr;
  *nowhere = 1;
  return 0;
}

volatile sig_atomic_t g_on_main = -1;
pid_t g_main_thread = 0;

void OnAlarm(int) { g_on_main = syscall(SYS_gettid) == g_main_thread; }

// A signal for the process goes to a thread that does not block it. If ours
// took it, a handler would run where the program does not expect it.
SURVIVAL_STORY(its_signals_run_on_its_own_threads) {
  g_main_thread = static_cast<pid_t>(syscall(SYS_gettid));
  signal(SIGUSR1, OnAlarm);
  Prologue();
  sigset_t only, before;
  sigemptyset(&only);
  sigaddset(&only, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &only, &before);
  kill(getpid(), SIGUSR1);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  std::printf("handled while blocked: %d\n", static_cast<int>(g_on_main));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::printf("handled on the main thread: %d\n", static_cast<int>(g_on_main));
  return 0;
}

SURVIVAL_STORY(waits_for_a_signal) {
  Prologue();
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &only, nullptr);
  kill(getpid(), SIGUSR2);
  int got = 0;
  sigwait(&only, &got);
  std::printf("got %d\n", got);
  return 0;
}

// Files of ours that the program closes are gone; their numbers are the
// program's from then on.
SURVIVAL_STORY(closes_files_it_did_not_open) {
  Prologue();
  // Up to 1023, as daemons do.
  for (int file = 3; file < 1024; ++file) close(file);
  std::vector<int> files;
  for (int i = 0; i < 40; ++i) {
    files.push_back(open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  }
  for (int i = 0; i < 3; ++i) {
    Work();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  for (const int file : files) {
    struct stat found = {};
    fstat(file, &found);
    if (found.st_size != 0) std::printf("%ld bytes that are not mine\n", found.st_size);
  }
  std::puts("looked at my files");
  return 0;
}

SURVIVAL_STORY(has_no_standard_streams) {
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100);
  for (int file = 0; file < 3; ++file) close(file);
  Prologue();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (int file = 0; file < 3; ++file) {
    if (fcntl(file, F_GETFD) != -1) dprintf(out, "somebody opened file %d\n", file);
  }
  dprintf(out, "looked\n");
  return 0;
}

// Runs `body` under a soft limit. The proof is written when it is off again.
template <typename Body>
void Under(__rlimit_resource_t what, rlim_t limit, Body body) {
  struct rlimit before = {};
  getrlimit(what, &before);
  struct rlimit under = before;
  under.rlim_cur = limit;
  setrlimit(what, &under);
  body();
  setrlimit(what, &before);
  WriteMaps();
}

// Writing beyond the limit raises SIGXFSZ, which kills.
void WorkForAWhile() {
  for (int i = 0; i < 3; ++i) {
    Work();
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
  }
}

SURVIVAL_STORY(may_not_write_files) {
  Under(RLIMIT_FSIZE, 0, WorkForAWhile);
  return 16;
}

SURVIVAL_STORY(may_write_small_files) {
  Under(RLIMIT_FSIZE, 100, WorkForAWhile);
  return 16;
}

SURVIVAL_STORY(may_not_open_files) {
  Prologue();  // loading us takes a file
  Under(RLIMIT_NOFILE, 3, Work);
  std::puts("no more files");
  return 17;
}

rlim_t AddressSpace() {
  long pages = 0;
  FILE* statm = std::fopen("/proc/self/statm", "r");
  if (statm == nullptr) return 0;
  if (std::fscanf(statm, "%ld", &pages) != 1) pages = 0;
  std::fclose(statm);
  return static_cast<rlim_t>(pages) * 4096;
}

// Room for the program, for our library, and for no other thread.
SURVIVAL_STORY(has_little_memory) {
  Under(RLIMIT_AS, AddressSpace() + (7 << 20), WorkForAWhile);
  std::puts("made do");
  return 18;
}

SURVIVAL_STORY(loses_its_memory_after_work) {
  Prologue();
  Under(RLIMIT_AS, AddressSpace() + (256 << 10), WorkForAWhile);
  std::puts("made do");
  return 18;
}

SURVIVAL_STORY(writes_decimal_commas) {
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) return 1;
  Prologue();
  std::printf("%.2f %s\n", 1.5, std::setlocale(LC_NUMERIC, nullptr));
  return 0;
}

SURVIVAL_STORY(changes_its_folder) {
  if (mkdir("elsewhere", 0700) != 0 || chdir("elsewhere") != 0) return 1;
  Prologue();
  if (chdir("/") != 0) return 1;
  Work();
  std::puts("moved twice");
  return 0;
}

}  // namespace
}  // namespace rafter::survival
