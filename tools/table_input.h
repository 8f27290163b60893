// TableInput reads what `report` and `roofline` are given: run files and CSV.
//
//   Threads   one.
//   Blocking  reads files; evaluates what a run file holds without values.
//   Memory    one table a file.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

#include "collector/table/table.h"
#include "cupti/status.h"
#include "tools/command_line.h"
#include "tools/merge.h"

namespace rafter {

// --precision, --memory-level and --hardware, which several commands share.
struct TableChoices {
  TextOption precision;
  TextOption memory_level;
  TextOption hardware;

  void Declare(CommandLine& line);
  TableOptions Options() const;
  bool any() const;
};

// What the first bytes of a file say it is; kSpoolStart is a spool file that
// breaks off within its header.
enum class FileKind { kRunFile, kSpool, kSpoolStart, kOther, kEmpty };
Result<FileKind> FileKindOf(const std::string& path);

// Reads all inputs and merges them. `notes` gets one line for each thing a
// person should know.
Result<Table> ReadTables(const std::vector<std::string>& paths, const TableChoices& choices,
                         std::vector<std::string>& notes);

}  // namespace rafter
