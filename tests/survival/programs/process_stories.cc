// Programs that start others.
#include <fcntl.h>
#include <spawn.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/survival/programs/story.h"

extern char** environ;

namespace rafter::survival {
namespace {

int StatusOf(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

void Say(const char* text) {
  std::fputs(text, stdout);
  std::fflush(stdout);
}

SURVIVAL_STORY(forks_without_exec) {
  Prologue();
  const pid_t child = fork();
  if (child == 0) {
    Say("child\n");
    _exit(3);
  }
  std::printf("child's status %x\n", static_cast<unsigned>(StatusOf(child)));
  Work();
  return 0;
}

SURVIVAL_STORY(forked_child_exits) {
  Prologue();
  for (int i = 0; i < 4; ++i) {
    Work();
    const pid_t child = fork();
    if (child == 0) {
      // CUDA is dead in a child forked after cuInit: only what needs none.
      Say("child\n");
      std::exit(4);
    }
    std::printf("child's status %x\n", static_cast<unsigned>(StatusOf(child)));
    std::fflush(stdout);
  }
  return 0;
}

SURVIVAL_STORY(forks_before_it_works) {
  const pid_t child = fork();
  if (child == 0) {
    Work();
    Say("child worked\n");
    std::exit(5);
  }
  std::printf("child's status %x\n", static_cast<unsigned>(StatusOf(child)));
  Prologue();
  return 0;
}

SURVIVAL_STORY(forks_twice) {
  Prologue();
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild == 0) _exit(6);
    _exit(StatusOf(grandchild) == 6 << 8 ? 7 : 1);
  }
  std::printf("child's status %x\n", static_cast<unsigned>(StatusOf(child)));
  return 0;
}

SURVIVAL_STORY(forks_and_execs) {
  Prologue();
  const pid_t child = fork();
  const std::string self = OwnPath();
  if (child == 0) {
    execl(self.c_str(), self.c_str(), "returns_43", nullptr);
    _exit(1);
  }
  std::printf("child's status %x\n", static_cast<unsigned>(StatusOf(child)));
  return 0;
}

SURVIVAL_STORY(vforks) {
  Prologue();
  const std::string self = OwnPath();
  const pid_t child = vfork();
  if (child == 0) {
    execl(self.c_str(), self.c_str(), "returns_43", nullptr);
    _exit(1);
  }
  std::printf("child's status %x\n", static_cast<unsigned>(StatusOf(child)));
  return 0;
}

SURVIVAL_STORY(spawns) {
  Prologue();
  const std::string self = OwnPath();
  char story[] = "returns_43";
  char* arguments[] = {const_cast<char*>(self.c_str()), story, nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments, environ) != 0) return 1;
  std::printf("child's status %x\n", static_cast<unsigned>(StatusOf(child)));
  return 0;
}

SURVIVAL_STORY(runs_a_shell) {
  Prologue();
  std::fflush(stdout);
  std::printf("%x\n", static_cast<unsigned>(std::system("echo a | sed s/a/b/; exit 3")));
  return 0;
}

SURVIVAL_STORY(becomes_a_daemon) {
  Prologue();
  const pid_t child = fork();
  if (child != 0) return StatusOf(child) == 0 ? 0 : 1;
  setsid();
  if (fork() != 0) _exit(0);
  // A daemon lets go of everything it inherited.
  for (int file = 0; file < 256; ++file) close(file);
  open("/dev/null", O_RDWR);
  _exit(0);
}

// As Google Benchmark does to switch off address randomisation.
SURVIVAL_STORY(executes_itself_again) {
  const int persona = personality(0xffffffff);
  if ((persona & ADDR_NO_RANDOMIZE) == 0 &&
      personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE) != -1) {
    const std::string self = OwnPath();
    execl(self.c_str(), self.c_str(), "executes_itself_again", nullptr);
  }
  Prologue();
  std::puts("once more");
  return 14;
}

SURVIVAL_STORY(executes_itself_after_work) {
  Prologue();
  const std::string self = OwnPath();
  execl(self.c_str(), self.c_str(), "returns_43", nullptr);
  return 1;
}

SURVIVAL_STORY(waits_for_no_child) {
  Prologue();
  const pid_t child = wait(nullptr);
  std::printf("wait: %d %s\n", child, std::strerror(errno));
  return 0;
}

}  // namespace
}  // namespace rafter::survival
