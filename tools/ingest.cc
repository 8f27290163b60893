// `rafter ingest`: spool files into a run file.
#include <unistd.h>

#include "collector/ingest/collector.h"
#include "collector/store/run_file.h"
#include "tools/command_line.h"
#include "tools/exit_status.h"
#include "tools/message.h"
#include "tools/output_file.h"
#include "tools/table_input.h"
#include "tools/variables.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

// Whether `path` is a spool file; says why not.
Status CheckSpool(const std::string& path) {
  Result<FileKind> kind = FileKindOf(path);
  if (!kind.ok()) return kind.status();
  switch (*kind) {
    case FileKind::kSpool:
      break;
    case FileKind::kSpoolStart:
      return Status::Failed(path + ": breaks off within its first bytes; there is nothing in it");
    case FileKind::kRunFile:
      return Status::Failed(path + ": already a run file; use \"rafter report " + path + "\"");
    case FileKind::kEmpty:
      return Status::Failed(path + ": empty; its program ended before it wrote anything");
    case FileKind::kOther:
      return Status::Failed(path +
                            ": a foreign file, not a spool of Rafter's; give the *.spool files "
                            "that the programs wrote");
  }
  return Status::Ok();
}

std::string TotalsText(const CollectorTotals& totals) {
  return CountText(totals.processes, "process", "processes") + ", " +
         CountText(totals.instances, "instance", "instances") + " of regions, " +
         CountText(totals.epochs, "epoch", "epochs");
}

}  // namespace

int VerbIngest(Words words) {
  std::vector<std::string> inputs;
  TextOption output;
  bool force = false;
  bool quiet = false;
  CommandLine line({"ingest", "Put spool files into a run file.", "[options] FILE... -o RUN",
                    "  rafter ingest bench.*.spool -o run.rafter"});
  line.Inputs("FILE", &inputs, "Spool files");
  line.Text("-o,--output", &output, "RUN", "The run file to make");
  line.Flag("--force", &force, "Overwrite RUN");
  line.Flag("--quiet", &quiet, "Say errors only");
  if (const auto status = line.Parse(words); status.has_value()) return *status;
  if (inputs.empty()) return line.Refuse("no input was given; name the spool files");
  if (!output.value.has_value())
    return line.Refuse("--output: the run file is missing; give -o RUN");
  for (const std::string& path : inputs) {
    if (IsSameFile(path, *output.value)) {
      return line.Refuse(path + ": is an input too and would be lost; give --output another name");
    }
  }
  std::vector<std::string> spools;
  int exit_status = kDone;
  for (const std::string& path : inputs) {
    if (const Status status = CheckSpool(path); !status.ok()) {
      Say("ingest: " + status.message());
      exit_status = kIncomplete;
    } else {
      spools.push_back(path);
    }
  }
  if (spools.empty()) return kWrongUse;  // said above; nothing was made

  auto file = RunFile::Create(*output.value,
                              force ? RunFile::Existing::kReplace : RunFile::Existing::kRefuse);
  if (!file.ok()) return line.Refuse(std::string(file.status().message()));
  CollectorOptions options;
  const Variables variables = CurrentVariables();
  quiet = quiet || IsQuiet(variables);
  options.cupti = CuptiSearchOf(variables);
  options.plan_cache = PlanCacheOf(variables);
  options.report = [quiet](const std::string& text) {
    if (!quiet) Say(text);
  };
  Collector collector(**file, options);
  const auto check = [&](const absl::Status& status) {
    if (status.ok()) return;
    Say("ingest: " + std::string(status.message()));
    exit_status = kIncomplete;
  };
  for (const std::string& path : spools) check(collector.Ingest(path));
  check(collector.Stop(std::chrono::milliseconds(0)));
  check((*file)->Close());
  if (!quiet) Say((*file)->path() + ": " + TotalsText(collector.Totals()));
  return exit_status;
}

}  // namespace rafter
