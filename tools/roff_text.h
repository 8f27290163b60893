// RoffText writes text so that troff shows it as it is and what it shows can be
// copied into a shell.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns strings.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <string_view>

namespace rafter {

// One line, with nothing of it taken as a request or as typography.
std::string RoffLiteral(std::string_view line);

// A paragraph of prose; options and variables in it ("--csv", "RAFTER_SET") are bold.
std::string RoffProse(std::string_view text);

std::string RoffBold(std::string_view text);
std::string RoffItalic(std::string_view text);

}  // namespace rafter
