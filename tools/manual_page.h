// ManualPage is a command's page for man(1), in the macros of man(7).
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns a string.
//   Lifetime  plain values.
#pragma once

#include <string>

#include "tools/declared_command.h"
#include "tools/manual_text.h"

namespace rafter {

// The same bytes for the same version: a page has no date.
std::string ManualPage(const DeclaredCommand& command, const ManualText& manual,
                       const std::string& version);

}  // namespace rafter
