// MarkerInput is the part of `rafter ingest` that takes LIKWID's marker files: their
// options, the lists of events that belong to them, and what is put into the run file.
//
//   Threads   one.
//   Blocking  reads files; CheckEvents.
//   Memory    every marker file, parsed, until it is put.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "collector/ingest/marker_file.h"
#include "collector/ingest/marker_scale.h"
#include "collector/store/run_file.h"
#include "cupti/library.h"
#include "cupti/status.h"
#include "tools/command_line.h"

namespace rafter {

// Options that concern marker files only.
struct MarkerChoices {
  std::vector<std::string> events;        // --events, once or once for each file
  TextOption program;                     // --program
  std::optional<double> scale;            // --counter-scale
  std::vector<std::string> known_work;    // --known-work REGION=UNITS
  std::vector<std::string> known_counts;  // --known-count REGION:EVENT=N

  void Declare(CommandLine& line);
  // The first one that was given; empty: none was.
  std::string Given() const;
};

class MarkerInput {
 public:
  // Reads and checks what the options say of `files` marker files.
  static Result<MarkerInput> Make(const MarkerChoices& choices, size_t files,
                                  const CuptiSearch& search);

  // Reads the file that stands at `place` among the marker files, from 0.
  Status Read(const std::string& path, size_t place);

  // Whether the regions of --known-work and --known-count are in some file, and what
  // no constant scale can explain. Once all files are read.
  Status CheckTruth();

  // Puts what was read, and what is amiss with it, into the run file.
  absl::Status Put(RunFile& file) const;

  // Things a person should know, a line each; `lacks()`: some mean that a number is missing.
  const std::vector<std::string>& notes() const { return notes_; }
  bool lacks() const { return lacks_; }
  size_t files() const { return read_.size(); }
  size_t readings() const;

 private:
  struct OneFile {
    std::string path;
    MarkerFile file;
  };

  std::vector<std::string> Regions() const;

  std::vector<std::vector<std::vector<std::string>>> events_;  // one list, or one for each file
  std::string program_;
  std::optional<double> scale_;
  KnownTruth truth_;
  std::vector<OneFile> read_;
  std::vector<std::string> notes_;
  bool lacks_ = false;
};

}  // namespace rafter
