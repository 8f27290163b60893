// The recorder thread's half of InjectionSession: sets counting up, changes
// passes, and sends what there is to send.
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cupti/library.h"
#include "inject/clock.h"
#include "inject/fence.h"
#include "inject/session.h"

namespace rafter {
namespace {

// How long regions wait in the ring when nothing else wakes the recorder.
constexpr uint64_t kDrainEveryNs = 50'000'000;

// Regions in one batch frame: about 40 bytes each.
constexpr size_t kBatchRegions = 4096;

// Batches in one go: twice the ring. A thread that never stops would keep others,
// which wait for a change of passes, waiting.
constexpr size_t kBatchesAtOnce = 2 * RegionRing::kCapacity / kBatchRegions;

// Names in one frame, which may be 64 MiB long; a name may be 1 MiB.
constexpr uint32_t kNamesAtOnce = 32;

}  // namespace

void* InjectionSession::RecorderMain(void* self) {
  pthread_setname_np(pthread_self(), "rafter-record");
  auto* session = static_cast<InjectionSession*>(self);
  Guarded([session] { session->RunRecorder(); });
  session->RecorderEnded();
  return nullptr;
}

// Whatever ended it, nobody may wait for it again.
void InjectionSession::RecorderEnded() noexcept {
  Guarded([this] {  // an exception may have left a range open, in which launches block
    const std::lock_guard<std::mutex> own(counting_mutex_);
    if (borders_.Retire(false)) Health().Lost(Loss::kEpochsLost);
  });
  borders_.Off();
  pthread_mutex_lock(&wake_mutex_);
  goodbye_done_ = true;
  pthread_cond_broadcast(&wake_changed_);
  pthread_mutex_unlock(&wake_mutex_);
}

void InjectionSession::RunRecorder() {
  struct stat standard_error;
  if (fstat(STDERR_FILENO, &standard_error) == 0) {
    stderr_device_ = standard_error.st_dev;
    stderr_inode_ = standard_error.st_ino;
  }
  identity_ = ReadIdentity();
  outlet_.Open(options_.collector, identity_);
  outlet_.Send(FrameType::kHello, EncodeHello(identity_, options_, entry_), true);
  if (!outlet_.trouble().empty()) {
    Health().AddNote(NoteSeverity::kWarning, "record", outlet_.trouble());
  }
  for (const std::string& name : options_.unknown) {
    Health().AddNote(NoteSeverity::kWarning, "record",
                     name + ": no such variable; it has no effect, correct or unset it");
  }
  bool goodbye = false;
  while (!goodbye) {
    WaitForWork();
    pthread_mutex_lock(&wake_mutex_);
    goodbye = goodbye_asked_;
    pthread_mutex_unlock(&wake_mutex_);
    DoWork();
    CheckBlockedLaunch();
    if (!goodbye) Drain();
  }
  SayGoodbye();
}

// What the borders ask for. A request is taken by the owner of the range session
// only, so that who ends counting finds it either done or not begun.
void InjectionSession::DoWork() {
  const std::lock_guard<std::mutex> own(counting_mutex_);
  const RangeBorders::Request request = borders_.TakeRequest();
  if (request.work == RangeBorders::Work::kArm) Arm(request.context);
  if (request.work == RangeBorders::Work::kRotate) Rotate(request.target_pass);
  if (request.work == RangeBorders::Work::kPause) Pause();
  if (!borders_.off()) return;
  // Off for good: neither the hardware nor the launches are ours any longer.
  if (range_session_.open()) EndCountingOwned(false);
  watch_.Unsubscribe();
}

void InjectionSession::WaitForWork() {
  const timespec until = TimespecOf(NowNs() + kDrainEveryNs);
  pthread_mutex_lock(&wake_mutex_);
  while (!wake_) {
    if (pthread_cond_timedwait(&wake_changed_, &wake_mutex_, &until) != 0) break;
  }
  wake_ = false;
  pthread_mutex_unlock(&wake_mutex_);
}

// Sends everything that has gathered: names before what refers to them.
void InjectionSession::Drain() {
  std::array<FinishedRegion, 64> chunk;
  std::vector<FinishedRegion> regions;
  const auto send_names = [&] {
    const uint32_t known = paths_.count();
    while (known > names_sent_) {
      const uint32_t last = std::min(known, names_sent_ + kNamesAtOnce);
      outlet_.Send(FrameType::kNames, EncodeNames(paths_, names_sent_ + 1, last), true);
      names_sent_ = last;
    }
  };
  for (size_t batch = 0; batch < kBatchesAtOnce; ++batch) {
    regions.clear();
    size_t got = 0;
    do {
      got = 0;
      while (got < chunk.size() && ring_.TryPop(chunk[got])) ++got;
      regions.insert(regions.end(), chunk.begin(),
                     chunk.begin() + static_cast<std::ptrdiff_t>(got));
    } while (got == chunk.size() && regions.size() < kBatchRegions);
    std::vector<std::pair<PathId, uint64_t>> dropped;
    send_names();
    dropped_sent_.resize(names_sent_ + 1, 0);
    for (uint32_t path = 1; path <= names_sent_; ++path) {
      const PathEntry* entry = paths_.Entry(static_cast<PathId>(path));
      const uint64_t now = entry->dropped_instances.load(std::memory_order_relaxed);
      if (now != dropped_sent_[path]) dropped.emplace_back(static_cast<PathId>(path), now);
      dropped_sent_[path] = now;
    }
    if (regions.empty() && dropped.empty()) break;
    regions_recorded_ += regions.size();
    outlet_.Send(FrameType::kBatch,
                 EncodeBatch(regions, Health().lost(Loss::kInstancesDropped), dropped));
  }
  std::vector<std::string> images;
  {
    const std::lock_guard<std::mutex> lock(pending_mutex_);
    images.swap(pending_images_);
  }
  if (!images.empty()) send_names();
  for (const std::string& image : images) outlet_.Send(FrameType::kImage, image);
  const std::vector<KernelCount> kernels = kernels_.Changed();
  if (!kernels.empty()) {
    send_names();
    outlet_.Send(FrameType::kKernels, EncodeKernels(kernels));
  }
  SendHealth();
}

void InjectionSession::SendHealth() {
  if (!outlet_.trouble().empty()) {
    Health().AddNote(NoteSeverity::kWarning, "record", outlet_.trouble());
  }
  const std::vector<HealthNote> notes = Health().NotesFrom(notes_sent_);
  uint64_t losses = 0;
  for (size_t i = 0; i < static_cast<size_t>(Loss::kCount); ++i) {
    losses += Health().lost(static_cast<Loss>(i));
  }
  if (notes.empty() && losses == losses_sent_) return;
  notes_sent_ += notes.size();
  losses_sent_ = losses;
  outlet_.Send(FrameType::kHealth, EncodeHealth(notes, Health()));
  if (outlet_.to_collector()) return;  // the collector prints them
  for (const HealthNote& note : notes) {
    if (note.severity != NoteSeverity::kInformation) Say(note.text);
  }
}

// One line on the program's standard error, in one write, and only where no
// collector can tell the user.
void InjectionSession::Say(std::string_view line) {
  struct stat now;
  if (options_.quiet || fstat(STDERR_FILENO, &now) != 0 || now.st_dev != stderr_device_ ||
      now.st_ino != stderr_inode_) {
    return;  // the program has put something else there
  }
  std::string text = "rafter: ";
  text += line;
  text += '\n';
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody listens
}

// --- setting up -----------------------------------------------------------------

void InjectionSession::Arm(void* context) {
  if (range_session_.open()) {
    // Counting paused, and a region came on another context. A second one beside
    // a living one is not counted; one that replaces it is.
    if (ContextLives()) return borders_.Paused();
    range_session_.Close(false);
  }
  const Status armed = TryArm(context);
  if (armed.ok()) return;
  Health().AddNote(NoteSeverity::kFailure, "counters", armed.message());
  range_session_.Close(ContextLives());
  borders_.Off();
}

// Whether the context that counting was set up on is still there. The driver
// must be asked: a program may reset the device while nobody watches.
bool InjectionSession::ContextLives() const {
  void* const context = range_session_.context();
  return context != nullptr && driver_.ContextNumber(context) == context_number_;
}

Status InjectionSession::TryArm(void* context) {
  const CuptiSearch search = {options_.cupti_path, options_.cuda_home, true};
  Result<const CuptiTable*> cupti = LoadCupti(search);
  if (!cupti.ok()) return Status::Failed("counters off: " + cupti.status().message());
  cupti_ = *cupti;
  if (!driver_.SetCurrent(context)) {
    return Status::Failed(
        "counters off: the program's CUDA context cannot be used; run \"rafter "
        "doctor\"");
  }
  Result<DeviceFacts> facts = driver_.Facts();
  if (!facts.ok()) return facts.status();
  facts_ = *facts;
  context_number_ = driver_.ContextNumber(context);
  RAFTER_RETURN_IF_ERROR(range_session_.Open(cupti_, context, facts_));

  outlet_.Send(
      FrameType::kDevice,
      EncodeDevice(kDevice, facts_, CuptiVersion(*cupti_), CuptiPath(*cupti_), options_.sets),
      true);
  Result<InstalledPlan> plan = ObtainPlan(facts_, cupti_);
  if (!plan.ok()) return Status::Failed("counters off: " + plan.status().message());
  plan_ = *plan;
  outlet_.Send(FrameType::kPlan, EncodePlan(kDevice, plan_), true);
  if (!plan_.error.empty()) return Status::Failed("counters off: " + plan_.error);

  RAFTER_RETURN_IF_ERROR(range_session_.Configure(
      plan_.configuration, plan_.Metrics(), RangeBorders::kSlots, RangeBorders::kRangesPerEpoch));
  if (++baseline_ > kMaxArmings) {
    return Status::Failed("counters off: the program has reset its device " +
                          std::to_string(kMaxArmings) + " times; mark regions on one context");
  }
  outlet_.Send(FrameType::kBaseline,
               EncodeBaseline(kDevice, baseline_, RangeBorders::kSlots, range_session_.baseline()),
               true);
  RAFTER_RETURN_IF_ERROR(range_session_.Start());
  pass_ = 0;
  epoch_running_ = true;
  // Once more, so that it runs before handlers that the driver and CUPTI have
  // registered meanwhile: the last epoch needs both.
  atexit([] { Guarded([] { Session().Goodbye(); }); });
  // Before the first region goes on, which may launch what `flop` must not meet;
  // and after, since only then can a set be given up.
  KeepWatch();
  const PlannedSet* flop = plan_.Find("flop");
  borders_.Armed(&range_session_, plan_.Passes(), flop == nullptr ? 0 : flop->first_pass,
                 flop == nullptr ? 0 : flop->passes);
  KeepWatch();
  return Status::Ok();
}

// The collector's plan, else the cached one, else our own.
Result<InstalledPlan> InjectionSession::ObtainPlan(const DeviceFacts& facts,
                                                   const CuptiTable* cupti) {
  const uint64_t end = NowNs() + kPlanDeadlineMs * 1000000ull;
  std::optional<InstalledPlan> plan;
  Outlet::Answer answer;
  while (outlet_.to_collector() && !plan.has_value()) {
    const uint64_t now = NowNs();
    if (now >= end || !outlet_.Receive(static_cast<int>((end - now) / 1000000) + 1, answer)) break;
    if (answer.type == FrameType::kPlan) {
      Result<InstalledPlan> parsed = ParsePlan(answer.message);
      // One that came too late for an earlier device is not for this one.
      if (parsed.ok() && !parsed->chip.empty() && parsed->chip != facts.chip) continue;
      if (parsed.ok()) {
        plan = *parsed;
        if (plan->origin.empty()) plan->origin = "collector";
      } else {
        Health().AddNote(NoteSeverity::kWarning, "counters", parsed.status().message());
        break;
      }
    }
  }
  if (plan.has_value() && plan->error.empty()) return *plan;
  std::optional<InstalledPlan> cached =
      ReadCachedPlan(options_.plan_cache, facts, CuptiVersion(*cupti), options_.sets);
  if (cached.has_value()) return *cached;
  if (plan.has_value()) return *plan;  // the collector's reason
  Result<InstalledPlan> own =
      PlanInProcess({options_.cupti_path, options_.cuda_home, true}, facts, options_.sets);
  if (own.ok()) WriteCachedPlan(options_.plan_cache, facts, CuptiVersion(*cupti), *own);
  return own;
}

// --- changing passes ------------------------------------------------------------

void InjectionSession::ShipEpoch(const EndedEpoch& epoch) {
  const bool anything = std::any_of(epoch.slots.begin(), epoch.slots.end(),
                                    [](const EpochSlot& slot) { return slot.segments > 0; });
  if (!anything) return;
  std::string image =
      EncodeImage(kDevice, baseline_, epoch, range_session_.baseline(), range_session_.image());
  const std::lock_guard<std::mutex> lock(pending_mutex_);
  pending_images_.push_back(std::move(image));
}

// Ends the running epoch, if one runs. CUPTI is then before the next pass.
Status InjectionSession::StopEpoch() {
  if (!epoch_running_) return Status::Ok();
  const EndedEpoch epoch = borders_.CloseEpoch();
  epoch_running_ = false;
  RAFTER_RETURN_IF_ERROR(range_session_.Stop());
  ShipEpoch(epoch);
  pass_ = (pass_ + 1) % plan_.passes;
  return Status::Ok();
}

void InjectionSession::CountersFailed(const Status& status) {
  Health().AddNote(NoteSeverity::kFailure, "counters", status.message());
  Health().Lost(Loss::kEpochsLost);
  borders_.Off();
}

// Steps through the fixed cycle until `target_pass` runs. Regions wait
// meanwhile, so nothing else is done here.
void InjectionSession::Rotate(size_t target_pass) {
  if (!epoch_running_ && !ContextLives()) {
    void* const again = range_session_.context();  // reset while counting paused
    range_session_.Close(false);
    return Arm(again);
  }
  Status step = StopEpoch();
  for (; step.ok() && pass_ != target_pass; pass_ = (pass_ + 1) % plan_.passes) {
    step = range_session_.Start();
    if (step.ok()) step = range_session_.Stop();
  }
  if (step.ok()) step = range_session_.Start();
  if (!step.ok()) return CountersFailed(step);
  epoch_running_ = true;
  KeepWatch();
  borders_.Resume(pass_);
}

void InjectionSession::Pause() {
  const Status stopped = StopEpoch();
  if (!stopped.ok()) return CountersFailed(stopped);
  // Without contexts' numbers only the subscription tells that one goes.
  if (context_number_ != 0 || CuptiWasMapped(*cupti_)) watch_.Unsubscribe();
  watch_.Watch(false);
  borders_.Paused();
}

// Launches are watched in every set but `time`: for the guard of `flop`, the
// number of launches and the kernels' names. A watched launch takes 15 us longer
// (docs/measurements), which must not get into times. In `time` the subscription
// only tells that the context goes; where another client of CUPTI in the process
// may want it, it is let go, as while counting pauses.
void InjectionSession::KeepWatch() {
  const std::string& set = plan_.SetOfPass(pass_);
  const bool watch = set != "time";
  if (!watch_.subscribed() && (watch || !CuptiWasMapped(*cupti_))) {
    const Status subscribed = watch_.Subscribe(cupti_, this);
    if (!subscribed.ok() && plan_.Find("flop") != nullptr && !borders_.given_up("flop")) {
      borders_.GiveUp("flop");
      Health().AddNote(NoteSeverity::kWarning, "flop",
                       "flop is left out: " + subscribed.message() +
                           ", so a program whose kernels wait for each other cannot be told from "
                           "one that is safe; close the other profiler");
    }
  }
  watch_.Watch(watch);
  if (!watch && CuptiWasMapped(*cupti_)) watch_.Unsubscribe();
}

void InjectionSession::CheckBlockedLaunch() {
  LaunchWatch::Blocked blocked;
  const uint64_t now = NowNs();
  if (!borders_.FlopRangeOpen() || now < kBlockedLaunchNs) return;
  if (!watch_.LongestBlocked(now - kBlockedLaunchNs, blocked)) return;
  if (blocked.since_ns == blocked_named_ns_) return;
  blocked_named_ns_ = blocked.since_ns;
  Health().AddNote(NoteSeverity::kWarning, "flop",
                   "the launch of " + blocked.symbol +
                       " has been blocked for 10 s inside a flop range, where each launch waits "
                       "for its kernel; if the program hangs, its kernels wait for a later launch: "
                       "count it with \"--set time,memory\"");
}

// --- the end --------------------------------------------------------------------

// The last epoch, on whichever thread sees the end first. `context_going`: the
// context is about to go, and another may come; else the process ends.
void InjectionSession::EndCounting(bool context_going) {
  std::unique_lock<std::mutex> own(counting_mutex_, std::try_to_lock);
  const uint64_t end = NowNs() + RangeBorders::kRotationDeadlineNs;
  while (!own.owns_lock() && NowNs() < end) {
    poll(nullptr, 0, 1);
    own.try_lock();
  }
  if (own.owns_lock()) return EndCountingOwned(context_going);
  borders_.Off();  // the recorder sees it, and lets go, when CUPTI has answered it
  Health().AddNote(NoteSeverity::kWarning, "counters",
                   "counters off: the CUDA context went while CUPTI took longer than 1 s to "
                   "change passes");
}

void InjectionSession::EndCountingOwned(bool context_going) {
  const bool context_alive = context_going || ContextLives();
  const bool was_running = context_alive && borders_.Retire(context_going);
  if (!context_alive) borders_.Off();
  if (was_running) {
    const EndedEpoch epoch = borders_.CloseEpoch();
    epoch_running_ = false;
    const Status stopped = range_session_.Stop();
    if (stopped.ok()) {
      ShipEpoch(epoch);
    } else {
      Health().Lost(Loss::kEpochsLost);
      Health().AddNote(NoteSeverity::kWarning, "counters",
                       "the last epoch is lost: " + stopped.message());
    }
  } else if (epoch_running_) {
    epoch_running_ = false;
    Health().Lost(Loss::kEpochsLost);
    if (!context_alive) {
      Health().AddNote(NoteSeverity::kWarning, "counters",
                       "the last epoch is lost: the CUDA context went before it could be read");
    }
  }
  if (range_session_.open()) range_session_.Close(context_alive);
}

void InjectionSession::SayGoodbye() {
  {
    const std::lock_guard<std::mutex> own(counting_mutex_);
    if (range_session_.open()) EndCountingOwned(false);
  }
  if (paths_.count() == 0 && cuda_initialised_) {
    Health().AddNote(
        NoteSeverity::kWarning, "regions",
        "the program used CUDA and marked no region; mark its work with NVTX, and if "
        "it does so before it starts CUDA, set both variables: eval \"$(rafter env)\"");
  }
  if (borders_.epochs() > 0) {
    Health().AddNote(NoteSeverity::kInformation, "counters",
                     "counting held the program up for " +
                         std::to_string(borders_.stalled_ns() / 1000000) + " ms in " +
                         std::to_string(borders_.epochs()) +
                         (borders_.epochs() == 1 ? " epoch" : " epochs") + ", set-up included");
  }
  Drain();
  outlet_.Send(FrameType::kGoodbye, EncodeGoodbye("exit", NowNs()));
  if (outlet_.spooling() && regions_recorded_ > 0) {
    Say("regions are in " + outlet_.spool_path() + "; next: rafter ingest " + outlet_.spool_path() +
        " -o run.rafter");
  }
}

}  // namespace rafter
