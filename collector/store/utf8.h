// Utf8 tells characters from bytes that are none: what a target says is bytes,
// and what we write is text.
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

// What stands for a byte that is not part of a character: U+FFFD.
inline constexpr std::string_view kUtf8Replacement = "\xEF\xBF\xBD";

// Bytes of the well-formed character at the start of `text`, which is not
// empty; 0 if there is none. Overlong forms, surrogates and values over U+10FFFF
// are refused (Unicode, table 3-7).
inline size_t Utf8CharacterBytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return 0;
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
  const bool surrogate = byte(0) == 0xED && byte(1) > 0x9F;
  const bool too_high = byte(0) == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_high ? 0 : bytes;
}

// What moves a terminal's cursor, or more.
inline bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// `text` as one line, which it may have ended already: control characters become blanks.
inline std::string OneLine(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::string line(text);
  for (char& c : line) {
    if (IsControl(c)) c = ' ';
  }
  return line;
}

}  // namespace rafter
