#include "tools/ingest_inputs.h"

#include "tools/message.h"
#include "tools/table_input.h"

namespace rafter {
namespace {

// Whether `path` can be put into a run file, and as what; says why not.
Result<FileKind> CheckInput(const std::string& path) {
  Result<FileKind> kind = FileKindOf(path);
  if (!kind.ok()) return kind;
  switch (*kind) {
    case FileKind::kSpool:
    case FileKind::kMarker:
      return kind;
    case FileKind::kSpoolStart:
      return Status::Failed(path + ": breaks off within its first bytes; there is nothing in it");
    case FileKind::kRunFile:
      return Status::Failed(path + ": already a run file; use \"rafter report " + path + "\"");
    case FileKind::kEmpty:
      return Status::Failed(
          path +
          ": empty; its program ended before it wrote anything; LIKWID fills a marker file only "
          "when the program exits normally, not by _exit or abort, and not while it runs");
    case FileKind::kOther:
      break;
  }
  return Status::Failed(path +
                        ": a foreign file, not a spool of Rafter's nor a marker file of LIKWID's; "
                        "give the files that the programs wrote");
}

}  // namespace

IngestInputs SortInputs(const std::vector<std::string>& paths) {
  IngestInputs inputs;
  for (const std::string& path : paths) {
    const Result<FileKind> kind = CheckInput(path);
    if (kind.ok() && *kind == FileKind::kSpool) {
      inputs.spools.push_back(path);
    } else if (kind.ok()) {
      inputs.markers.emplace_back(path, inputs.marker_places++);
    } else {
      Say("ingest: " + kind.status().message());
      const Result<FileKind> is = FileKindOf(path);
      if (is.ok() && (*is == FileKind::kEmpty || *is == FileKind::kOther)) ++inputs.marker_places;
      inputs.left_out = true;
    }
  }
  return inputs;
}

}  // namespace rafter
