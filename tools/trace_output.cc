#include "tools/trace_output.h"

#include <memory>
#include <utility>

#include "collector/store/run_file.h"
#include "collector/trace/slice_lanes.h"
#include "collector/trace/trace.h"
#include "tools/absl_status.h"
#include "tools/output_file.h"
#include "tools/run_table.h"
#include "tools/stored_runs.h"

namespace rafter {
namespace {

void Note(const std::string& input, const TraceCounts& counts, std::vector<std::string>& notes) {
  if (counts.not_drawn > 0) {
    notes.push_back(input + ": " + std::to_string(counts.not_drawn) +
                    " passes are not in the trace: more than " +
                    std::to_string(SliceLanes::kMostLanes) +
                    " ranges of their thread crossed each other; the table has them");
  }
  if (counts.passes == 0 && counts.marks == 0) {
    notes.push_back(input +
                    ": holds no pass through a region and no mark, so its timeline is empty; "
                    "\"rafter report\" says why");
  }
}

}  // namespace

Status WriteTraceFile(const std::string& input, const TableChoices& choices,
                      const std::string& output, bool force, std::vector<std::string>& notes) {
  const Result<FileKind> kind = FileKindOf(input);
  if (!kind.ok()) return kind.status();
  if (*kind != FileKind::kRunFile) {
    return Status::Failed(input +
                          ": no run file, and only those hold single passes; name the run file");
  }
  std::vector<TracedRun> runs;
  RAFTER_RETURN_IF_ERROR(EachRun(input, notes, [&](Run run) {
    Table table = TableOfRun(run, choices.Options()).table;
    runs.push_back({std::move(run), std::move(table)});
  }));
  auto stored = RunFile::OpenForReading(input);
  if (!stored.ok()) return ToStatus(stored.status());
  Result<OutputFile> file = OutputFile::Take(output, force);
  if (!file.ok()) return file.status();
  const Status written = file->WriteParts([&](const OutputFile::Put& put) {
    const auto counts = WriteTrace(**stored, runs, [&](std::string_view bytes) {
      const Status taken = put(bytes);
      return taken.ok() ? absl::OkStatus() : absl::DataLossError(taken.message());
    });
    if (!counts.ok()) return ToStatus(counts.status());
    Note(input, *counts, notes);
    return Status::Ok();
  });
  if (!written.ok()) notes.push_back("report: " + written.message());
  return Status::Ok();
}

}  // namespace rafter
