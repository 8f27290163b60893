#include "collector/table/kernel_name.h"

#include <algorithm>

namespace rafter {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr std::string_view kOperator = "operator";

bool IsNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Characters of an operator's name at the start of `text`, from "operator" to
// before its parameters; 0 when there is none.
size_t OperatorLength(std::string_view text, char before) {
  if (!text.starts_with(kOperator) || IsNamePart(before)) return 0;
  size_t at = kOperator.size();
  if (at < text.size() && IsNamePart(text[at])) return 0;
  while (at < text.size() && text[at] == ' ') ++at;
  if (text.substr(at).starts_with("()")) return at + 2;
  return std::min(text.find('(', at), text.size());
}

}  // namespace

std::string KernelName(std::string_view signature) {
  std::string name;
  int depth = 0;  // of template arguments
  for (size_t i = 0; i < signature.size(); ++i) {
    const std::string_view rest = signature.substr(i);
    const char before = i == 0 ? ' ' : signature[i - 1];
    if (depth == 0 && rest.starts_with(kAnonymous)) {
      name += kAnonymous;
      i += kAnonymous.size() - 1;
    } else if (const size_t length = depth == 0 ? OperatorLength(rest, before) : 0; length > 0) {
      for (const char c : rest.substr(0, length)) {
        if (c != ' ') name += c;
      }
      i += length - 1;
    } else if (rest[0] == '<') {
      ++depth;
    } else if (rest[0] == '>') {
      depth = std::max(0, depth - 1);
    } else if (depth > 0) {
      continue;
    } else if (rest[0] == '(') {
      break;
    } else if (rest[0] == ' ') {
      name.clear();  // what came before was the return type
    } else {
      name += rest[0];
    }
  }
  return name.empty() ? std::string(signature) : name;
}

}  // namespace rafter
