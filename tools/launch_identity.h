// LaunchIdentity is who this process is among those that were started with it:
// host, pid, rank and job.
//
//   Threads   pure, but for the host name and the pid.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <string>

#include "tools/variables.h"

namespace rafter {

struct LaunchIdentity {
  std::string host;
  std::string pid;
  std::string rank;  // empty: no launcher gave one
  std::string job;   // empty: no batch system gave one
};

// Rank and job by the variables that the injected library believes too.
LaunchIdentity ReadLaunchIdentity(const Variables& variables);

}  // namespace rafter
