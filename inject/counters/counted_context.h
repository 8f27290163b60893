// CountedContext is one CUDA context of the program and what counts on it;
// GpuSeat is the GPU below, whose counters one context of one process has at a time.
//
//   Threads   the borders: as they say. `context`, `launches`, `device` and `ordinal`:
//             any. Everything else: whoever holds the session's counting mutex.
//   Blocking  never; plain state.
//   Memory    about 100 KiB a context, beside CUPTI's.
//   Lifetime  made at the first region or launch on a context, never freed: regions
//             may hold its number. A later context of the same device takes the entry
//             of one that has gone.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "inject/counters/gpu_lock.h"
#include "inject/counters/installed_plan.h"
#include "inject/counters/kernel_replay.h"
#include "inject/counters/range_borders.h"
#include "inject/cupti/cuda_driver.h"
#include "inject/cupti/range_session.h"

namespace rafter {

struct CountedContext;

struct GpuSeat {
  // Shortest time for which a context that has work keeps the GPU while others wait.
  // To take it costs 0.2 s (Enable and the first Start), so turns are not shorter.
  static constexpr uint64_t kTurnNs = 1'000'000'000;

  // Nothing new to measure for so long: others may have the GPU before the turn ends.
  static constexpr uint64_t kDoneNs = 100'000'000;

  uint32_t device = 0;  // number in the stream
  DeviceFacts facts;
  InstalledPlan plan;
  bool planned = false;
  GpuLock lock;
  bool without_lock = false;  // none can be had; the hardware's own answer decides
  CountedContext* holder = nullptr;
  uint64_t held_since_ns = 0;
};

struct CountedContext {
  // A context that finds another profiler in the hardware asks again after this.
  static constexpr uint64_t kBusyRetryNs = 1'000'000'000;

  CountedContext(uint8_t number, void* of, int device_ordinal, PathTable& paths,
                 RangeBorders::Recorder& recorder)
      : index(number), context(of), ordinal(device_ordinal), borders(paths, recorder, number) {}

  const uint8_t index;
  std::atomic<void*> context;         // null: it has gone
  const int ordinal;                  // of its device
  std::atomic<uint16_t> device{0};    // number of its device plus one; 0: not known yet
  std::atomic<uint64_t> launches{0};  // seen on it, ever
  RangeBorders borders;

  RangeSession range_session;
  GpuSeat* seat = nullptr;
  uint64_t context_number = 0;  // of the context that counting was set up on
  uint32_t baseline = 0;        // number of its counter-data image
  std::vector<uint8_t> baseline_image;
  bool opened = false;  // CUPTI knows it
  size_t pass = 0;      // the running one, or the one that the next Start begins
  bool epoch_running = false;
  uint64_t start_took_ns = 0;  // of the running epoch
  uint64_t retry_ns = 0;       // while waiting: not before this
  bool busy_said = false;

  // Calls that launched here before the device had a number.
  static constexpr size_t kMostEarly = 256;
  std::mutex early_mutex;
  std::vector<FinishedRegion> early;

  KernelReplay replay;                  // while CUPTI repeats launches
  std::vector<uint32_t> replay_chains;  // by set: first of its epochs
  uint64_t passes_begun = 0;            // passes of which there was an epoch, as bits
};

// The contexts of the process. Find: any thread, without a lock.
class ContextTable {
 public:
  // The GPUs of a large node; a context beyond is not counted.
  static constexpr size_t kMaxContexts = 16;

  CountedContext* Find(const void* context) const noexcept {
    if (context == nullptr) return nullptr;
    const size_t count = count_.load(std::memory_order_acquire);
    for (size_t i = 0; i < count; ++i) {
      if (contexts_[i]->context.load(std::memory_order_relaxed) == context) return contexts_[i];
    }
    return nullptr;
  }
  CountedContext* At(size_t index) const noexcept { return contexts_[index]; }
  size_t count() const noexcept { return count_.load(std::memory_order_acquire); }

  // The entry of a context, made where there is none, from that of a context of the
  // same device that has gone where there is one; null when the table is full.
  // `is_alive`: asked of contexts when it is.
  template <typename IsAlive>
  CountedContext* FindOrAdd(void* context, int ordinal, PathTable& paths,
                            RangeBorders::Recorder& recorder, IsAlive&& is_alive) {
    if (CountedContext* known = Find(context)) return known;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (CountedContext* known = Find(context)) return known;
    const size_t count = count_.load(std::memory_order_relaxed);
    for (size_t i = 0; i < count; ++i) {
      CountedContext& known = *contexts_[i];
      void* const of = known.context.load(std::memory_order_relaxed);
      if (known.ordinal != ordinal || !known.borders.MayMove()) continue;
      if (of != nullptr && (count < kMaxContexts || is_alive(of))) continue;
      known.context.store(context, std::memory_order_release);
      return &known;
    }
    if (count == kMaxContexts) return nullptr;
    contexts_[count] =
        new CountedContext(static_cast<uint8_t>(count), context, ordinal, paths, recorder);
    count_.store(count + 1, std::memory_order_release);
    return contexts_[count];
  }

  // Whether contexts of several devices are known.
  bool SeveralDevices() const noexcept {
    for (size_t i = 1; i < count(); ++i) {
      if (contexts_[i]->ordinal != contexts_[0]->ordinal) return true;
    }
    return false;
  }

  void Forget() {  // in a forked child; what was counted is the parent's
    new (&mutex_) std::mutex;
    count_.store(0, std::memory_order_relaxed);
  }

 private:
  std::mutex mutex_;
  std::array<CountedContext*, kMaxContexts> contexts_{};
  std::atomic<size_t> count_{0};
};

}  // namespace rafter
