// SetTable says which metrics each named set wants, by their names on the
// generations of chips. What a chip has of them is looked up (sets.h).
//
//   Threads   constants.
//   Blocking  never.
//   Memory    made on first use, never destroyed.
//   Lifetime  of the process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rafter {

// A wish: the first of these names that the chip has. Several names where
// generations call the same thing differently.
struct Wish {
  std::vector<std::string> names;
  bool only_where_listed = false;  // chips without it have no such thing: nothing is missing
};

struct SetWishes {
  std::string name;
  std::vector<Wish> wishes;
};

// Nothing for a set whose metrics are not named here: tensor formats and
// "metrics".
const SetWishes* FindWishes(std::string_view set);

}  // namespace rafter
