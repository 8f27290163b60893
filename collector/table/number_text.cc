#include "collector/table/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace rafter {
namespace {

constexpr double kWholeLimit = 9007199254740992.0;  // 2^53

// Room for any double in fixed or scientific form that we ask for.
constexpr size_t kNumberRoom = 64;

std::string ToText(double value, std::chars_format format, int precision) {
  std::array<char, kNumberRoom> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision);
  return {buffer.data(), end.ptr};
}

std::string_view Trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// "12.50" -> "12.5", "12.00" -> "12".
std::string WithoutTrailingZeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// Four digits of a value from 1 to below 1000.
std::string FourDigits(double value) {
  const int decimals = value < 10 ? 3 : value < 100 ? 2 : 1;
  return WithoutTrailingZeros(ToText(value, std::chars_format::fixed, decimals));
}

}  // namespace

void AppendNumber(double value, std::string& text) {
  if (!std::isfinite(value)) return;
  std::array<char, kNumberRoom> buffer;
  char* const begin = buffer.data();
  char* const end = begin + buffer.size();
  if (value == std::floor(value) && std::fabs(value) < kWholeLimit) {
    text.append(begin, std::to_chars(begin, end, static_cast<int64_t>(value)).ptr);
  } else {
    text.append(begin, std::to_chars(begin, end, value).ptr);
  }
}

std::string NumberText(double value) {
  std::string text;
  AppendNumber(value, text);
  return text;
}

std::optional<double> ParseNumber(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<uint64_t> ParseCount(std::string_view text) {
  text = Trimmed(text);
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (!text.empty() && error == std::errc() && end == text.data() + text.size()) return count;
  const std::optional<double> value = ParseNumber(text);
  if (!value || *value < 0 || *value >= kWholeLimit || *value != std::floor(*value)) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(*value);
}

std::string SiText(double value, std::string_view unit) {
  static constexpr std::array<std::string_view, 11> kPrefixes = {"p", "n", "µ", "m", "", "k",
                                                                 "M", "G", "T", "P", "E"};
  constexpr int kNone = 4;  // place of the empty prefix
  const std::string space = unit.empty() ? "" : " ";
  if (std::isnan(value)) return "undefined";
  if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
  if (value == 0) return "0" + space + std::string(unit);
  const double size = std::fabs(value);
  const std::string sign = value < 0 ? "-" : "";
  int step = static_cast<int>(std::floor(std::log10(size) / 3));
  // Rounding to four digits may carry into the next prefix: 999.96 -> 1000.
  double scaled = size / std::pow(10.0, 3 * step);
  if (scaled >= 999.95) {
    ++step;
    scaled = size / std::pow(10.0, 3 * step);
  }
  if (scaled < 1) scaled = 1;
  const int place = step + kNone;
  if (place < 0 || place >= static_cast<int>(kPrefixes.size())) {
    return sign + ToText(size, std::chars_format::scientific, 3) + space + std::string(unit);
  }
  // Without a unit the prefix follows the digits with a blank between: "12 k".
  const std::string_view prefix = kPrefixes[static_cast<size_t>(place)];
  std::string text = sign + FourDigits(scaled);
  if (!unit.empty() || !prefix.empty()) text += " ";
  return text + std::string(prefix) + std::string(unit);
}

std::string RatioText(double value, std::string_view unit) {
  constexpr double kPlainFrom = 1e-4;
  constexpr double kPlainBelow = 1e6;
  const std::string after = (unit.empty() ? "" : " ") + std::string(unit);
  const double size = std::fabs(value);
  if (!std::isfinite(value) || value == 0) return SiText(value, unit);
  if (size < kPlainFrom || size >= kPlainBelow) {
    return ToText(value, std::chars_format::scientific, 3) + after;
  }
  const int decimals = 3 - static_cast<int>(std::floor(std::log10(size)));
  return WithoutTrailingZeros(ToText(value, std::chars_format::fixed, std::max(0, decimals))) +
         after;
}

}  // namespace rafter
