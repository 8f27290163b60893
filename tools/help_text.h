// HelpText is what `rafter COMMAND --help` prints.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns a string.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/declared_command.h"
#include "tools/manual_text.h"

namespace rafter {

// No line is longer than `columns`, but for a single word and for examples, which
// are to be copied.
std::string HelpText(const DeclaredCommand& command, const ManualText& manual, size_t columns);

// Adds `text` from word to word; lines after the first begin with `indent` blanks.
// The first begins at `at`, the columns that its line has already.
void AppendWrapped(std::string_view text, size_t at, size_t indent, size_t columns,
                   std::string& lines);

}  // namespace rafter
