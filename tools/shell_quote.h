// ShellQuote writes words so that a POSIX shell reads back exactly them.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rafter {

// `word`, in single quotes where it holds anything a shell would act on.
std::string ShellQuote(std::string_view word);

// The words quoted and joined by blanks: a command line to copy.
std::string ShellCommand(std::span<const std::string> words);

}  // namespace rafter
