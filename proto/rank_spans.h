// RankSpans are the ranks of an MPI job that somebody chose, as in "0,8-15": the
// target leaves itself alone by them, tables choose rows by them. Includes nothing
// of ours.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    plain values.
//   Lifetime  plain values.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rafter {

// Ranks from `first` to `last`.
struct RankSpan {
  uint64_t first = 0;
  uint64_t last = 0;
};

// Puts the spans of `text` into `spans`. The part that is none, or an empty view with a
// null pointer where all are well.
inline std::string_view ReadRankSpans(std::string_view text, std::vector<RankSpan>& spans) {
  const auto read = [](std::string_view digits, uint64_t& number) {
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    return error == std::errc() && stop == end && !digits.empty();
  };
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    const std::string_view part = text.substr(start, end - start);
    const size_t dash = part.find('-');
    RankSpan span;
    bool good = read(part.substr(0, dash), span.first);
    span.last = span.first;
    if (dash != std::string_view::npos) good = read(part.substr(dash + 1), span.last) && good;
    if (!good || span.first > span.last) return part;
    spans.push_back(span);
    start = end + 1;
  }
  return {};
}

inline bool HasRank(const std::vector<RankSpan>& spans, uint64_t rank) {
  return std::any_of(spans.begin(), spans.end(), [rank](const RankSpan& span) {
    return rank >= span.first && rank <= span.last;
  });
}

}  // namespace rafter
