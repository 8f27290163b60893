// Comparable says why two rows' values are not of one kind: another validity,
// precision, memory level, kind of time or clock, or calls that one does not tell.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    a NamedRow refers to its row and name.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <string_view>

#include "collector/compare/change.h"

namespace rafter {

// A row and whose it is, in reasons: "BASE", "NEW", or the file of a run.
struct NamedRow {
  const Row* row;
  std::string_view name;
};

bool IsTime(Quantity quantity);
// Of a time, and of what is made of one.
bool UsesTime(Quantity quantity);
bool UsesTraffic(Quantity quantity);

// Each gives an empty text where there is no reason.

// Why a row's validity forbids a verdict on the quantity. Extrapolated and partial rows
// have values that stand for the whole.
std::string WhyNotValid(Quantity quantity, const NamedRow& named);

// Why both values, being there and valid, are not of one kind.
std::string WhyOfAnotherKind(const QuantityKind& kind, const NamedRow& one, const NamedRow& other,
                             const ChangeOptions& options);

// "missing in NEW: not asked for: set time".
std::string WhyMissing(const NamedRow& named);

}  // namespace rafter
