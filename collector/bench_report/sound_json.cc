#include "collector/bench_report/sound_json.h"

#include <algorithm>

#include "collector/store/utf8.h"

namespace rafter {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kUnicodeDigits = 4;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsHex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Bytes of the escape that begins `text` with its backslash; 0: it is none.
size_t EscapeBytes(std::string_view text) {
  if (text.size() < 2) return 0;
  if (text[1] != 'u') return std::string_view("\"\\/bfnrt").find(text[1]) == text.npos ? 0 : 2;
  const std::string_view digits = text.substr(2, kUnicodeDigits);
  const bool whole =
      digits.size() == kUnicodeDigits && std::all_of(digits.begin(), digits.end(), IsHex);
  return whole ? 2 + kUnicodeDigits : 0;
}

std::string NumberWord(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower == "nan") return "NaN";
  if (lower == "inf" || lower == "infinity") return "Infinity";
  return std::string(word);
}

class Mender {
 public:
  explicit Mender(std::string_view text) : rest_(text) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
    sound_.text.reserve(rest_.size());
  }
  SoundText Mend() && {
    while (!rest_.empty()) {
      if (in_string_) {
        TakeInString();
      } else {
        TakeOutside();
      }
    }
    return std::move(sound_);
  }

 private:
  void Keep(size_t bytes) {
    sound_.text += rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
  }
  void Replace(size_t bytes, std::string_view by) {
    sound_.text += by;
    rest_.remove_prefix(bytes);
    ++sound_.mended;
  }
  void TakeCharacter() {
    const size_t bytes = Utf8CharacterBytes(rest_);
    if (bytes == 0) return Replace(1, kUtf8Replacement);
    Keep(bytes);
  }
  void TakeInString() {
    const char c = rest_.front();
    if (c == '\\') {
      const size_t bytes = EscapeBytes(rest_);
      return bytes == 0 ? Replace(1, "\\\\") : Keep(bytes);
    }
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      std::string escape = "\\u00";
      escape += kDigits[static_cast<unsigned char>(c) >> 4];
      escape += kDigits[static_cast<unsigned char>(c) & 0xF];
      return Replace(1, escape);
    }
    if (c == '"') in_string_ = false;
    TakeCharacter();
  }
  void TakeOutside() {
    const char c = rest_.front();
    if (IsLetter(c)) {
      const auto end = std::find_if_not(rest_.begin(), rest_.end(), IsLetter);
      const auto bytes = static_cast<size_t>(end - rest_.begin());
      sound_.text += NumberWord(rest_.substr(0, bytes));
      rest_.remove_prefix(bytes);
      return;
    }
    const bool is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (IsControl(c) && !is_space) return Replace(1, " ");
    if (c == '"') in_string_ = true;
    TakeCharacter();
  }

  std::string_view rest_;
  SoundText sound_;
  bool in_string_ = false;
};

}  // namespace

SoundText SoundJson(std::string_view text) { return Mender(text).Mend(); }

}  // namespace rafter
