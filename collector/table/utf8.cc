#include "collector/table/utf8.h"

#include <vector>

#include "collector/store/utf8.h"

namespace rafter {
namespace {

// Enough of both ends of a long text for `most_characters` of each. What is cut
// at the seam is never shown: each end has more characters than that.
std::string BothEnds(std::string_view text, size_t most_characters) {
  constexpr size_t kMostBytesOfCharacter = 4;
  const size_t end = kMostBytesOfCharacter * (most_characters + 2);
  if (text.size() <= 2 * end) return std::string(text);
  return std::string(text.substr(0, end)) + std::string(text.substr(text.size() - end));
}

// All bytes at once, which compilers make wide steps of.
bool IsAscii(std::string_view text) {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

}  // namespace

std::string_view ValidUtf8(std::string_view text, std::string& room) {
  if (IsAscii(text)) return text;
  room = ValidUtf8(text);
  return room;
}

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  size_t kept = 0;  // what is in `valid` already
  for (size_t at = 0; at < text.size();) {
    const bool is_ascii = static_cast<unsigned char>(text[at]) < 0x80;
    const size_t bytes = is_ascii ? 1 : Utf8CharacterBytes(text.substr(at));
    if (bytes == 0) {
      valid += text.substr(kept, at - kept);
      valid += kUtf8Replacement;
      kept = at + 1;
    }
    at += bytes == 0 ? 1 : bytes;
  }
  return valid += text.substr(kept);
}

std::string OneLine(std::string_view text, size_t most_characters) {
  const std::string valid = ValidUtf8(BothEnds(text, most_characters));
  std::vector<std::string_view> characters;
  for (std::string_view rest = valid; !rest.empty();) {
    const std::string_view character = rest.substr(0, Utf8CharacterBytes(rest));
    characters.push_back(IsControl(character[0]) ? " " : character);
    rest.remove_prefix(character.size());
  }
  const bool fits = characters.size() <= most_characters;
  const size_t kept = fits ? characters.size() : most_characters == 0 ? 0 : most_characters - 1;
  const size_t head = fits ? kept : kept / 2;
  std::string line;
  for (size_t i = 0; i < head; ++i) line += characters[i];
  if (fits) return line;
  line += "…";
  for (size_t i = characters.size() - (kept - head); i < characters.size(); ++i) {
    line += characters[i];
  }
  return line;
}

}  // namespace rafter
