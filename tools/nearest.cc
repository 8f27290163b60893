#include "tools/nearest.h"

#include <algorithm>

#include "cupti/edits.h"

namespace rafter {
namespace {

// Nothing that we know is half as long; the table of edits stays small.
constexpr size_t kLongestWord = 64;

}  // namespace

std::string Nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string nearest;
  if (word.size() > kLongestWord) return nearest;
  size_t fewest = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t edits = Edits(word, candidate);
    if (edits < fewest && edits < candidate.size()) {  // something of it must be there
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = Nearest(word, known);
  return nearest.empty() ? "" : " (did you mean " + nearest + "?)";
}

}  // namespace rafter
