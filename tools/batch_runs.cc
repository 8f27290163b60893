#include "tools/batch_runs.h"

#include <memory>
#include <utility>

#include "collector/store/run_file.h"
#include "tools/absl_status.h"
#include "tools/batch_result.h"

namespace rafter {
namespace {

absl::Status Append(const PlannedProgram& planned, RunFile& combined) {
  auto source = RunFile::OpenForReading(planned.report);
  if (!source.ok()) return source.status();
  return combined.AppendCommand(**source, planned.program.name, ReadProgramReport(planned));
}

using Combined = std::vector<const PlannedProgram*>;

// Puts what `programs` counted into a new file at `path`. Returns how many could be read.
Result<size_t> Combine(const std::string& path, const std::string& shown, const Combined& programs,
                       std::vector<std::string>& troubles) {
  auto combined = RunFile::CreateEmpty(path);
  if (!combined.ok()) return ToStatus(combined.status());
  size_t appended = 0;
  for (const PlannedProgram* planned : programs) {
    const absl::Status status = Append(*planned, **combined);
    if (!(*combined)->failure().ok()) return ToStatus((*combined)->failure());
    if (status.ok()) {
      ++appended;
      continue;
    }
    troubles.push_back(planned->program.name + ": not in " + shown + ": " +
                       std::string(status.message()));
  }
  if (const absl::Status closed = (*combined)->Close(); !closed.ok()) return ToStatus(closed);
  return appended;
}

}  // namespace

Status CheckBatchRuns(const BatchRequest& request, const std::vector<PlannedProgram>& plan) {
  for (const PlannedProgram& planned : plan) {
    for (const std::string* path : {&planned.report, &planned.failed}) {
      if (!IsSameFile(*path, request.runs())) continue;
      return Status::Failed(request.runs() + ": is the report of " + planned.program.name +
                            " too and would be lost; give -o another name, or leave " +
                            planned.program.name + " out with -x");
    }
  }
  return Status::Ok();
}

Result<size_t> WriteBatchRuns(OutputFile& file, const std::vector<PlannedProgram>& plan,
                              const std::vector<BatchOutcome>& outcomes,
                              std::vector<std::string>& troubles) {
  Combined programs;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].result.table.rows.empty()) programs.push_back(&plan[i]);
  }
  if (programs.empty()) return size_t{0};
  size_t appended = 0;
  const Status written = file.WriteNamed([&](const std::string& draft, const std::string& target) {
    Result<size_t> combined = Combine(draft, file.path(), programs, troubles);
    if (!combined.ok()) {
      RunFile::ClearBeside(draft).IgnoreError();  // a full disk leaves a journal there
      return combined.status();
    }
    appended = *combined;
    if (appended == 0) return Status::Failed(file.path() + ": no report could be read");
    const absl::Status cleared = RunFile::ClearBeside(target);
    return ToStatus(cleared);
  });
  if (!written.ok()) return written;
  return appended;
}

}  // namespace rafter
