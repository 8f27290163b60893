// Change is one quantity of two rows: both values, their ratio, how far it may
// lie from 1 by chance, and the word for it.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  the list of quantities is never destroyed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "collector/table/table.h"

namespace rafter {

enum class Quantity { kDuration, kKernelTime, kFlop, kTraffic, kIntensity, kPerformance, kSmClock };
inline constexpr size_t kQuantities = 7;

struct QuantityKind {
  Quantity quantity;
  std::string_view name;   // in --fail-on and JSON: "duration"
  std::string_view title;  // as the table's column
  std::string_view unit;
  std::optional<double> Row::*field;
  bool is_amount;          // over all calls; else a rate or a mean
  std::string_view more;   // "slower"
  std::string_view less;   // "faster"
  std::string_view moved;  // "time"
};
const std::array<QuantityKind, kQuantities>& QuantityKinds();
const QuantityKind& QuantityKindOf(Quantity quantity);

// Between these a ratio says nothing.
struct RatioSpread {
  double low = 1;
  std::optional<double> high;  // absent: no ratio is too high to be chance
};

// kUndecided: of several runs, the interval does not tell whether it is a change.
// kNotJudged: both values are of one kind, but how far they spread is not known.
enum class ChangeWord {
  kMore,
  kLess,
  kSame,
  kWithinSpread,
  kUndecided,
  kNotJudged,
  kNotComparable
};

struct Change {
  std::optional<double> base;   // of one call where the row says so; of several runs the
  std::optional<double> now;    // geometric mean
  std::optional<double> ratio;  // now / base; absent also where base is 0
  std::optional<RatioSpread> spread;
  std::optional<RatioSpread> interval = {};  // of several runs, instead of a spread
  size_t base_runs = 0;                      // how many have a value; 0: not of several runs
  size_t now_runs = 0;
  ChangeWord word = ChangeWord::kNotComparable;
  std::string reason;  // of kNotJudged and kNotComparable
};
using Changes = std::array<Change, kQuantities>;  // by Quantity

struct ChangeOptions {
  std::optional<double> spread = {};  // Duration Spread of rows that have none, 1
  bool force = false;                 // compare in spite of another clock
  double margin = 0.01;               // of several runs: less is no change, 1
};

// FLOP of like runs differ by no more than kUnlikeFlopShare, their traffic by no
// more than kUnlikeTrafficShare or kUnlikeTrafficFloorBytes a call
// (collector/table/verdict.h). The clock of one run's regions on an H200 was
// 1960.6 to 1979.9 MHz (tests/golden/fixture-h200.csv).
inline constexpr double kLikeClockShare = 0.01;

// A run knows the spread among its own few epochs, not from run to run. Two runs of
// one program on an H200, 2 to 4 epochs a region, left the ranges of both by up to
// 0.5 % (docs/measurements/2026-11-30-commands.md); their clocks differ by 1 %.
inline constexpr double kLikeTimeShare = kLikeClockShare;

// Time stamps of an H200 are 32 ns apart (docs/measurements/2026-11-30-commands.md), and
// a call's time is the difference of two: seconds by which it may be off for no reason.
inline constexpr double kLikeTimeOfCallS = 2 * 32e-9;

// What that is of the time of the row's calls.
double StepShare(const Row& row);

// Clocks further apart are another machine, as far as times go.
inline constexpr double kOtherClockShare = 0.05;

// Whether numbers of calls are told by both and differ, so that amounts are
// compared by call.
bool IsPerCall(const Row& base, const Row& now);

// Duration Spread is (greatest - least) / mean over epochs. With each range
// taken as centred on its mean, the ratio of two durations says something where
// the ranges do not meet: below (1 - b/2) / (1 + n/2) or above
// (1 + b/2) / (1 - n/2), with b and n the spreads of BASE and NEW. Kernel Time has no
// spread of its own and goes by Duration's, as does Performance, the other way round.
// Where a row brings its own spread, times are held to kLikeTimeShare and
// kLikeTimeOfCallS more on either side.
RatioSpread SpreadOfTimes(double base_spread, double now_spread);

Changes ChangesOf(const Row& base, const Row& now, const ChangeOptions& options);

// "faster", "within the spread", "not comparable: missing in NEW"; the short one is without the
// reason.
std::string WordText(Quantity quantity, const Change& change);
std::string ShortWordText(Quantity quantity, const Change& change);

// "+5.2 %"; of a ratio of 3 and more "4.1 times".
std::string RatioChangeText(double ratio);

// The same of a change whose both values are there; "from none to 3.2 GByte" of BASE's 0.
std::string ByText(Quantity quantity, const Change& change);

// "0.93 to 1.08"; "below 1.08"; "any ratio" where it has no bound.
std::string SpreadText(const RatioSpread& spread);

}  // namespace rafter
