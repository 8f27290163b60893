// OutputName expands the macros in names of files that a run writes.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <string_view>

#include "cupti/status.h"
#include "tools/launch_identity.h"
#include "tools/variables.h"

namespace rafter {

// %h host, %p pid, %r rank, %j job, %q{NAME} the variable NAME, %% a percent
// sign. Fails on any other macro and on one that has no value here, so that no
// two ranks ever write one file by accident.
Result<std::string> ExpandOutputName(std::string_view pattern, const LaunchIdentity& identity,
                                     const Variables& variables);

// `<exe>.%h.%p.rafter` for the program called `program`, percent signs escaped.
std::string DefaultOutputPattern(std::string_view program);

}  // namespace rafter
