#include "tools/roff_text.h"

#include <algorithm>

namespace rafter {
namespace {

// Typographic quotes and dashes cannot be typed again.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '`':
        escaped += "\\(ga";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      case '"':
        escaped += "\\(dq";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

// Length of an option or one of our variables at the start of `text`; 0: none is there.
size_t NameLength(std::string_view text) {
  const bool is_option =
      text.size() > 1 && text[0] == '-' && (IsNameCharacter(text[1]) && text[1] != '_');
  if (!is_option && !text.starts_with("RAFTER_")) return 0;
  const auto* const end = std::find_if_not(text.begin(), text.end(), IsNameCharacter);
  return static_cast<size_t>(end - text.begin());
}

}  // namespace

std::string RoffLiteral(std::string_view line) {
  const bool is_request = line.starts_with('.') || line.starts_with('\'');
  return (is_request ? "\\&" : "") + Escaped(line);
}

std::string RoffProse(std::string_view text) {
  std::string prose;
  bool is_inside = false;  // a word, where "-" is a hyphen
  while (!text.empty()) {
    const size_t length = is_inside ? 0 : NameLength(text);
    if (length > 0) {
      prose += RoffBold(text.substr(0, length));
    } else {
      prose += Escaped(text.substr(0, 1));
    }
    is_inside = length > 0 || IsNameCharacter(text[0]) || text[0] == ')';
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return (prose.starts_with('.') ? "\\&" : "") + prose;
}

std::string RoffBold(std::string_view text) { return "\\fB" + Escaped(text) + "\\fR"; }

std::string RoffItalic(std::string_view text) { return "\\fI" + Escaped(text) + "\\fR"; }

}  // namespace rafter
