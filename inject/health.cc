#include "inject/health.h"

#include <new>

#include "inject/clock.h"
#include "inject/immortal.h"

namespace rafter {

const char* LossName(Loss loss) {
  switch (loss) {
    case Loss::kInstancesDropped:
      return "instance records dropped";
    case Loss::kMarksDropped:
      return "marks dropped";
    case Loss::kNamesFolded:
      return "regions folded into \"(other regions)\"";
    case Loss::kUnmatchedPops:
      return "pops without an open region";
    case Loss::kDepthExceeded:
      return "regions nested too deep to be recorded";
    case Loss::kThreadsExceeded:
      return "regions on too many threads to be recorded";
    case Loss::kOpenAtExit:
      return "regions still open at exit";
    case Loss::kSlotsExceeded:
      return "borders that their full epoch could not hold";
    case Loss::kRotationTimeouts:
      return "regions not counted because a rotation took too long";
    case Loss::kRangesRefused:
      return "borders that CUPTI refused";
    case Loss::kEpochsLost:
      return "epochs whose counters could not be read";
    case Loss::kFramesLost:
      return "frames that neither collector nor spool file took";
    case Loss::kNotesDropped:
      return "notes dropped";
    case Loss::kReentered:
      return "calls from inside our own work";
    case Loss::kExceptions:
      return "exceptions stopped at the entry";
    case Loss::kCount:
      break;
  }
  return "unknown";
}

void HealthRecord::AddNote(NoteSeverity severity, std::string about, std::string text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const HealthNote& note : notes_) {
    if (note.about == about && note.text == text) return;
  }
  if (notes_.size() >= kMaxNotes) {
    Lost(Loss::kNotesDropped);
    return;
  }
  notes_.push_back({severity, std::move(about), std::move(text), NowNs()});
}

std::vector<HealthNote> HealthRecord::NotesFrom(size_t first) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (first >= notes_.size()) return {};
  return {notes_.begin() + static_cast<std::ptrdiff_t>(first), notes_.end()};
}

void HealthRecord::Forget() {
  for (std::atomic<uint64_t>& loss : losses_) loss.store(0, std::memory_order_relaxed);
  new (&mutex_) std::mutex;  // the parent may have held it; nobody else lives in the child
  new (&notes_) std::vector<HealthNote>;  // nor may its memory be whole
}

HealthRecord& Health() {
  static Immortal<HealthRecord> health;
  return *health;
}

}  // namespace rafter
