// ReasonText are the words that reasons of rows are put together from.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rafter {

// Words of other people's: one line, and not too long.
std::string Quoted(std::string_view text);

std::string Count(uint64_t count);

// "1 call", "3 calls".
std::string Calls(uint64_t count);

std::string Join(const std::vector<std::string>& words, std::string_view between);

// "A, B, C and 2 more".
std::string Named(const std::vector<std::string>& names, size_t most);

// "37 %"; a share below one percent is not said to be none.
std::string PercentText(double percent);

}  // namespace rafter
