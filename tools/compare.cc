// `rafter compare`: two runs or tables, row by row.
#include <algorithm>
#include <optional>
#include <utility>

#include "collector/compare/comparison_text.h"
#include "collector/compare/limits.h"
#include "collector/compare/ratio_chart.h"
#include "collector/compare/ratio_interval.h"
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
  std::vector<std::string> more_base;
  std::vector<std::string> more_now;
  TextOption margin;
  TextOption format;
  TextOption output;
  TextOption chart;
  TextOption spread;
  std::vector<std::string> fail_on;
  TableChoices choices;
  bool force = false;

  std::vector<Limit> limits;
  ChangeOptions options;

  // Files of each side.
  std::vector<std::string> Base() const { return SideOf(0, more_base); }
  std::vector<std::string> Now() const { return SideOf(1, more_now); }
  bool is_of_runs() const { return !more_base.empty() || !more_now.empty(); }

 private:
  std::vector<std::string> SideOf(size_t first, const std::vector<std::string>& more) const {
    std::vector<std::string> side = {inputs.at(first)};
    side.insert(side.end(), more.begin(), more.end());
    return side;
  }
};

void Declare(CommandLine& line, CompareRequest& request) {
  line.Inputs("BASE NEW", &request.inputs, "Two run files or CSV files: before and after");
  line.Texts("--base", &request.more_base, "FILE",
             "One more run of BASE's program; repeatable. With several runs of each side, 3 at "
             "least, verdicts rest on how the runs differ");
  line.Texts("--new", &request.more_now, "FILE", "One more run of NEW's program; repeatable");
  line.Choice("--format", &request.format, {"markdown", "csv", "json"},
              "Form of the table (default: markdown)");
  line.Text("-o,--output", &request.output, "FILE", "Where it goes (default: standard output)");
  line.Text("--chart", &request.chart, "FILE", "Ratios as a chart too: .svg, .pdf or .png");
  line.Texts("--fail-on", &request.fail_on, "LIMIT",
             "Status 1 when a row is beyond it and beyond its spread or interval: duration>5%, "
             "performance<5%, REGEX:duration>5% for some regions; repeatable. Also kernel-time, "
             "flop, traffic, intensity, clock");
  line.Text("--spread", &request.spread, "PERCENT",
            "Duration Spread of rows that have none, as those of other tools");
  line.Text("--margin", &request.margin, "PERCENT",
            "Of several runs: a change of less is none (default: 1%)");
  line.Flag("--force", &request.force,
            "Compare across different GPUs, clocks, drivers and CUPTIs, and say so in the output; "
            "overwrite files");
  request.choices.DeclareReading(line);
}

// Enough runs of each side, each once.
Status CheckRuns(const CompareRequest& request) {
  if (!request.is_of_runs()) {
    if (!request.margin.value.has_value()) return Status::Ok();
    return Status::Failed(request.margin.origin +
                          " is for several runs of each side; give them with --base and --new");
  }
  if (request.spread.value.has_value()) {
    return Status::Failed(request.spread.origin +
                          " is for one run of each side; with --base and --new the runs tell how "
                          "far times spread");
  }
  const std::vector<std::string> base = request.Base();
  std::vector<std::string> all = request.Now();
  if (base.size() < kLeastRuns || all.size() < kLeastRuns) {
    return Status::Failed(CountText(base.size(), "run", "runs") + " of BASE and " +
                          std::to_string(all.size()) + " of NEW were given; give " +
                          std::to_string(kLeastRuns) + " of each at least, or one of each");
  }
  all.insert(all.begin(), base.begin(), base.end());
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i + 1; j < all.size(); ++j) {
      if (!IsSameFile(all[i], all[j])) continue;
      return Status::Failed(all[j] + ": is given twice; each run counts once");
    }
  }
  return Status::Ok();
}

Status CheckFiles(const CompareRequest& request) {
  if (request.inputs.size() != 2) {
    return Status::Failed(CountText(request.inputs.size(), "input was", "inputs were") +
                          " given; name two run files or CSV files, BASE and NEW");
  }
  if (Status status = CheckRuns(request); !status.ok()) return status;
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
  std::vector<std::string> inputs = request.Base();
  for (const std::string& path : request.Now()) inputs.push_back(path);
  for (const std::string& path : inputs) {
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
  std::optional<double> margin;
  for (const auto& [option, share] :
       {std::pair{&request.spread, &request.options.spread}, std::pair{&request.margin, &margin}}) {
    if (!option->value.has_value()) continue;
    *share = ParsePercent(*option->value);
    if (share->has_value()) continue;
    return Status::Failed(option->origin + " " + *option->value +
                          ": no percentage; write it like 2%");
  }
  request.options.margin = margin.value_or(request.options.margin);
  return Status::Ok();
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

Result<std::vector<ComparedSide>> ReadSides(const std::vector<std::string>& paths,
                                            const CompareRequest& request,
                                            std::vector<std::string>& notes) {
  std::vector<ComparedSide> sides;
  for (const std::string& path : paths) {
    Result<ComparedSide> side = ReadSide(path, request, notes);
    if (!side.ok()) return side.status();
    sides.push_back(std::move(*side));
  }
  return sides;
}

Result<Comparison> ReadAndCompare(const CompareRequest& request, std::vector<std::string>& notes) {
  Result<std::vector<ComparedSide>> base = ReadSides(request.Base(), request, notes);
  if (!base.ok()) return base.status();
  Result<std::vector<ComparedSide>> now = ReadSides(request.Now(), request, notes);
  if (!now.ok()) return now.status();
  Comparison comparison =
      request.is_of_runs()
          ? CompareRuns(std::move(*base), std::move(*now), request.options)
          : Compare(std::move(base->front()), std::move(now->front()), request.options);
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

// What more runs would be good for; empty: nothing.
std::string HintOnRuns(const Comparison& comparison) {
  if (!comparison.runs) {
    return "verdicts rest on one run of each side; more of both (--base FILE, --new FILE; " +
           std::to_string(kLeastRuns) + " at least) make firmer ones";
  }
  if (std::min(comparison.runs->base.size(), comparison.runs->now.size()) >= kSafeRuns) return "";
  return "with fewer than " + std::to_string(kSafeRuns) +
         " runs of a side all of them may be in the same of two modes by chance; more make firmer "
         "verdicts";
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
    const bool is_over = finding.outcome == LimitOutcome::kOver;
    if (is_over || finding.outcome == LimitOutcome::kNotJudged) status = kIncomplete;
  }
  if (const std::string hint = HintOnRuns(comparison); !hint.empty()) Say("compare: " + hint);
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
  CommandLine line(
      {"compare", "Differences of two runs or tables, region by region.", "[options] BASE NEW",
       "  rafter compare --fail-on 'duration>5%' before.rafter after.rafter\n"
       "  rafter compare b1.csv n1.csv --base b2.csv --base b3.csv --new n2.csv --new n3.csv"});
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
