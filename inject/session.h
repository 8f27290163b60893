// InjectionSession is Rafter inside one process: it takes regions from their
// sources, has them counted, and hands what comes of it to the recorder.
//
//   Threads   Push, Pop, StartRange, EndRange, and the events of the watch: any.
//             Everything else: the recorder thread that Start creates.
//   Blocking  as RangeBorders says; without counters never.
//   Memory    about 4 MiB, most of it touched only when used, beside CUPTI's.
//   Lifetime  made at the first entry, never destroyed.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "inject/counters/installed_plan.h"
#include "inject/counters/range_borders.h"
#include "inject/cupti/cuda_driver.h"
#include "inject/cupti/launch_watch.h"
#include "inject/cupti/range_session.h"
#include "inject/options.h"
#include "inject/record/identity.h"
#include "inject/record/kernel_table.h"
#include "inject/record/outlet.h"
#include "inject/record/path_table.h"
#include "inject/record/region_ring.h"
#include "inject/record/thread_table.h"

namespace rafter {

class InjectionSession final : private LaunchListener, private RangeBorders::Recorder {
 public:
  // How long exit waits for the last epoch (10 ms) and the last frames.
  static constexpr uint64_t kGoodbyeDeadlineNs = 1'000'000'000;

  // How long set-up waits for a collector's plan. Planning takes 80 ms the first
  // time; a collector that needs longer is not answering.
  static constexpr int kPlanDeadlineMs = 600;

  // A launch that has not come back from a `flop` range for this long is named.
  static constexpr uint64_t kBlockedLaunchNs = 10'000'000'000;

  // A program that resets its device again and again: each time takes 0.2 s, and
  // its definitions are kept (Outlet).
  static constexpr uint32_t kMaxArmings = 64;

  // Number in the stream of the one device that is counted.
  static constexpr uint32_t kDevice = 0;

  // Start/end ranges open at once in the whole process.
  static constexpr size_t kMaxStartedRanges = 256;

  InjectionSession();

  // First use of any entry: reads the options and starts the recorder. `entry`:
  // "cuda", "nvtx" or "preload". `cuda_initialised`: the driver called us.
  void Start(const char* entry, bool cuda_initialised);

  // Hot path. Opens a region on the calling thread; returns its level.
  int Push(uint32_t domain, std::string_view name);
  int Pop(uint32_t domain);
  uint64_t StartRange(uint32_t domain, std::string_view name);
  void EndRange(uint64_t range);
  uint32_t Domain(std::string_view name) { return paths_.FindDomain(name); }

  // The process is exiting: last epoch, last frames, within the deadline.
  void Goodbye();

  // In a child of fork, on its only thread.
  void AfterFork();

 private:
  struct StartedRange {
    // Serial of the use, times four, and 0 free, 1 being filled or emptied, 2 open:
    // one word, so that an old number never ends a new range.
    std::atomic<uint64_t> state{0};
    uint32_t thread = 0;
    OpenRegion open;
  };

  // --- the target's threads (session.cc)
  static constexpr uint32_t kCountedDomain = 0;
  void BeginRegion(const void* owner, const OpenRegion* around, OpenRegion& open);
  void EndRegion(const void* owner, PathId enclosing, const OpenRegion& open, uint32_t thread,
                 bool truncated);
  void InitialiseWaking();
  void Record(const FinishedRegion& finished);
  void* CurrentContext();
  void CloseThread(ThreadRecord& record);
  void OnLaunch(const SeenLaunch& launch) override;
  void OnSign(const char* what) override;
  void OnContextGoing(void* context) override;
  void Wake() noexcept override;
  void Overlapped(const FinishedRegion& stretch) noexcept override { Record(stretch); }
  void LeaveFlopOut(const char* reason, const char* what_then);

  // --- the recorder thread (recorder.cc)
  static void* RecorderMain(void* self);
  void RunRecorder();
  void RecorderEnded() noexcept;
  void WaitForWork();
  void Drain();
  void SendHealth();
  void Arm(void* context);
  Status TryArm(void* context);
  bool ContextLives() const;
  Result<InstalledPlan> ObtainPlan(const DeviceFacts& facts, const CuptiTable* cupti);
  void Rotate(size_t target_pass);
  void Pause();
  Status StopEpoch();
  void CountersFailed(const Status& status);
  void KeepWatch();
  void CheckBlockedLaunch();
  void DoWork();
  void EndCounting(bool context_going);
  void EndCountingOwned(bool context_going);  // by who holds counting_mutex_
  void ShipEpoch(const EndedEpoch& epoch);
  void SayGoodbye();
  void Say(std::string_view line);

  Options options_;
  const char* entry_ = "";
  PathTable paths_;
  ThreadTable threads_;
  RegionRing ring_;
  LaunchWatch watch_;
  KernelTable kernels_;
  RangeBorders borders_;
  CudaDriver driver_;
  std::array<StartedRange, kMaxStartedRanges> started_ranges_;
  std::atomic<bool> inert_{false};   // a child that must not act, or the process is exiting
  std::atomic<bool> forked_{false};  // a child that must not act
  std::atomic<bool> recording_{false};
  std::atomic<bool> cuda_initialised_{false};
  std::atomic<int64_t> open_regions_{0};
  std::atomic<uint64_t> next_driver_look_ns_{0};
  std::atomic<void*> compute_stream_{nullptr};
  std::mutex start_mutex_;
  std::mutex driver_mutex_;  // never waited for
  bool started_ = false;

  // The recorder's.
  pthread_t recorder_ = 0;
  pthread_mutex_t wake_mutex_;
  pthread_cond_t wake_changed_;
  bool wake_ = false;
  bool goodbye_asked_ = false;
  bool goodbye_done_ = false;
  uint64_t stderr_device_ = 0;  // what standard error was when we came
  uint64_t stderr_inode_ = 0;
  Identity identity_;
  Outlet outlet_;
  std::mutex counting_mutex_;  // who owns the range session: the recorder at work, or who ends it
  RangeSession range_session_;
  DeviceFacts facts_;
  const CuptiTable* cupti_ = nullptr;
  InstalledPlan plan_;
  uint32_t baseline_ = 0;
  uint64_t context_number_ = 0;  // of the context that counting was set up on
  size_t pass_ = 0;              // the running one, or the one that the next Start begins
  bool epoch_running_ = false;
  std::mutex pending_mutex_;
  std::vector<std::string> pending_images_;  // encoded, not yet sent
  uint32_t names_sent_ = 0;
  size_t notes_sent_ = 0;
  uint64_t losses_sent_ = 0;
  std::vector<uint64_t> dropped_sent_;
  uint64_t blocked_named_ns_ = 0;
  uint64_t regions_recorded_ = 0;
};

// The one of this process; made on first use.
InjectionSession& Session();

}  // namespace rafter
