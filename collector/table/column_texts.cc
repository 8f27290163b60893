#include "collector/table/column_texts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "collector/table/columns.h"
#include "collector/table/formulas.h"
#include "collector/table/launch_kinds.h"
#include "collector/table/number_text.h"

namespace rafter {
namespace {

// What stands beside a name: ColumnText without what the lists of columns know.
struct Text {
  const char* meaning;
  std::string formula;
  const char* source;
};

std::string Code(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string Listed(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

// What stands in front of all names and behind them, cut where words are.
struct Frame {
  std::string before;  // "sm__sass_thread_inst_executed_op_"
  std::string after;   // "_pred_on.sum"
};
Frame FrameOf(const std::vector<std::string>& names) {
  std::string_view before = names.front();
  std::string_view after = names.front();
  for (const std::string& name : names) {
    while (!name.starts_with(before)) before.remove_suffix(1);
    while (!name.ends_with(after)) after.remove_prefix(1);
  }
  before = before.substr(0, before.rfind('_') + 1);
  const size_t word = after.find_first_of("_.");
  after = word == std::string_view::npos ? "" : after.substr(word);
  return {std::string(before), std::string(after)};
}

std::string Inside(const std::string& name, const Frame& frame) {
  return name.substr(frame.before.size(), name.size() - frame.before.size() - frame.after.size());
}

std::string EachText(const Frame& frame) {
  return ", each " + Code(frame.before + "*" + frame.after);
}

// "fadd + fmul + 2 ffma, each `sm__..._op_*_pred_on.sum`".
std::string SumText(const std::vector<Term>& terms) {
  std::vector<std::string> names;
  for (const Term& term : terms) names.push_back(term.metric);
  const Frame frame = FrameOf(names);
  std::vector<std::string> parts;
  std::vector<std::string> optional;
  for (const Term& term : terms) {
    const std::string name = Inside(term.metric, frame);
    parts.push_back((term.weight == 1 ? "" : NumberText(term.weight) + " ") + name);
    if (term.if_planned) optional.push_back(name);
  }
  return Listed(parts, " + ") + EachText(frame) +
         (optional.empty() ? "" : "; " + Listed(optional, ", ") + " where the chip has them");
}

// "the highest of a, b, each `*.avg.pct`".
std::string HighestText(const std::vector<std::string>& names) {
  Frame frame = FrameOf(names);
  frame = {"", frame.after.substr(frame.after.find('.'))};
  std::vector<std::string> parts;
  for (const std::string& name : names) parts.push_back(Inside(name, frame));
  return "the highest of " + Listed(parts, ", ") + EachText(frame) +
         ", as far as the chip has them";
}

std::string DerivedText(const DerivedMetric& derived) {
  if (derived.kind == DerivedMetric::Kind::kHighest) return HighestText(derived.of);
  return "100 x " + Code(derived.of[0]) + " / " + Code(derived.of[1]);
}

std::string ClockText(const PeakFormula& formula) {
  std::vector<std::string> clocks;
  for (const std::string& clock : formula.clocks) clocks.push_back(Code(clock));
  return " x the highest " + Listed(clocks, " or ");
}

std::string PeakPerformanceText(const TableOptions& options) {
  const std::vector<std::string> precisions = {"fp32", "fp64", "fp16"};
  std::vector<std::string> names;
  for (const std::string& precision : precisions) {
    names.push_back(PeakPerformance(precision, options)->per_cycle.front().metric);
  }
  const Frame frame = FrameOf(names);
  std::vector<std::string> parts;
  for (size_t i = 0; i < precisions.size(); ++i) {
    const Term term = PeakPerformance(precisions[i], options)->per_cycle.front();
    parts.push_back(precisions[i] + ": " + NumberText(term.weight) + " " + Inside(names[i], frame));
  }
  return Listed(parts, "; ") + EachText(frame) +
         "; a tensor format: its fastest `sm__ops_path_tensor_*.sum.peak_sustained`; each" +
         ClockText(*PeakPerformance("fp32", options));
}

std::string TrafficText() {
  std::vector<std::string> parts;
  for (const char* level : {"dram", "l2", "l1"}) {
    parts.push_back(std::string(level) + ": " + Code(TrafficMetric(level)));
  }
  return Listed(parts, "; ");
}

std::string PeakBandwidthText() {
  std::vector<std::string> parts;
  for (const char* level : {"dram", "l2", "l1"}) {
    const PeakFormula formula = *PeakBandwidth(level);
    parts.push_back(std::string(level) + ": " + Code(formula.per_cycle.front().metric) +
                    ClockText(formula));
  }
  return Listed(parts, "; ");
}

constexpr char kBenchmark[] = "Google Benchmark's report (`rafter batch`)";
constexpr char kProgram[] = "the program";
constexpr char kDriver[] = "the CUDA driver";
constexpr char kUser[] = "what was asked for";
constexpr char kRafter[] = "Rafter";
constexpr char kCupti[] = "CUPTI";
constexpr char kRecipe[] = "NVIDIA's roofline recipe (Nsight Compute, SpeedOfLight Roofline)";
constexpr char kHierarchical[] = "NVIDIA's hierarchical roofline (Nsight Compute)";
constexpr char kRoofline[] = "the roofline model";

using Texts = std::map<std::string, Text>;

void AddNames(Texts& texts) {
  texts["Benchmark Problem"] = {"What a benchmark computes.", "", kBenchmark};
  texts["Paradigm"] = {"Programming model of a benchmark.", "", kBenchmark};
  texts["Precision"] = {
      "What FLOP counts: FP32, FP64, FP16, Tensor or one tensor format. Empty: no work.",
      "the one with most FLOP, unless `--precision` names another", kUser};
  texts["Hardware"] = {"Name of the GPU, or `--hardware`.", "", kDriver};
  texts["Executable"] = {"The program, without folders.", "", kProgram};
  texts["Region"] = {"Path of the region, `outer/inner`; `a | b`: open at once on several threads.",
                     "", kProgram};
  texts["Kernel ID"] = {"Of a row of launches: number of its kind in the process, from 0.", "",
                        kRafter};
  texts["Kernel"] = {"Name of the kernel, where all launches of the row are of one.", "", kDriver};
  texts["Kernel Signature"] = {"The same with its parameters.", "", kDriver};
  texts["Grid Size"] = {"Where all launches of the row are alike.", "", kDriver};
  texts["Block Size"] = {"Where all launches of the row are alike.", "", kDriver};
  texts["Category"] = {"NVTX category of the region. Only in tables where a row has one.", "",
                       kProgram};
  texts["Payload"] = {"NVTX payload of the region. Only in tables where a row has one.", "",
                      kProgram};
}

void AddTimes(Texts& texts) {
  texts["Duration"] = {
      "GPU time from border to border, over all calls; LIKWID's rows: host time inside the region.",
      "`" + std::string(kGpuTimeMetric) +
          "` x 1e-9, from set `time`, else the least over the sets that do not slow kernels; the "
          "first call counts once, the others by their mean",
      kCupti};
  texts["Kernel Time"] = {"Time in kernels, over all calls.",
                          "`" + std::string(kActiveTimeMetric) +
                              "` x 1e-9; launches that were repeated: the sum of their times",
                          kCupti};
  texts["Duration Spread"] = {"How alike the calls were. Empty: only one epoch has a time.",
                              "(greatest - least) / mean of the time of a call, over epochs",
                              kRafter};
  texts["SM Clock"] = {"Mean clock of the SMs.",
                       Code(SmClockMetrics()[0]) + ", else " + Code(SmClockMetrics()[1]), kCupti};
  texts["DRAM Clock"] = {"Mean clock of the DRAM.", "`dram__cycles_elapsed.avg.per_second`",
                         kCupti};
}

void AddWork(Texts& texts, const TableOptions& options) {
  texts["FLOP"] = {"Work of the row's Precision, over all calls.", "the FLOP column of Precision",
                   kRecipe};
  texts["FLOP FP32"] = {"FP32 operations.", SumText(FlopTerms("fp32", options)), kRecipe};
  texts["FLOP FP64"] = {"FP64 operations.", SumText(FlopTerms("fp64", options)), kRecipe};
  texts["FLOP FP16"] = {"FP16 operations; `--fp16-weights 1` halves the weights.",
                        SumText(FlopTerms("fp16", options)),
                        "NVIDIA's weights: an FP16 instruction works on pairs"};
  texts["FLOP Tensor"] = {
      "Floating-point operations of the tensor cores: of all formats of the chip, or missing.",
      "`sm__ops_path_tensor_*.sum` of all floating-point formats; 0 where none of `" +
          std::string(kTensorInstructionMetric) +
          "` is tensor work and the chip's tensor pipe runs all of it",
      "[decision 0009](decisions/0009-tensor-formats.md)"};
  texts["Memory Level"] = {"Where Memory Traffic is taken: DRAM, L2 or L1.",
                           "DRAM, unless `--memory-level` names another", kUser};
  texts["Memory Traffic"] = {"Bytes moved at Memory Level, both ways, over all calls.",
                             TrafficText(), kHierarchical};
  texts["Arithmetic Intensity"] = {"Operations for each byte.", "FLOP / Memory Traffic", kRoofline};
  texts["Performance"] = {"Operations in a second.", "FLOP / Duration", kRoofline};
  texts["Peak Performance"] = {
      "Roof of the row's Precision at the highest clock that was seen; `--peak-performance` where "
      "nothing was.",
      PeakPerformanceText(options), kRecipe};
  texts["Peak Bandwidth"] = {
      "Roof of Memory Level at the highest clock that was seen; `--peak-bandwidth` where nothing "
      "was.",
      PeakBandwidthText(), kHierarchical};
}

void AddTrust(Texts& texts) {
  texts["Source"] = {"Who counted: `cupti` or `likwid`.", "", kRafter};
  texts["Validity"] = {"How far the row can be trusted ([the words](guide/reading-a-table.md)).",
                       "", kRafter};
  texts["Reason"] = {"Why it is not `measured`, and what to do.", "", kRafter};
  texts["Calls"] = {"Passes through the region.", "", kProgram};
  texts["Measured Calls"] = {"Of these, counted whole.", "least over the sets that the row uses",
                             kRafter};
  texts["Launches"] = {"Kernels launched in the region, those of regions inside it too.",
                       "launches of the calls that were watched / these calls x Calls", kRafter};
  texts["Rank"] = {"MPI rank; `min`, `mean` or `max` of rows that stand for several.", "",
                   "the launcher's variable"};
  texts["Host"] = {"Name of the machine.", "", "the operating system"};
  texts["Process"] = {"Process number.", "", "the operating system"};
  texts["Device"] = {"Number of the GPU in the process.", "", kDriver};
  texts["Device UUID"] = {"Which GPU it is.", "", kDriver};
  texts["Rank Imbalance"] = {
      "How much longer the slowest rank takes. Only in tables with rows of `mean` ranks.",
      "longest GPU time / mean of the ranks - 1", kRafter};
}

Texts AllTexts(const TableOptions& options) {
  Texts texts;
  AddNames(texts);
  AddTimes(texts);
  AddWork(texts, options);
  AddTrust(texts);
  return texts;
}

// Escapes what ends a cell.
std::string CellText(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? "\\|" : std::string(1, c);
  return cell;
}

}  // namespace

std::vector<ColumnText> ColumnTexts(const TableOptions& options) {
  const Texts texts = AllTexts(options);
  std::vector<ColumnText> columns;
  for (const auto* list :
       {&LeadingColumns(), &FlopColumns(), &TrailingColumns(), &DetailColumns()}) {
    for (const Column& column : *list) {
      const auto text = texts.find(column.name);
      if (text == texts.end()) {
        columns.push_back({column.name, column.unit, "", "", ""});  // a test finds it
        continue;
      }
      columns.push_back({column.name, column.unit, text->second.meaning, text->second.formula,
                         text->second.source});
    }
  }
  for (const LaunchAttribute& attribute : kLaunchAttributes) {
    columns.push_back({attribute.metric, attribute.unit, attribute.meaning, "", kDriver});
  }
  for (const DerivedMetric& derived : DerivedMetrics()) {
    columns.push_back({derived.name, derived.unit,
                       derived.kind == DerivedMetric::Kind::kShare
                           ? "Share of the sectors looked up that hit."
                           : "A throughput, as its share of the peak.",
                       DerivedText(derived), "Nsight Compute's Profiling Guide"});
  }
  return columns;
}

std::string ColumnsMarkdown(const std::vector<ColumnText>& columns) {
  std::string text = "| column | unit | meaning | formula | source |\n|---|---|---|---|---|\n";
  for (const ColumnText& column : columns) {
    for (const std::string& cell :
         {column.name, column.unit, column.meaning, column.formula, column.source}) {
      text += "| " + CellText(cell) + (cell.empty() ? "" : " ");
    }
    text += "|\n";
  }
  return text;
}

}  // namespace rafter
