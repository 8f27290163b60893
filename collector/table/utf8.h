// Utf8 keeps text that came from somewhere else readable as UTF-8.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns strings.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rafter {

// Bytes that are not UTF-8 become U+FFFD, one for each; the rest is unchanged.
std::string ValidUtf8(std::string_view text);

// The same without a copy of text that has none of them; `room` holds what had to change.
std::string_view ValidUtf8(std::string_view text, std::string& room);

// At most `most_characters` code points; what does not fit is replaced by "…"
// in the middle, since names of regions differ at both ends. Control
// characters become blanks, so that the result is one line.
std::string OneLine(std::string_view text, size_t most_characters);

}  // namespace rafter
