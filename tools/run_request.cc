#include "tools/run_request.h"

#include <algorithm>
#include <charconv>

#include "cupti/set_list.h"
#include "tools/chart_output.h"
#include "tools/launch_identity.h"
#include "tools/output_file.h"
#include "tools/output_name.h"
#include "tools/run_sets.h"

namespace rafter {
namespace {

void Declare(CommandLine& line, RunRequest& request) {
  line.Text("-o,--output", &request.output, "RUNFILE", "Run file (default: APP.%h.%p.rafter)",
            "RAFTER_OUTPUT");
  line.Text("--csv", &request.csv, "FILE", "Also write the table");
  line.Texts("--roofline", &request.charts, "FILE",
             "Also draw the chart: .html, .svg, .pdf or .png; repeatable");
  line.Flag("--force", &request.force, "Overwrite these files");
  line.Text("--set", &request.sets, "SET[,SET...]",
            "Sets to count (default: time,memory,sm,flop); also integer, occupancy, "
            "memory-workload, speed-of-light, tensor, or a format as in tensor.bf16",
            "RAFTER_SET");
  line.Text("--metrics", &request.metrics, "NAME[,NAME...]",
            "Metrics of CUPTI to count as well, with roll-up, as in dram__bytes.sum",
            "RAFTER_METRICS");
  request.counting.Declare(line);
  request.counting.DeclareMeasuring(line);
  request.regions.Declare(line);
  request.likwid.Declare(line);
  request.choices.Declare(line);
  request.rows.Declare(line, "none for the table, sum for the chart");
  line.Number("--peak-performance", &request.peak_flop_per_s, "FLOP/s",
              "Compute roof of the chart, and of rows that have none of their own");
  line.Number("--peak-bandwidth", &request.peak_bytes_per_s, "B/s",
              "Memory roof of the chart, and of rows that have none of their own");
  line.Text("--collector", &request.collector, "ADDRESS", "Use the collector at this socket",
            "RAFTER_COLLECTOR");
  line.Number("--timeout", &request.timeout_s, "S",
              "SIGTERM to the program after S seconds, SIGKILL 5 s later");
  line.Flag("--strict", &request.strict, "Exit with 125 when counters were not obtained");
  line.Flag("--quiet", &request.quiet, "Say errors only", "RAFTER_QUIET");
  line.Flag("-v,--verbose", &request.verbose, "Say more", "RAFTER_VERBOSE");
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
  if (const std::string option = request.several_runs(); !option.empty()) refused = option;
  if (refused.empty()) return Status::Ok();
  return Status::Failed(refused + ": cannot be used with the running collector at " +
                        *request.collector.value + " (" + request.collector.origin +
                        "), which owns the run file; leave " + refused + " out, or " +
                        (request.collector.origin == "--collector" ? "leave --collector out"
                                                                   : "unset RAFTER_COLLECTOR"));
}

Status CheckDependents(const RunRequest& request) {
  RAFTER_RETURN_IF_ERROR(request.choices.Check());
  const bool table_used = request.csv.value.has_value() || !request.charts.empty();
  if (!table_used &&
      (request.peak_flop_per_s.has_value() || request.peak_bytes_per_s.has_value())) {
    return Status::Failed(
        "--peak-performance, --peak-bandwidth: only the table and the chart use them; give "
        "--csv FILE or --roofline FILE too");
  }
  if (!table_used && request.choices.any()) {
    return Status::Failed(
        "--precision, --memory-level, --fp16-weights, --hardware: only the table and the chart use "
        "them; give --csv FILE or --roofline FILE too");
  }
  if (const std::string option = request.rows.FirstGiven(); !table_used && !option.empty()) {
    return Status::Failed(option +
                          ": only the table and the chart use it; give --csv FILE or --roofline "
                          "FILE too");
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
    const auto format = ChartFormatOf(chart);
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
  const auto named = [](const TextOption& option, const Status& status) {
    return Status::Failed(option.origin + " " + *option.value + ": " + status.message());
  };
  if (request.sets.value.has_value()) {
    const auto sets = ParseSetList(*request.sets.value);
    if (!sets.ok()) return named(request.sets, sets.status());
  }
  if (!request.metrics.value.has_value()) return Status::Ok();
  const Result<std::string> item = MetricsItem(*request.metrics.value);
  if (!item.ok()) return named(request.metrics, item.status());
  const auto together = ParseSetList(WantedSetsOf(request));
  return together.ok() ? Status::Ok() : named(request.metrics, together.status());
}

Status PlanRuns(RunRequest& request, const Variables& variables) {
  RAFTER_RETURN_IF_ERROR(request.regions.Check(variables, request.counting.granularity));
  RAFTER_RETURN_IF_ERROR(request.counting.Check(variables));
  RAFTER_RETURN_IF_ERROR(request.likwid.Check(variables));
  if (!request.counting.replays()) return Status::Ok();
  Result<std::vector<std::string>> sets =
      SetsByRun(request.sets.value.value_or(""), request.metrics.value.value_or(""));
  if (!sets.ok()) return sets.status();
  request.sets_by_run = *std::move(sets);
  return Status::Ok();
}

void FindOwnRank(RunRequest& request, const Variables& variables) {
  const std::string own = ReadLaunchIdentity(variables).rank;
  uint64_t rank = 0;
  const auto read = std::from_chars(own.data(), own.data() + own.size(), rank);
  request.is_rank = !own.empty() && read.ec == std::errc();
  const std::vector<RankSpan>& wanted = request.counting.wanted_ranks;
  request.is_of_unwanted_rank = request.is_rank && !wanted.empty() && !HasRank(wanted, rank);
}

}  // namespace

std::string RunRequest::several_runs() const {
  if (counting.measure_overhead) return "--measure-overhead";
  if (sets_by_run.size() < 2) return "";
  return counting.exact ? counting.exact_origin : counting.replay.origin + " application";
}

std::string WantedSetsOf(const RunRequest& request) {
  std::string sets = request.sets.value.value_or(Listed(DefaultSets(), ","));
  if (!request.metrics.value.has_value()) return sets;
  const Result<std::string> item = MetricsItem(*request.metrics.value);
  return item.ok() ? sets + "," + *item : sets;
}

std::optional<int> ReadRunRequest(std::vector<std::string> words, const Variables& variables,
                                  RunRequest& request) {
  CommandLine line({"run", "Count one command.", "[options] -- APP [ARG...]",
                    "  rafter run --csv out.csv --roofline out.svg -- ./bench --size 4096\n"
                    "  mpirun -n 8 rafter run -o %h-%r.rafter -- ./app\n"
                    "  rafter run --domain all --region '^step/' --csv out.csv -- ./solver\n"
                    "  rafter run --group-names 'seq = [0-9]+' --csv out.csv -- python3 train.py\n"
                    "  rafter run --regions nvmarker --csv out.csv -- ./likwid_bench\n"
                    "  rafter run --regions none --csv out.csv -- ./unmarked"});
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
  const std::string verbose = ValueOf(variables, "RAFTER_VERBOSE");
  if (!request.quiet && !verbose.empty() && verbose != "0") request.verbose = true;
  if (const Status status = CheckSets(request); !status.ok()) return line.Refuse(status.message());
  if (const Status status = PlanRuns(request, variables); !status.ok()) {
    return line.Refuse(status.message());
  }
  if (const Status status = request.rows.Check(); !status.ok()) {
    return line.Refuse(status.message());
  }
  for (const auto& check : {CheckOptionsForLikwid, CheckCollector, CheckDependents}) {
    if (const Status status = check(request); !status.ok()) return line.Refuse(status.message());
  }
  FindOwnRank(request, variables);
  if (request.is_of_unwanted_rank) return std::nullopt;  // it writes nothing
  if (const Status status = ExpandNames(request, variables); !status.ok()) {
    return line.Refuse(status.message());
  }
  if (const Status status = CheckDistinct(request); !status.ok()) {
    return line.Refuse(status.message());
  }
  return std::nullopt;
}

}  // namespace rafter
