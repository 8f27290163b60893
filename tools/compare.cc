// `rafter compare`: two runs or tables, row by row.
#include <optional>
#include <utility>

#include "collector/compare/comparison_text.h"
#include "collector/compare/limits.h"
#include "collector/compare/ratio_chart.h"
#include "collector/table/memory_levels.h"
#include "collector/table/reason_text.h"
#include "tools/chart_output.h"
#include "tools/command_line.h"
#include "tools/cupti_probe.h"
#include "tools/exit_status.h"
#include "tools/message.h"
#include "tools/output_file.h"
#include "tools/table_input.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

// What was asked for.
struct CompareRequest {
  std::vector<std::string> inputs;
  TextOption format;
  TextOption output;
  TextOption chart;
  TextOption spread;
  std::vector<std::string> fail_on;
  TableChoices choices;
  bool force = false;

  std::vector<Limit> limits;
  ChangeOptions options;
};

void Declare(CommandLine& line, CompareRequest& request) {
  line.Inputs("BASE NEW", &request.inputs, "Two run files or CSV files: before and after");
  line.Choice("--format", &request.format, {"markdown", "csv", "json"},
              "Form of the table (default: markdown)");
  line.Text("-o,--output", &request.output, "FILE", "Where it goes (default: standard output)");
  line.Text("--chart", &request.chart, "FILE", "Ratios as a chart too: .svg, .pdf or .png");
  line.Texts("--fail-on", &request.fail_on, "LIMIT",
             "Status 1 when a row is beyond it and beyond its spread: duration>5%, "
             "performance<5%, REGEX:duration>5% for some regions; repeatable. Also kernel-time, "
             "flop, traffic, intensity, clock");
  line.Text("--spread", &request.spread, "PERCENT",
            "Duration Spread of rows that have none, as those of other tools");
  line.Flag("--force", &request.force,
            "Compare across different GPUs, clocks, drivers and CUPTIs, and say so in the output; "
            "overwrite files");
  request.choices.DeclareReading(line);
}

Status CheckFiles(const CompareRequest& request) {
  if (request.inputs.size() != 2) {
    return Status::Failed(CountText(request.inputs.size(), "input was", "inputs were") +
                          " given; name two run files or CSV files, BASE and NEW");
  }
  const auto& chart = request.chart.value;
  const auto& output = request.output.value;
  if (chart.has_value()) {
    const auto format = ChartFormatOf(*chart);
    if (!format.ok()) return format.status();
    if (!format->has_value()) {
      return Status::Failed(*chart +
                            ": ratios are drawn as .svg, .pdf or .png; choose one of them");
    }
  }
  if (chart.has_value() && output.has_value() && IsSameFile(*chart, *output)) {
    return Status::Failed(*chart + ": is --output and --chart; give one of them another name");
  }
  for (const std::string& path : request.inputs) {
    for (const TextOption* file : {&request.output, &request.chart}) {
      if (!file->value.has_value() || !IsSameFile(path, *file->value)) continue;
      return Status::Failed(path + ": is an input too and would be lost; give " + file->origin +
                            " another name");
    }
  }
  return Status::Ok();
}

Status TakeNumbers(CompareRequest& request) {
  for (const std::string& text : request.fail_on) {
    absl::StatusOr<Limit> limit = ParseLimit(text);
    if (!limit.ok()) {
      return Status::Failed("--fail-on " + std::string(limit.status().message()));
    }
    request.limits.push_back(*std::move(limit));
  }
  request.options.force = request.force;
  if (!request.spread.value.has_value()) return Status::Ok();
  request.options.spread = ParsePercent(*request.spread.value);
  if (request.options.spread.has_value()) return Status::Ok();
  return Status::Failed(request.spread.origin + " " + *request.spread.value +
                        ": no percentage; write it like 2%");
}

Result<ComparedSide> ReadSide(const std::string& path, const CompareRequest& request,
                              std::vector<std::string>& notes) {
  Result<ReadTable> read = ReadOneTable(path, request.choices, notes);
  if (!read.ok()) return read.status();
  if (const auto levels = request.choices.Levels(); !levels.empty()) {
    read->table = AtMemoryLevels(read->table, levels);
  }
  ComparedSide side{path, std::move(read->table), {}};
  for (const RunDevice& device : read->devices) {
    DeviceVersions versions;
    if (device.driver_version > 0) {
      versions.driver = "CUDA " + CudaVersionText(static_cast<int>(device.driver_version));
    }
    if (device.cupti_version > 0) versions.cupti = CuptiVersionText(device.cupti_version);
    side.versions.push_back(std::move(versions));
  }
  return side;
}

Result<Comparison> ReadAndCompare(const CompareRequest& request, std::vector<std::string>& notes) {
  Result<ComparedSide> base = ReadSide(request.inputs[0], request, notes);
  if (!base.ok()) return base.status();
  Result<ComparedSide> now = ReadSide(request.inputs[1], request, notes);
  if (!now.ok()) return now.status();
  Comparison comparison = Compare(std::move(*base), std::move(*now), request.options);
  if (!comparison.conflicts.empty() && !request.force) {
    return Status::Failed("refused: " + Join(comparison.conflicts, "; ") +
                          "; give runs of one machine, or --force, which is said in the output");
  }
  comparison.limits = HoldAgainst(comparison, request.limits);
  return comparison;
}

std::string TextOf(const Comparison& comparison, const std::string& format) {
  if (format == "json") return ToJson(comparison);
  if (format == "csv") return ToCsv(comparison);
  return ToMarkdown(comparison);
}

// What makes the status 1.
int SayFindings(const Comparison& comparison, const std::vector<std::string>& notes) {
  int status = notes.empty() ? kDone : kIncomplete;
  for (const std::string& note : notes) Say(note);
  for (const std::string& conflict : comparison.conflicts) {
    Say("compare: compared by --force: " + conflict);
  }
  for (const LimitFinding& finding : comparison.limits) {
    Say("compare: " + LimitText(finding));
    if (finding.outcome != LimitOutcome::kWithinSpread) status = kIncomplete;
  }
  if (!comparison.rows.empty()) return status;
  Say("compare: no row of " + comparison.base.name + " is in " + comparison.now.name +
      "; look at executables and regions with \"rafter report\"");
  return kIncomplete;
}

bool Write(OutputFile& file, const std::string& text) {
  const Status status = file.Write(text);
  if (!status.ok()) Say("compare: " + status.message());
  return status.ok();
}

// Files get their place before anything is written. False: what was asked for is incomplete.
Result<bool> WriteOut(const Comparison& comparison, const CompareRequest& request) {
  std::optional<OutputFile> table_file;
  std::optional<OutputFile> chart_file;
  if (request.output.value.has_value()) {
    Result<OutputFile> file = OutputFile::Take(*request.output.value, request.force);
    if (!file.ok()) return file.status();
    table_file.emplace(std::move(*file));
  }
  if (request.chart.value.has_value()) {
    Result<OutputFile> file = OutputFile::Take(*request.chart.value, request.force);
    if (!file.ok()) return file.status();
    chart_file.emplace(std::move(*file));
  }
  const std::string text = TextOf(comparison, request.format.value.value_or("markdown"));
  bool complete = table_file.has_value() ? Write(*table_file, text) : Print(text);
  if (!chart_file.has_value()) return complete;
  const absl::StatusOr<std::string> drawing =
      DrawRatioChart(comparison, **ChartFormatOf(chart_file->path()));
  if (drawing.ok()) return Write(*chart_file, *drawing) && complete;
  Say("compare: " + chart_file->path() + ": not drawn: " + std::string(drawing.status().message()));
  return false;
}

}  // namespace

int VerbCompare(Words words) {
  CompareRequest request;
  CommandLine line({"compare", "Differences of two runs or tables, region by region.",
                    "[options] BASE NEW",
                    "  rafter compare --fail-on 'duration>5%' before.rafter after.rafter"});
  Declare(line, request);
  if (const auto status = line.Parse(words); status.has_value()) return *status;
  if (const Status status = request.choices.Check(); !status.ok())
    return line.Refuse(status.message());
  if (const Status status = CheckFiles(request); !status.ok()) return line.Refuse(status.message());
  if (const Status status = TakeNumbers(request); !status.ok())
    return line.Refuse(status.message());
  std::vector<std::string> notes;
  Result<Comparison> comparison = ReadAndCompare(request, notes);
  if (!comparison.ok()) return line.Refuse(comparison.status().message());

  Result<bool> complete = WriteOut(*comparison, request);
  if (!complete.ok()) return line.Refuse(complete.status().message());
  const int status = SayFindings(*comparison, notes);
  return *complete ? status : kIncomplete;
}

}  // namespace rafter
