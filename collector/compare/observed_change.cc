#include "collector/compare/observed_change.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "collector/table/reason_text.h"
#include "collector/table/verdict.h"

namespace rafter {
namespace {

std::vector<NamedRow> AllOf(const ObservedRows& rows) {
  std::vector<NamedRow> all(rows.base.begin(), rows.base.end());
  all.insert(all.end(), rows.now.begin(), rows.now.end());
  return all;
}

std::vector<NamedRow> WithValue(const QuantityKind& kind, std::span<const NamedRow> rows) {
  std::vector<NamedRow> with;
  for (const NamedRow& named : rows) {
    if ((named.row->*kind.field).has_value()) with.push_back(named);
  }
  return with;
}

std::vector<double> ValuesOf(const QuantityKind& kind, std::span<const NamedRow> rows,
                             bool per_call) {
  std::vector<double> values;
  for (const NamedRow& named : rows) {
    const double calls = per_call ? static_cast<double>(*named.row->calls) : 1;
    values.push_back(*(named.row->*kind.field) / calls);
  }
  return values;
}

// Empty: values of all rows, which have one, may be held against each other.
std::string WhyNotComparable(const QuantityKind& kind, const std::vector<NamedRow>& rows,
                             const ChangeOptions& options) {
  for (const NamedRow& named : rows) {
    std::string reason = WhyNotValid(kind.quantity, named);
    if (!reason.empty()) return reason;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = i + 1; j < rows.size(); ++j) {
      std::string reason = WhyOfAnotherKind(kind, rows[i], rows[j], options);
      if (!reason.empty()) return reason;
    }
  }
  return "";
}

// What a side may have of a quantity of which the other has none.
double MostByChance(Quantity quantity, const ObservedRows& rows, bool per_call) {
  const double of_call = quantity == Quantity::kTraffic ? kUnlikeTrafficFloorBytes
                         : IsTime(quantity)             ? kLikeTimeOfCallS
                                                        : 0;
  const Row& base = *rows.base.front().row;
  return of_call * (per_call ? 1 : static_cast<double>(base.calls.value_or(1)));
}

// How far a value may be off for no reason, as a share of it: by the steps of time stamps,
// or by what the L2 holds when a region ends.
double Resolution(Quantity quantity, const Row& row) {
  if (UsesTime(quantity)) return StepShare(row);
  const double bytes = row.traffic_bytes.value_or(0);
  if (!UsesTraffic(quantity) || bytes <= 0) return 0;
  return kUnlikeTrafficFloorBytes * static_cast<double>(row.calls.value_or(1)) / bytes;
}

bool AreAll(const std::vector<double>& values, bool (*what)(double)) {
  return std::all_of(values.begin(), values.end(), what);
}
bool IsZero(double value) { return value == 0; }
bool IsAboveZero(double value) { return std::isfinite(value) && value > 0; }

// The geometric mean; of values among which is a 0, the plain one. Nothing of none.
std::optional<double> MeanOf(const std::vector<double>& values,
                             const std::optional<LogSample>& sample) {
  if (values.empty()) return std::nullopt;
  if (sample) return GeometricMean(*sample);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void Close(ChangeWord word, std::string reason, Change& change) {
  change.word = word;
  change.reason = std::move(reason);
}

// Of values that are 0, which have no logarithm. `most`: as MostByChance.
void JudgeNone(const std::vector<double>& base, const std::vector<double>& now, double most,
               Change& change) {
  if (AreAll(base, IsZero) && AreAll(now, IsZero)) {
    Close(ChangeWord::kSame, "", change);
    return;
  }
  const double greatest = std::max(*std::max_element(base.begin(), base.end()),
                                   *std::max_element(now.begin(), now.end()));
  if (greatest <= most) {
    Close(ChangeWord::kUndecided, "", change);
    return;
  }
  const bool is_new = AreAll(base, IsZero) && AreAll(now, IsAboveZero);
  const bool is_gone = AreAll(now, IsZero) && AreAll(base, IsAboveZero);
  if (!is_new && !is_gone) {
    Close(ChangeWord::kNotJudged, "0 or no number in some runs of a side, and more in others",
          change);
    return;
  }
  if (is_gone) {
    change.ratio = 0;
    change.interval = RatioSpread{0, 0};
  }
  Close(is_new ? ChangeWord::kMore : ChangeWord::kLess, "", change);
}

std::string WhyTooFew(const Change& change, const ObservedRows& rows) {
  const bool in_base = change.base_runs < kLeastRuns;
  return "a value in " + Count(in_base ? change.base_runs : change.now_runs) + " of " +
         Count(in_base ? rows.all_base_runs : rows.all_now_runs) + " runs of " +
         (in_base ? "BASE" : "NEW") + ", " + Count(kLeastRuns) + " are needed";
}

std::string WhyNone(const ObservedRows& rows, bool none_in_base, bool none_in_new) {
  if (none_in_base && none_in_new) return "missing in both";
  return none_in_base ? WhyMissing({rows.base.front().row, "BASE"})
                      : WhyMissing({rows.now.front().row, "NEW"});
}

}  // namespace

bool IsPerCall(const ObservedRows& rows) {
  const std::vector<NamedRow> all = AllOf(rows);
  const std::optional<uint64_t> first = all.front().row->calls;
  const bool told = std::all_of(all.begin(), all.end(), [](const NamedRow& named) {
    return named.row->calls.value_or(0) > 0;
  });
  return told && std::any_of(all.begin(), all.end(),
                             [&](const NamedRow& named) { return named.row->calls != first; });
}

ObservedChange Observe(const QuantityKind& kind, const ObservedRows& rows,
                       const ChangeOptions& options) {
  ObservedChange observed;
  Change& change = observed.change;
  const std::vector<NamedRow> in_base = WithValue(kind, rows.base);
  const std::vector<NamedRow> in_new = WithValue(kind, rows.now);
  const bool per_call = kind.is_amount && IsPerCall(rows);
  const std::vector<double> base = ValuesOf(kind, in_base, per_call);
  const std::vector<double> now = ValuesOf(kind, in_new, per_call);
  std::optional<LogSample> base_sample = LogSampleOf(base);
  std::optional<LogSample> now_sample = LogSampleOf(now);
  change.base_runs = base.size();
  change.now_runs = now.size();
  change.base = MeanOf(base, base_sample);
  change.now = MeanOf(now, now_sample);
  if (base_sample && now_sample) change.ratio = *change.now / *change.base;

  const std::vector<NamedRow> with = AllOf({in_base, in_new, 0, 0});
  if (base.empty() || now.empty()) {
    Close(ChangeWord::kNotComparable, WhyNone(rows, base.empty(), now.empty()), change);
  } else if (std::string reason = WhyNotComparable(kind, with, options); !reason.empty()) {
    Close(ChangeWord::kNotComparable, std::move(reason), change);
  } else if (base.size() < kLeastRuns || now.size() < kLeastRuns) {
    Close(ChangeWord::kNotJudged, WhyTooFew(change, rows), change);
  } else if (!base_sample || !now_sample) {
    JudgeNone(base, now, MostByChance(kind.quantity, rows, per_call), change);
  } else {
    observed.base = base_sample;
    observed.now = now_sample;
    for (const NamedRow& named : with) {
      observed.resolution = std::max(observed.resolution, Resolution(kind.quantity, *named.row));
    }
  }
  return observed;
}

double MarginOf(Quantity quantity, const ChangeOptions& options) {
  return quantity == Quantity::kFlop ? std::min(options.margin, kUnlikeFlopShare) : options.margin;
}

void Decide(Quantity quantity, size_t at_once, const ChangeOptions& options,
            ObservedChange& observed) {
  if (!observed.is_open()) return;
  const double error_share = kErrorShare / static_cast<double>(std::max<size_t>(at_once, 1));
  const RatioSpread interval =
      RatioInterval(*observed.base, *observed.now, error_share, observed.resolution);
  observed.change.interval = interval;
  const double most = 1 + MarginOf(quantity, options);
  const double least = 1 / most;
  ChangeWord& word = observed.change.word;
  if (interval.low > most) {
    word = ChangeWord::kMore;
  } else if (interval.high && *interval.high < least) {
    word = ChangeWord::kLess;
  } else if (interval.low >= least && interval.high && *interval.high <= most) {
    word = ChangeWord::kSame;
  } else {
    word = ChangeWord::kUndecided;
  }
}

}  // namespace rafter
