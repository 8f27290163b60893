// ObservedChange is a change over several runs of each side. It is made in two steps,
// since how wide an interval is depends on how many there are.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values; refers to the rows only while it is made.
//   Lifetime  plain values.
#pragma once

#include <optional>
#include <span>

#include "collector/compare/comparable.h"
#include "collector/compare/ratio_interval.h"

namespace rafter {

// The rows of a region, one of each run that has it.
struct ObservedRows {
  std::span<const NamedRow> base;
  std::span<const NamedRow> now;
  size_t all_base_runs = 0;
  size_t all_now_runs = 0;
};

struct ObservedChange {
  Change change;
  // Where an interval will decide; else the change has its word.
  std::optional<LogSample> base;
  std::optional<LogSample> now;
  double resolution = 0;

  bool is_open() const { return base.has_value() && now.has_value(); }
};

// Whether numbers of calls are told by all and differ, so that amounts are those of a call.
bool IsPerCall(const ObservedRows& rows);

// Values of all runs, what forbids to compare them, and the words that need no interval.
ObservedChange Observe(const QuantityKind& kind, const ObservedRows& rows,
                       const ChangeOptions& options);

// How far from 1 an interval must lie for a change: options.margin; of FLOP, which are
// counted exactly, no more than those of like calls differ.
double MarginOf(Quantity quantity, const ChangeOptions& options);

// Gives an open change its interval, as one of `at_once`, and its word: more or less where
// the interval lies beyond the margin, the same where it lies within, else undecided.
void Decide(Quantity quantity, size_t at_once, const ChangeOptions& options,
            ObservedChange& observed);

}  // namespace rafter
