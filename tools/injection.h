// Injection finds libinject.so and decides which variables lead the CUDA driver
// and NVTX to it, without taking the place of another tool.
//
//   Threads   PlanInjection is pure.
//   Blocking  FindInjectLibrary looks at a few files.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "cupti/status.h"
#include "tools/variables.h"

namespace rafter {

// The library beside this executable: ../lib, the installed library folder, or
// the executable's own. Fails with the places that were tried.
Result<std::string> FindInjectLibrary();

struct InjectionPlan {
  Variables set;                   // to add to the target's environment
  std::vector<std::string> notes;  // what a person should know
  bool counters = true;            // false: another tool has the CUDA entry
};

// `environment` is what the target would get without us.
InjectionPlan PlanInjection(const std::string& library, const Variables& environment);

}  // namespace rafter
