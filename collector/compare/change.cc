#include "collector/compare/change.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "collector/table/number_text.h"
#include "collector/table/reason_text.h"
#include "collector/table/utf8.h"
#include "collector/table/verdict.h"

namespace rafter {
namespace {

constexpr size_t kMostReasonCharacters = 100;

// Ratios of values that are equal but for the last digit of a double.
constexpr double kEqualShare = 1e-9;

// Percent are read up to here; above, "4.1 times" is.
constexpr double kTimesFrom = 3;

bool IsTime(Quantity quantity) {
  return quantity == Quantity::kDuration || quantity == Quantity::kKernelTime;
}
// What is made of a time.
bool UsesTime(Quantity quantity) { return IsTime(quantity) || quantity == Quantity::kPerformance; }
bool UsesFlop(Quantity quantity) {
  return quantity == Quantity::kFlop || quantity == Quantity::kPerformance ||
         quantity == Quantity::kIntensity;
}
bool UsesTraffic(Quantity quantity) {
  return quantity == Quantity::kTraffic || quantity == Quantity::kIntensity;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Why a row's validity forbids a verdict on the quantity; empty: it does not.
// Extrapolated and partial rows have values that stand for the whole.
std::string WhyNotValid(Quantity quantity, const Row& row, std::string_view side) {
  const std::string& validity = row.validity;
  // The clock is a mean of what was measured, whatever it was.
  if (validity.empty() || quantity == Quantity::kSmClock ||
      IsOneOf(validity, {"measured", "extrapolated", "partial"})) {
    return "";
  }
  const bool shared = validity == "shared device" && quantity == Quantity::kFlop;
  const bool assumed = validity == "scale assumed" && IsTime(quantity);
  if (shared || assumed) return "";
  const bool known = IsOneOf(
      validity, {"shared device", "scale assumed", "instances unlike", "overlapped", "missing"});
  return OneLine(validity, kMostReasonCharacters) + " in " + std::string(side) +
         (known ? "" : ", a word that this version does not know");
}

std::string WhyMissing(const Row& row, std::string_view side) {
  std::string text = "missing in " + std::string(side);
  if (row.validity != "missing" || row.reason.empty()) return text;
  const size_t cause = std::min(row.reason.find("; "), row.reason.find(" ("));
  return text + ": " + OneLine(row.reason.substr(0, cause), kMostReasonCharacters);
}

std::string WhyUnlike(const std::string& base, const std::string& now, std::string_view what) {
  if (base.empty() || now.empty() || base == now) return "";
  return std::string(what) + " " + OneLine(base, kMostReasonCharacters) + " in BASE, " +
         OneLine(now, kMostReasonCharacters) + " in NEW";
}

// Whether CUPTI repeated the launches and measured them one by one: their time is
// Kernel Time, of a row of launches also Duration, and a region has no Duration.
bool IsRepeated(const Row& row) {
  if (!row.kernel_time_s || row.source != "cupti") return false;
  return !row.duration_s || (!row.kernel_id.empty() && row.duration_s == row.kernel_time_s);
}

// Other kinds of time under one name. On an H200 the Kernel Time of one launch was
// 2.3 us longer within a region than alone, that of its region 55 us (tests/golden,
// kernels-h200 against replay-kernel-h200).
std::string WhyOtherTime(const Row& base, const Row& now) {
  if (base.source.empty() || now.source.empty()) return "";
  if ((base.source == "likwid") != (now.source == "likwid")) {
    const bool in_base = base.source == "likwid";
    return std::string("Duration is host time in ") + (in_base ? "BASE" : "NEW") +
           " (LIKWID), GPU time in " + (in_base ? "NEW" : "BASE");
  }
  if (IsRepeated(base) == IsRepeated(now)) return "";
  const bool in_base = IsRepeated(base);
  return std::string("launches are measured one by one in ") + (in_base ? "BASE" : "NEW") +
         ", from border to border in " + (in_base ? "NEW" : "BASE");
}

std::string WhyOtherClock(const Row& base, const Row& now) {
  if (!base.sm_clock_hz || !now.sm_clock_hz || *base.sm_clock_hz <= 0) return "";
  if (std::fabs(*now.sm_clock_hz / *base.sm_clock_hz - 1) <= kOtherClockShare) return "";
  return "SM clock " + SiText(*base.sm_clock_hz, "Hz") + " in BASE, " +
         SiText(*now.sm_clock_hz, "Hz") + " in NEW";
}

// Totals of which one side does not say over how many calls they are.
std::string WhyOtherCalls(const Row& base, const Row& now) {
  if (base.calls.has_value() == now.calls.has_value()) return "";
  const Row& known = base.calls ? base : now;
  if (*known.calls == 1) return "";
  return std::string(base.calls ? "BASE" : "NEW") + " is over " + Calls(*known.calls) + ", " +
         (base.calls ? "NEW" : "BASE") + " does not tell over how many";
}

// Why both values, being there, are not of one kind; empty: they are.
std::string WhyNotComparable(const QuantityKind& kind, const Row& base, const Row& now,
                             const ChangeOptions& options) {
  const Quantity quantity = kind.quantity;
  std::vector<std::string> reasons = {WhyNotValid(quantity, base, "BASE"),
                                      WhyNotValid(quantity, now, "NEW")};
  if (kind.is_amount) reasons.push_back(WhyOtherCalls(base, now));
  if (UsesFlop(quantity)) reasons.push_back(WhyUnlike(base.precision, now.precision, "precision"));
  if (UsesTraffic(quantity)) {
    reasons.push_back(WhyUnlike(base.memory_level, now.memory_level, "memory level"));
  }
  if (UsesTime(quantity)) {
    reasons.push_back(WhyOtherTime(base, now));
    if (!options.force) reasons.push_back(WhyOtherClock(base, now));
  }
  for (const std::string& reason : reasons) {
    if (!reason.empty()) return reason;
  }
  return "";
}

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

// What the steps of time stamps are of a call's time.
double StepShare(const Row& base) {
  const double duration_s = base.duration_s.value_or(0);
  if (duration_s <= 0) return 0;
  return kLikeTimeOfCallS * static_cast<double>(base.calls.value_or(1)) / duration_s;
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

Change ChangeOf(const QuantityKind& kind, const Row& base, const Row& now,
                const ChangeOptions& options) {
  Change change{base.*kind.field, now.*kind.field, {}, {}, ChangeWord::kNotComparable, ""};
  if (!change.base || !change.now) {
    change.reason = !change.base && !change.now ? "missing in both"
                    : !change.base              ? WhyMissing(base, "BASE")
                                                : WhyMissing(now, "NEW");
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
  Judge(change, WhyNotComparable(kind, base, now, options), WhyNoSpread(base, now),
        is_traffic ? kUnlikeTrafficFloorBytes * calls : 0);
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
