#include "tools/manual_text.h"

#include <algorithm>

namespace rafter {
namespace {

using Statuses = std::vector<NamedText>;

Statuses UsualStatuses() {
  return {{"0", "Done."},
          {"1", "Done, but something that was asked for is missing or over a limit."},
          {"2", "Wrong use; nothing was done."}};
}

constexpr std::string_view kNamesOfFiles =
    "In names of files: %h host, %p pid of this command, %r rank, %j job, %q{NAME} the variable "
    "NAME, %% a percent sign. One that has no value here is an error.";

constexpr NamedText kCuptiPath = {
    "RAFTER_CUPTI_PATH", "The CUPTI library, as a file or a folder. No other place is tried then."};
constexpr NamedText kCudaHome = {"CUDA_HOME, CUDA_PATH",
                                 "The CUDA toolkit in which CUPTI is looked for."};
constexpr NamedText kRank = {
    "RAFTER_RANK_VARIABLE",
    "Names the variable that holds the rank, for a launcher that is not known."};
constexpr NamedText kPlanCache = {"XDG_CACHE_HOME",
                                  "Holds rafter/plans, where plans of counters are kept. Without "
                                  "it they are in ~/.cache/rafter/plans."};
constexpr NamedText kCollectorSocket = {
    "$XDG_RUNTIME_DIR/rafter/collector.sock",
    "The socket of a collector in the foreground, where no other is named."};
constexpr NamedText kRunFile = {"*.rafter",
                                "A run file: one SQLite database, which any SQLite reads."};
constexpr NamedText kSpoolFile = {
    "*.spool",
    "What a process writes that finds no collector: what it would have been sent. One that breaks "
    "off gives what came before."};

ManualText RafterText() {
  return {
      "rafter",
      {"Rafter reads hardware counters of NVIDIA GPUs inside the program that uses the GPU, "
       "around the regions that the program marks with NVTX or with LIKWID's NvMarker. A library, "
       "libinject.so, is loaded by the CUDA driver and streams what it counts to a collector, "
       "which keeps it in a run file. Tables and rooflines are made of run files.",
       "A number is right, or it is missing with a reason.",
       "What Rafter itself says goes to standard error, in lines that begin with \"rafter: \" and "
       "name the thing, the cause and the next step. Results go to standard output or into the "
       "files that are named.",
       "A guide and the reference of all commands are in docs/ of Rafter's sources."},
      UsualStatuses(),
      {kCuptiPath,
       kCudaHome,
       kRank,
       kPlanCache,
       {"RAFTER_NVTX_NEXT",
        "The NVTX tool that stands behind Rafter and sees the same calls. rafter-run(1) and "
        "rafter-env(1) set it where NVTX_INJECTION64_PATH names one."},
       {"RAFTER_NVMARKER, RAFTER_NVMARKER_RESULT",
        "Set by \"rafter run --source likwid\" for the marker library: that LIKWID counts, and "
        "the file for its readings."}},
      {kRunFile, kSpoolFile, kCollectorSocket},
      "\"rafter COMMAND --help\" (or \"rafter help COMMAND\") tells of one command, \"man "
      "rafter-COMMAND\" more of it.",
      {"rafter-run", "rafter-doctor", "rafter-report", "rafter-collector"}};
}

ManualText RunText() {
  return {
      "rafter-run",
      {"The words after \"--\" are started as they stand, never through a shell. The program "
       "has Rafter's standard input, output and error, and its exit status is handed on. Its "
       "regions are counted in the process itself; when it has ended, the run file, the table "
       "and the charts are written and what is missing is said with the reason.",
       "Each pass through a region (a call) is counted in one set of counters, and sets take "
       "turns, so a region needs as many calls as there are sets. --exact and --replay "
       "application run the program once for each set instead.",
       "Nothing is overwritten without --force, and every place is taken before the program "
       "starts.",
       "The variable of an option that may be repeated holds one value a line."},
      {{"n", "The program's own, where it was started."},
       {"2", "Wrong use; the program was not started."},
       {"125", "--strict was given and counters were not obtained."},
       {"126", "The program cannot be executed."},
       {"127", "The program is not there."},
       {"128+n", "The program was ended by signal n."}},
      {kCuptiPath,
       kCudaHome,
       kRank,
       kPlanCache,
       {"XDG_RUNTIME_DIR", "Holds the folder of this run's socket. Without it that is in /tmp."},
       {"CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH",
        "Set for the program, to libinject.so. Another NVTX tool goes to RAFTER_NVTX_NEXT and "
        "sees the same calls; another CUDA tool stays, and Rafter says what it may miss."}},
      {kRunFile, kSpoolFile},
      kNamesOfFiles,
      {"rafter", "rafter-doctor", "rafter-env", "rafter-report", "rafter-roofline",
       "rafter-batch"}};
}

ManualText BatchText() {
  return {"rafter-batch",
          {"Executable files below the build folder whose name matches are run one after the "
           "other, each by a rafter-run(1) of its own, and become one table. A program that fails, "
           "hangs or has no GPU is named and costs only itself.",
           "A program of Google Benchmark is asked for its JSON report, which gives problem, "
           "paradigm and precision of its rows. Reports that are there are used again unless "
           "--force is given.",
           "With --source likwid, -O takes events, likwid and counter-scale; counting by CUPTI "
           "has no such option."},
          UsualStatuses(),
          {kCuptiPath, kCudaHome, kPlanCache},
          {{"BASE.rafter", "The runs of all programs that gave rows, in one run file."},
           {"BASE.csv", "The table."},
           {"DIR/EXE.rafter, DIR/EXE.log, DIR/EXE.json",
            "Of each program its run file, what it and its rafter-run(1) wrote, and its report."},
           {"DIR/EXE.failed.rafter", "The run file of a run that failed. It is not used again."}},
          "",
          {"rafter-run", "rafter-report", "rafter-roofline"}};
}

std::vector<NamedText> CollectVariables() {
  return {kCuptiPath,
          kCudaHome,
          kRank,
          kPlanCache,
          {"XDG_RUNTIME_DIR", "Where the socket is without --socket. It has to be set then."}};
}

constexpr std::string_view kCollect =
    "Takes what programs stream that were started with the variables of rafter-env(1) or by "
    "\"rafter run --collector\", any number of them, and writes it into one run file. SIGINT, "
    "SIGTERM and SIGHUP end it: streams that are open get 5 s, then totals are said. The status is "
    "1 when streams were refused.";

ManualText CollectText() {
  return {"rafter-collect",
          {kCollect},
          UsualStatuses(),
          CollectVariables(),
          {kRunFile, kCollectorSocket},
          kNamesOfFiles,
          {"rafter", "rafter-collector", "rafter-env", "rafter-ingest"}};
}

ManualText CollectorText() {
  ManualText text = CollectText();
  text.page = "rafter-collector";
  text.description.push_back(
      "It is rafter-collect(1) under a name of its own, for batch systems and service managers.");
  text.see_also = {"rafter", "rafter-collect", "rafter-env", "rafter-ingest"};
  return text;
}

ManualText IngestText() {
  return {"rafter-ingest",
          {"Spool files are what processes wrote that found no collector. They become a run file, "
           "as if a collector had been there. A file whose tail is broken gives what came before, "
           "and the message says where it broke.",
           "Marker files are what LIKWID's NvMarker API writes. They name no events, so --events "
           "does. Their readings are no counts yet: they are multiplied by --counter-scale, and "
           "rows say so. Files that are neither are named and left out."},
          UsualStatuses(),
          {kCuptiPath, kCudaHome, kPlanCache},
          {kSpoolFile, kRunFile},
          "",
          {"rafter-env", "rafter-report", "rafter-collect"}};
}

ManualText ReportText() {
  return {
      "rafter-report",
      {"Tables are CSV unless told otherwise, with every column; markdown is for people, json "
       "for programs, perfetto is a timeline of one run file.",
       "Several inputs become one table. Rows are the same when executable, region and kernel "
       "agree and, where both files have the column, hardware, source, precision, memory level, "
       "rank, host, process and device. The later file wins, with a warning and status 1.",
       "An empty cell is unknown, and the column Reason says why. A zero was measured. "
       "\"rafter metrics --columns\" tells what each column is made of."},
      UsualStatuses(),
      {kCuptiPath, kCudaHome},
      {kRunFile},
      "",
      {"rafter-run", "rafter-roofline", "rafter-compare", "rafter-metrics"}};
}

ManualText RooflineText() {
  return {"rafter-roofline",
          {"Draws arithmetic intensity against performance, with the roofs of the GPU at the "
           "clocks that the run had. The name of the file says the format; .html is one file that "
           "a browser shows without a network, with filters and the table.",
           "Hollow points were not measured in full. Rows that have no place on the chart are "
           "listed with the reason."},
          UsualStatuses(),
          {kCuptiPath, kCudaHome},
          {kRunFile},
          "",
          {"rafter-run", "rafter-report", "rafter-compare"}};
}

ManualText CompareText() {
  return {
      "rafter-compare",
      {"Holds two runs or tables against each other, row by row: both times, their ratio "
       "NEW / BASE, the spread, a verdict, and what moved with it.",
       "\"faster\" and \"slower\" are said only beyond the spreads of both runs. What has no "
       "partner is listed with the reason, and what cannot be judged is not called equal.",
       "With several runs of each side a verdict rests on how the runs differ: it is said where "
       "the interval of the ratio lies beyond --margin. The intervals of all rows hold at once "
       "with 95 % confidence.",
       "Runs of different GPUs, clocks, drivers or CUPTIs are refused, unless --force is given, "
       "and then the output says so.",
       "A limit of --fail-on never passes unseen: a row that cannot be judged ends with status "
       "1 as one beyond the limit does."},
      {{"0", "Done; no limit was passed."},
       {"1", "A row is beyond a limit, or could not be held against one, or no row is in both."},
       {"2", "Wrong use, or runs of different machines; nothing was done."}},
      {kCuptiPath, kCudaHome},
      {kRunFile},
      "",
      {"rafter-run", "rafter-report"}};
}

ManualText DoctorText() {
  return {"rafter-doctor",
          {"Checks the driver, the devices, who may read counters, CUPTI and its version, a plan "
           "for the chip, libinject.so, other tools in the environment, MPS, MIG, WSL, containers, "
           "and the folder for sockets. What to do follows each problem."},
          {{"0", "Counters can be read here."},
           {"1", "They cannot."},
           {"2", "Wrong use; nothing was done."}},
          {kCuptiPath, kCudaHome},
          {{"/proc/driver/nvidia/params", "Says who may read counters (RmProfilingAdminOnly)."}},
          "",
          {"rafter", "rafter-run", "rafter-metrics"}};
}

ManualText MetricsText() {
  return {"rafter-metrics",
          {"Needs CUPTI and no GPU, but for --columns, which needs neither.",
           "A plan ends with the passes that all metrics take together, and with those that a run "
           "takes, which counts each set in passes of its own. Metrics that the chip lacks are "
           "listed with the reason."},
          {{"0", "Done."},
           {"1", "A whole set, or a metric that was asked for by name, is missing, or CUPTI is."},
           {"2", "Wrong use; nothing was done."}},
          {kCuptiPath, kCudaHome},
          {},
          "",
          {"rafter-run", "rafter-report", "rafter-doctor"}};
}

ManualText EnvText() {
  return {
      "rafter-env",
      {"Prints the variables with which a program is counted that is started by hand or by "
       "somebody else. It then streams to the collector at RAFTER_COLLECTOR, else to the one at "
       "the usual place, else it writes a spool file into its folder.",
       "Options of regions are exported too, for every program that is started in this shell. "
       "The variable of an option that may be repeated holds one value a line."},
      UsualStatuses(),
      {{"RAFTER_COLLECTOR", "The socket of the collector to stream to."},
       {"CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH, LD_LIBRARY_PATH",
        "Exported, with what they hold already kept where that is possible."},
       {"LD_PRELOAD", "Exported with --regions nvmarker."}},
      {kSpoolFile, kCollectorSocket},
      "",
      {"rafter-run", "rafter-ingest", "rafter-collect"}};
}

}  // namespace

const std::vector<ManualText>& ManualTexts() {
  static const auto* const texts = new std::vector<ManualText>{
      RafterText(), RunText(),      BatchText(),   CollectText(), CollectorText(), IngestText(),
      ReportText(), RooflineText(), CompareText(), DoctorText(),  MetricsText(),   EnvText()};
  return *texts;
}

const ManualText* FindManualText(std::string_view page) {
  const std::vector<ManualText>& texts = ManualTexts();
  const auto found = std::find_if(texts.begin(), texts.end(),
                                  [&](const ManualText& text) { return text.page == page; });
  return found == texts.end() ? nullptr : &*found;
}

}  // namespace rafter
