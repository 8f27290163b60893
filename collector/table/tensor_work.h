// TensorWork is what a row may say of the tensor cores' operations: all of them,
// or nothing and why. A sum over some formats never passes for the whole.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <optional>
#include <string>

#include "collector/table/verdict.h"

namespace rafter {

struct TensorWork {
  std::optional<double> flop;  // of all floating-point formats of the chip, over all calls
  std::string format;          // the one that they are all of; empty: several, or none
  bool lacks_work = false;     // operations ran that no set of this run counted
  std::string reason;          // why there is no `flop`; empty where nobody asked
};

TensorWork TensorWorkOf(const Evidence& evidence);

}  // namespace rafter
