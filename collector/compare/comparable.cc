#include "collector/compare/comparable.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "collector/table/number_text.h"
#include "collector/table/reason_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

constexpr size_t kMostReasonCharacters = 100;

bool UsesFlop(Quantity quantity) {
  return quantity == Quantity::kFlop || quantity == Quantity::kPerformance ||
         quantity == Quantity::kIntensity;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "fp32 in BASE, fp64 in NEW".
std::string Against(const std::string& in_one, const NamedRow& one, const std::string& in_other,
                    const NamedRow& other) {
  return in_one + " in " + std::string(one.name) + ", " + in_other + " in " +
         std::string(other.name);
}

std::string WhyUnlike(const NamedRow& one, const NamedRow& other, std::string Row::*field,
                      std::string_view what) {
  const std::string& in_one = one.row->*field;
  const std::string& in_other = other.row->*field;
  if (in_one.empty() || in_other.empty() || in_one == in_other) return "";
  return std::string(what) + " " +
         Against(OneLine(in_one, kMostReasonCharacters), one,
                 OneLine(in_other, kMostReasonCharacters), other);
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
std::string WhyOtherTime(const NamedRow& one, const NamedRow& other) {
  if (one.row->source.empty() || other.row->source.empty()) return "";
  const auto both = [&](bool first, const std::string& what, const std::string& else_what) {
    return what + " in " + std::string((first ? one : other).name) + else_what + " in " +
           std::string((first ? other : one).name);
  };
  if ((one.row->source == "likwid") != (other.row->source == "likwid")) {
    const bool in_one = one.row->source == "likwid";
    return both(in_one, "Duration is host time", " (LIKWID), GPU time");
  }
  if (one.row->launches == 0u && other.row->launches == 0u) {
    return "no kernel was launched: the time is the host's, between other work";
  }
  if (IsRepeated(*one.row) == IsRepeated(*other.row)) return "";
  return both(IsRepeated(*one.row), "launches are measured one by one", ", from border to border");
}

std::string WhyOtherClock(const NamedRow& one, const NamedRow& other) {
  const std::optional<double>& in_one = one.row->sm_clock_hz;
  const std::optional<double>& in_other = other.row->sm_clock_hz;
  if (!in_one || !in_other || *in_one <= 0) return "";
  if (std::fabs(*in_other / *in_one - 1) <= kOtherClockShare) return "";
  return "SM clock " + Against(SiText(*in_one, "Hz"), one, SiText(*in_other, "Hz"), other);
}

// Totals of which one side does not say over how many calls they are.
std::string WhyOtherCalls(const NamedRow& one, const NamedRow& other) {
  if (one.row->calls.has_value() == other.row->calls.has_value()) return "";
  const NamedRow& known = one.row->calls ? one : other;
  const NamedRow& unknown = one.row->calls ? other : one;
  if (*known.row->calls == 1) return "";
  return std::string(known.name) + " is over " + Calls(*known.row->calls) + ", " +
         std::string(unknown.name) + " does not tell over how many";
}

}  // namespace

bool IsTime(Quantity quantity) {
  return quantity == Quantity::kDuration || quantity == Quantity::kKernelTime;
}

bool UsesTime(Quantity quantity) { return IsTime(quantity) || quantity == Quantity::kPerformance; }

bool UsesTraffic(Quantity quantity) {
  return quantity == Quantity::kTraffic || quantity == Quantity::kIntensity;
}

std::string WhyNotValid(Quantity quantity, const NamedRow& named) {
  const std::string& validity = named.row->validity;
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
  return OneLine(validity, kMostReasonCharacters) + " in " + std::string(named.name) +
         (known ? "" : ", a word that this version does not know");
}

std::string WhyOfAnotherKind(const QuantityKind& kind, const NamedRow& one, const NamedRow& other,
                             const ChangeOptions& options) {
  const Quantity quantity = kind.quantity;
  std::string reason;
  if (kind.is_amount) reason = WhyOtherCalls(one, other);
  if (reason.empty() && UsesFlop(quantity)) {
    reason = WhyUnlike(one, other, &Row::precision, "precision");
  }
  if (reason.empty() && UsesTraffic(quantity)) {
    reason = WhyUnlike(one, other, &Row::memory_level, "memory level");
  }
  if (reason.empty() && UsesTime(quantity)) reason = WhyOtherTime(one, other);
  if (reason.empty() && UsesTime(quantity) && !options.force) reason = WhyOtherClock(one, other);
  return reason;
}

std::string WhyMissing(const NamedRow& named) {
  const Row& row = *named.row;
  std::string text = "missing in " + std::string(named.name);
  if (row.validity != "missing" || row.reason.empty()) return text;
  const size_t cause = std::min(row.reason.find("; "), row.reason.find(" ("));
  return text + ": " + OneLine(row.reason.substr(0, cause), kMostReasonCharacters);
}

}  // namespace rafter
