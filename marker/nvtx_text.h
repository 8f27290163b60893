// Names as programs give them to NVTX: bounded, without the blanks that Fortran
// puts behind them, wide ones in UTF-8.
//
//   Threads   any.
//   Blocking  never.
//   Memory    none, except for a wide name of more than 256 characters: up to
//             kMaxNameBytes during the call.
//   Lifetime  a name is valid as long as the text that it was read from.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cwchar>

#include "marker/region_sink.h"

namespace rafter {

// Longest name that is kept whole; a longer one is cut there (on a character).
inline constexpr size_t kMaxNameBytes = 1u << 20;

// UTF-32 as wchar_t is on Linux, to UTF-8; code points that do not exist become
// U+FFFD. Writes at most `room` bytes, whole characters only, and returns how
// many.
size_t WideToUtf8(const wchar_t* text, char* out, size_t room);

// Cuts the blanks at the end: Fortran hands over fixed-length strings.
NameBytes Trimmed(const char* text, size_t size);

// The name in a text that ends with a zero, or with `room` bytes. Null: no name.
NameBytes NameOf(const char* text, size_t room = kMaxNameBytes);

// Calls `use` with the UTF-8 form of a wide string. Short names need no memory.
template <typename Use>
auto WithWide(const wchar_t* text, Use&& use) {
  constexpr size_t kOnStack = 1024;
  char stack[kOnStack];
  if (text == nullptr) return use(NameBytes{"", 0});
  const size_t most = wcsnlen(text, kMaxNameBytes) * 4;
  if (most <= kOnStack) return use(Trimmed(stack, WideToUtf8(text, stack, kOnStack)));
  const size_t room = most < kMaxNameBytes ? most : kMaxNameBytes;
  char* heap = static_cast<char*>(std::malloc(room));
  if (heap == nullptr) return use(Trimmed(stack, WideToUtf8(text, stack, kOnStack)));
  auto answer = use(Trimmed(heap, WideToUtf8(text, heap, room)));
  std::free(heap);
  return answer;
}

}  // namespace rafter
