// SoundJson mends what programs write as JSON and is none, as far as its meaning is
// plain: Google Benchmark prints names and numbers as they are.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns a copy, at most six times as long.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rafter {

struct SoundText {
  std::string text;
  size_t mended = 0;  // bytes and escapes that JSON does not allow
};

// In strings: control characters and backslashes that begin no escape are escaped.
// Bytes that are not UTF-8 become U+FFFD. Outside: nan, inf and infinity in any
// case become NaN and Infinity, other control characters blanks.
SoundText SoundJson(std::string_view text);

}  // namespace rafter
