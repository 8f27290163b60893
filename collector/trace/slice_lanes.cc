#include "collector/trace/slice_lanes.h"

namespace rafter {

std::optional<size_t> SliceLanes::Begin(uint32_t path, uint64_t start_ns, uint64_t end_ns) {
  for (size_t at = 0; at < lanes_.size(); ++at) {
    Lane& lane = lanes_[at];
    // At one and the same nanosecond the tree tells what is inside from what follows.
    while (!lane.empty() && (lane.back().end_ns < start_ns ||
                             (lane.back().end_ns == start_ns &&
                              !(end_ns == start_ns && is_below_(path, lane.back().path))))) {
      End(at);
    }
  }
  for (size_t at = 0; at < lanes_.size(); ++at) {
    Lane& lane = lanes_[at];
    if (!lane.empty() && lane.back().end_ns < end_ns) continue;
    lane.push_back({path, end_ns});
    return at;
  }
  if (lanes_.size() == kMostLanes) return std::nullopt;
  lanes_.push_back({{path, end_ns}});
  return lanes_.size() - 1;
}

void SliceLanes::Finish() {
  for (size_t at = 0; at < lanes_.size(); ++at) {
    while (!lanes_[at].empty()) End(at);
  }
}

void SliceLanes::End(size_t lane) {
  const uint64_t end_ns = lanes_[lane].back().end_ns;
  lanes_[lane].pop_back();
  ended_(lane, end_ns);
}

}  // namespace rafter
