#include "collector/compare/change.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "collector/compare/comparable.h"
#include "collector/table/number_text.h"
#include "collector/table/verdict.h"

namespace rafter {
namespace {

// Ratios of values that are equal but for the last digit of a double.
constexpr double kEqualShare = 1e-9;

// Percent are read up to here; above, "4.1 times" is.
constexpr double kTimesFrom = 3;

RatioSpread Inverse(const RatioSpread& spread) {
  RatioSpread inverse;
  inverse.low = spread.high ? 1 / *spread.high : 0;
  if (spread.low > 0) inverse.high = 1 / spread.low;
  return inverse;
}

RatioSpread Around(double share) { return {std::max(0.0, 1 - share), 1 + share}; }

RatioSpread SpreadOfTraffic(const Row& base) {
  const double bytes = base.traffic_bytes.value_or(0);
  if (bytes <= 0) return Around(kUnlikeTrafficShare);
  const double calls = static_cast<double>(base.calls.value_or(1));
  return Around(std::max(kUnlikeTrafficShare, kUnlikeTrafficFloorBytes * calls / bytes));
}

std::optional<RatioSpread> SpreadOf(Quantity quantity, const Row& base, const Row& now,
                                    const ChangeOptions& options) {
  switch (quantity) {
    case Quantity::kFlop:
      return Around(kUnlikeFlopShare);
    case Quantity::kTraffic:
      return SpreadOfTraffic(base);
    case Quantity::kIntensity:
      return Inverse(SpreadOfTraffic(base));
    case Quantity::kSmClock:
      return Around(kLikeClockShare);
    case Quantity::kDuration:
    case Quantity::kKernelTime:
    case Quantity::kPerformance:
      break;
  }
  const auto spread_of = [&](const Row& row) {
    return row.duration_spread ? row.duration_spread : options.spread;
  };
  const std::optional<double> in_base = spread_of(base);
  const std::optional<double> in_new = spread_of(now);
  if (!in_base || !in_new) return std::nullopt;
  RatioSpread times = SpreadOfTimes(*in_base, *in_new);
  if (base.duration_spread || now.duration_spread) {
    const double share = kLikeTimeShare + StepShare(base);
    times.low *= std::max(0.0, 1 - share);
    if (times.high) *times.high *= 1 + share;
  }
  return quantity == Quantity::kPerformance ? Inverse(times) : times;
}

std::string WhyNoSpread(const Row& base, const Row& now) {
  const std::string where = base.duration_spread  ? "NEW has"
                            : now.duration_spread ? "BASE has"
                                                  : "neither has";
  return where + (where == "neither has" ? " a Duration Spread" : " no Duration Spread") +
         "; --spread gives one";
}

// BASE has 0, which is nothing to divide by but a value.
void JudgeFromNone(Change& change, double most_by_chance) {
  const bool is_chance = *change.now <= most_by_chance;
  change.word = is_chance ? ChangeWord::kWithinSpread : ChangeWord::kMore;
}

// `most_by_chance`: what NEW may have of a quantity of which BASE has none.
void Judge(Change& change, const std::string& why_not, const std::string& why_no_spread,
           double most_by_chance) {
  change.word = ChangeWord::kNotComparable;
  if (!why_not.empty()) {
    change.reason = why_not;
    return;
  }
  if (*change.base == *change.now) {
    change.word = ChangeWord::kSame;
    return;
  }
  if (!change.ratio) {
    JudgeFromNone(change, most_by_chance);
    return;
  }
  if (std::fabs(*change.ratio - 1) <= kEqualShare) {
    change.word = ChangeWord::kSame;
    return;
  }
  if (!change.spread) {
    change.word = ChangeWord::kNotJudged;
    change.reason = why_no_spread;
    return;
  }
  change.word = ChangeWord::kWithinSpread;
  if (*change.ratio < change.spread->low) change.word = ChangeWord::kLess;
  if (change.spread->high && *change.ratio > *change.spread->high) change.word = ChangeWord::kMore;
}

// Why both values, being there, are not of one kind; empty: they are.
std::string WhyNotComparable(const QuantityKind& kind, const NamedRow& base, const NamedRow& now,
                             const ChangeOptions& options) {
  for (const NamedRow& named : {base, now}) {
    std::string reason = WhyNotValid(kind.quantity, named);
    if (!reason.empty()) return reason;
  }
  return WhyOfAnotherKind(kind, base, now, options);
}

Change ChangeOf(const QuantityKind& kind, const Row& base, const Row& now,
                const ChangeOptions& options) {
  Change change{
      base.*kind.field, now.*kind.field, {}, {}, {}, 0, 0, ChangeWord::kNotComparable, ""};
  if (!change.base || !change.now) {
    change.reason = !change.base && !change.now ? "missing in both"
                    : !change.base              ? WhyMissing({&base, "BASE"})
                                                : WhyMissing({&now, "NEW"});
    return change;
  }
  if (kind.is_amount && IsPerCall(base, now)) {
    *change.base /= static_cast<double>(*base.calls);
    *change.now /= static_cast<double>(*now.calls);
  }
  if (*change.base > 0) change.ratio = *change.now / *change.base;
  change.spread = SpreadOf(kind.quantity, base, now, options);
  const double calls = IsPerCall(base, now) ? 1 : static_cast<double>(base.calls.value_or(1));
  const bool is_traffic = kind.quantity == Quantity::kTraffic;
  Judge(change, WhyNotComparable(kind, {&base, "BASE"}, {&now, "NEW"}, options),
        WhyNoSpread(base, now), is_traffic ? kUnlikeTrafficFloorBytes * calls : 0);
  return change;
}

std::string Fixed(double value, int decimals) {
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::fixed, decimals);
  return {text, end.ptr};
}

}  // namespace

const std::array<QuantityKind, kQuantities>& QuantityKinds() {
  static constexpr std::array<QuantityKind, kQuantities> kKinds = {{
      {Quantity::kDuration, "duration", "Duration", "s", &Row::duration_s, true, "slower", "faster",
       "time"},
      {Quantity::kKernelTime, "kernel-time", "Kernel Time", "s", &Row::kernel_time_s, true,
       "slower", "faster", "kernel time"},
      {Quantity::kFlop, "flop", "FLOP", "FLOP", &Row::flop, true, "more", "less", "FLOP"},
      {Quantity::kTraffic, "traffic", "Memory Traffic", "Byte", &Row::traffic_bytes, true, "more",
       "less", "traffic"},
      {Quantity::kIntensity, "intensity", "Arithmetic Intensity", "FLOP/Byte", &Row::flop_per_byte,
       false, "higher", "lower", "intensity"},
      {Quantity::kPerformance, "performance", "Performance", "FLOP/s", &Row::flop_per_s, false,
       "higher", "lower", "performance"},
      {Quantity::kSmClock, "clock", "SM Clock", "Hz", &Row::sm_clock_hz, false, "higher", "lower",
       "clock"},
  }};
  return kKinds;
}

const QuantityKind& QuantityKindOf(Quantity quantity) {
  return QuantityKinds()[static_cast<size_t>(quantity)];
}

bool IsPerCall(const Row& base, const Row& now) {
  return base.calls && now.calls && *base.calls != *now.calls && *base.calls > 0 && *now.calls > 0;
}

double StepShare(const Row& row) {
  const double duration_s = row.duration_s.value_or(0);
  if (duration_s <= 0) return 0;
  return kLikeTimeOfCallS * static_cast<double>(row.calls.value_or(1)) / duration_s;
}

RatioSpread SpreadOfTimes(double base_spread, double now_spread) {
  RatioSpread spread;
  spread.low = std::max(0.0, (1 - base_spread / 2) / (1 + now_spread / 2));
  // A range that reaches down to nothing leaves no ratio that is too high.
  if (now_spread < 2) spread.high = (1 + base_spread / 2) / (1 - now_spread / 2);
  return spread;
}

Changes ChangesOf(const Row& base, const Row& now, const ChangeOptions& options) {
  Changes changes;
  for (size_t i = 0; i < kQuantities; ++i) {
    changes[i] = ChangeOf(QuantityKinds()[i], base, now, options);
  }
  return changes;
}

std::string ShortWordText(Quantity quantity, const Change& change) {
  switch (change.word) {
    case ChangeWord::kMore:
      return std::string(QuantityKindOf(quantity).more);
    case ChangeWord::kLess:
      return std::string(QuantityKindOf(quantity).less);
    case ChangeWord::kSame:
      return "same";
    case ChangeWord::kWithinSpread:
      return "within the spread";
    case ChangeWord::kUndecided:
      return "undecided";
    case ChangeWord::kNotJudged:
      return "not judged";
    case ChangeWord::kNotComparable:
      break;
  }
  return "not comparable";
}

std::string WordText(Quantity quantity, const Change& change) {
  const std::string word = ShortWordText(quantity, change);
  return change.reason.empty() ? word : word + ": " + change.reason;
}

std::string RatioChangeText(double ratio) {
  if (ratio >= kTimesFrom) return RatioText(ratio, "times");
  const double percent = 100 * (ratio - 1);
  const double size = std::fabs(percent);
  const std::string text = Fixed(size, size < 0.095 ? 2 : size < 99.95 ? 1 : 0);
  const bool is_none = text.find_first_not_of("0.") == std::string::npos;
  return (is_none ? "±" : percent < 0 ? "-" : "+") + text + " %";
}

std::string ByText(Quantity quantity, const Change& change) {
  if (change.ratio) return RatioChangeText(*change.ratio);
  return "from none to " + SiText(*change.now, QuantityKindOf(quantity).unit);
}

std::string SpreadText(const RatioSpread& spread) {
  if (!spread.high && spread.low <= 0) return "any ratio";
  if (!spread.high) return "above " + RatioText(spread.low, "");
  if (spread.low <= 0) return "below " + RatioText(*spread.high, "");
  return RatioText(spread.low, "") + " to " + RatioText(*spread.high, "");
}

}  // namespace rafter
