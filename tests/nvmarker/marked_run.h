// Runs of a program with LIKWID's markers, and the result file that one leaves.
//
//   Threads   one at a time.
//   Blocking  reads files.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/survival/program_run.h"

namespace rafter::survival {

std::string LibraryPath(const std::string& name);

inline constexpr const char* kThreeEvents =
    "SMSP_SASS_THREAD_INST_EXECUTED_OP_FADD_PRED_ON_SUM:GPU0,"
    "SMSP_SASS_THREAD_INST_EXECUTED_OP_FMUL_PRED_ON_SUM:GPU1,"
    "SMSP_SASS_THREAD_INST_EXECUTED_OP_FFMA_PRED_ON_SUM:GPU2";
inline constexpr double kAddsPerUnit = 524288;

// LIKWID's own variables, and the folder of the fake one ("likwid", "likwid-old").
void GiveLikwid(ProgramRun& run, const std::string& folder);

// The shim before it, in its second form, with a result file in the run's folder.
void PutShimBefore(ProgramRun& run);

// Copies the library into the run's folder, with a fake libinject.so beside it
// ("fake_inject", "fake_inject_other"; empty: none). Returns where it is.
std::string PlaceBesideSink(const ProgramRun& run, const std::string& library,
                            const std::string& sink);
std::string SinkLog(const ProgramRun& run);

// The words of each line that begins so.
using Lines = std::vector<std::vector<std::string>>;

struct MarkerText {
  std::string text;
  Lines lines;

  bool complete() const {
    return text.starts_with("rafter-nvmarker 1\n") && text.ends_with("\nend\n");
  }
  // The rest of the one line that begins so, or "(none)" or "(several)".
  std::string Fact(const std::string& name) const;
  // Reported first values over what was really done, by region.
  std::map<std::string, double> Ratios(const std::map<std::string, double>& units) const;
};

MarkerText ReadMarkerText(const ProgramRun& run);

}  // namespace rafter::survival
