// PlanCache keeps plans in a folder of the user's, one file each, where the
// injected library finds them too (proto/plan_cache.h).
//
//   Threads   any number of processes share the folder; one object, one thread.
//   Blocking  reads and writes small files.
//   Memory    none kept.
//   Lifetime  files stay.
#pragma once

#include <absl/status/status.h>

#include <optional>
#include <string>

#include "proto/rafter.pb.h"

namespace rafter {

class PlanCache {
 public:
  // `folder` may be empty: nothing is found and nothing kept.
  explicit PlanCache(std::string folder) : folder_(std::move(folder)) {}

  // The plan for this device by a CUPTI of `cupti_version`, with origin
  // "cache". A damaged or foreign file is as good as none.
  std::optional<wire::Plan> Find(const wire::Device& device, uint32_t cupti_version) const;

  // Writes beside and renames, so that a reader sees all or nothing. Makes the
  // folder with mode 0700; refuses one that is somebody else's.
  absl::Status Keep(const wire::Device& device, const wire::Plan& plan) const;

 private:
  std::string folder_;
};

// Whether passes and sets of a plan fit together, and what it says it is for.
bool IsSoundPlan(const wire::Plan& plan);

}  // namespace rafter
