#include "collector/table/pattern.h"

#include <absl/status/status.h>

#include <algorithm>

namespace rafter {

absl::StatusOr<Pattern> Pattern::Compile(const std::string& text) {
  auto compiled = std::make_unique<regex_t>();
  const int error = regcomp(compiled.get(), text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error != 0) {
    char why[128] = {};
    regerror(error, compiled.get(), why, sizeof(why));
    return absl::InvalidArgumentError("no extended regular expression (" + std::string(why) +
                                      "); put a \\ before a character that stands for itself");
  }
  const auto release = [](const regex_t* regex) {
    auto* const owned = const_cast<regex_t*>(regex);
    regfree(owned);
    delete owned;
  };
  return Pattern(text, std::shared_ptr<const regex_t>(compiled.release(), release));
}

bool Pattern::Finds(std::string_view text) const {
  return regexec(compiled_.get(), std::string(text).c_str(), 0, nullptr, 0) == 0;
}

bool AnyFinds(const std::vector<Pattern>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const Pattern& pattern) { return pattern.Finds(text); });
}

}  // namespace rafter
