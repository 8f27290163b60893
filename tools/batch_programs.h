// BatchPrograms finds the programs of a batch: below a build folder, or by their
// reports.
//
//   Threads   one.
//   Blocking  reads folders, and the programs whose names match.
//   Memory    one block of a file at a time.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "cupti/status.h"
#include "tools/batch_request.h"

namespace rafter {

struct BatchProgram {
  std::string path;  // with a '/'; empty: only its report is known
  std::string name;  // without folder; its reports are called after it
  // Whether Google Benchmark is in it, so that it understands --benchmark_out.
  bool is_benchmark = false;
};

// What ends the name of a run file of a program, and of one that failed.
inline constexpr char kReportEnding[] = ".rafter";
inline constexpr char kFailedEnding[] = ".failed.rafter";

// Executable files with an interpreter or a '#!' line whose names match, in order of
// their paths. Folders that links lead to are not searched, nor those called
// CMakeFiles, whose programs are CMake's own. Fails on a wrong expression or folder,
// where nothing matches, and where two programs have one name: their reports would be
// one file. `notes` gets a line for each folder that could not be searched.
Result<std::vector<BatchProgram>> FindPrograms(const BatchRequest& request,
                                               std::vector<std::string>& notes);

// By the run files in the report folder. Fails as FindPrograms does.
Result<std::vector<BatchProgram>> FindReported(const BatchRequest& request);

}  // namespace rafter
