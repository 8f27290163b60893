// SliceLanes puts passes of one thread into lanes, so that in each lane they
// nest. Lane 0 is the thread's own; what crosses a region there, as start/end
// ranges of NVTX may, goes into the first further lane in which it nests.
//
//   Threads   one.
//   Blocking  never.
//   Memory    the passes that are open at one moment.
//   Lifetime  plain value; Finish ends what is open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace rafter {

class SliceLanes {
 public:
  // `ended` hears when a pass ends: lane and nanosecond, in an order in which each
  // lane's ends follow its begins. `is_below`: whether the first path is the second
  // one or below it in the tree.
  SliceLanes(std::function<void(size_t lane, uint64_t end_ns)> ended,
             std::function<bool(uint32_t path, uint32_t above)> is_below)
      : ended_(std::move(ended)), is_below_(std::move(is_below)) {}

  // The lane in which this pass begins now; those that ended before are ended first.
  // Passes come in the order of their starts, the longest first. Nothing where
  // kMostLanes hold passes that it crosses.
  std::optional<size_t> Begin(uint32_t path, uint64_t start_ns, uint64_t end_ns);

  // Ends every pass.
  void Finish();

  // 256 ranges that cross each other on one thread; a screen shows fewer.
  static constexpr size_t kMostLanes = 256;

 private:
  struct Open {
    uint32_t path;
    uint64_t end_ns;
  };
  using Lane = std::vector<Open>;

  void End(size_t lane);

  std::function<void(size_t, uint64_t)> ended_;
  std::function<bool(uint32_t, uint32_t)> is_below_;
  std::vector<Lane> lanes_ = std::vector<Lane>(1);
};

}  // namespace rafter
