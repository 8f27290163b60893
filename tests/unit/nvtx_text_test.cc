#include <gtest/gtest.h>

#include <string>

#include "marker/nvtx_source.h"

namespace rafter {
namespace {

std::string Utf8(const wchar_t* text, size_t room = 64) {
  std::string out(room, '\0');
  out.resize(WideToUtf8(text, out.data(), room));
  return out;
}

TEST(WideToUtf8, WritesEveryLengthOfCharacter) {
  EXPECT_EQ(Utf8(L"a\u00e9\u20ac\U0001F600"), "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(WideToUtf8, ReplacesWhatIsNotACharacter) {
  const wchar_t bad[] = {static_cast<wchar_t>(0xD800), static_cast<wchar_t>(0x110000), 0};
  EXPECT_EQ(Utf8(bad), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(WideToUtf8, CutsOnACharacterWhenRoomEnds) {
  EXPECT_EQ(Utf8(L"\u20ac\u20ac", 5), "\xE2\x82\xAC");
}

}  // namespace
}  // namespace rafter
