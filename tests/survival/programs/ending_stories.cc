// How a program may end.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>

#include "tests/survival/programs/story.h"

namespace rafter::survival {
namespace {

SURVIVAL_STORY(returns_0) {
  Prologue();
  std::puts("done");
  return 0;
}

SURVIVAL_STORY(returns_43) {
  Prologue();
  std::puts("failed as it should");
  std::fputs("a complaint\n", stderr);
  return 43;
}

SURVIVAL_STORY(exits_43) {
  Prologue();
  std::puts("buffered, not flushed by hand");
  std::exit(43);
}

SURVIVAL_STORY(underscore_exits_7) {
  Prologue();
  std::printf("lost, since nothing flushes it");
  _exit(7);
}

SURVIVAL_STORY(quick_exits_8) {
  Prologue();
  std::at_quick_exit([] { std::fputs("at quick exit\n", stderr); });
  std::quick_exit(8);
}

SURVIVAL_STORY(exits_from_a_thread) {
  Prologue();
  std::thread([] {
    Work();
    std::exit(9);
  }).detach();
  pause();
  return 0;
}

SURVIVAL_STORY(main_thread_ends_first) {
  Prologue();
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Work();
    std::puts("the other thread went on");
    std::exit(10);
  }).detach();
  pthread_exit(nullptr);
}

SURVIVAL_STORY(exits_while_a_thread_works) {
  Prologue();
  std::thread([] {
    while (true) Work();
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return 11;
}

SURVIVAL_STORY(killed_by_sigterm) {
  Prologue();
  std::puts("going");
  std::fflush(stdout);
  raise(SIGTERM);
  return 0;
}

SURVIVAL_STORY(killed_by_sigkill) {
  Prologue();
  raise(SIGKILL);
  return 0;
}

SURVIVAL_STORY(killed_by_sigsegv) {
  Prologue();
  volatile int* nowhere = nullptr;
  *nowhere = 1;
  return 0;
}

SURVIVAL_STORY(aborts) {
  Prologue();
  std::abort();
}

// Long enough for a batch to be written.
void WorkAndRest() {
  Prologue();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
}

SURVIVAL_STORY(is_killed_a_while_later) {
  WorkAndRest();
  raise(SIGKILL);
  return 0;
}

SURVIVAL_STORY(aborts_a_while_later) {
  WorkAndRest();
  std::abort();
}

SURVIVAL_STORY(underscore_exits_a_while_later) {
  WorkAndRest();
  _exit(7);
}

SURVIVAL_STORY(terminates) {
  Prologue();
  throw std::runtime_error("nobody catches this");
}

SURVIVAL_STORY(catches_its_exceptions) {
  Prologue();
  for (int i = 0; i < 100; ++i) {
    try {
      Work();
      throw std::runtime_error("thrown");
    } catch (const std::exception& caught) {
      if (i == 0) std::puts(caught.what());
    }
  }
  return 0;
}

SURVIVAL_STORY(works_in_atexit) {
  Prologue();
  std::atexit([] {
    Work();
    std::puts("worked at exit");
  });
  return 12;
}

struct WorksInDestructor {
  bool armed = false;
  ~WorksInDestructor() {
    if (!armed) return;
    Work();
    std::puts("worked in a destructor");
  }
};
WorksInDestructor g_works_in_destructor;

SURVIVAL_STORY(works_in_a_static_destructor) {
  Prologue();
  g_works_in_destructor.armed = true;
  return 13;
}

SURVIVAL_STORY(works_on_threads_that_end) {
  for (int i = 0; i < 20; ++i) std::thread(Work).join();
  WriteMaps();
  std::puts("twenty threads");
  return 0;
}

SURVIVAL_STORY(works_once) {
  Prologue();
  return 0;
}

}  // namespace
}  // namespace rafter::survival
