#include "tools/run_request.h"

#include <algorithm>

#include "cupti/sets.h"
#include "tools/chart_output.h"
#include "tools/launch_identity.h"
#include "tools/output_file.h"
#include "tools/output_name.h"

namespace rafter {
namespace {

void Declare(CommandLine& line, RunRequest& request) {
  line.Text("-o,--output", &request.output, "RUNFILE", "Run file (default: APP.%h.%p.rafter)",
            "RAFTER_OUTPUT");
  line.Text("--csv", &request.csv, "FILE", "Also write the table");
  line.Texts("--roofline", &request.charts, "FILE",
             "Also draw the chart: .svg, .pdf or .png; repeatable");
  line.Flag("--force", &request.force, "Overwrite these files");
  line.Text("--set", &request.sets, "SET[,SET...]",
            "Sets to count: time, memory, sm, flop (default: all)", "RAFTER_SET");
  request.choices.Declare(line);
  line.Number("--peak-performance", &request.peak_flop_per_s, "FLOP/s",
              "Compute roof of the chart");
  line.Number("--peak-bandwidth", &request.peak_bytes_per_s, "B/s", "Memory roof of the chart");
  line.Text("--collector", &request.collector, "ADDRESS", "Use the collector at this socket",
            "RAFTER_COLLECTOR");
  line.Number("--timeout", &request.timeout_s, "S",
              "SIGTERM to the program after S seconds, SIGKILL 5 s later");
  line.Flag("--strict", &request.strict, "Exit with 125 when counters were not obtained");
  line.Flag("--quiet", &request.quiet, "Say errors only");
  line.Flag("-v,--verbose", &request.verbose, "Say more");
}

// What only a collector of our own can do.
Status CheckCollector(const RunRequest& request) {
  if (!request.collector.value.has_value()) return Status::Ok();
  std::string refused;
  if (request.output.value.has_value()) refused = request.output.origin;
  if (request.csv.value.has_value()) refused = "--csv";
  if (!request.charts.empty()) refused = "--roofline";
  if (request.force) refused = "--force";
  if (request.strict) refused = "--strict";
  if (refused.empty()) return Status::Ok();
  return Status::Failed(refused + ": cannot be used with the running collector at " +
                        *request.collector.value + " (" + request.collector.origin +
                        "), which owns the run file; leave " + refused + " out, or " +
                        (request.collector.origin == "--collector" ? "leave --collector out"
                                                                   : "unset RAFTER_COLLECTOR"));
}

Status CheckDependents(const RunRequest& request) {
  const bool table_used = request.csv.value.has_value() || !request.charts.empty();
  if (request.charts.empty() &&
      (request.peak_flop_per_s.has_value() || request.peak_bytes_per_s.has_value())) {
    return Status::Failed(
        "--peak-performance, --peak-bandwidth: only a chart uses them; give "
        "--roofline FILE too");
  }
  if (!table_used && request.choices.any()) {
    return Status::Failed(
        "--precision, --memory-level, --hardware: only the table and the chart use "
        "them; give --csv FILE or --roofline FILE too");
  }
  if (request.quiet && request.verbose) {
    return Status::Failed("--quiet: contradicts --verbose; give one of them");
  }
  return Status::Ok();
}

// Expands `name`, or says which option it was that cannot be.
Status Expand(const std::string& origin, std::string& name, const Variables& variables) {
  Result<std::string> expanded = ExpandOutputName(name, ReadLaunchIdentity(variables), variables);
  if (!expanded.ok()) {
    return Status::Failed(origin + " " + name + ": " + expanded.status().message());
  }
  name = *expanded;
  return Status::Ok();
}

Status ExpandNames(RunRequest& request, const Variables& variables) {
  if (!request.collector.value.has_value()) {
    if (!request.output.value.has_value()) {
      request.output = {DefaultOutputPattern(request.program[0]), "the default of --output"};
    }
    RAFTER_RETURN_IF_ERROR(Expand(request.output.origin, *request.output.value, variables));
  }
  if (request.csv.value.has_value()) {
    RAFTER_RETURN_IF_ERROR(Expand("--csv", *request.csv.value, variables));
  }
  for (std::string& chart : request.charts) {
    RAFTER_RETURN_IF_ERROR(Expand("--roofline", chart, variables));
    Result<ChartFormat> format = ChartFormatOf(chart);
    if (!format.ok()) return Status::Failed("--roofline " + format.status().message());
  }
  return Status::Ok();
}

// Two results in one file would leave one of them.
Status CheckDistinct(const RunRequest& request) {
  std::vector<std::string> names = request.charts;
  if (request.csv.value.has_value()) names.push_back(*request.csv.value);
  if (request.output.value.has_value()) names.push_back(*request.output.value);
  for (size_t i = 0; i < names.size(); ++i) {
    for (size_t k = i + 1; k < names.size(); ++k) {
      if (IsSameFile(names[i], names[k])) {
        return Status::Failed(names[i] + ": named for two results; give each a file of its own");
      }
    }
  }
  return Status::Ok();
}

Status CheckSets(const RunRequest& request) {
  if (!request.sets.value.has_value()) return Status::Ok();
  Result<std::vector<std::string>> sets = ParseSetList(*request.sets.value);
  if (sets.ok()) return Status::Ok();
  return Status::Failed(request.sets.origin + " " + *request.sets.value + ": " +
                        sets.status().message());
}

}  // namespace

std::optional<int> ReadRunRequest(std::vector<std::string> words, const Variables& variables,
                                  RunRequest& request) {
  CommandLine line({"run", "Count one command.", "[options] -- APP [ARG...]",
                    "  rafter run --csv out.csv --roofline out.svg -- ./bench --size 4096\n"
                    "  mpirun -n 8 rafter run -o %h-%r.rafter -- ./app\n\n"
                    "In names of files: %h host, %p pid of rafter, %r rank, %j job, %q{NAME} the\n"
                    "variable NAME, %% a percent sign."});
  Declare(line, request);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const bool has_dashes = dashes != words.end();
  if (has_dashes) request.program.assign(dashes + 1, words.end());
  words.erase(dashes, words.end());
  std::vector<std::string> programs;  // a word without "--" before it
  line.Inputs("APP", &programs, "The program and its arguments, after \"--\"");
  if (const auto status = line.Parse(words); status.has_value()) return status;
  if (!programs.empty()) {
    return line.Refuse("\"" + programs.front() +
                       "\": not expected here; put \"--\" before the "
                       "program");
  }
  if (request.program.empty()) {
    return line.Refuse(has_dashes ? "no program follows \"--\"; name one"
                                  : "no program was given; put it after \"--\"");
  }
  if (IsQuiet(variables) && !request.verbose) request.quiet = true;
  for (const auto& check : {CheckSets, CheckCollector, CheckDependents}) {
    if (const Status status = check(request); !status.ok()) return line.Refuse(status.message());
  }
  if (const Status status = ExpandNames(request, variables); !status.ok()) {
    return line.Refuse(status.message());
  }
  if (const Status status = CheckDistinct(request); !status.ok()) {
    return line.Refuse(status.message());
  }
  return std::nullopt;
}

}  // namespace rafter
