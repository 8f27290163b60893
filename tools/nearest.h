// Nearest finds what a misspelt word was probably meant to be.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rafter {

// The known word with the fewest edits from `word`, or an empty text when none
// is near: more than a third of the letters would have to change.
std::string Nearest(std::string_view word, const std::vector<std::string>& known);

// " (did you mean NEAREST?)", or nothing.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

}  // namespace rafter
