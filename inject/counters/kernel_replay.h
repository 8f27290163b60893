// KernelReplay keeps the books while CUPTI repeats each launch until every pass has
// measured it. Ranges are CUPTI's own, named by the running number of the launch on its
// context; launches are mapped to regions by that number, and each image is compared with
// the numbers that were expected. CUPTI keeps the first ranges of a Start/Stop that its
// image has slots for and drops the others without a word
// (docs/measurements/2026-11-30-turns-and-devices.md), so the image is read whenever it
// is full.
//
//   Threads   any; orders itself by one lock.
//   Blocking  a short lock; Begin waits while an image is read, at most
//             kReadingDeadlineNs.
//   Memory    fixed, but for a number for each path.
//   Lifetime  a member of its context.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "inject/counters/epoch_books.h"
#include "inject/record/path_table.h"

namespace rafter {

class KernelReplay {
 public:
  // Launches in one image. A launch takes 40 ms with 4 or 16, 48 ms with 64.
  static constexpr size_t kLaunches = 16;

  // To read an image takes some ms.
  static constexpr uint64_t kReadingDeadlineNs = 1'000'000'000;

  // CUPTI numbers the launches of a fresh context from 0.
  void Restart();

  // A launch of the path begins; kNone: inside no region. CUPTI numbers launches in
  // the order in which they enter the driver; two at once could be taken for one
  // another, so neither is attributed.
  void Begin(PathId launch);

  // It has returned. `failed`: nothing was launched, so it has no number. True: the
  // image is full, to be read now by the caller, and nothing begins until Resume.
  bool End(bool failed);

  // A launch whose end nobody will see, so that what is beside it cannot be told.
  void Stray();

  // A pass through a region, or a launch, has ended. The image that it is in, or 0
  // when there is none any more.
  uint32_t Count(PathId path);

  // What the image under way holds; nothing begins until Resume.
  struct Books {
    std::vector<EpochSlot> slots;
    uint32_t epoch = 0;     // number of the image
    uint32_t first = 0;     // number of its first launch
    uint32_t launches = 0;  // that it should hold
  };
  Books Take();

  // Compares with what CUPTI has put into the image: where that differs, none of its
  // launches is attributed, and later ones are taken to go on from its last.
  void Check(Books& books, const std::vector<uint32_t>& numbers);

  // The next image begins, of this number; 0: there is none.
  void Resume(uint32_t epoch);
  void Resume();  // the one under way goes on
  uint32_t epoch() const;

  // Launches in regions that were replayed and belong to nobody.
  uint64_t ambiguous() const;

 private:
  void Disown(std::vector<EpochSlot>& slots);

  mutable std::mutex mutex_;
  uint32_t next_ = 0;   // number of the next launch
  uint32_t first_ = 0;  // of the image under way
  uint32_t epoch_ = 0;  // its number
  size_t in_flight_ = 0;
  bool reading_ = false;
  bool crossed_ = false;  // two were under way at once
  std::vector<EpochSlot> launches_;
  std::map<PathId, uint64_t> passes_;  // that ended since the last image
  uint64_t ambiguous_ = 0;
};

}  // namespace rafter
