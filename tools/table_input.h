// TableInput reads what `report`, `roofline` and `compare` are given: run files and CSV.
//
//   Threads   one.
//   Blocking  reads files; evaluates what a run file holds without values.
//   Memory    one table a file, or a command of it; one run at a time.
//   Lifetime  plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/table/table.h"
#include "cupti/status.h"
#include "tools/command_line.h"
#include "tools/merge.h"

namespace rafter {

// --precision, --memory-level, --fp16-weights and --hardware, which several
// commands share.
struct TableChoices {
  TextOption precision;
  TextOption memory_level;
  TextOption fp16_weights;
  TextOption hardware;
  // Of rows that have none of their own; declared by the commands that take them.
  std::optional<double> peak_flop_per_s;
  std::optional<double> peak_bytes_per_s;

  void Declare(CommandLine& line);
  // Those of them that choose among what a run file holds: all but --hardware.
  void DeclareReading(CommandLine& line);
  // What Declare cannot check: a tensor format as precision, several memory levels.
  Status Check() const;
  TableOptions Options() const;
  // --memory-level, where it was given: "dram", or several.
  std::vector<std::string> Levels() const;
  bool any() const;
};

// What the first bytes of a file say it is; kSpoolStart is a spool file that
// breaks off within its header, kMarker one that has the shape of LIKWID's.
enum class FileKind { kRunFile, kSpool, kSpoolStart, kMarker, kOther, kEmpty };
Result<FileKind> FileKindOf(const std::string& path);

// Reads one input. `notes` as below.
struct ReadTable {
  Table table;
  std::vector<RunDevice> devices;  // of all processes of a run file; empty: CSV tells of none
};
Result<ReadTable> ReadOneTable(const std::string& path, const TableChoices& choices,
                               std::vector<std::string>& notes);

// Reads all inputs and merges them. `notes` gets one line for each thing a
// person should know.
Result<Table> ReadTables(const std::vector<std::string>& paths, const TableChoices& choices,
                         std::vector<std::string>& notes);

}  // namespace rafter
