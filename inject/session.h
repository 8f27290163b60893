// InjectionSession is Rafter inside one process: it takes regions from their
// sources, has them counted, and hands what comes of it to the recorder.
//
//   Threads   The calls of region sources and the events of the watch: any.
//             Everything else: the recorder thread that Start creates.
//   Blocking  as RangeBorders says; without counters never.
//   Memory    about 4 MiB, most of it touched only when used, beside CUPTI's.
//   Lifetime  made at the first entry, never destroyed.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cupti/host.h"
#include "inject/counters/counted_context.h"
#include "inject/cupti/launch_watch.h"
#include "inject/options.h"
#include "inject/record/encode.h"
#include "inject/record/identity.h"
#include "inject/record/kernel_table.h"
#include "inject/record/name_rules.h"
#include "inject/record/outlet.h"
#include "inject/record/path_table.h"
#include "inject/record/region_ring.h"
#include "inject/record/thread_table.h"
#include "marker/region_sink.h"

namespace rafter {

class InjectionSession final : private LaunchListener, private RangeBorders::Recorder {
 public:
  // How long exit waits for the last epoch (10 ms) and the last frames.
  static constexpr uint64_t kGoodbyeDeadlineNs = 1'000'000'000;

  // How long set-up waits for a collector's plan. Planning takes 80 ms the first
  // time; a collector that needs longer is not answering.
  static constexpr int kPlanDeadlineMs = 600;
  // Each set that is asked for beyond the usual ones may take several passes, which
  // the collector tries out: up to 3 s, and longer in this process.
  static constexpr int kPlanMoreMs = 3000;
  static constexpr int kMostPlanMs = 4500;

  // A launch that has not come back from a `flop` range for this long is named.
  static constexpr uint64_t kBlockedLaunchNs = 10'000'000'000;

  // A program that resets its device again and again: each time takes 0.2 s, and
  // its definitions are kept (Outlet).
  static constexpr uint32_t kMaxBaselines = 64;

  // Start/end ranges open at once in the whole process.
  static constexpr size_t kMaxStartedRanges = 256;

  // Images not yet sent, of about 10 to 100 KB, while a collector does not take them.
  static constexpr size_t kMaxPendingImages = 256;

  // Names of categories that are sent on. PyTorch and NCCL name a dozen.
  static constexpr size_t kMaxCategories = 1024;

  // Lines of the scheduler that are kept; more are counted.
  static constexpr size_t kMaxDecisions = 500;

  InjectionSession();

  // First use of any entry: reads the options and starts the recorder. `entry`:
  // "cuda", "nvtx" or "preload". `cuda_initialised`: the driver called us.
  void Start(const char* entry, bool cuda_initialised);

  // Sees launches from now on, before the program has its first context, where one may
  // be the first of a region that is open already, or counts without any. On the
  // program's thread, also inside cuInit.
  void WatchEarly();

  // What region sources deliver; see RegionSink. Hot path.
  int Push(uint32_t domain, const RegionEvent& event);
  int Pop(uint32_t domain);
  uint64_t StartRange(uint32_t domain, const RegionEvent& event);
  void EndRange(uint64_t range);
  void Mark(uint32_t domain, const RegionEvent& event);
  bool OpenNamed(std::string_view name);
  bool CloseNamed(std::string_view name);
  uint32_t Domain(std::string_view name) { return paths_.FindDomain(name); }
  void NameCategory(uint32_t domain, uint32_t category, std::string_view name);

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

  // --- the target's threads (session.cc, stacks.cc, shares.cc, launches.cc)
  ThreadRecord* ReadyThread(const char* entry);
  bool Wants(uint32_t domain);
  void SetRules();
  bool Open(ThreadRecord& mine, uint16_t source, const RegionEvent& event);
  void Close(ThreadRecord& mine, uint32_t place);
  void CloseDeep(ThreadRecord& mine, uint16_t source);
  void Cross(ThreadRecord& mine, OpenRegion& open);
  PathId PathOf(const OpenRegion* around, uint32_t domain, std::string_view name, uint64_t hash);
  void BeginUnchosen(OpenRegion& open);
  bool StartsLate(const OpenRegion& open) const;
  bool BeginLate(OpenRegion& open, const void* owner, CountedContext& context);
  void BeginRegion(const void* owner, const OpenRegion* around, OpenRegion& open);
  void EndRegion(const void* owner, OpenRegion& open, uint32_t thread, bool truncated);
  void EndShare(const void* owner, const OpenRegion& open, const RegionShare& share, bool truncated,
                FinishedRegion& finished);
  void BeginShare(const void* owner, CountedContext& context, OpenRegion& open);
  bool RecordElsewhere(const OpenRegion& open, FinishedRegion finished);
  static bool KeepEarly(CountedContext& context, const FinishedRegion& call);
  void RecordEarly(CountedContext& context);
  CountedContext* OnSameGpu(const OpenRegion& open, const CountedContext& context);
  void Join(PathId path, const CountedContext& context);
  void InitialiseWaking();
  void Record(const FinishedRegion& finished);
  void* CurrentContext();
  CountedContext* Meet(void* context);
  void CloseThread(ThreadRecord& record);
  void OnLaunch(const SeenLaunch& launch) override;
  void OnLaunched(bool failed) override;
  void OnSign(const char* what) override;
  void OnContextGoing(void* context) override;
  void LookForDanger(const SeenLaunch& launch);
  void PlaceLaunch(const SeenLaunch& launch, CountedContext* counted);
  void BeginLaunch(ThreadRecord& mine, const SeenLaunch& launch);
  void EndLaunch(ThreadRecord& mine, bool truncated);
  PathId LaunchPath(PathId parent, const SeenLaunch& launch);
  void BeginReplay(ThreadRecord* mine, CountedContext& counted, const SeenLaunch& launch);
  void EndReplay(ThreadRecord& mine, bool failed);
  void Wake() noexcept override;
  void Overlapped(const FinishedRegion& stretch) noexcept override { Record(stretch); }
  void Decided(PathId path, const std::string& decision) override;
  void LeavePatchingOut(const char* reason, const char* what_then);
  void LeaveSeveralDevices();
  void GiveUpPatching(CountedContext& counted);

  // --- the recorder thread, sending (recorder.cc)
  static void* RecorderMain(void* self);
  void RunRecorder();
  void RecorderEnded() noexcept;
  void WaitForWork();
  void Drain();
  void SendNames();
  void SendCategories();
  void SendHealth();
  void SendDecisions();
  WireCost CostSoFar();
  void SayGoodbye();
  void Say(std::string_view line);

  // --- the recorder thread, counting (counting.cc)
  void DoWork();
  void Serve(CountedContext& counted);
  void Arm(CountedContext& counted);
  bool IsTheOneMet(CountedContext& counted);
  Status TryArm(CountedContext& counted, bool& wait);
  void Armed(CountedContext& counted);
  Status FindSeat(CountedContext& counted);
  bool TakeSeat(CountedContext& counted);
  void LeaveSeat(CountedContext& counted);
  void LeaveLine(CountedContext& counted);
  Status OpenOnce(CountedContext& counted);
  Status Configure(CountedContext& counted);
  int PlanDeadlineMs() const;
  static void SayGoodbyeFirst();
  size_t Slots() const;
  size_t Ranges() const;
  void SayWhoHasIt(CountedContext& counted, const std::string& who);
  void SayBusy(CountedContext& counted, const std::string& answer);
  bool OthersWait(const CountedContext& counted) const;
  bool TurnIsOver(CountedContext& counted, uint64_t now_ns);
  bool ContextLives(const CountedContext& counted) const;
  void ContextWent(CountedContext& counted);
  Result<InstalledPlan> ObtainPlan(const DeviceFacts& facts, uint32_t device);
  void Rotate(CountedContext& counted, size_t target_pass);
  Status StartEpoch(CountedContext& counted);
  Status StartReplay(CountedContext& counted);
  Result<std::vector<uint32_t>> LaunchesIn(std::span<const uint8_t> image);
  void FlushReplay(CountedContext& counted, bool go_on);
  void MarkAround(std::vector<EpochSlot>& slots);
  void ShipReplay(CountedContext& counted, const KernelReplay::Books& books);
  Status StopEpoch(CountedContext& counted);
  void Pause(CountedContext& counted);
  void CountersFailed(CountedContext& counted, const Status& status);
  void KeepWatch();
  void EndEarlyWatch();
  void CheckBlockedLaunch();
  std::unique_lock<std::mutex> OwnCounting();
  void EndCounting(CountedContext& counted, bool context_going);
  void EndCountingOwned(CountedContext& counted, bool context_going);  // with counting_mutex_
  void EndLastEpoch(CountedContext& counted);
  void LetGo(CountedContext& counted, bool context_alive);
  static void SayAmbiguous(const CountedContext& counted);
  void SayUnreached(const CountedContext& counted);
  void ShipEpoch(CountedContext& counted, const EndedEpoch& epoch);
  template <typename Body>
  void ForEachContext(Body&& body) {
    for (size_t i = 0; i < contexts_.count(); ++i) body(*contexts_.At(i));
  }

  // Whether regions of an NVTX domain count, once somebody has asked.
  enum class Wish : uint8_t { kUnknown, kWanted, kUnwanted };

  Options options_;
  NameRules rules_;
  std::array<std::atomic<Wish>, PathTable::kMaxDomains> wishes_{};
  const char* entry_ = "";
  PathTable paths_;
  ThreadTable threads_;
  RegionRing ring_;
  LaunchWatch watch_;
  KernelTable kernels_;
  ContextTable contexts_;
  CudaDriver driver_;
  std::array<StartedRange, kMaxStartedRanges> started_ranges_;
  std::atomic<bool> inert_{
      false};  // a child that must not act, a rank that nobody wants, or the process is exiting
  std::atomic<bool> forked_{false};  // a child that must not act
  std::atomic<bool> recording_{false};
  std::atomic<bool> recorder_gone_{false};  // nobody sets counting up
  std::atomic<bool> cuda_initialised_{false};
  std::atomic<bool> patching_left_out_{false};
  std::atomic<bool> patching_known_{false};  // patching_reason_ is written
  std::string patching_reason_;
  std::atomic<int64_t> open_regions_{0};
  std::atomic<uint64_t> next_driver_look_ns_{0};
  std::atomic<uint64_t> contexts_full_until_ns_{0};
  std::atomic<void*> compute_stream_{nullptr};
  std::atomic<uint32_t> early_generation_{0};  // of the watch, from before any context; 0: none
  std::mutex watch_mutex_;                     // who subscribes, and ends it
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
  bool in_line_ = false;        // some context waits for its turn
  uint64_t stderr_device_ = 0;  // what standard error was when we came
  uint64_t stderr_inode_ = 0;
  uint64_t started_ns_ = 0;
  Identity identity_;
  Outlet outlet_;
  std::mutex counting_mutex_;  // who owns the range sessions: the recorder at work, or who ends one
  const CuptiTable* cupti_ = nullptr;
  std::unique_ptr<CuptiHost> image_reader_;  // of launches that CUPTI repeats
  std::vector<std::unique_ptr<GpuSeat>> seats_;
  bool several_devices_ = false;  // the runtime has contexts on more than one
  uint32_t epochs_ = 0;           // begun so far, over all contexts
  uint32_t baselines_ = 0;        // sent so far
  std::mutex pending_mutex_;
  std::vector<std::string> pending_images_;  // encoded, not yet sent
  std::mutex categories_mutex_;
  std::vector<CategoryName> categories_;  // not yet sent
  size_t categories_named_ = 0;
  std::mutex decisions_mutex_;
  std::vector<HealthNote> decisions_;  // not yet sent
  size_t decisions_made_ = 0;
  uint32_t names_sent_ = 0;
  size_t notes_sent_ = 0;
  uint64_t losses_sent_ = 0;
  uint64_t cost_sent_ns_ = 0;
  std::vector<uint64_t> dropped_sent_;
  uint64_t blocked_named_ns_ = 0;
  uint64_t regions_recorded_ = 0;
};

// The one of this process; made on first use.
InjectionSession& Session();

}  // namespace rafter
