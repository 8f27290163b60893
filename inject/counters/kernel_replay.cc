#include "inject/counters/kernel_replay.h"

#include <poll.h>

#include <algorithm>

#include "inject/clock.h"

namespace rafter {

void KernelReplay::Restart() {
  const std::lock_guard<std::mutex> lock(mutex_);
  next_ = first_ = 0;
}

void KernelReplay::Begin(PathId launch) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (const uint64_t end = NowNs() + kReadingDeadlineNs; reading_ && NowNs() < end;) {
    lock.unlock();
    poll(nullptr, 0, 1);
    lock.lock();
  }
  EpochSlot slot;
  slot.path = launch;
  slot.range = ++next_;
  slot.segments = 1;
  if (launch != PathId::kNone) launches_.push_back(slot);
  if (++in_flight_ > 1) crossed_ = true;
}

bool KernelReplay::End(bool failed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (in_flight_ == 0) return false;  // it began before this image's profiler
  if (failed && in_flight_ == 1 && !crossed_) {
    if (!launches_.empty() && launches_.back().range == next_) launches_.pop_back();
    --next_;
  }
  --in_flight_;
  if (in_flight_ == 0 && crossed_) {
    Disown(launches_);
    crossed_ = false;
  }
  if (in_flight_ > 0 || reading_ || next_ - first_ < kLaunches) return false;
  reading_ = true;
  return true;
}

void KernelReplay::Stray() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++next_;
  crossed_ = true;
}

uint32_t KernelReplay::Count(PathId path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (epoch_ != 0) ++passes_[path];
  return epoch_;
}

void KernelReplay::Disown(std::vector<EpochSlot>& slots) {
  for (EpochSlot& slot : slots) {
    if (slot.segments == 0) continue;
    slot.segments = 0;  // its range may be another's
    ++slot.incomplete;
    ++ambiguous_;
  }
}

KernelReplay::Books KernelReplay::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  reading_ = true;
  if (in_flight_ > 0 || crossed_) Disown(launches_);
  crossed_ = in_flight_ > 0;
  Books books;
  books.epoch = epoch_;
  books.first = first_;
  books.launches = next_ - first_;
  books.slots.swap(launches_);
  for (const auto& [path, passes] : passes_) {
    EpochSlot slot;
    slot.path = path;
    slot.instances = passes;
    books.slots.push_back(slot);
  }
  passes_.clear();
  first_ = next_;
  return books;
}

void KernelReplay::Check(Books& books, const std::vector<uint32_t>& numbers) {
  bool same = numbers.size() == books.launches;
  for (const uint32_t number : numbers) {
    same = same && number - books.first < books.launches;
  }
  if (same) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  Disown(books.slots);
  if (numbers.empty()) {
    next_ -= books.launches;
  } else {
    next_ = *std::max_element(numbers.begin(), numbers.end()) + 1;
  }
  first_ = next_;
}

void KernelReplay::Resume(uint32_t epoch) {
  const std::lock_guard<std::mutex> lock(mutex_);
  epoch_ = epoch;
  reading_ = false;
}

void KernelReplay::Resume() {
  const std::lock_guard<std::mutex> lock(mutex_);
  reading_ = false;
}

uint32_t KernelReplay::epoch() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return epoch_;
}

uint64_t KernelReplay::ambiguous() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ambiguous_;
}

}  // namespace rafter
