// FortranText makes a C text of what a Fortran program gives: bytes and a length,
// filled up with blanks.
//
//   Threads   any.
//   Blocking  never.
//   Memory    a copy.
//   Lifetime  plain function.
#pragma once

#include <string>

namespace rafter {

// A zero byte ends the text, as it does for programs that append c_null_char.
inline std::string FortranText(const char* text, int length) {
  if (text == nullptr || length <= 0) return "";
  std::string copy(text, static_cast<size_t>(length));
  copy.resize(copy.find_last_not_of(' ') + 1);  // npos + 1 is 0: nothing but blanks
  return copy.c_str();
}

}  // namespace rafter
