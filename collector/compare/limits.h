// Limits are what --fail-on asks: which change of which quantity is too much.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    a limit owns its compiled pattern.
//   Lifetime  plain values.
#pragma once

#include <absl/status/statusor.h>
#include <regex.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collector/compare/comparison.h"

namespace rafter {

struct Limit {
  std::string text;  // as it was given
  Quantity quantity = Quantity::kDuration;
  bool above = true;                      // else: what falls by more than `share` is too much
  double share = 0;                       // of BASE
  std::shared_ptr<const regex_t> region;  // none: every row
};

// "5" and "5%" are 0.05. Nothing when it is not a number from 0 to 1e6.
std::optional<double> ParsePercent(std::string_view text);

// [REGEX:]QUANTITY>PERCENT% or < : "duration>5%", "solve/.*:performance<2.5%". REGEX is an extended
// regular expression that is looked for in the region's path; what stands before the last colon is
// it. `<-5%` is `<5%`. Fails with the part that cannot be read and what may stand there.
absl::StatusOr<Limit> ParseLimit(const std::string& text);

// What is over its limit and outside its spread (of several runs: over it with its whole
// interval), over its limit only, or not to be
// judged though BASE has a value: rows of BASE without partner or with a missing value
// in NEW, other validity, no spread; and limits that no row was held against.
std::vector<LimitFinding> HoldAgainst(const Comparison& comparison,
                                      const std::vector<Limit>& limits);

}  // namespace rafter
