// Say is the one way in which a marker library speaks to the person: a line on
// standard error with Rafter's name before it. Whoever calls it has asked whether
// quiet is wanted, and says a thing once.
//
//   Threads   any.
//   Blocking  one write.
//   Memory    a copy of the line.
//   Lifetime  plain functions.
#pragma once

#include <string>

namespace rafter {

void Say(const std::string& text);

// The real path of the library that holds this function, or an empty text. A name
// that the loader knows it by may be a link to it.
std::string OwnLibraryPath();

}  // namespace rafter
