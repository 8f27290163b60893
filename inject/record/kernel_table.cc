#include "inject/record/kernel_table.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

namespace rafter {

void KernelTable::Count(PathId path, uint16_t device, const SeenLaunch& launch) {
  if (launch.symbol == nullptr) return;  // a graph has no kernel of its own
  const std::string_view symbol(launch.symbol, strnlen(launch.symbol, kMaxFrameNameBytes));
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Entry& entry : entries_) {
    KernelCount& known = entry.count;
    if (known.path == path && known.device == device &&
        std::equal(known.grid, known.grid + 3, launch.grid) &&
        std::equal(known.block, known.block + 3, launch.block) &&
        known.shared_bytes == launch.shared_bytes && known.symbol == symbol) {
      ++known.launches;
      entry.changed = true;
      return;
    }
  }
  if (entries_.size() >= kMaxKernels) return;
  Entry entry;
  entry.count.path = path;
  entry.count.device = device;
  entry.count.symbol = symbol;
  std::copy(launch.grid, launch.grid + 3, entry.count.grid);
  std::copy(launch.block, launch.block + 3, entry.count.block);
  entry.count.shared_bytes = launch.shared_bytes;
  entry.count.launches = 1;
  entry.changed = true;
  entries_.push_back(std::move(entry));
}

std::vector<KernelCount> KernelTable::Changed() {
  std::vector<KernelCount> changed;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Entry& entry : entries_) {
    if (!entry.changed) continue;
    changed.push_back(entry.count);
    entry.changed = false;
  }
  return changed;
}

void KernelTable::Forget() {
  new (&mutex_) std::mutex;
  new (&entries_) std::vector<Entry>;
}

}  // namespace rafter
