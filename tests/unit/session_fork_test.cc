// A child that is forked before there is CUDA is a process of its own, whatever
// its parent's threads were doing at that moment. A process has one session, so
// parent and child are both children of the test.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "inject/clock.h"
#include "inject/session.h"
#include "proto/frame.h"
#include "proto/rafter.pb.h"
#include "tests/unit/region_event.h"
#include "tests/unit/temporary_folder.h"

namespace rafter {
namespace {

constexpr int kChildren = 20;
constexpr int kCalls = 3;

// Calls by name in a spool file, without their places.
std::map<std::string, int> Calls(const std::string& bytes) {
  std::map<uint32_t, std::string> names;
  std::map<std::string, int> calls;
  for (size_t at = kSpoolHeaderBytes; at + kFrameHeaderBytes <= bytes.size();) {
    FrameHeader header;
    ReadFrameHeader(reinterpret_cast<const uint8_t*>(bytes.data() + at), header);
    const std::string message = bytes.substr(at + kFrameHeaderBytes, header.length);
    at += kFrameHeaderBytes + header.length;
    if (header.type == wire::NAMES) {
      wire::Names frame;
      frame.ParseFromString(message);
      for (const wire::Path& path : frame.paths()) names[path.path()] = path.name();
    }
    if (header.type == wire::BATCH) {
      wire::Batch frame;
      frame.ParseFromString(message);
      for (const wire::Instance& instance : frame.instances()) ++calls[names[instance.path()]];
    }
  }
  return calls;
}

// Exits with the number of children that failed or were slow to end.
[[noreturn]] void Parent() {
  const uint64_t range = Session().StartRange(0, Event("of the parent"));
  int bad = 0;
  for (int i = 0; i < kChildren; ++i) {
    Session().Push(0, Event("parent"));
    Session().Pop(0);
    usleep(2000 * i);  // the recorder waits, or works
    const uint64_t start = NowNs();
    const pid_t child = fork();
    if (child == 0) {
      for (int call = 0; call < kCalls; ++call) {
        Session().Push(0, Event("child"));
        Session().Pop(0);
      }
      Session().EndRange(range);
      exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const bool slow = NowNs() - start > InjectionSession::kGoodbyeDeadlineNs * 9 / 10;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || slow) ++bad;
  }
  exit(bad);
}

TEST(Fork, BeforeCudaMakesAProcessOfItsOwnThatEndsAtOnce) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer ends a child of a threaded process that starts a thread";
#endif
  const TemporaryFolder folder;
  const pid_t parent = fork();
  if (parent == 0) {
    if (chdir(folder.path().c_str()) != 0) _exit(99);
    setenv("RAFTER_QUIET", "1", 1);
    unsetenv("RAFTER_COLLECTOR");
    unsetenv("XDG_RUNTIME_DIR");
    Parent();
  }
  int status = 0;
  waitpid(parent, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "children that failed or waited for a deadline";
  int children = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    const std::map<std::string, int> calls = Calls(ReadFile(file.path()));
    if (calls.contains("parent")) continue;
    ++children;
    EXPECT_EQ(calls, (std::map<std::string, int>{{"child", kCalls}})) << file.path();
  }
  EXPECT_EQ(children, kChildren);
}

}  // namespace
}  // namespace rafter
