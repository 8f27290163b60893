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
#include "proto/frame.h"
#include "proto/rafter.pb.h"
#include "tests/unit/temporary_folder.h"

#if defined(__SANITIZE_THREAD__)
#define RAFTER_UNDER_TSAN 1
#else
#define RAFTER_UNDER_TSAN 0
#endif

namespace rafter {
namespace {

constexpr int kThreads = 8;

// ThreadSanitizer is ten times slower, and the machine may be busy.
constexpr std::chrono::seconds kStoryDeadline{60};

// What a spool file says, added up.
struct Recorded {
  std::map<std::string, uint64_t> calls;  // instances and dropped ones, by "outer/inner"
  uint64_t instances = 0;
  uint64_t truncated = 0;
  std::map<std::string, uint64_t> losses;
  bool goodbye = false;
};

// Reads a whole spool file. Fails the test on anything that is not one.
Recorded ReadSpool(const std::string& path) {
  Recorded recorded;
  const std::string bytes = ReadFile(path);
  std::map<uint32_t, std::string> names = {{0, ""}};
  std::map<uint32_t, uint64_t> dropped;
  size_t at = kSpoolHeaderBytes;
  while (at < bytes.size()) {
    FrameHeader header;
    EXPECT_LE(at + kFrameHeaderBytes, bytes.size());
    EXPECT_EQ(ReadFrameHeader(reinterpret_cast<const uint8_t*>(bytes.data() + at), header),
              FrameFault::kNone);
    at += kFrameHeaderBytes;
    EXPECT_LE(at + header.length, bytes.size());
    if (testing::Test::HasFailure()) return recorded;
    const std::string message = bytes.substr(at, header.length);
    at += header.length;
    if (header.type == wire::NAMES) {
      wire::Names frame;
      EXPECT_TRUE(frame.ParseFromString(message));
      for (const wire::Path& place : frame.paths()) {
        EXPECT_TRUE(names.contains(place.parent())) << "a name before its parent's";
        const std::string& parent = names[place.parent()];
        names[place.path()] = parent.empty() ? place.name() : parent + "/" + place.name();
      }
    } else if (header.type == wire::BATCH) {
      wire::Batch frame;
      EXPECT_TRUE(frame.ParseFromString(message));
      for (const wire::Instance& instance : frame.instances()) {
        EXPECT_TRUE(names.contains(instance.path())) << "an instance before its name";
        ++recorded.calls[names[instance.path()]];
        ++recorded.instances;
        if (instance.uncounted() == wire::TRUNCATED) ++recorded.truncated;
      }
      for (const wire::PathLoss& loss : frame.dropped()) dropped[loss.path()] = loss.instances();
    } else if (header.type == wire::HEALTH) {
      wire::Health frame;
      EXPECT_TRUE(frame.ParseFromString(message));
      for (const wire::Loss& loss : frame.losses()) {
        recorded.losses[loss.kind()] = loss.count();
      }
    } else if (header.type == wire::GOODBYE) {
      recorded.goodbye = true;
      EXPECT_EQ(at, bytes.size()) << "frames after the farewell";
    }
  }
  for (const auto& [place, count] : dropped) recorded.calls[names[place]] += count;
  return recorded;
}

// The status of `child` when it ends, or -1: it hung and was killed.
int WaitFor(pid_t child) {
  const auto end = std::chrono::steady_clock::now() + kStoryDeadline;
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return -1;
    if (std::chrono::steady_clock::now() > end) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}

// Runs `story` in a fresh process whose spool files go into `folder`, and lets it
// exit as programs do, through our exit handler.
template <typename Story>
int RunStory(const TemporaryFolder& folder, Story story) {
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.path().c_str()) != 0) _exit(99);
    for (const char* name : {"RAFTER_COLLECTOR", "XDG_RUNTIME_DIR"}) unsetenv(name);
    setenv("RAFTER_QUIET", "1", 1);
    story();
    std::exit(0);
  }
  return WaitFor(child);
}

std::vector<std::string> SpoolsIn(const TemporaryFolder& folder) {
  std::vector<std::string> spools;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    spools.push_back(entry.path());
  }
  return spools;
}

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
        Session().Push(0, "outer");
        Session().Push(0, own);
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
        const uint64_t mine = Session().StartRange(0, "range");
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
      for (uint64_t i = 0; i < kOpen; ++i) Session().Push(0, "left open");
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
