// TraceOutput writes the timeline of a run file, for `rafter report --format
// perfetto`.
//
//   Threads   one.
//   Blocking  reads one file and writes another.
//   Memory    the run, instances summed up; single passes go through.
//   Lifetime  nothing is kept.
#pragma once

#include <string>
#include <vector>

#include "cupti/status.h"
#include "tools/table_input.h"

namespace rafter {

// `notes` gets one line for each thing that is not in the trace, the whole of it where
// writing fails. Fails when `input` is no run file, or `output` no place for a file.
Status WriteTraceFile(const std::string& input, const TableChoices& choices,
                      const std::string& output, bool force, std::vector<std::string>& notes);

}  // namespace rafter
