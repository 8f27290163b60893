// HealthRecord counts what limits refused and accidents took, and keeps the
// sentences that a person should read.
//
//   Threads   any, for every call.
//   Blocking  Lost: never. AddNote: a short lock; cold paths only.
//   Memory    counters are fixed; at most kMaxNotes sentences are kept.
//   Lifetime  one for the process, never destroyed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace rafter {

// What can get lost. Names and meanings: LossName.
enum class Loss : uint8_t {
  kInstancesDropped,  // instance records that found the ring full (still in the calls)
  kMarksDropped,      // marks that found the ring full
  kNamesFolded,       // regions whose name or place found its table full
  kUnmatchedPops,     // pops and ends without an open region
  kDepthExceeded,     // regions opened deeper than a thread's stack holds
  kThreadsExceeded,   // regions on threads beyond the table of threads
  kOpenAtExit,        // regions still open when the process ended
  kSlotsExceeded,     // regions that found no slot in their epoch
  kRotationTimeouts,  // regions that did not wait for a rotation to end
  kRangesRefused,     // borders that CUPTI refused
  kEpochsLost,        // epochs whose image could not be read
  kFramesLost,        // frames that neither collector nor spool file took
  kNotesDropped,      // sentences beyond kMaxNotes
  kReentered,         // calls that came back through our own work
  kExceptions,        // exceptions stopped at the fence
  kCount
};
const char* LossName(Loss loss);

enum class NoteSeverity : uint8_t { kInformation = 0, kWarning = 1, kFailure = 2 };

struct HealthNote {
  NoteSeverity severity = NoteSeverity::kInformation;
  std::string about;
  std::string text;
  uint64_t time_ns = 0;
};

class HealthRecord {
 public:
  // A process has a handful of reasons; 64 leave room for watchdog lines.
  static constexpr size_t kMaxNotes = 64;

  // Hot path. One atomic add.
  void Lost(Loss loss, uint64_t count = 1) noexcept {
    losses_[static_cast<size_t>(loss)].fetch_add(count, std::memory_order_relaxed);
  }
  uint64_t lost(Loss loss) const {
    return losses_[static_cast<size_t>(loss)].load(std::memory_order_relaxed);
  }

  // Keeps a sentence that names the thing, the cause and the next step. The
  // same sentence twice is kept once.
  void AddNote(NoteSeverity severity, std::string about, std::string text);

  // Notes from number `first` on.
  std::vector<HealthNote> NotesFrom(size_t first);

  // After fork: counters and notes were the parent's.
  void Forget();

 private:
  std::array<std::atomic<uint64_t>, static_cast<size_t>(Loss::kCount)> losses_{};
  std::mutex mutex_;
  std::vector<HealthNote> notes_;
};

// The one of this process.
HealthRecord& Health();

}  // namespace rafter
