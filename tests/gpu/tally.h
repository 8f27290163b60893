// Tally marks regions, launches known work inside them and adds up what it did
// by place in the tree of regions, so that a test program cannot know its work
// otherwise than by doing it. ToJson is what check_cases.py reads.
//
//   Threads   one for one Tally; a second thread has its own, merged at the end.
//   Blocking  Prepare allocates on the current device; launches do not block.
//   Memory    one entry for each place; device scratch until the process ends.
//   Lifetime  until the program has written its truth.
#pragma once

#include <cuda_runtime.h>

#include <map>
#include <string>
#include <vector>

#include "tests/gpu/known_work.h"
#include "tests/gpu/truth.h"

namespace rafter {

// Blocks of a launch: one for each multiprocessor of an H200.
inline constexpr int kTallyBlocks = 132;

// What a table must make of the FLOP of a region.
enum class FlopClaim {
  kExact,    // the true number
  kMissing,  // an empty cell, with `reason` in the row's reason
  kHonest,   // the true number, or an empty cell with a reason, or a part that is called partial
};

class Tally {
 public:
  // Room for what the kernels store, on the current device.
  void Prepare();

  // Marks a region on the calling thread, by push and pop.
  void Open(const std::string& name);
  void Close();
  // The same by a start/end range; `End` may come from any thread.
  unsigned long long Start(const std::string& name);
  void End(unsigned long long range);

  // One arithmetic launch, which belongs to the innermost open region.
  void Launch(Kind kind, int rounds, cudaStream_t stream = nullptr);
  // Work that the caller launched itself.
  void Note(const Truth& work);

  // What is claimed of the innermost open region.
  void Claim(FlopClaim claim, const std::string& reason);
  void ClaimTraffic(bool read, bool write);
  void ClaimSeconds(double least_s, double most_s);  // GPU time of one pass
  void DoNotClaimLaunches();
  void DoNotClaimFp16();  // where the compiler makes constants with HFMA2
  // Regions opened from here on are rows of this GPU ("GPU-5aa2...").
  void OnDevice(const std::string& uuid);
  // The innermost open region works on this GPU as well: a second row.
  void AlsoOnDevice(const std::string& uuid);

  // Adds another thread's places and work.
  void Merge(const Tally& other);

  // One arithmetic launch's work.
  static Truth Arithmetic(Kind kind, int rounds, int blocks = kTallyBlocks);

  // `facts`: further members of the object, each "\"name\": value", or empty.
  std::string ToJson(const std::string& program, const cudaDeviceProp& device,
                     const std::string& facts) const;

 private:
  struct Place {
    std::string path;
    std::string device_uuid;
    unsigned long long instances = 0;
    Truth exclusive;
    FlopClaim claim = FlopClaim::kExact;
    std::string reason;
    bool launches_claimed = true;
    bool fp16_claimed = true;
    bool read_claimed = false;
    bool write_claimed = false;
    double least_s = 0;
    double most_s = 0;
  };
  using Key = std::pair<std::string, std::string>;  // path, device

  Place& Innermost();
  Place& Enter(const std::string& name);
  Truth Inclusive(const Place& place) const;
  std::string PlaceJson(const Place& place) const;

  std::map<Key, Place> places_;
  std::vector<std::string> open_;  // paths
  std::string device_uuid_;
  void* scratch_ = nullptr;
};

}  // namespace rafter
