// EmptyRows are the rows of commands and processes that gave no region, so that a
// table says of each why it has no number.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <optional>
#include <string>

#include "collector/store/run.h"
#include "collector/table/table.h"

namespace rafter {

// Loss that a run with LIKWID as its source keeps when it left nothing.
inline constexpr char kNoMarkerLoss[] = "runs that called no LIKWID marker";

// The program that a run started, without its folder; empty: collected by hand.
std::string ProgramOf(const Run& run);

// Why no process of a command came to Rafter, and what to do.
std::string WhyNoProcess(const Run& run);

// Whether no call of a region, or of a kind of launch, came of a process; why, and
// what to do.
bool GaveNoRegion(const RunProcess& process);
std::string WhyNoRegion(const RunProcess& process);

// What regions of a process without any known GPU may have been around.
std::string WhyNoGpu(const RunProcess& process);

// Of a run that no process came of; nothing where some did, or where it is not
// known what was run.
std::optional<Row> RowOfCommand(const Run& run);

// Of a process that gave no region.
Row RowOfProcess(const RunProcess& process, const TableOptions& options);

}  // namespace rafter
