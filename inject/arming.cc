// The recorder thread's half of InjectionSession that sets counting up on a context.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "cupti/library.h"
#include "inject/clock.h"
#include "inject/fence.h"
#include "inject/session.h"

namespace rafter {

void InjectionSession::Arm(CountedContext& counted) {
  const bool waited = counted.borders.state() == RangeBorders::State::kWaiting;
  if (waited && !counted.borders.LackedWithin(GpuSeat::kTurnNs)) {
    return LeaveLine(counted);  // nothing to measure just now
  }
  if (counted.range_session.open() && !ContextLives(counted)) {
    counted.epoch_running = false;
    counted.range_session.Close(false);  // reset while counting paused
  }
  if (!IsTheOneMet(counted)) {
    counted.borders.Abandon();
    return LetGo(counted, false);
  }
  bool wait = false;
  const Status armed = TryArm(counted, wait);
  if (armed.ok() && !wait) {
    if (counted.busy_said && waited) {
      Health().AddNote(NoteSeverity::kInformation, "counters", "counters came back");
    }
    counted.busy_said = false;
    return;
  }
  if (wait) {
    in_line_ = true;
    return counted.borders.NotOurTurn();
  }
  Health().AddNote(NoteSeverity::kFailure, "counters", armed.message());
  counted.range_session.Close(ContextLives(counted));
  counted.borders.Off();
}

// Whether the context still is the one that was met. It may have gone while nobody watched, and one
// of another GPU have come to its address: that gets an entry of its own when it is met.
bool InjectionSession::IsTheOneMet(CountedContext& counted) {
  void* const context = counted.context.load(std::memory_order_relaxed);
  const bool alive = driver_.IsAlive(context);
  const bool current = alive && driver_.SetCurrent(context);
  const bool moved = current && driver_.CurrentDevice() != counted.ordinal;
  if (alive && !moved) return true;
  if (moved) counted.device.store(0, std::memory_order_relaxed);
  counted.context.store(nullptr, std::memory_order_relaxed);
  return false;
}

// Sets the context up, or says with `wait` that it must wait for its turn.
Status InjectionSession::TryArm(CountedContext& counted, bool& wait) {
  if (cupti_ == nullptr) {
    Result<const CuptiTable*> cupti = LoadCupti({options_.cupti_path, options_.cuda_home, true});
    if (!cupti.ok()) return Status::Failed("counters off: " + cupti.status().message());
    cupti_ = *cupti;
    SayGoodbyeFirst();
  }
  void* const context = counted.context.load(std::memory_order_relaxed);
  if (!driver_.SetCurrent(context)) {
    return Status::Failed(
        "counters off: the program's CUDA context cannot be used; run \"rafter "
        "doctor\"");
  }
  counted.range_session.UseDriver(&driver_);
  RAFTER_RETURN_IF_ERROR(FindSeat(counted));
  wait = !TakeSeat(counted);
  if (wait) return Status::Ok();
  const uint64_t number = driver_.ContextNumber(context);
  if (number != counted.context_number) counted.opened = false;
  counted.context_number = number;
  const bool first_time = !counted.seat->planned;
  Status step = OpenOnce(counted);
  if (step.ok()) step = Configure(counted);
  if (step.ok()) step = options_.replay_kernels ? StartReplay(counted) : StartEpoch(counted);
  wait = !step.ok() && counted.range_session.busy();
  if (wait) {
    SayBusy(counted, step.message());
    LetGo(counted, true);
    counted.retry_ns = NowNs() + CountedContext::kBusyRetryNs;
    return Status::Ok();
  }
  RAFTER_RETURN_IF_ERROR(step);
  if (first_time) SayGoodbyeFirst();
  Armed(counted);
  return Status::Ok();
}

// Regions go on, and are counted from now on.
void InjectionSession::Armed(CountedContext& counted) {
  if (options_.replay_kernels) return counted.borders.Replaying();
  // Before the first region goes on, which may launch what `flop` must not meet;
  // and after, since only then can a set be given up.
  KeepWatch();
  RangeBorders::Setup setup;
  setup.passes = counted.seat->plan.Passes();
  // The budget is the process's: contexts that are counted share it.
  uint64_t sharers = 0;
  ForEachContext([&](const CountedContext& other) { sharers += other.seat != nullptr ? 1 : 0; });
  setup.policy = {options_.overhead_ppm / std::max<uint64_t>(sharers, 1), options_.exact,
                  options_.skip};
  setup.device = static_cast<uint16_t>(counted.seat->device + 1);
  setup.slot_for_each_call = options_.granularity == Options::Granularity::kInstance;
  setup.slots = Slots();
  setup.ranges = Ranges();
  setup.verbose = options_.verbose;
  counted.borders.Armed(&counted.range_session, setup, ++epochs_);
  GiveUpPatching(counted);
  KeepWatch();
}

size_t InjectionSession::Slots() const {
  if (options_.replay_kernels) return KernelReplay::kLaunches;
  return options_.granularity == Options::Granularity::kInstance ? EpochBooks::kMostSlots
                                                                 : RangeBorders::kSlots;
}

size_t InjectionSession::Ranges() const {
  if (options_.replay_kernels) return KernelReplay::kLaunches;
  return options_.exact ? RangeBorders::kExactRanges : RangeBorders::kRangesPerEpoch;
}

// What is needed once: CUPTI knows the context, the GPU has a plan.
Status InjectionSession::OpenOnce(CountedContext& counted) {
  GpuSeat& seat = *counted.seat;
  void* const context = counted.context.load(std::memory_order_relaxed);
  if (!counted.opened) {
    RAFTER_RETURN_IF_ERROR(counted.range_session.Open(cupti_, context, seat.facts));
    counted.replay.Restart();
  }
  counted.opened = true;
  if (!seat.planned) {
    outlet_.Send(FrameType::kDevice,
                 EncodeDevice(seat.device, seat.facts, CuptiVersion(*cupti_), CuptiPath(*cupti_),
                              options_.sets),
                 true);
    Result<InstalledPlan> plan = ObtainPlan(seat.facts, seat.device);
    if (!plan.ok()) return Status::Failed("counters off: " + plan.status().message());
    seat.plan = *plan;
    seat.planned = true;
    outlet_.Send(FrameType::kPlan, EncodePlan(seat.device, seat.plan), true);
  }
  if (!seat.plan.error.empty()) return Status::Failed("counters off: " + seat.plan.error);
  return Status::Ok();
}

// The profiler is made and told what to count; its empty image is sent once.
Status InjectionSession::Configure(CountedContext& counted) {
  if (counted.range_session.open()) return Status::Ok();
  GpuSeat& seat = *counted.seat;
  counted.range_session.Reopen(counted.context.load(std::memory_order_relaxed));
  RAFTER_RETURN_IF_ERROR(counted.range_session.Configure(
      seat.plan.configuration, seat.plan.Metrics(), Slots(), Ranges(),
      options_.replay_kernels ? RangeSession::Ranges::kLaunches : RangeSession::Ranges::kOurs));
  counted.pass = 0;
  const auto baseline = counted.range_session.baseline();
  if (std::equal(baseline.begin(), baseline.end(), counted.baseline_image.begin(),
                 counted.baseline_image.end())) {
    return Status::Ok();
  }
  if (++baselines_ > kMaxBaselines) {
    return Status::Failed("counters off: the program has reset its device " +
                          std::to_string(kMaxBaselines) + " times; mark regions on one context");
  }
  counted.baseline = baselines_;
  counted.baseline_image.assign(baseline.begin(), baseline.end());
  outlet_.Send(
      FrameType::kBaseline,
      EncodeBaseline(seat.device, counted.baseline, static_cast<uint32_t>(Slots()), baseline),
      true);
  return Status::Ok();
}

// Registers the end of counting again, so that at exit it comes before the handlers that the
// driver and CUPTI have registered meanwhile: the last epoch needs both, and neither may
// go while this thread is in it.
void InjectionSession::SayGoodbyeFirst() {
  atexit([] { Guarded([] { Session().Goodbye(); }); });
}

int InjectionSession::PlanDeadlineMs() const {
  constexpr std::string_view kUsual[] = {"time", "memory", "sm", "flop"};
  int deadline_ms = kPlanDeadlineMs;
  const std::string_view sets = options_.sets;
  for (size_t start = 0; start < sets.size();) {
    const size_t end = std::min(sets.find(',', start), sets.size());
    const std::string_view set = sets.substr(start, end - start);
    if (std::find(std::begin(kUsual), std::end(kUsual), set) == std::end(kUsual)) {
      deadline_ms = std::min(deadline_ms + kPlanMoreMs, kMostPlanMs);
    }
    start = end + 1;
  }
  return deadline_ms;
}

// The collector's plan, else the cached one, else our own.
Result<InstalledPlan> InjectionSession::ObtainPlan(const DeviceFacts& facts, uint32_t device) {
  const uint64_t end = NowNs() + static_cast<uint64_t>(PlanDeadlineMs()) * 1000000u;
  std::optional<InstalledPlan> plan;
  Outlet::Answer answer;
  while (outlet_.to_collector() && !plan.has_value()) {
    const uint64_t now = NowNs();
    if (now >= end || !outlet_.Receive(static_cast<int>((end - now) / 1000000) + 1, answer)) break;
    if (answer.type == FrameType::kPlan) {
      Result<InstalledPlan> parsed = ParsePlan(answer.message);
      // One that came too late for an earlier device is not for this one.
      if (parsed.ok() &&
          (parsed->device != device || (!parsed->chip.empty() && parsed->chip != facts.chip))) {
        continue;
      }
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
      ReadCachedPlan(options_.plan_cache, facts, CuptiVersion(*cupti_), options_.sets);
  if (cached.has_value()) return *cached;
  if (plan.has_value()) return *plan;  // the collector's reason
  Result<InstalledPlan> own = PlanInProcess({options_.cupti_path, options_.cuda_home, true}, facts,
                                            options_.sets, [this, is_first = true]() mutable {
                                              if (std::exchange(is_first, false)) SayGoodbyeFirst();
                                              return inert_.load(std::memory_order_relaxed);
                                            });
  if (own.ok()) WriteCachedPlan(options_.plan_cache, facts, CuptiVersion(*cupti_), *own);
  return own;
}

}  // namespace rafter
