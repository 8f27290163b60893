#include "collector/table/reason_text.h"

#include <algorithm>
#include <cmath>

#include "collector/table/number_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

constexpr size_t kMostQuotedCharacters = 500;

}  // namespace

std::string Quoted(std::string_view text) { return OneLine(text, kMostQuotedCharacters); }

std::string Count(uint64_t count) { return std::to_string(count); }

std::string Calls(uint64_t count) { return Count(count) + (count == 1 ? " call" : " calls"); }

std::string Join(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

std::string Named(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += " and " + Count(names.size() - most) + " more";
  return text;
}

std::string PercentText(double percent) {
  return percent > 0 && percent < 1 ? "less than 1 %" : NumberText(std::round(percent)) + " %";
}

}  // namespace rafter
