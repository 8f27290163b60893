// Variables is the environment as a value: what the commands read of it, and
// which names of ours exist.
//
//   Threads   CurrentVariables reads the process's environment: before threads.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cupti/library.h"

namespace rafter {

using Variables = std::map<std::string, std::string>;

// The environment that this process was given.
Variables CurrentVariables();

// The value of `name`, empty when it is not set.
std::string ValueOf(const Variables& variables, const std::string& name);

// Whether RAFTER_QUIET asks for what --quiet does.
bool IsQuiet(const Variables& variables);

// One line for each variable that begins with RAFTER_ and that no command or
// library of ours knows.
std::vector<std::string> UnknownVariables(const Variables& variables);

// Where CUPTI is looked for: RAFTER_CUPTI_PATH, CUDA_HOME, CUDA_PATH.
CuptiSearch CuptiSearchOf(const Variables& variables);

// $XDG_CACHE_HOME/rafter/plans or $HOME/.cache/rafter/plans; empty without both.
std::string PlanCacheOf(const Variables& variables);

}  // namespace rafter
