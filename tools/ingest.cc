// `rafter ingest`: spool files and marker files into a run file.
#include <optional>

#include "collector/ingest/collector.h"
#include "collector/store/run_file.h"
#include "tools/command_line.h"
#include "tools/exit_status.h"
#include "tools/ingest_inputs.h"
#include "tools/marker_input.h"
#include "tools/message.h"
#include "tools/output_file.h"
#include "tools/variables.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

// Reads marker files; what cannot be read is said and left out. Fails on wrong use.
Result<MarkerInput> ReadMarkers(IngestInputs& inputs, const MarkerChoices& choices,
                                const CuptiSearch& cupti, bool quiet) {
  const size_t lists = choices.events.size();
  const bool by_place = lists == inputs.marker_places;
  Result<MarkerInput> markers =
      MarkerInput::Make(choices, by_place ? lists : inputs.markers.size(), cupti);
  if (!markers.ok()) return markers.status();
  for (size_t i = 0; i < inputs.markers.size(); ++i) {
    const auto& [path, place] = inputs.markers[i];
    if (const Status read = markers->Read(path, by_place ? place : i); !read.ok()) {
      Say("ingest: " + read.message());
      inputs.left_out = true;
    }
  }
  if (markers->files() > 0) RAFTER_RETURN_IF_ERROR(markers->CheckTruth());
  for (const std::string& note : markers->notes()) {
    if (!quiet || markers->lacks()) Say("ingest: " + note);
  }
  return markers;
}

std::string TotalsText(const CollectorTotals& totals) {
  return CountText(totals.processes, "process", "processes") + ", " +
         CountText(totals.instances, "instance", "instances") + " of regions, " +
         CountText(totals.epochs, "epoch", "epochs");
}

// Only what was given: "2 marker files, 16 readings".
std::string TotalsText(const CollectorTotals& totals, bool has_spools, const MarkerInput* markers) {
  if (markers == nullptr) return TotalsText(totals);
  const std::string text = CountText(markers->files(), "marker file", "marker files") + ", " +
                           CountText(markers->readings(), "reading", "readings");
  return has_spools ? TotalsText(totals) + "; " + text : text;
}

// Puts everything into the run file. Returns the exit status.
int Fill(RunFile& file, const std::vector<std::string>& spools, const MarkerInput* markers,
         const Variables& variables, bool quiet) {
  CollectorOptions options;
  options.cupti = CuptiSearchOf(variables);
  options.plan_cache = PlanCacheOf(variables);
  options.report = [quiet](const std::string& text) {
    if (!quiet) Say(text);
  };
  Collector collector(file, options);
  int exit_status = markers != nullptr && markers->lacks() ? kIncomplete : kDone;
  const auto check = [&](const absl::Status& status) {
    if (status.ok()) return;
    Say("ingest: " + std::string(status.message()));
    exit_status = kIncomplete;
  };
  for (const std::string& path : spools) check(collector.Ingest(path));
  check(collector.Stop(std::chrono::milliseconds(0)));
  if (markers != nullptr) check(markers->Put(file));
  check(file.Close());
  if (!quiet) Say(file.path() + ": " + TotalsText(collector.Totals(), !spools.empty(), markers));
  return exit_status;
}

}  // namespace

int VerbIngest(Words words) {
  std::vector<std::string> paths;
  TextOption output;
  MarkerChoices choices;
  bool force = false;
  bool quiet = false;
  CommandLine line({"ingest", "Put spool files and LIKWID's marker files into a run file.",
                    "[options] FILE... -o RUN",
                    "  rafter ingest bench.*.spool -o run.rafter\n"
                    "  rafter ingest --program bench --events DRAM_BYTES_SUM:GPU0 mem.marker "
                    "-o run.rafter"});
  line.Inputs("FILE", &paths, "Spool files and marker files");
  line.Text("-o,--output", &output, "RUN", "The run file to make");
  choices.Declare(line);
  line.Flag("--force", &force, "Overwrite RUN");
  line.Flag("--quiet", &quiet, "Say errors only", "RAFTER_QUIET");
  if (const auto status = line.Parse(words); status.has_value()) return *status;
  if (paths.empty()) {
    return line.Refuse("no input was given; name the spool files or marker files");
  }
  if (!output.value.has_value())
    return line.Refuse("--output: the run file is missing; give -o RUN");
  for (const std::string& path : paths) {
    if (IsSameFile(path, *output.value)) {
      return line.Refuse(path + ": is an input too and would be lost; give --output another name");
    }
  }
  const Variables variables = CurrentVariables();
  quiet = quiet || IsQuiet(variables);
  IngestInputs inputs = SortInputs(paths);
  std::optional<MarkerInput> markers;
  if (!inputs.markers.empty()) {
    Result<MarkerInput> read = ReadMarkers(inputs, choices, CuptiSearchOf(variables), quiet);
    if (!read.ok()) return line.Refuse(read.status().message());
    if (read->files() > 0) markers = std::move(*read);
  } else if (!choices.Given().empty() && !inputs.spools.empty()) {
    return line.Refuse(choices.Given() + ": no input is a marker file of LIKWID's; leave it out");
  }
  if (inputs.spools.empty() && !markers) return kWrongUse;  // said above; nothing was made
  auto file = RunFile::Create(*output.value,
                              force ? RunFile::Existing::kReplace : RunFile::Existing::kRefuse);
  if (!file.ok()) return line.Refuse(std::string(file.status().message()));
  const int filled = Fill(**file, inputs.spools, markers ? &*markers : nullptr, variables, quiet);
  return inputs.left_out ? kIncomplete : filled;
}

}  // namespace rafter
