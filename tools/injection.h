// Injection finds our libraries and decides which variables lead the CUDA driver
// and NVTX to libinject.so, without taking another tool's place from it.
//
//   Threads   PlanInjection and WithoutInjection look at names only.
//   Blocking  a few files are looked at.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "cupti/status.h"
#include "tools/variables.h"

namespace rafter {

// A library of ours beside this executable: ../lib, the installed library folder,
// or the executable's own. Fails with the places that were tried.
Result<std::string> FindOwnLibrary(const std::string& name);
Result<std::string> FindInjectLibrary();

struct InjectionPlan {
  Variables set;                   // to add to the target's environment
  std::vector<std::string> notes;  // what a person should know
};

// `environment` is what the target would get without us. Another tool that
// NVTX_INJECTION64_PATH names goes to RAFTER_NVTX_NEXT, and our library passes
// all calls on to it; one that CUDA_INJECTION64_PATH names stays there.
InjectionPlan PlanInjection(const std::string& library, const Variables& environment);

// `environment` with our library out of the way, and the tool behind it back in
// its place.
Variables WithoutInjection(Variables environment);

}  // namespace rafter
