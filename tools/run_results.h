// RunResults are the table and the charts of a run, and the last words about it.
//
//   Threads   one.
//   Blocking  file system calls.
//   Memory    one table, one drawing at a time.
//   Lifetime  the request outlives it; places that were taken and not written to
//             go with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/store/run.h"
#include "collector/table/table.h"
#include "tools/output_file.h"
#include "tools/run_request.h"

namespace rafter {

class RunResults {
 public:
  explicit RunResults(const RunRequest& request) : request_(request) {}

  // Takes the places of all files, before the program starts.
  Status Take();

  // Writes them and says what came of the run. Returns why something that was
  // asked for is missing; empty: nothing is.
  std::string Write(Run given, const std::string& run_file, bool entered);

 private:
  // Whether it was written; says why not.
  bool Put(OutputFile& file, const std::string& content);
  void CheckExact(const Table& table);
  void CheckRanks(const Run& run);
  // Adds what there is to say of the charts to `lines`.
  void DrawCharts(const Table& given, std::vector<std::string>& lines);
  void Lack(const std::string& reason) {
    if (lacking_.empty()) lacking_ = reason;
  }

  const RunRequest& request_;
  std::string run_file_;
  std::optional<OutputFile> csv_;
  std::vector<OutputFile> charts_;
  std::string lacking_;
};

}  // namespace rafter
