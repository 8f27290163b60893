#include "tools/batch_request.h"

#include <algorithm>

#include "collector/table/number_text.h"
#include "tools/chart_output.h"
#include "tools/nearest.h"
#include "tools/output_file.h"

namespace rafter {
namespace {

constexpr char kBenchmarkOut[] = "--benchmark_out";

void DeclareBatch(CommandLine& line, BatchRequest& request, std::vector<std::string>& settings) {
  line.Text("-o,--output", &request.output, "BASE",
            "Write BASE.rafter, the runs of all programs, and BASE.csv (default: batch)");
  line.Text("-b,--build-dir", &request.build_dir, "DIR", "Where programs are (default: .)");
  line.Texts("-p,--path", &request.paths, "DIR", "Only programs below DIR/PATH; repeatable");
  line.Lists("-r,--regex", &request.patterns, "RE",
             "Programs whose name matches one of these (extended expressions, anywhere in the "
             "name); repeatable");
  line.Lists("-x,--exclude", &request.excluded, "RE", "But not those that match one of these");
  line.Flag("-n,--dry-run", &request.dry_run, "Print the commands, run nothing");
  line.Flag("-f,--force", &request.force,
            "Run again what has a report, and overwrite BASE.rafter, BASE.csv and charts");
  line.Flag("-s,--skip-profile", &request.skip_profile,
            "Run nothing; take the reports that match in --report-dir");
  line.Text("-d,--report-dir", &request.report_dir, "DIR",
            "Run file, JSON report and log of each program (default: rafter-reports)");
  line.Texts("--target-arg", &request.target_args, "ARG", "Argument of every program; repeatable");
  line.Lists("--from-csv", &request.tables, "FILE...",
             "Merge these tables in, first; rows of a program counted now win");
  line.Flag("--no-csv", &request.no_csv, "Write no table");
  line.Texts("--roofline", &request.charts, "FILE",
             "Also draw the chart: .html, .svg, .pdf or .png; repeatable");
  line.Texts("-O", &settings, "NAME=VALUE", "Option of the source; repeatable");
  line.Number("--timeout", &request.timeout_s, "S",
              "SIGTERM to a program after S seconds, SIGKILL 5 s later");
}

void Declare(CommandLine& line, BatchRequest& request, std::vector<std::string>& settings) {
  DeclareBatch(line, request, settings);
  line.Text("--set", &request.sets, "SET[,SET...]", "Sets to count, as of run", "RAFTER_SET");
  line.Text("--metrics", &request.metrics, "NAME[,NAME...]",
            "Metrics of CUPTI to count as well, as of run", "RAFTER_METRICS");
  request.counting.Declare(line, "application where a region lacks sets");
  request.regions.Declare(line);
  request.likwid.Declare(line);
  request.choices.Declare(line);
  request.rows.Declare(line, "none for the table, sum for the charts");
  line.Number("--peak-performance", &request.choices.peak_flop_per_s, "FLOP/s",
              "Compute roof of the chart, and of rows that have none of their own");
  line.Number("--peak-bandwidth", &request.choices.peak_bytes_per_s, "B/s",
              "Memory roof of the chart, and of rows that have none of their own");
  line.Flag("--strict", &request.strict,
            "A program of which counters were not obtained has failed");
  line.Flag("--quiet", &request.quiet, "Say errors only, no progress", "RAFTER_QUIET");
  line.Flag("-v,--verbose", &request.verbose, "Say more, and let every run say more");
}

// One -O of LIKWID's; CUPTI's counting has none.
Status TakeSetting(const std::string& setting, LikwidRequest& likwid) {
  const size_t equals = setting.find('=');
  const std::string name = setting.substr(0, equals);
  if (equals == std::string::npos || equals == 0 || equals + 1 == setting.size()) {
    return Status::Failed("-O " + setting + ": not NAME=VALUE; write it like -O counter-scale=2");
  }
  const std::vector<std::string> known = {"events", "likwid", "counter-scale"};
  if (!likwid.chosen()) {
    const bool is_likwids = std::find(known.begin(), known.end(), name) != known.end();
    return Status::Failed(
        "-O " + name + ": source " + likwid.source.value.value_or("cupti") + " has no such option" +
        (is_likwids ? "; it is one of --source likwid" : ", nor any other; leave it out"));
  }
  TextOption* options[] = {&likwid.events, &likwid.library, &likwid.scale};
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) {
    return Status::Failed("-O " + name + ": source likwid has no such option" +
                          DidYouMean(name, known) + "; there are events, likwid, counter-scale");
  }
  TextOption& option = *options[found - known.begin()];
  if (option.value.has_value() && option.origin.starts_with("--")) {
    return Status::Failed("-O " + name + ": given more than once (also as --" + name +
                          "); give it once");
  }
  option = {setting.substr(equals + 1), "--" + name};
  return Status::Ok();
}

Status CheckTargetArguments(const BatchRequest& request) {
  for (const std::string& argument : request.target_args) {
    if (!argument.starts_with(kBenchmarkOut)) continue;
    return Status::Failed("--target-arg " + argument +
                          ": batch gives --benchmark_out itself, to join the report; leave it out");
  }
  return Status::Ok();
}

Status CheckSelection(const BatchRequest& request) {
  if (request.patterns.empty() && request.tables.empty()) {
    return Status::Failed("--regex: no program is asked for; give -r RE, or --from-csv FILE");
  }
  if (!request.patterns.empty()) return Status::Ok();
  std::string refused;
  if (!request.paths.empty()) refused = "--path";
  if (!request.excluded.empty()) refused = "--exclude";
  if (!request.target_args.empty()) refused = "--target-arg";
  if (request.skip_profile) refused = "--skip-profile";
  if (request.choices.any()) refused = "--precision, --memory-level, --fp16-weights, --hardware";
  if (refused.empty()) return Status::Ok();
  return Status::Failed(refused + ": is for programs and their reports; give -r RE too");
}

Status CheckOutputs(const BatchRequest& request) {
  std::vector<std::string> names = request.charts;
  if (!request.no_csv) names.push_back(request.csv());
  if (request.makes_runs()) names.push_back(request.runs());
  for (const std::string& chart : request.charts) {
    const auto format = ChartFormatOf(chart);
    if (!format.ok()) return Status::Failed("--roofline " + format.status().message());
  }
  for (size_t i = 0; i < names.size(); ++i) {
    for (size_t k = i + 1; k < names.size(); ++k) {
      if (!IsSameFile(names[i], names[k])) continue;
      return Status::Failed(names[i] + ": named for two results; give each a file of its own");
    }
    for (const std::string& table : request.tables) {
      if (!IsSameFile(names[i], table)) continue;
      return Status::Failed(table + ": is an input too and would be lost; give -o another name");
    }
  }
  if (request.tables.empty() || !request.no_csv || !request.charts.empty()) return Status::Ok();
  if (!request.patterns.empty()) return Status::Ok();
  return Status::Failed("--no-csv: nothing would come of --from-csv; leave one of them out");
}

// The library's variables that a run file of each program contradicts.
Status CheckVariables(const Variables& variables) {
  if (ValueOf(variables, "RAFTER_COLLECTOR").empty()) return Status::Ok();
  return Status::Failed(
      "RAFTER_COLLECTOR: a running collector would own the run files, of which batch keeps one for "
      "each program; unset RAFTER_COLLECTOR");
}

Status Check(BatchRequest& request, const std::vector<std::string>& settings,
             const Variables& variables) {
  if (request.quiet && request.verbose) {
    return Status::Failed("--quiet: contradicts --verbose; give one of them");
  }
  for (const std::string& setting : settings) {
    RAFTER_RETURN_IF_ERROR(TakeSetting(setting, request.likwid));
  }
  RAFTER_RETURN_IF_ERROR(CheckVariables(variables));
  RAFTER_RETURN_IF_ERROR(CheckSelection(request));
  RAFTER_RETURN_IF_ERROR(CheckTargetArguments(request));
  RAFTER_RETURN_IF_ERROR(request.choices.Check());
  RAFTER_RETURN_IF_ERROR(request.rows.Check());
  return CheckOutputs(request);
}

// What was given on the command line; what a variable says, the run reads itself.
void Append(const TextOption& option, std::vector<std::string>& words) {
  if (!option.value.has_value() || !option.origin.starts_with("--")) return;
  words.push_back(option.origin);
  words.push_back(*option.value);
}

void Append(const char* name, const std::vector<std::string>& values,
            std::vector<std::string>& words) {
  for (const std::string& value : values) {
    words.emplace_back(name);
    words.push_back(value);
  }
}

}  // namespace

std::vector<std::string> BatchRequest::RunOptions() const {
  std::vector<std::string> words;
  words.emplace_back(verbose ? "--verbose" : "--quiet");
  for (const TextOption* option :
       {&sets, &metrics, &counting.overhead, &counting.granularity, &counting.skip, &counting.ranks,
        &regions.source, &likwid.source, &likwid.events, &likwid.library, &likwid.scale}) {
    Append(*option, words);
  }
  if (counting.exact) words.emplace_back("--exact");
  if (strict) words.emplace_back("--strict");
  Append("--domain", regions.domains.values, words);
  Append("--region", regions.chosen.values, words);
  Append("--group-names", regions.group_names.values, words);
  if (timeout_s.has_value()) {
    words.emplace_back("--timeout");
    words.push_back(NumberText(*timeout_s));
  }
  return words;
}

bool BatchRequest::replays_where_needed() const {
  return !likwid.chosen() && !counting.exact && !counting.replay.value.has_value() &&
         counting.overhead.origin != "--overhead";
}

std::optional<int> ReadBatchRequest(const std::vector<std::string>& words,
                                    const Variables& variables, BatchRequest& request) {
  CommandLine line(
      {"batch", "Count a set of programs found below a build folder, into one run file and table.",
       "[options] -r RE...",
       "  rafter batch -b build -p src -r 'matMul_.*' --dry-run\n"
       "  rafter batch -b build -r 'matMul_.*' -x vulkan -d reports -o matmul --timeout 300\n"
       "  rafter batch -s -r . -d reports -o all --roofline all.svg\n"
       "  rafter batch --from-csv cupti.csv likwid.csv -o both"});
  std::vector<std::string> settings;
  Declare(line, request, settings);
  if (std::find(words.begin(), words.end(), "--measure-overhead") != words.end()) {
    return line.Refuse(
        "--measure-overhead: is for one command; use rafter run --measure-overhead -- PROGRAM");
  }
  if (const auto status = line.Parse(words); status.has_value()) return status;
  if (!request.output.value.has_value()) request.output = {"batch", ""};
  if (!request.build_dir.value.has_value()) request.build_dir = {".", ""};
  if (!request.report_dir.value.has_value()) request.report_dir = {"rafter-reports", ""};
  if (IsQuiet(variables) && !request.verbose) request.quiet = true;
  const Status status = Check(request, settings, variables);
  if (!status.ok()) return line.Refuse(status.message());
  return std::nullopt;
}

}  // namespace rafter
