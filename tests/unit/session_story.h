// Stories of one session: each runs in a process of its own, whose spool file then says
// what was recorded.
//
//   Threads   one.
//   Blocking  until the story's process has ended, at most kStoryDeadline.
//   Memory    returns values.
//   Lifetime  plain functions.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "proto/frame.h"
#include "proto/rafter.pb.h"
#include "tests/unit/temporary_folder.h"

namespace rafter {

// ThreadSanitizer is ten times slower, and the machine may be busy.
inline constexpr std::chrono::seconds kStoryDeadline{60};

// What a spool file says, added up.
struct Recorded {
  std::map<std::string, uint64_t> calls;  // instances and dropped ones, by "outer/inner"
  uint64_t instances = 0;
  uint64_t truncated = 0;
  std::map<std::string, std::map<wire::Uncounted, uint64_t>> uncounted;  // by place and reason
  std::map<std::string, std::vector<wire::Instance>> records;            // by place
  std::map<std::string, std::vector<wire::Mark>> marks;                  // by place
  std::map<std::string, std::string> categories;                         // "domain:7" -> name
  std::vector<std::string> notes;
  std::map<std::string, uint64_t> losses;
  bool goodbye = false;
};

// Reads a whole spool file. Fails the test on anything that is not one.
inline Recorded ReadSpool(const std::string& path) {
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
        const std::string own =
            place.domain().empty() ? place.name() : place.domain() + ":" + place.name();
        names[place.path()] = parent.empty() ? own : parent + "/" + own;
      }
      for (const wire::Category& category : frame.categories()) {
        recorded.categories[category.domain() + ":" + std::to_string(category.category())] =
            category.name();
      }
    } else if (header.type == wire::BATCH) {
      wire::Batch frame;
      EXPECT_TRUE(frame.ParseFromString(message));
      for (const wire::Instance& instance : frame.instances()) {
        EXPECT_TRUE(names.contains(instance.path())) << "an instance before its name";
        ++recorded.calls[names[instance.path()]];
        ++recorded.instances;
        ++recorded.uncounted[names[instance.path()]][instance.uncounted()];
        recorded.records[names[instance.path()]].push_back(instance);
        if (instance.uncounted() == wire::TRUNCATED) ++recorded.truncated;
      }
      for (const wire::Mark& mark : frame.marks()) {
        EXPECT_TRUE(names.contains(mark.path())) << "a mark before its name";
        recorded.marks[names[mark.path()]].push_back(mark);
      }
      for (const wire::PathLoss& loss : frame.dropped()) dropped[loss.path()] = loss.instances();
    } else if (header.type == wire::HEALTH) {
      wire::Health frame;
      EXPECT_TRUE(frame.ParseFromString(message));
      for (const wire::Note& note : frame.notes()) recorded.notes.push_back(note.text());
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
inline int WaitFor(pid_t child) {
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
    for (const char* name : {"RAFTER_COLLECTOR", "RAFTER_REQUIRE_CUPTI", "XDG_RUNTIME_DIR"}) {
      unsetenv(name);
    }
    setenv("RAFTER_QUIET", "1", 1);
    story();
    std::exit(0);
  }
  return WaitFor(child);
}

inline std::vector<std::string> SpoolsIn(const TemporaryFolder& folder) {
  std::vector<std::string> spools;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    spools.push_back(entry.path());
  }
  return spools;
}

}  // namespace rafter
