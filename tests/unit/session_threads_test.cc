// The session under many threads, without CUDA: what the program does must be in
// the spool file, or counted as lost. A process has one session, so each story
// runs in a child of its own; its exit status is 66 where ThreadSanitizer finds a
// race.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "inject/session.h"
#include "tests/unit/region_event.h"
#include "tests/unit/session_story.h"
#include "tests/unit/temporary_folder.h"

#if defined(__SANITIZE_THREAD__)
#define RAFTER_UNDER_TSAN 1
#else
#define RAFTER_UNDER_TSAN 0
#endif

namespace rafter {
namespace {

constexpr int kThreads = 8;

template <typename Body>
void OnAllThreads(Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(SessionThreads, EveryCallIsInTheSpoolOrCountedAsDropped) {
  constexpr uint64_t kCalls = RAFTER_UNDER_TSAN ? 4'000 : 40'000;
  const TemporaryFolder folder;
  const int status = RunStory(folder, [] {
    OnAllThreads([](int thread) {
      const std::string own = "thread" + std::to_string(thread);
      for (uint64_t i = 0; i < kCalls; ++i) {
        Session().Push(0, Event("outer"));
        Session().Push(0, Event(own));
        Session().Pop(0);
        Session().Pop(0);
      }
    });
  });
  ASSERT_EQ(status, 0);
  const std::vector<std::string> spools = SpoolsIn(folder);
  ASSERT_EQ(spools.size(), 1u);
  Recorded recorded = ReadSpool(spools[0]);
  EXPECT_TRUE(recorded.goodbye);
  EXPECT_GT(recorded.instances, 0u);
  EXPECT_EQ(recorded.calls["outer"], kThreads * kCalls);
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_EQ(recorded.calls["outer/thread" + std::to_string(i)], kCalls) << i;
  }
  EXPECT_EQ(recorded.truncated, 0u);
}

TEST(SessionThreads, RangesMayEndOnOtherThreadsAndEndingTwiceCountsOnce) {
  constexpr uint64_t kCalls = RAFTER_UNDER_TSAN ? 1'000 : 5'000;
  const TemporaryFolder folder;
  const int status = RunStory(folder, [] {
    // Each thread ends what whichever thread started last, so that the same
    // number is often ended by two.
    static std::atomic<uint64_t> latest{0};
    OnAllThreads([](int) {
      for (uint64_t i = 0; i < kCalls; ++i) {
        const uint64_t mine = Session().StartRange(0, Event("range"));
        Session().EndRange(latest.exchange(mine));
        Session().EndRange(mine);
      }
    });
  });
  ASSERT_EQ(status, 0);
  const std::vector<std::string> spools = SpoolsIn(folder);
  ASSERT_EQ(spools.size(), 1u);
  Recorded recorded = ReadSpool(spools[0]);
  EXPECT_TRUE(recorded.goodbye);
  EXPECT_EQ(recorded.calls["range"], kThreads * kCalls);
  // Every second end finds nothing: 2 n ends, less the n ranges.
  EXPECT_EQ(recorded.losses["pops without an open region"], kThreads * kCalls);
}

TEST(SessionThreads, RegionsOpenWhenTheirThreadEndsAreTruncated) {
  constexpr uint64_t kOpen = 100;  // beyond what a thread's stack holds
  const TemporaryFolder folder;
  const int status = RunStory(folder, [] {
    OnAllThreads([](int) {
      for (uint64_t i = 0; i < kOpen; ++i) Session().Push(0, Event("left open"));
    });
  });
  ASSERT_EQ(status, 0);
  const std::vector<std::string> spools = SpoolsIn(folder);
  ASSERT_EQ(spools.size(), 1u);
  Recorded recorded = ReadSpool(spools[0]);
  EXPECT_EQ(recorded.truncated, uint64_t{kThreads} * ThreadRecord::kMaxDepth);
  EXPECT_EQ(recorded.losses["regions nested too deep to be recorded"],
            kThreads * (kOpen - ThreadRecord::kMaxDepth));
}

}  // namespace
}  // namespace rafter
