// Planner answers a target's Device with a Plan: out of the cache, or made with
// CUPTI's host half for exactly that chip and counter availability.
//
//   Threads   one thread at a time.
//   Blocking  a plan that is not cached takes CUPTI about 0.1 s.
//   Memory    none beyond CUPTI's.
//   Lifetime  the door outlives it.
#pragma once

#include <functional>
#include <string>

#include "collector/plan/cupti_door.h"
#include "collector/plan/plan_cache.h"
#include "proto/rafter.pb.h"

namespace rafter {

class Planner {
 public:
  // `report` gets a line where the cache cannot be written; may be empty.
  Planner(CuptiDoor& door, std::string cache_folder,
          std::function<void(const std::string&)> report = {});

  // Never fails: a plan that cannot be made has its reason in `error`.
  wire::Plan PlanFor(const wire::Device& device);

 private:
  Status Fill(const wire::Device& device, wire::Plan& plan);

  CuptiDoor& door_;
  PlanCache cache_;
  std::function<void(const std::string&)> report_;
};

}  // namespace rafter
