// Programs whose regions are anything but tidy. They print nothing that an
// NVTX call returned: that differs when nobody listens.
#include <nvtx3/nvToolsExt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/survival/programs/story.h"

namespace rafter::survival {
namespace {

long ResidentKib() {
  long kib = -1;
  char line[256];
  FILE* status = std::fopen("/proc/self/status", "r");
  while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr) {
    if (std::sscanf(line, "VmRSS: %ld kB", &kib) == 1) break;
  }
  if (status != nullptr) std::fclose(status);
  return kib;
}

SURVIVAL_STORY(pops_without_pushing) {
  Prologue();
  for (int i = 0; i < 1000; ++i) nvtxRangePop();
  nvtxRangePushA("a");
  for (int i = 0; i < 1000; ++i) nvtxRangePop();
  Work();
  std::puts("popped");
  return 0;
}

SURVIVAL_STORY(pushes_without_popping) {
  Prologue();
  for (int i = 0; i < 100; ++i) nvtxRangePushA("left open");
  nvtxRangeStartA("never ended");
  std::puts("pushed");
  return 19;
}

SURVIVAL_STORY(goes_10000_deep) {
  Prologue();
  for (int i = 0; i < 10'000; ++i) nvtxRangePushA(("level " + std::to_string(i)).c_str());
  for (int i = 0; i < 10'000; ++i) nvtxRangePop();
  Work();
  std::puts("back up");
  return 0;
}

SURVIVAL_STORY(goes_10000_deep_in_one_name) {
  Prologue();
  for (int i = 0; i < 10'000; ++i) nvtxRangePushA("recursion");
  for (int i = 0; i < 10'000; ++i) nvtxRangePop();
  std::puts("back up");
  return 0;
}

SURVIVAL_STORY(uses_names_of_a_megabyte) {
  Prologue();
  for (int i = 0; i < 200; ++i) {
    std::string name(1 << 20, static_cast<char>('a' + i % 26));
    name += std::to_string(i);
    nvtxRangePushA(name.c_str());
    nvtxRangePop();
  }
  std::puts("named");
  return 0;
}

SURVIVAL_STORY(uses_a_name_for_each_call) {
  Prologue();
  for (int i = 0; i < 50'000; ++i) {
    nvtxRangePushA(("seq = " + std::to_string(i)).c_str());
    nvtxRangePop();
  }
  std::puts("named");
  return 0;
}

SURVIVAL_STORY(uses_names_that_are_no_text) {
  Prologue();
  for (const char* name : {"", "\xff\xfe\x80", "a\nb\tc", "=1+1", "\"quoted\", and more",
                           "name with eighty blanks                                        "}) {
    nvtxRangePushA(name);
    nvtxRangePop();
  }
  nvtxRangePushA(nullptr);
  nvtxRangePop();
  nvtxRangePushEx(nullptr);
  nvtxRangePop();
  std::puts("named");
  return 0;
}

SURVIVAL_STORY(uses_1000_threads) {
  Prologue();
  for (int batch = 0; batch < 10; ++batch) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 100; ++i) {
      threads.emplace_back([] {
        for (int j = 0; j < 20; ++j) {
          nvtxRangePushA("on a thread");
          nvtxRangePop();
        }
        nvtxRangePushA("left open on a thread that ends");
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::puts("joined");
  return 0;
}

SURVIVAL_STORY(has_1000_threads_at_once) {
  Prologue();
  std::vector<std::thread> threads;
  for (int i = 0; i < 1000; ++i) {
    threads.emplace_back([] {
      nvtxRangePushA("together");
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      nvtxRangePop();
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::puts("joined");
  return 0;
}

SURVIVAL_STORY(ends_ranges_it_never_started) {
  Prologue();
  for (const nvtxRangeId_t range :
       {nvtxRangeId_t{0}, nvtxRangeId_t{1}, ~nvtxRangeId_t{0}, nvtxRangeId_t{0xdeadbeef}}) {
    nvtxRangeEnd(range);
  }
  const nvtxRangeId_t twice = nvtxRangeStartA("ended twice");
  nvtxRangeEnd(twice);
  nvtxRangeEnd(twice);
  std::puts("ended");
  return 0;
}

SURVIVAL_STORY(starts_100000_ranges_at_once) {
  Prologue();
  std::vector<nvtxRangeId_t> ranges;
  for (int i = 0; i < 100'000; ++i) ranges.push_back(nvtxRangeStartA("many at once"));
  for (const nvtxRangeId_t range : ranges) nvtxRangeEnd(range);
  std::puts("ended");
  return 0;
}

SURVIVAL_STORY(ends_a_range_on_another_thread) {
  Prologue();
  const nvtxRangeId_t range = nvtxRangeStartA("across");
  std::thread([range] { nvtxRangeEnd(range); }).join();
  std::puts("ended");
  return 0;
}

SURVIVAL_STORY(uses_all_of_nvtx) {
  Prologue();
  nvtxRangePushW(L"wide \u00e4 \U0001F600");
  nvtxRangePop();
  nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
  nvtxDomainHandle_t again = nvtxDomainCreateA("domain");
  nvtxStringHandle_t name = nvtxDomainRegisterStringA(domain, "registered");
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = name;
  nvtxDomainRangePushEx(domain, &event);
  nvtxDomainRangePop(domain);
  nvtxDomainRangePop(again);
  const nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &event);
  nvtxDomainRangeEnd(domain, range);
  nvtxMarkA("a mark");
  nvtxNameOsThreadA(1, "a thread");
  event.messageType = NVTX_MESSAGE_UNKNOWN;
  nvtxRangePushEx(&event);
  nvtxRangePop();
  nvtxDomainDestroy(domain);
  nvtxDomainRangePushEx(domain, &event);  // destroyed: the program's mistake
  std::puts("used");
  return 0;
}

// Levels as NVTX documents them. This one is not compared with a run without
// us: there every call answers NVTX_NO_PUSH_POP_TRACKING.
SURVIVAL_STORY(prints_levels) {
  const int first = nvtxRangePushA("0");
  WriteMaps();  // the first call brought us in
  const int second = nvtxRangePushW(L"1");
  std::printf("push %d %d", first, second);
  std::thread([] {
    std::printf(" other thread %d", nvtxRangePushA("0"));
    std::printf(" %d", nvtxRangePop());
  }).join();
  nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  std::printf(" domain %d", nvtxDomainRangePushEx(domain, &event));
  std::printf(" %d", nvtxDomainRangePop(domain));
  const int third = nvtxRangePop();
  const int fourth = nvtxRangePop();
  std::printf(" pop %d %d", third, fourth);
  std::printf(" too many %d\n", nvtxRangePop() < 0);
  return 0;
}

SURVIVAL_STORY(storms) {
  Prologue();
  for (int i = 0; i < 10'000; ++i) {
    nvtxRangePushA("warm");
    nvtxRangePop();
  }
  const long before_kib = ResidentKib();
  const auto start = std::chrono::steady_clock::now();
  constexpr int kRegions = 1'000'000;
  for (int i = 0; i < kRegions; ++i) {
    nvtxRangePushA("storm");
    nvtxRangePop();
  }
  const double ns =
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
      kRegions;
  WriteAside("SURVIVAL_ASIDE", std::to_string(ResidentKib() - before_kib) + " " +
                                   std::to_string(static_cast<long>(ns)) + "\n");
  std::puts("over");
  return 0;
}

}  // namespace
}  // namespace rafter::survival
