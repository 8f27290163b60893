// NumberText makes text of numbers and numbers of text, the same in every
// locale.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns strings.
//   Lifetime  plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rafter {

// The shortest text that reads back as the same double. Whole numbers below
// 2^53 have no exponent: "137438953472". Empty for NaN and infinities, which
// are no measurements.
std::string NumberText(double value);
void AppendNumber(double value, std::string& text);

// A number as NumberText, Python, pandas or a spreadsheet write it. Blanks
// around it are ignored. Nothing when there is any other character.
std::optional<double> ParseNumber(std::string_view text);

// A whole number from 0 to 2^64 - 1; "12.0" is one (pandas makes floats of
// columns with gaps).
std::optional<uint64_t> ParseCount(std::string_view text);

// For people: four digits and an SI prefix, "549.8 GFLOP". Powers of ten
// where prefixes end. `value` may be negative; NaN gives "undefined".
std::string SiText(double value, std::string_view unit);

// For people: four digits without a prefix, for ratios, where "325 mFLOP/Byte"
// would hide that they compare: "0.325 FLOP/Byte". Very small and very large
// ones have an exponent.
std::string RatioText(double value, std::string_view unit);

}  // namespace rafter
