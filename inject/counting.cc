// The recorder thread's half of InjectionSession that counts: changes passes, and ends.
#include <poll.h>

#include <algorithm>

#include "cupti/library.h"
#include "inject/clock.h"
#include "inject/session.h"

namespace rafter {

// What the borders ask for. A request is taken by the owner of the range sessions
// only, so that who ends counting finds it either done or not begun.
void InjectionSession::DoWork() {
  const std::lock_guard<std::mutex> own(counting_mutex_);
  in_line_ = false;
  ForEachContext([this](CountedContext& counted) { Serve(counted); });
  if (contexts_.count() > 0) KeepWatch();
  EndEarlyWatch();
}

// No region waits for a context any longer.
void InjectionSession::EndEarlyWatch() {
  if (early_generation_ == 0 || contexts_.count() > 0 || options_.no_regions) return;
  if (open_regions_.load(std::memory_order_relaxed) > 0) return;
  const std::lock_guard<std::mutex> lock(watch_mutex_);
  early_generation_ = 0;
  watch_.Watch(false);
  watch_.Unsubscribe();
}

void InjectionSession::Serve(CountedContext& counted) {
  const RangeBorders::Request request = counted.borders.TakeRequest();
  if (request.work == RangeBorders::Work::kArm) Arm(counted);
  if (request.work == RangeBorders::Work::kRotate) Rotate(counted, request.target_pass);
  if (request.work == RangeBorders::Work::kPause) Pause(counted);
  const uint64_t now = NowNs();
  switch (counted.borders.state()) {
    case RangeBorders::State::kRunning:
      counted.borders.Tick(now, OthersWait(counted) && TurnIsOver(counted, now));
      break;
    case RangeBorders::State::kPaused:
      if (OthersWait(counted)) LeaveSeat(counted);
      break;
    case RangeBorders::State::kWaiting:
      if (now >= counted.retry_ns) Arm(counted);
      break;
    case RangeBorders::State::kOff:
      // Neither the hardware nor the launches are ours any longer.
      if (counted.range_session.open()) EndCountingOwned(counted, false);
      if (counted.seat != nullptr && counted.seat->holder == &counted) LeaveSeat(counted);
      LeaveLine(counted);
      break;
    default:
      break;
  }
}

// --- changing passes ------------------------------------------------------------

void InjectionSession::ShipEpoch(CountedContext& counted, const EndedEpoch& epoch) {
  const bool anything =
      std::any_of(epoch.slots.begin(), epoch.slots.end(), [](const EpochSlot& slot) {
        return slot.segments > 0 || slot.instances > 0 || slot.incomplete > 0;
      });
  if (!anything) return;
  const std::lock_guard<std::mutex> lock(pending_mutex_);
  if (pending_images_.size() >= kMaxPendingImages) return Health().Lost(Loss::kEpochsLost);
  std::string image = EncodeImage(counted.seat->device, counted.baseline, epoch,
                                  counted.range_session.baseline(), counted.range_session.image());
  pending_images_.push_back(std::move(image));
}

Status InjectionSession::StartEpoch(CountedContext& counted) {
  const uint64_t start = NowNs();
  RAFTER_RETURN_IF_ERROR(counted.range_session.Start());
  counted.start_took_ns = NowNs() - start;
  counted.epoch_running = true;
  counted.passes_begun |= uint64_t{1} << counted.pass;
  return Status::Ok();
}

// --- epochs that end ------------------------------------------------------------

// Ends the running epoch, if one runs. CUPTI is then before the next pass.
Status InjectionSession::StopEpoch(CountedContext& counted) {
  if (!counted.epoch_running) return Status::Ok();
  if (!ContextLives(counted)) ContextWent(counted);
  if (!counted.epoch_running) return Status::Ok();
  const EndedEpoch epoch = counted.borders.CloseEpoch();
  counted.epoch_running = false;
  const uint64_t start = NowNs();
  RAFTER_RETURN_IF_ERROR(counted.range_session.Stop());
  counted.borders.PassTook(counted.pass, counted.start_took_ns + NowNs() - start);
  ShipEpoch(counted, epoch);
  counted.pass = (counted.pass + 1) % counted.seat->plan.passes;
  return Status::Ok();
}

void InjectionSession::CountersFailed(CountedContext& counted, const Status& status) {
  if (counted.range_session.busy()) {  // somebody took the hardware while counting paused
    SayBusy(counted, status.message());
    LeaveSeat(counted);
    counted.retry_ns = NowNs() + CountedContext::kBusyRetryNs;
    return;
  }
  Health().AddNote(NoteSeverity::kFailure, "counters", status.message());
  Health().Lost(Loss::kEpochsLost);
  counted.borders.Off();
}

// Steps through the fixed cycle until `target_pass` runs. Regions wait
// meanwhile, so nothing else is done here.
void InjectionSession::Rotate(CountedContext& counted, size_t target_pass) {
  if (!ContextLives(counted)) {  // reset while nobody watched
    if (counted.epoch_running) ContextWent(counted);
    return Arm(counted);
  }
  const size_t passes = counted.seat->plan.passes;
  Status step = StopEpoch(counted);
  while (step.ok() && counted.pass != target_pass) {
    const uint64_t start = NowNs();
    step = counted.range_session.Start();
    if (step.ok()) step = counted.range_session.Stop();
    if (step.ok()) counted.borders.PassTook(counted.pass, NowNs() - start);
    counted.pass = (counted.pass + 1) % passes;
  }
  if (step.ok()) step = StartEpoch(counted);
  if (!step.ok()) return CountersFailed(counted, step);
  KeepWatch();
  counted.borders.Resume(counted.pass, ++epochs_);
}

void InjectionSession::Pause(CountedContext& counted) {
  const Status stopped = StopEpoch(counted);
  if (!stopped.ok()) return CountersFailed(counted, stopped);
  KeepWatch();
  counted.borders.Paused();
  if (OthersWait(counted)) LeaveSeat(counted);
}

// Launches are watched in every set but `time`: for the guard of `flop`, the
// number of launches and the kernels' names. A watched launch takes 15 us longer
// (docs/measurements), which must not get into times. In a program with several
// devices the first epoch is watched whatever its set: where regions work must be
// known before it is counted. In `time` the subscription only tells that a context
// goes; where another client of CUPTI in the process may want it, or counting
// pauses, it is let go. Where each launch is a region of its own, launches are watched
// for as long as any may be counted: those that are not are calls all the same, and the
// return of one that is open must be seen.
void InjectionSession::KeepWatch() {
  bool running = false;
  bool as_regions = false;  // some launch may yet be counted as one
  bool watch = false;
  bool numbered = true;
  bool settled = false;  // some context has been set up, or given up
  ForEachContext([&](CountedContext& counted) {
    settled = settled || counted.epoch_running || counted.borders.off();
    as_regions = as_regions || !counted.borders.off();
    if (counted.range_session.open() && counted.context_number == 0) numbered = false;
    if (!counted.epoch_running) return;
    running = true;
    watch = watch || options_.replay_kernels ||
            counted.seat->plan.SetOfPass(counted.pass) != "time" ||
            ((several_devices_ || contexts_.count() > 1) && epochs_ <= contexts_.count());
  });
  if (early_generation_ != 0 && !settled) return;  // a launch may yet begin what waits for it
  const std::lock_guard<std::mutex> lock(watch_mutex_);
  early_generation_ = 0;
  as_regions =
      as_regions && cupti_ != nullptr && options_.granularity == Options::Granularity::kKernel;
  watch = as_regions || (running && watch);
  const bool hold = watch || !numbered || (running && !CuptiWasMapped(*cupti_));
  if (hold && !watch_.subscribed()) {
    const Status subscribed = watch_.Subscribe(cupti_, this);
    if (!subscribed.ok()) {
      LeavePatchingOut(
          (subscribed.message() +
           ", so a program whose kernels wait for each other cannot be told from one that is safe")
              .c_str(),
          "close the other profiler");
      if (as_regions) {
        Health().AddNote(NoteSeverity::kWarning, "regions",
                         subscribed.message() +
                             ", so launches are not told apart; close the other "
                             "profiler");
      }
    }
  }
  watch_.Watch(watch);
  if (!hold) watch_.Unsubscribe();
}

void InjectionSession::CheckBlockedLaunch() {
  LaunchWatch::Blocked blocked;
  const uint64_t now = NowNs();
  bool may_block = false;
  ForEachContext(
      [&](CountedContext& counted) { may_block |= counted.borders.BlockingRangeOpen(); });
  if (!may_block || now < kBlockedLaunchNs) return;
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

// For the program's threads, inside CUPTI's callbacks: the recorder may be in a call that
// waits for those, so this waits only so long.
std::unique_lock<std::mutex> InjectionSession::OwnCounting() {
  std::unique_lock<std::mutex> own(counting_mutex_, std::try_to_lock);
  const uint64_t end = NowNs() + RangeBorders::kRotationDeadlineNs;
  while (!own.owns_lock() && NowNs() < end) {
    poll(nullptr, 0, 1);
    own.try_lock();
  }
  return own;
}

// The last epoch, on whichever thread sees the end first. `context_going`: the
// context is about to go, and another may come; else the process ends.
void InjectionSession::EndCounting(CountedContext& counted, bool context_going) {
  const std::unique_lock<std::mutex> own = OwnCounting();
  if (own.owns_lock()) return EndCountingOwned(counted, context_going);
  counted.borders.Off();  // the recorder sees it, and lets go, when CUPTI has answered it
  Health().AddNote(NoteSeverity::kWarning, "counters",
                   "counters off: the CUDA context went while CUPTI took longer than 1 s to "
                   "change passes");
}

void InjectionSession::EndCountingOwned(CountedContext& counted, bool context_going) {
  const bool context_alive = context_going || ContextLives(counted);
  if (options_.replay_kernels && context_alive && counted.epoch_running) {
    FlushReplay(counted, false);
    SayAmbiguous(counted);
  }
  const bool was_running = context_alive && counted.borders.Retire(context_going);
  if (!context_alive) counted.borders.Off();
  if (was_running) {
    EndLastEpoch(counted);
  } else if (counted.epoch_running) {
    counted.epoch_running = false;
    Health().Lost(Loss::kEpochsLost);
    if (!context_alive) {
      Health().AddNote(NoteSeverity::kWarning, "counters",
                       "the last epoch is lost: the CUDA context went before it could be read; let "
                       "the program end its work before it destroys the context");
    }
  }
  SayUnreached(counted);
  LetGo(counted, context_alive);
  counted.opened = false;
}

void InjectionSession::EndLastEpoch(CountedContext& counted) {
  const EndedEpoch epoch = counted.borders.CloseEpoch();
  counted.epoch_running = false;
  const Status stopped = counted.range_session.Stop();
  if (stopped.ok()) return ShipEpoch(counted, epoch);
  Health().Lost(Loss::kEpochsLost);
  Health().AddNote(NoteSeverity::kWarning, "counters",
                   "the last epoch is lost: " + stopped.message());
}

// The hardware, the lock and the place in line.
void InjectionSession::LetGo(CountedContext& counted, bool context_alive) {
  if (counted.range_session.open()) counted.range_session.Close(context_alive);
  if (counted.seat != nullptr && counted.seat->holder == &counted) {
    counted.seat->holder = nullptr;
    counted.seat->lock.GiveBack();
  }
  LeaveLine(counted);
}

// Where every call is counted, sets change only where an epoch is full and nothing is
// open.
void InjectionSession::SayUnreached(const CountedContext& counted) {
  if (!options_.exact || options_.replay_kernels || counted.passes_begun == 0) return;
  std::string sets;
  const std::vector<ScheduledPass> passes = counted.seat->plan.Passes();
  for (const PlannedSet& set : counted.seat->plan.sets) {
    if ((counted.passes_begun >> set.first_pass & 1) != 0) continue;
    if (passes[set.first_pass].patches && patching_known_) continue;  // said already
    if (!sets.empty()) sets += ", ";
    sets += set.name;
  }
  if (sets.empty()) return;
  Health().AddNote(
      NoteSeverity::kInformation, "counters",
      "RAFTER_EXACT=1 did not come to " + sets +
          ": it changes sets only where no region is open and " + std::to_string(Ranges()) +
          " borders are counted; use \"rafter run --exact\", which counts one set a run");
}

}  // namespace rafter
