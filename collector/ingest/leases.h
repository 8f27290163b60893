// Leases says which stream may count on which GPU: one at a time, in the order
// in which they asked.
//
//   Threads   one thread at a time.
//   Blocking  never.
//   Memory    one entry per GPU and waiting stream.
//   Lifetime  inside the ledger.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rafter {

// Somebody who holds or wants the counters of a GPU.
struct LeaseParty {
  uint64_t stream = 0;
  uint32_t device = 0;  // the GPU's index in that stream
  uint32_t pid = 0;
};

class Leases {
 public:
  // Nothing when `party` has the GPU now; else who has it, and `party` waits
  // for its turn. Asking again changes nothing.
  std::optional<LeaseParty> Ask(const std::string& uuid, const LeaseParty& party);

  // `stream` gives the GPU back or no longer waits for it. Returns who has it
  // from now on, when that is somebody new.
  std::optional<LeaseParty> Release(const std::string& uuid, uint64_t stream);

  // The same for all GPUs, when a stream ends.
  std::vector<LeaseParty> ReleaseAll(uint64_t stream);

 private:
  struct Gpu {
    std::optional<LeaseParty> holder;
    std::deque<LeaseParty> waiting;
  };
  std::map<std::string, Gpu> gpus_;
};

}  // namespace rafter
