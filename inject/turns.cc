// The recorder thread's half of InjectionSession that shares GPUs: contexts, of this
// process and of others, take turns.
#include "inject/clock.h"
#include "inject/session.h"
#include "proto/gpu_uuid.h"

namespace rafter {

// The GPU below the context, which must be current.
Status InjectionSession::FindSeat(CountedContext& counted) {
  if (counted.seat != nullptr) {
    counted.device.store(static_cast<uint16_t>(counted.seat->device + 1));
    return Status::Ok();
  }
  Result<DeviceFacts> facts = driver_.Facts();
  if (!facts.ok()) return facts.status();
  for (const auto& seat : seats_) {
    if (seat->facts.uuid == facts->uuid) counted.seat = seat.get();
  }
  if (counted.seat == nullptr) {
    several_devices_ = several_devices_ || driver_.UsesSeveralDevices();
    auto seat = std::make_unique<GpuSeat>();
    seat->device = static_cast<uint32_t>(seats_.size());
    seat->facts = *facts;
    const Status opened = seat->lock.Open(
        options_.gpu_locks, GpuUuidText(seat->facts.uuid.data(), seat->facts.uuid.size()));
    seat->without_lock = !opened.ok();
    if (!opened.ok()) {
      Health().AddNote(NoteSeverity::kWarning, "counters",
                       opened.message() +
                           "; another process that counts on this GPU is noticed "
                           "only when the hardware is busy");
    }
    counted.seat = seat.get();
    seats_.push_back(std::move(seat));
  }
  counted.device.store(static_cast<uint16_t>(counted.seat->device + 1), std::memory_order_relaxed);
  RecordEarly(counted);
  return Status::Ok();
}

// Whether the context has its GPU's counters from now on. Else it waits in line.
bool InjectionSession::TakeSeat(CountedContext& counted) {
  GpuSeat& seat = *counted.seat;
  if (seat.holder != nullptr && seat.holder != &counted) {
    if (ContextLives(*seat.holder)) {
      SayWhoHasIt(counted, "another context of this process");
      return false;
    }
    ContextWent(*seat.holder);
    seat.holder = nullptr;
  }
  if (!seat.without_lock && !seat.lock.held()) {
    seat.lock.Want(true);
    if (!seat.lock.TryTake() && seat.lock.trouble().empty()) {
      SayWhoHasIt(counted, seat.lock.Holder());
      return false;
    }
  }
  if (seat.holder != &counted) seat.held_since_ns = NowNs();
  seat.holder = &counted;
  return true;
}

void InjectionSession::SayWhoHasIt(CountedContext& counted, const std::string& who) {
  if (counted.busy_said) return;
  counted.busy_said = true;
  Health().AddNote(NoteSeverity::kInformation, "counters",
                   who + " counts on " + counted.seat->facts.name +
                       " now; the two take turns, and rows say how many calls were measured");
}

void InjectionSession::SayBusy(CountedContext& counted, const std::string& answer) {
  if (counted.busy_said) return;
  counted.busy_said = true;
  Health().AddNote(NoteSeverity::kWarning, "counters",
                   answer + "; region times go on, and counters come back when it lets go");
}

// Gives the hardware to others. What was measured is remembered.
void InjectionSession::LeaveSeat(CountedContext& counted) {
  // A region that has begun meanwhile may have asked for another pass: from here on
  // nobody asks, and what was asked is not done.
  counted.borders.NotOurTurn();
  counted.borders.TakeRequest();
  if (counted.range_session.open()) counted.range_session.Close(ContextLives(counted));
  GpuSeat& seat = *counted.seat;
  if (seat.holder == &counted) {
    seat.holder = nullptr;
    seat.lock.GiveBack();
  }
  counted.retry_ns = NowNs() + GpuLock::kLetOthersNs;
}

bool InjectionSession::OthersWait(const CountedContext& counted) const {
  const GpuSeat* const seat = counted.seat;
  if (seat == nullptr || seat->holder != &counted) return false;
  if (seat->lock.Wanted()) return true;
  for (size_t i = 0; i < contexts_.count(); ++i) {
    CountedContext& other = *contexts_.At(i);
    if (&other == &counted || other.seat != seat) continue;
    if (other.borders.state() != RangeBorders::State::kWaiting) continue;
    if (other.borders.LackedWithin(GpuSeat::kTurnNs)) return true;
  }
  return false;
}

// The context waits no longer. The line is one for the process: others of it that wait
// keep its place.
void InjectionSession::LeaveLine(CountedContext& counted) {
  if (counted.seat == nullptr) return;
  bool others = false;
  ForEachContext([&](CountedContext& other) {
    others = others || (&other != &counted && other.seat == counted.seat &&
                        other.borders.state() == RangeBorders::State::kWaiting &&
                        other.borders.LackedWithin(GpuSeat::kTurnNs));
  });
  if (!others) counted.seat->lock.Want(false);
}

bool InjectionSession::TurnIsOver(CountedContext& counted, uint64_t now_ns) {
  return now_ns - counted.seat->held_since_ns >= GpuSeat::kTurnNs ||
         !counted.borders.LackedWithin(GpuSeat::kDoneNs);
}

// Whether the context that counting was set up on is still there. The driver
// must be asked: a program may reset the device while nobody watches.
bool InjectionSession::ContextLives(const CountedContext& counted) const {
  void* const context = counted.context.load(std::memory_order_relaxed);
  if (counted.context_number != 0) return driver_.ContextNumber(context) == counted.context_number;
  return counted.range_session.context() == context && driver_.IsAlive(context);
}

// What counting had of a context that is no longer there; another may come.
void InjectionSession::ContextWent(CountedContext& counted) {
  if (counted.epoch_running) {
    Health().Lost(Loss::kEpochsLost);
    Health().AddNote(NoteSeverity::kWarning, "counters",
                     "an epoch is lost: its CUDA context went while another client of CUPTI kept "
                     "Rafter from seeing it; close the other profiler");
  }
  counted.epoch_running = false;
  counted.range_session.Close(false);
  counted.borders.Abandon();
}

}  // namespace rafter
