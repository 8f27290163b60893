#include "marker/nvtx_text.h"

#include <cstdint>
#include <cstring>

namespace rafter {
namespace {

// The size without a character that begins within it and ends beyond it.
size_t WholeCharacters(const char* text, size_t size) {
  constexpr size_t kLongest = 4;
  for (size_t back = 1; back < kLongest && back <= size; ++back) {
    const auto byte = static_cast<unsigned char>(text[size - back]);
    if ((byte & 0xC0) == 0x80) continue;  // inside a character
    const size_t bytes = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return bytes > back ? size - back : size;
  }
  return size;
}

}  // namespace

size_t WideToUtf8(const wchar_t* text, char* out, size_t room) {
  size_t size = 0;
  for (; *text != 0; ++text) {
    auto code = static_cast<uint32_t>(*text);
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
    const size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size + bytes > room) break;
    if (bytes == 1) {
      out[size++] = static_cast<char>(code);
      continue;
    }
    constexpr unsigned char kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = bytes - 1; i > 0; --i) {
      out[size + i] = static_cast<char>(0x80 | (code & 0x3F));
      code >>= 6;
    }
    out[size] = static_cast<char>(kLead[bytes] | code);
    size += bytes;
  }
  return size;
}

NameBytes Trimmed(const char* text, size_t size) {
  while (size > 0 && text[size - 1] == ' ') --size;
  return {text, size};
}

NameBytes NameOf(const char* text, size_t room) {
  if (text == nullptr) return {"", 0};
  const size_t most = room < kMaxNameBytes ? room : kMaxNameBytes;
  size_t size = strnlen(text, most);
  if (size == most) size = WholeCharacters(text, size);
  return Trimmed(text, size);
}

}  // namespace rafter
