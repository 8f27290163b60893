#include <gtest/gtest.h>

#include <string>

#include "marker/nvtx_text.h"

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

std::string Name(const std::string& text, size_t room = kMaxNameBytes) {
  const NameBytes name = NameOf(text.c_str(), room);
  return {name.data, name.size};
}

TEST(NvtxText, LeavesOutTheBlanksThatFortranPutsBehindAName) {
  EXPECT_EQ(Name("stencil" + std::string(80, ' ')), "stencil");
  EXPECT_EQ(Name(std::string(80, ' ')), "");
  EXPECT_EQ(Name("  a b  "), "  a b");
}

TEST(NvtxText, TakesNoNameForAnEmptyOne) {
  const NameBytes name = NameOf(static_cast<const char*>(nullptr));
  EXPECT_NE(name.data, nullptr);
  EXPECT_EQ(name.size, 0u);
}

TEST(NvtxText, CutsALongNameOnACharacter) {
  const std::string euros = "\xE2\x82\xAC\xE2\x82\xAC";
  EXPECT_EQ(Name(euros, 6), euros);
  EXPECT_EQ(Name(euros, 5), "\xE2\x82\xAC");
  EXPECT_EQ(Name(euros, 4), "\xE2\x82\xAC");
  EXPECT_EQ(Name(euros, 3), "\xE2\x82\xAC");
  EXPECT_EQ(Name(euros, 2), "");
  EXPECT_EQ(Name("ab", 1), "a");
  EXPECT_EQ(Name(std::string(kMaxNameBytes + 7, 'x')).size(), kMaxNameBytes);
}

TEST(NvtxText, CutsAWideNameAtTheSameLength) {
  const std::wstring wide(kMaxNameBytes, L'\u20ac');
  const size_t size = WithWide(wide.c_str(), [](NameBytes name) { return name.size; });
  EXPECT_EQ(size, kMaxNameBytes / 3 * 3);
}

}  // namespace
}  // namespace rafter
