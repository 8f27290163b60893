// Who counts where: devices and contexts of one process, processes and other
// profilers on one GPU.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/survival/counted_stream.h"
#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

constexpr unsigned kWays = kCuda | kNvtx;

void ExpectEnded(const Outcome& outcome, const std::string& says) {
  EXPECT_FALSE(outcome.timed_out) << "hung";
  EXPECT_EQ(StatusText(outcome.status), "exit status 0");
  EXPECT_EQ(outcome.out, says + "\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.was_there);
}

// --- devices of one process -------------------------------------------------------

TEST(TwoDevices, ByThreadAreCountedSideBySide) {
  ProgramRun run("cuda_target", {"works_on_two_devices_by_thread"});
  ExpectEnded(run.Set("RAFTER_FAKE_DEVICES", "2").Enter(kWays).Go(), "two devices");
  const CountedStream stream = CountedStream::Of(run);
  for (const char* set : {"time", "memory", "sm"}) {
    ExpectExact(stream, "on the first", set, kTimeMetric, 1000, 0);
    ExpectExact(stream, "on the second", set, kTimeMetric, 2000, 1);
    EXPECT_EQ(stream.Measured("on the first", set, 1), 0u);
    EXPECT_EQ(stream.Measured("on the second", set, 0), 0u);
  }
  ExpectExact(stream, "on the first", "memory", kDramMetric, 1000, 0);
  ExpectExact(stream, "on the second", "memory", kDramMetric, 3000, 1);
  // Each call on one device only.
  EXPECT_EQ(stream.Calls("on the first"), stream.Calls("on the first", 0))
      << stream.Why("on the first");
  EXPECT_EQ(stream.Calls("on the second"), stream.Calls("on the second", 1))
      << stream.Why("on the second");
  EXPECT_TRUE(stream.Noted("more than one GPU", wire::WARNING)) << stream.NoteTexts();
}

TEST(TwoDevices, OneThreadAlternatesBetweenAreBothExact) {
  ProgramRun run("cuda_target", {"alternates_between_devices"});
  ExpectEnded(run.Set("RAFTER_FAKE_DEVICES", "2").Enter(kWays).Go(), "alternated");
  const CountedStream stream = CountedStream::Of(run);
  for (int device = 0; device < 2; ++device) {
    const double share = device == 0 ? 1 : 2;
    for (const char* set : {"time", "memory", "sm"}) {
      ExpectExact(stream, "alternates", set, kTimeMetric, 1000 * share, device);
    }
    ExpectExact(stream, "alternates", "memory", kDramMetric, 1000 + 2000 * device, device);
  }
  const uint64_t first = stream.Calls("alternates", 0);
  EXPECT_EQ(first, stream.Calls("alternates", 1)) << stream.Why("alternates");
}

// From the second call on the second device takes part: its row has every call but
// the first counted, or a reason for each.
TEST(TwoDevices, InOneRegionGiveARowEach) {
  ProgramRun run("cuda_target", {"spans_two_devices"});
  ExpectEnded(run.Set("RAFTER_FAKE_DEVICES", "2").Enter(kWays).Go(), "both");
  const CountedStream stream = CountedStream::Of(run);
  for (const char* set : {"time", "memory", "sm"}) {
    ExpectExact(stream, "both", set, kTimeMetric, 1000, 0);
    ExpectExact(stream, "both", set, kTimeMetric, 2000, 1);
  }
  ExpectExact(stream, "both", "memory", kDramMetric, 1000, 0);
  ExpectExact(stream, "both", "memory", kDramMetric, 3000, 1);
  const uint64_t first = stream.Calls("both", 0);
  const uint64_t second = stream.Calls("both", 1);
  EXPECT_GT(first, 20u);
  EXPECT_LE(second, first) << stream.Why("both");
  EXPECT_GE(second + 2, first) << stream.Why("both");
}

// --- contexts of one device -------------------------------------------------------

TEST(TwoContexts, OfOneDeviceTakeTurnsAndGetEverySet) {
  ProgramRun run("cuda_target", {"takes_turns_on_two_contexts"});
  ExpectEnded(run.Enter(kWays).Go(), "took turns");
  const CountedStream stream = CountedStream::Of(run);
  for (const char* set : {"time", "memory", "sm"}) {
    ExpectExact(stream, "in the first", set, kTimeMetric, 1000);
    ExpectExact(stream, "in the second", set, kTimeMetric, 2000);
  }
  ExpectExact(stream, "in the first", "memory", kDramMetric, 1000);
  ExpectExact(stream, "in the second", "memory", kDramMetric, 3000);
  ExpectExact(stream, "in the first", "flop", kFfmaMetric, 5);
  ExpectExact(stream, "in the second", "flop", kFfmaMetric, 7);
  EXPECT_TRUE(stream.Noted("another context of this process", wire::INFORMATION))
      << stream.NoteTexts();
}

// What a region launched on another context of the GPU is not in its counts, so no
// call of it that was seen to do so is taken for whole.
TEST(TwoContexts, InOneRegionNeverGiveHalfACount) {
  ProgramRun run("cuda_target", {"launches_on_a_second_context"});
  ExpectEnded(run.Enter(kWays).Go(), "launched");
  const CountedStream stream = CountedStream::Of(run);
  ExpectExact(stream, "alone", "memory", kDramMetric, 1000);
  ExpectExact(stream, "alone", "flop", kFfmaMetric, 5);
  EXPECT_GT(stream.Uncounted("in both", wire::OTHER_DEVICE), 0u) << stream.Why("in both");
  for (const char* set : {"memory", "sm", "flop"}) EXPECT_EQ(stream.Measured("in both", set), 0u);
  // The first call meets `time`, where launches are not watched, before anything is known.
  EXPECT_LE(stream.Measured("in both", "time"), 1u);
  EXPECT_EQ(stream.Calls("in both"), stream.Calls("alone")) << "one record for each call";
}

TEST(Contexts, MadeInsideARegionAreCountedFromThereOn) {
  ProgramRun run("cuda_target", {"makes_a_context_inside_a_region"});
  ExpectEnded(run.Enter(kWays).Go(), "made inside");
  const CountedStream stream = CountedStream::Of(run);
  for (const char* region : {"around/inside", "after"}) {
    ExpectExact(stream, region, "time", kTimeMetric, 1000);
    ExpectExact(stream, region, "memory", kDramMetric, 1000);
    ExpectExact(stream, region, "flop", kFfmaMetric, 5);
  }
  EXPECT_EQ(stream.Uncounted("around", wire::NO_CONTEXT), 1u) << stream.Why("around");
}

// Once a launch has been seen there the region is counted; each call has one record.
TEST(Contexts, SetInsideARegionAreCountedOnceALaunchHasBeenSeen) {
  ProgramRun run("cuda_target", {"sets_its_context_inside_a_region"});
  ExpectEnded(run.Enter(kWays).Go(), "set inside");
  const CountedStream stream = CountedStream::Of(run);
  ExpectExact(stream, "around", "time", kTimeMetric, 1000);
  ExpectExact(stream, "around", "memory", kDramMetric, 1000);
  ExpectExact(stream, "around", "flop", kFfmaMetric, 5);
  EXPECT_GT(stream.Uncounted("around", wire::NO_CONTEXT), 0u) << stream.Why("around");
  EXPECT_LT(stream.Uncounted("around", wire::NO_CONTEXT), 40u) << stream.Why("around");
  EXPECT_EQ(stream.Calls("around"), stream.Calls("beside"));
}

// The second context has the address of the first, and is one of its own.
TEST(Contexts, OfAnotherGpuAtTheAddressOfADeadOneAreNotTakenForIt) {
  ProgramRun run("cuda_target", {"moves_from_gpu_to_gpu"});
  run.Set("RAFTER_FAKE_DEVICES", "2").Set("RAFTER_FAKE_REUSE", "1");
  ExpectEnded(run.Enter(kWays).Go(), "moved");
  const CountedStream stream = CountedStream::Of(run);
  ExpectExact(stream, "on the first", "memory", kDramMetric, 1000, 0);
  ExpectExact(stream, "on the second", "memory", kDramMetric, 1000, 1);
  EXPECT_EQ(stream.Measured("on the second", "time", 0), 0u) << stream.Why("on the second");
  EXPECT_EQ(stream.Calls("on the second", 0), 0u) << stream.Why("on the second");
  EXPECT_EQ(stream.Calls("on the second"), 300u);
}

TEST(Contexts, AreCountedHoweverManyComeAndGo) {
  ProgramRun run("cuda_target", {"makes_contexts_one_after_the_other"});
  ExpectEnded(run.Enter(kWays).Limit(60).Go(), "many contexts");
  const CountedStream stream = CountedStream::Of(run);
  ExpectExact(stream, "work", "memory", kDramMetric, 1000);
  ExpectExact(stream, "work", "flop", kFfmaMetric, 5);
  EXPECT_EQ(stream.Calls("work"), 800u);
  EXPECT_EQ(stream.Uncounted("work", wire::OTHER_DEVICE), 0u) << stream.Why("work");
}

TEST(Contexts, ThatNoRegionBeginsWithGiveEachCallOneRecord) {
  ProgramRun run("cuda_target", {"launches_on_a_gpu_that_no_region_has_met"});
  run.Set("RAFTER_FAKE_DEVICES", "2");
  ExpectEnded(run.Enter(kWays).Go(), "there");
  const CountedStream stream = CountedStream::Of(run);
  EXPECT_EQ(stream.Calls("there"), 200u) << stream.Why("there");
  ExpectExact(stream, "there", "time", kTimeMetric, 1000, 1);
}

TEST(Contexts, ResetInTheMiddleAreCountedBeforeAndAfter) {
  ProgramRun run("cuda_target", {"resets_in_the_middle"});
  ExpectEnded(run.Enter(kWays).Go(), "reset 0\nreset");
  const CountedStream stream = CountedStream::Of(run);
  for (const char* region : {"before", "after", "always"}) {
    for (const char* set : {"time", "memory", "sm"}) {
      ExpectExact(stream, region, set, kTimeMetric, 1000);
    }
    ExpectExact(stream, region, "flop", kFfmaMetric, 5);
  }
  EXPECT_EQ(stream.Calls("open at the reset"), 1u);
  EXPECT_EQ(stream.Uncounted("open at the reset", wire::COUNTED), 0u)
      << stream.Why("open at the reset");
}

// A driver before CUDA 12 does not number contexts.
TEST(Contexts, AreCountedWithADriverThatDoesNotNumberThem) {
  for (const char* story : {"resets_in_the_middle", "makes_contexts_one_after_the_other"}) {
    SCOPED_TRACE(story);
    ProgramRun run("cuda_target", {story});
    run.Set("RAFTER_FAKE_CUDA_FAIL", "cuCtxGetId=500");
    const Outcome outcome = run.Enter(kWays).Limit(60).Go();
    EXPECT_EQ(StatusText(outcome.status), "exit status 0");
    EXPECT_EQ(outcome.err, "");
    const CountedStream stream = CountedStream::Of(run);
    const bool resets = story == std::string("resets_in_the_middle");
    for (const char* region : {resets ? "before" : "work", resets ? "after" : "work"}) {
      ExpectExact(stream, region, "memory", kDramMetric, 1000);
      ExpectExact(stream, region, "flop", kFfmaMetric, 5);
    }
    EXPECT_EQ(stream.NoteTexts().find("counters off"), std::string::npos) << stream.NoteTexts();
  }
}

// --- processes of one GPU -----------------------------------------------------------

// Several runs of one program that share a GPU.
class Crowd {
 public:
  Crowd(size_t size, const std::string& story, const std::string& ms) {
    for (size_t i = 0; i < size; ++i) {
      runs_.push_back(std::make_unique<ProgramRun>("cuda_target", std::vector{story}));
      runs_[i]->Set("SURVIVAL_MS", ms).Limit(60).Enter(kWays);
      Share(*runs_[i], *runs_[0]);
    }
  }
  static void Share(ProgramRun& run, const ProgramRun& with) {
    run.Set("RAFTER_FAKE_STATE", with.folder() + "/state")
        .Set("XDG_RUNTIME_DIR", with.folder() + "/runtime");
  }
  std::vector<Outcome> Go() {
    std::vector<Outcome> outcomes(runs_.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < runs_.size(); ++i) {
      threads.emplace_back([&, i] { outcomes[i] = runs_[i]->Go(); });
    }
    for (std::thread& thread : threads) thread.join();
    return outcomes;
  }
  ProgramRun& operator[](size_t i) { return *runs_[i]; }

 private:
  std::vector<std::unique_ptr<ProgramRun>> runs_;
};

void ExpectEverySetExact(const CountedStream& stream) {
  for (const char* set : {"time", "memory", "sm"}) {
    ExpectExact(stream, "copy", set, kTimeMetric, 1000);
    ExpectExact(stream, "outer/compute", set, kTimeMetric, 2000);
    ExpectExact(stream, "outer", set, kTimeMetric, 3000);
  }
  ExpectExact(stream, "copy", "memory", kDramMetric, 1000);
  ExpectExact(stream, "outer", "memory", kDramMetric, 1000);
  ExpectExact(stream, "outer/compute", "flop", kFfmaMetric, 5000);
  ExpectExact(stream, "outer", "flop", kFfmaMetric, 5000);
  ExpectExact(stream, "copy", "flop", kFfmaMetric, 0);
}

class Processes : public ::testing::TestWithParam<size_t> {};

TEST_P(Processes, OnOneGpuAllGetEverySet) {
  Crowd crowd(GetParam(), "counts_known_work", GetParam() == 2 ? "3500" : "6000");
  const std::vector<Outcome> outcomes = crowd.Go();
  bool waited = false;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    SCOPED_TRACE("process " + std::to_string(i));
    ExpectEnded(outcomes[i], "counted");
    const CountedStream stream = CountedStream::Of(crowd[i]);
    ExpectEverySetExact(stream);
    EXPECT_EQ(stream.Uncounted("copy", wire::RANGE_REFUSED), 0u);
    EXPECT_EQ(stream.Uncounted("copy", wire::COUNTERS_OFF), 0u) << stream.Why("copy");
    waited |= stream.Uncounted("copy", wire::NOT_OUR_TURN) > 0;
  }
  EXPECT_TRUE(waited) << "nobody had to wait: the GPU was not shared";
}

INSTANTIATE_TEST_SUITE_P(Survival, Processes, ::testing::Values(2, 4),
                         [](const auto& parameter) { return std::to_string(parameter.param); });

// A region that never closes must not keep the GPU from others.
TEST(Processes, TakeTurnsThoughEachHasOneRegionAroundEverything) {
  Crowd crowd(2, "has_one_region_around_everything", "9000");
  const std::vector<Outcome> outcomes = crowd.Go();
  for (size_t i = 0; i < 2; ++i) {
    SCOPED_TRACE("process " + std::to_string(i));
    ExpectEnded(outcomes[i], "around");
    const CountedStream stream = CountedStream::Of(crowd[i]);
    for (const char* set : {"time", "memory", "sm"}) {
      ExpectExact(stream, "program/step", set, kTimeMetric, 2000);
    }
    ExpectExact(stream, "program/step", "flop", kFfmaMetric, 10);
    EXPECT_EQ(stream.Uncounted("program", wire::COUNTED), 0u);
  }
}

TEST(Processes, LeaveTheGpuToOthersWhenTheyAreKilled) {
  Crowd crowd(1, "counts_known_work", "3000");
  ProgramRun killed("cuda_target", {"is_killed_while_it_counts"});
  Crowd::Share(killed, crowd[0]);
  killed.Enter(kWays);
  Outcome of_killed;
  std::thread beside([&] { of_killed = killed.Go(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const Outcome outcome = crowd.Go()[0];
  beside.join();
  EXPECT_EQ(StatusText(of_killed.status), "killed by signal 9");
  ExpectEnded(outcome, "counted");
  const CountedStream stream = CountedStream::Of(crowd[0]);
  EXPECT_GT(stream.Uncounted("copy", wire::NOT_OUR_TURN), 0u) << stream.Why("copy");
  ExpectEverySetExact(stream);
  EXPECT_FALSE(CountedStream::Of(killed).said_goodbye());
}

// The program ends while another has the GPU: nothing to wait for.
TEST(Processes, ExitAtOnceWhileInLineForATurn) {
  ProgramRun alone("cuda_target", {"counts_known_work"});
  const double alone_s = alone.Set("SURVIVAL_MS", "250").Go().seconds;
  Crowd holder(1, "counts_known_work", "1200");
  ProgramRun waiting("cuda_target", {"counts_known_work"});
  Crowd::Share(waiting, holder[0]);
  waiting.Set("SURVIVAL_MS", "250").Enter(kWays);
  std::thread beside([&] { ExpectEnded(holder.Go()[0], "counted"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  const Outcome outcome = waiting.Go();
  beside.join();
  ExpectEnded(outcome, "counted");
  const CountedStream stream = CountedStream::Of(waiting);
  EXPECT_GT(stream.Uncounted("copy", wire::NOT_OUR_TURN), 0u) << stream.Why("copy");
  EXPECT_TRUE(stream.said_goodbye());
  EXPECT_LT(outcome.seconds, alone_s + 0.4);
}

// The GPU's lock file, held by this process as if it counted.
class HeldGpu {
 public:
  explicit HeldGpu(const std::string& folder) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      fd_ = open(file.path().c_str(), O_RDWR | O_CLOEXEC);
    }
    struct flock counts = Stretch(0, 1);
    EXPECT_EQ(fcntl(fd_, F_SETLK, &counts), 0) << folder;
  }
  ~HeldGpu() { close(fd_); }
  HeldGpu(const HeldGpu&) = delete;
  HeldGpu& operator=(const HeldGpu&) = delete;

  bool AnybodyInLine() const {
    struct flock line = Stretch(2, 0);  // behind the lock and the probe (gpu_lock.cc)
    EXPECT_EQ(fcntl(fd_, F_GETLK, &line), 0);
    return line.l_type != F_UNLCK;
  }

 private:
  static struct flock Stretch(off_t start, off_t length) {
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    return lock;
  }

  int fd_ = -1;
};

TEST(Processes, LeaveTheLineWhenTheirContextGoes) {
  ProgramRun first("cuda_target", {"calls_a_region_some_times"});
  Crowd::Share(first, first);
  ExpectEnded(first.Enter(kWays).Go(), "called");  // makes the file
  const HeldGpu held(first.folder() + "/runtime/rafter");
  ProgramRun leaving("cuda_target", {"leaves_cuda_while_in_line"});
  Crowd::Share(leaving, first);
  leaving.Enter(kWays);
  std::thread beside([&] { ExpectEnded(leaving.Go(), "left"); });
  bool stood = false;
  for (int i = 0; i < 500 && !std::ifstream(leaving.folder() + "/here/gone").good(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    stood = stood || held.AnybodyInLine();
  }
  EXPECT_TRUE(stood);
  EXPECT_FALSE(held.AnybodyInLine());
  beside.join();
  const CountedStream stream = CountedStream::Of(leaving);
  EXPECT_GT(stream.Uncounted("waits", wire::NOT_OUR_TURN), 0u) << stream.Why("waits");
}

// --- other profilers ----------------------------------------------------------------

// Whoever does not use our lock file: the hardware is busy for a while.
TEST(AnotherProfiler, ThatHoldsTheHardwareForAWhileIsWaitedFor) {
  ProgramRun run("cuda_target", {"counts_known_work"});
  const std::string lock = run.folder() + "/state/gpu0.lock";
  std::ofstream(lock) << getpid();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    unlink(lock.c_str());
  });
  ExpectEnded(run.Set("SURVIVAL_MS", "3500").Enter(kWays).Go(), "counted");
  other.join();
  const CountedStream stream = CountedStream::Of(run);
  EXPECT_TRUE(stream.Noted("answered 26", wire::WARNING)) << stream.NoteTexts();
  EXPECT_TRUE(stream.Noted("comes back when it lets go", wire::WARNING) ||
              stream.Noted("come back when it lets go", wire::WARNING))
      << stream.NoteTexts();
  EXPECT_TRUE(stream.Noted("counters came back", wire::INFORMATION)) << stream.NoteTexts();
  EXPECT_GT(stream.Uncounted("copy", wire::NOT_OUR_TURN), 0u) << stream.Why("copy");
  EXPECT_EQ(stream.Uncounted("copy", wire::COUNTERS_OFF), 0u) << stream.Why("copy");
  ExpectEverySetExact(stream);
}

TEST(AnotherProfiler, ThatNeverLetsGoCostsOnlyTheCounters) {
  ProgramRun run("cuda_target", {"counts_known_work"});
  std::ofstream(run.folder() + "/state/gpu0.lock") << getpid();
  ExpectEnded(run.Set("SURVIVAL_MS", "600").Enter(kWays).Go(), "counted");
  const CountedStream stream = CountedStream::Of(run);
  EXPECT_TRUE(stream.said_goodbye());
  EXPECT_TRUE(stream.images().empty());
  EXPECT_GT(stream.Calls("copy"), 20u);
  EXPECT_EQ(stream.Calls("copy"), stream.Uncounted("copy", wire::NOT_OUR_TURN))
      << stream.Why("copy");
}

}  // namespace
}  // namespace rafter::survival
