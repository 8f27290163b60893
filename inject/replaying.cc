// InjectionSession's half that counts launches which CUPTI repeats.
#include <algorithm>
#include <charconv>
#include <map>

#include "inject/clock.h"
#include "inject/cupti/undo.h"
#include "inject/session.h"

namespace rafter {

// Launches are seen from before the first one that CUPTI numbers.
Status InjectionSession::StartReplay(CountedContext& counted) {
  if (!watch_.subscribed()) {
    const Status subscribed = watch_.Subscribe(cupti_, this);
    if (!subscribed.ok()) {
      return Status::Failed("counters off: " + subscribed.message() +
                            "; --replay kernel needs it, close the other profiler");
    }
  }
  watch_.Watch(true);
  Result<std::unique_ptr<CuptiHost>> host =
      CuptiHost::Open({options_.cupti_path, options_.cuda_home, true});
  if (!host.ok()) return Status::Failed("counters off: " + host.status().message());
  image_reader_ = std::move(*host);
  counted.replay_chains.assign(counted.seat->plan.sets.size(), 0);
  RAFTER_RETURN_IF_ERROR(StartEpoch(counted));
  counted.replay.Resume(++epochs_);
  return Status::Ok();
}

// The running numbers of the launches that the image holds.
Result<std::vector<uint32_t>> InjectionSession::LaunchesIn(std::span<const uint8_t> image) {
  Result<std::vector<std::string>> names = image_reader_->RangeNames(image);
  if (!names.ok()) return names.status();
  std::vector<uint32_t> numbers;
  for (const std::string& name : *names) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size()) {
      return Status::Failed("counters off: CUPTI names a launch \"" + name +
                            "\", which is no number; report this");
    }
    numbers.push_back(number);
  }
  return numbers;
}

// Reads the image and sends it once for each set. All images of a set are one chain,
// so that a region is the sum of what was launched inside it, wherever that is.
void InjectionSession::FlushReplay(CountedContext& counted, bool go_on) {
  Undo none_follows = [&counted]() noexcept { counted.replay.Resume(0); };
  KernelReplay::Books books = counted.replay.Take();
  Status step = counted.range_session.Stop();
  counted.epoch_running = false;
  if (step.ok()) {
    const Result<std::vector<uint32_t>> launches = LaunchesIn(counted.range_session.image());
    step = launches.status();
    if (launches.ok()) counted.replay.Check(books, *launches);
  }
  if (!step.ok()) return CountersFailed(counted, step);
  MarkAround(books.slots);
  if (!books.slots.empty()) ShipReplay(counted, books);
  if (!go_on) return;
  step = StartEpoch(counted);
  if (!step.ok()) return CountersFailed(counted, step);
  counted.replay.Resume(books.slots.empty() ? books.epoch : ++epochs_);
  std::move(none_follows).Cancel();
}

// A call that holds a launch which belongs to nobody is not whole.
void InjectionSession::MarkAround(std::vector<EpochSlot>& slots) {
  std::map<PathId, uint64_t> around;
  for (const EpochSlot& slot : slots) {
    if (slot.range == 0 || slot.segments > 0) continue;
    const PathEntry* entry = paths_.Entry(slot.path);
    while (entry != nullptr && (entry = paths_.Entry(entry->parent)) != nullptr) {
      ++around[entry->id];
    }
  }
  for (const auto& [path, incomplete] : around) {
    const PathId wanted = path;
    const auto same = [wanted](const EpochSlot& slot) { return slot.path == wanted; };
    auto slot = std::find_if(slots.begin(), slots.end(), same);
    if (slot == slots.end()) slot = slots.insert(slot, {.path = wanted});
    slot->incomplete += incomplete;
  }
}

void InjectionSession::ShipReplay(CountedContext& counted, const KernelReplay::Books& books) {
  const std::vector<PlannedSet>& sets = counted.seat->plan.sets;
  for (size_t i = 0; i < sets.size(); ++i) {
    EndedEpoch epoch;
    epoch.epoch = i == 0 ? books.epoch : ++epochs_;
    if (counted.replay_chains[i] == 0) counted.replay_chains[i] = epoch.epoch;
    epoch.chain = counted.replay_chains[i];
    epoch.pass = sets[i].first_pass;
    epoch.start_ns = epoch.end_ns = NowNs();
    epoch.slots = books.slots;
    ShipEpoch(counted, epoch);
  }
}

void InjectionSession::SayAmbiguous(const CountedContext& counted) {
  const uint64_t ambiguous = counted.replay.ambiguous();
  if (ambiguous == 0) return;
  Health().AddNote(NoteSeverity::kWarning, "counters",
                   std::to_string(ambiguous) +
                       " launches belong to no region, since several threads launched at once, or "
                       "CUPTI repeated others than were seen; count the program without --replay "
                       "kernel");
}

}  // namespace rafter
