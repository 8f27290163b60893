#include "collector/compare/limits.h"

#include <absl/status/status.h>

#include <algorithm>
#include <cmath>

#include "collector/table/number_text.h"
#include "collector/table/reason_text.h"

namespace rafter {
namespace {

constexpr double kMostPercent = 1e6;

std::string NamesOfQuantities() {
  std::vector<std::string> names;
  for (const QuantityKind& kind : QuantityKinds()) names.emplace_back(kind.name);
  return Join(names, ", ");
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

absl::Status Failure(const std::string& limit, const std::string& why) {
  return absl::InvalidArgumentError(limit + ": " + why);
}

absl::Status TakePattern(const std::string& pattern, Limit& limit) {
  if (pattern.empty()) {
    return Failure(limit.text, "no pattern stands before the colon; write REGEX:duration>5%");
  }
  auto compiled = std::make_unique<regex_t>();
  const int error = regcomp(compiled.get(), pattern.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error != 0) {
    char why[128] = {};
    regerror(error, compiled.get(), why, sizeof(why));
    return Failure(limit.text, pattern + " is no extended regular expression (" + why +
                                   "); put a \\ before a character that stands for itself");
  }
  limit.region = std::shared_ptr<const regex_t>(compiled.release(), [](const regex_t* regex) {
    regfree(const_cast<regex_t*>(regex));
    delete regex;
  });
  return absl::OkStatus();
}

absl::Status TakeQuantity(std::string_view name, Limit& limit) {
  for (const QuantityKind& kind : QuantityKinds()) {
    if (kind.name != name) continue;
    limit.quantity = kind.quantity;
    return absl::OkStatus();
  }
  return Failure(limit.text, "\"" + std::string(name) + "\" is no quantity; write one of " +
                                 NamesOfQuantities());
}

absl::Status TakePercent(std::string_view text, Limit& limit) {
  std::string_view digits = text;
  if (!limit.above && digits.starts_with('-')) digits.remove_prefix(1);
  const std::optional<double> share = ParsePercent(digits);
  if (!share) {
    return Failure(limit.text, "\"" + std::string(text) +
                                   "\" is no percentage of BASE; write it like " +
                                   (limit.above ? "duration>5%" : "performance<5%"));
  }
  limit.share = *share;
  return absl::OkStatus();
}

bool AppliesTo(const Limit& limit, const Row& row) {
  return limit.region == nullptr ||
         regexec(limit.region.get(), row.region.c_str(), 0, nullptr, 0) == 0;
}

// One limit over all rows.
class Holder {
 public:
  Holder(const Comparison& comparison, const Limit& limit, std::vector<LimitFinding>& findings)
      : comparison_(comparison), limit_(limit), findings_(findings) {}

  void Hold() {
    for (const ComparedRow& row : comparison_.rows) {
      if (AppliesTo(limit_, comparison_.base.table.rows[row.base])) HoldRow(row);
    }
    for (const LoneRow& row : comparison_.lone) {
      if (row.in_base) HoldLone(row);
    }
    if (held_ || said_) return;
    Add("", LimitOutcome::kNotJudged,
        limit_.region == nullptr ? "no row of BASE has a value"
                                 : "no row of BASE that the pattern finds has a value");
  }

 private:
  void HoldRow(const ComparedRow& row) {
    const Change& change = row.changes[static_cast<size_t>(limit_.quantity)];
    // Nothing to hold NEW against, as FLOP of a copy.
    if (!change.base) return;
    if (change.word == ChangeWord::kNotComparable) {
      Add(row.label, LimitOutcome::kNotJudged, change.reason);
      return;
    }
    held_ = true;
    if (change.word == ChangeWord::kSame && !change.interval) return;
    if (!change.ratio) {
      if (change.word == ChangeWord::kNotJudged) {
        Add(row.label, LimitOutcome::kNotJudged, change.reason);
      }
      if (limit_.above && change.word == ChangeWord::kMore) {
        Add(row.label, LimitOutcome::kOver, ByText(limit_.quantity, change));
      }
      return;
    }
    const bool over =
        (limit_.above ? *change.ratio > 1 + limit_.share : *change.ratio < 1 - limit_.share);
    if (!over) return;
    const std::string by = RatioChangeText(*change.ratio);
    if (change.word == ChangeWord::kNotJudged) {
      Add(row.label, LimitOutcome::kNotJudged, by + ", and " + change.reason);
    } else if (change.base_runs > 0) {
      Add(row.label, IsBeyond(change) ? LimitOutcome::kOver : LimitOutcome::kWithinInterval,
          by + (change.interval ? ", interval " + SpreadText(*change.interval) : ""));
    } else if (change.word == (limit_.above ? ChangeWord::kMore : ChangeWord::kLess)) {
      Add(row.label, LimitOutcome::kOver, by + ", spread " + SpreadText(*change.spread));
    } else {
      Add(row.label, LimitOutcome::kWithinSpread, by + ", spread " + SpreadText(*change.spread));
    }
  }

  // Whether the whole interval of several runs is over the limit.
  bool IsBeyond(const Change& change) const {
    if (!change.interval) return false;
    if (limit_.above) return change.interval->low > 1 + limit_.share;
    return change.interval->high && *change.interval->high < 1 - limit_.share;
  }

  // Whether BASE, or one of its runs, has a value of the row.
  bool HasValue(size_t row) const {
    const auto field = QuantityKindOf(limit_.quantity).field;
    if ((comparison_.base.table.rows[row].*field).has_value()) return true;
    if (!comparison_.runs) return false;
    const std::vector<ComparedRun>& runs = comparison_.runs->base;
    return std::any_of(runs.begin(), runs.end(), [&](const ComparedRun& run) {
      return run.rows[row] && (run.run.table.rows[*run.rows[row]].*field).has_value();
    });
  }

  void HoldLone(const LoneRow& lone) {
    if (!AppliesTo(limit_, comparison_.base.table.rows[lone.row]) || !HasValue(lone.row)) return;
    Add(lone.label, LimitOutcome::kNotJudged, "only in BASE: " + lone.reason);
  }

  void Add(const std::string& label, LimitOutcome outcome, std::string text) {
    said_ = true;
    findings_.push_back({limit_.text, label, outcome, std::move(text)});
  }

  const Comparison& comparison_;
  const Limit& limit_;
  std::vector<LimitFinding>& findings_;
  bool held_ = false;
  bool said_ = false;
};

}  // namespace

std::optional<double> ParsePercent(std::string_view text) {
  text = Trimmed(text);
  if (text.ends_with('%')) text = Trimmed(text.substr(0, text.size() - 1));
  const std::optional<double> percent = ParseNumber(text);
  if (!percent || !(*percent >= 0) || *percent > kMostPercent) return std::nullopt;
  return *percent / 100;
}

absl::StatusOr<Limit> ParseLimit(const std::string& text) {
  Limit limit;
  limit.text = text;
  std::string_view rest = text;
  const size_t sign = rest.find_last_of("<>");
  if (sign == std::string_view::npos) {
    return Failure(text, "no > or < in it; write it like duration>5% or performance<5%");
  }
  const size_t colon = rest.substr(0, sign).rfind(':');
  if (colon != std::string_view::npos) {
    const absl::Status taken = TakePattern(text.substr(0, colon), limit);
    if (!taken.ok()) return taken;
  }
  const size_t start = colon == std::string_view::npos ? 0 : colon + 1;
  limit.above = rest[sign] == '>';
  absl::Status taken = TakeQuantity(Trimmed(rest.substr(start, sign - start)), limit);
  if (taken.ok()) taken = TakePercent(Trimmed(rest.substr(sign + 1)), limit);
  if (!taken.ok()) return taken;
  // Nothing falls by more than all of it.
  if (!limit.above && limit.share >= 1) {
    return Failure(text, "nothing falls by 100 % or more; give less");
  }
  return limit;
}

std::vector<LimitFinding> HoldAgainst(const Comparison& comparison,
                                      const std::vector<Limit>& limits) {
  std::vector<LimitFinding> findings;
  for (const Limit& limit : limits) Holder(comparison, limit, findings).Hold();
  return findings;
}

}  // namespace rafter
