#include "tests/fakes/timeline.h"

#include <algorithm>
#include <chrono>

namespace rafter::fakes {

uint64_t GpuTimeline::NowNs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

uint64_t GpuTimeline::Add(const void* stream, uint64_t duration_ns, const std::string& waits_for,
                          const std::string& sets) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t now_ns = NowNs();
  const uint64_t number = next_number_++;
  streams_[stream].queue.push_back({number, now_ns, duration_ns, waits_for, sets, {}});
  Advance(now_ns);
  changed_.notify_all();
  return number;
}

// Starts the first piece of a stream that has not begun. Returns whether it did.
bool GpuTimeline::Begin(Stream& stream, uint64_t now_ns) {
  for (Work& work : stream.queue) {
    if (work.start_ns.has_value()) continue;
    uint64_t start_ns = std::max(stream.free_at_ns, work.added_ns);
    if (!work.waits_for.empty()) {
      const auto flag = flags_.find(work.waits_for);
      const uint64_t give_up_at_ns = start_ns + give_up_ns_;
      if (flag != flags_.end()) {
        start_ns = std::max(start_ns, flag->second);
      } else if (give_up_ns_ != 0 && now_ns >= give_up_at_ns) {
        start_ns = give_up_at_ns;
      } else {
        return false;
      }
    }
    work.start_ns = start_ns;
    stream.free_at_ns = start_ns + work.duration_ns;
    if (!work.sets.empty()) {
      const auto [flag, is_new] = flags_.try_emplace(work.sets, start_ns);
      if (!is_new) flag->second = std::min(flag->second, start_ns);
    }
    return true;
  }
  return false;
}

void GpuTimeline::Advance(uint64_t now_ns) {
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& [key, stream] : streams_) moved |= Begin(stream, now_ns);
  }
  for (auto& [key, stream] : streams_) {
    while (!stream.queue.empty() && stream.queue.front().start_ns.has_value() &&
           *stream.queue.front().start_ns + stream.queue.front().duration_ns <= now_ns) {
      stream.queue.pop_front();
    }
  }
}

template <typename Matters>
void GpuTimeline::WaitUntilDone(Matters matters) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    const uint64_t now_ns = NowNs();
    Advance(now_ns);
    bool left = false;
    bool known = true;
    uint64_t end_ns = now_ns;
    for (const auto& [key, stream] : streams_) {
      for (const Work& work : stream.queue) {
        if (!matters(key, work)) continue;
        left = true;
        known &= work.start_ns.has_value();
        if (work.start_ns.has_value()) {
          end_ns = std::max(end_ns, *work.start_ns + work.duration_ns);
        }
      }
    }
    if (!left) return;
    if (known) {
      changed_.wait_for(lock, std::chrono::nanoseconds(end_ns - now_ns));
    } else if (give_up_ns_ != 0) {
      changed_.wait_for(lock, std::chrono::milliseconds(1));
    } else {
      changed_.wait(lock);
    }
  }
}

void GpuTimeline::WaitFor(uint64_t number) {
  WaitUntilDone([&](const void*, const Work& work) { return work.number == number; });
}

void GpuTimeline::WaitForStream(const void* stream) {
  WaitUntilDone([&](const void* key, const Work&) { return key == stream; });
}

void GpuTimeline::WaitForAll() {
  WaitUntilDone([](const void*, const Work&) { return true; });
}

}  // namespace rafter::fakes
