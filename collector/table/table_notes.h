// TableNotes are the losses and warnings of a run that concern more than one
// row. They are printed under tables and on charts.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns strings.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/table/table.h"

namespace rafter {

// What the collector and each process lost, what they warned of, and which
// processes ended without a goodbye. Each text once.
std::vector<std::string> TableNotes(const Run& run, const Table& table);

}  // namespace rafter
