#include "collector/roofline/axis.h"

#include <array>
#include <cmath>

#include "collector/table/number_text.h"

namespace rafter {
namespace {

// Decades that have numbers of their own; above, every second, third, ...
constexpr int kMostNumbers = 9;
// With no more decades than this, 2 and 5 have numbers as well.
constexpr int kFewDecades = 2;
// With more decades than this, there is no room for marks between them.
constexpr int kMostWithMarks = 30;
// Plain numbers up to here are easier to read than powers.
constexpr int kPlainBelow = -3;
constexpr int kPlainAbove = 4;

std::string Superscript(int number) {
  static constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                               "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(number))) {
    text += kDigits[static_cast<size_t>(c - '0')];
  }
  return text;
}

}  // namespace

LogAxis::LogAxis(double low, double high, double low_at, double high_at)
    : low_(low), high_(high), low_at_(low_at), high_at_(high_at) {}

double LogAxis::At(double value) const {
  // Differences of logarithms: a quotient of doubles may overflow.
  const double decades = std::log10(high_) - std::log10(low_);
  const double share = (std::log10(value) - std::log10(low_)) / decades;
  return low_at_ + share * (high_at_ - low_at_);
}

double LogAxis::ValueAt(double at) const {
  const double decades = std::log10(high_) - std::log10(low_);
  const double share = (at - low_at_) / (high_at_ - low_at_);
  return std::pow(10.0, std::log10(low_) + share * decades);
}

std::vector<Tick> LogAxis::Ticks(std::string_view unit) const {
  const int first = static_cast<int>(std::floor(std::log10(low_)));
  const int last = static_cast<int>(std::ceil(std::log10(high_)));
  int decades = 0;
  for (int exponent = first; exponent <= last; ++exponent) {
    decades += Has(std::pow(10.0, exponent)) ? 1 : 0;
  }
  const int every = decades / (kMostNumbers + 1) + 1;
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10.0, exponent);
      if (!Has(value) || (digit > 1 && decades > kMostWithMarks)) continue;
      const bool numbered =
          digit == 1 ? exponent % every == 0 : decades <= kFewDecades && (digit == 2 || digit == 5);
      std::string text;
      if (numbered) text = unit.empty() ? PowerText(digit, exponent) : SiText(value, unit);
      ticks.push_back({value, digit == 1, text});
    }
  }
  return ticks;
}

std::string PowerText(double digit, int exponent) {
  if (exponent >= kPlainBelow && exponent <= kPlainAbove) {
    // From digits, so that no rounding shows: 0.1, not 0.1000000001.
    if (exponent >= 0) return NumberText(digit * std::pow(10.0, exponent));
    return "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + NumberText(digit);
  }
  return (digit == 1 ? "" : NumberText(digit) + "·") + "10" + Superscript(exponent);
}

}  // namespace rafter
