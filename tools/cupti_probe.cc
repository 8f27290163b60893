#include "tools/cupti_probe.h"

#include <charconv>
#include <memory>

#include "cupti/host.h"
#include "cupti/sets.h"
#include "tools/apart.h"

namespace rafter {
namespace {

template <typename Number>
Number Parsed(const std::string& text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void AskCupti(const CuptiSearch& search, const ProbeReport& report) {
  Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(search);
  for (const CuptiCandidate& candidate : CuptiSearchTrace()) {
    report.Line({"candidate", candidate.path, candidate.origin, candidate.verdict});
  }
  if (!host.ok()) {
    report.Line({"trouble", host.status().message()});
    return;
  }
  report.Line({"used", (*host)->path(), std::to_string((*host)->version())});
  Result<std::vector<std::string>> chips = (*host)->Chips();
  if (!chips.ok()) {
    report.Line({"trouble", chips.status().message()});
    return;
  }
  for (const std::string& chip : *chips) report.Line({"chip", chip});
}

}  // namespace

CuptiAnswer ProbeCupti(const CuptiSearch& search) {
  const ProbeAnswer probe = RunApart([&](const ProbeReport& report) { AskCupti(search, report); });
  CuptiAnswer answer;
  for (const std::vector<std::string>& line : probe.lines) {
    if (line[0] == "candidate" && line.size() == 4) {
      answer.candidates.push_back({line[1], line[2], line[3]});
    }
    if (line[0] == "used" && line.size() == 3) {
      answer.path = line[1];
      answer.version = Parsed<uint32_t>(line[2]);
    }
    if (line[0] == "chip" && line.size() == 2) answer.chips.push_back(line[1]);
    if (line[0] == "trouble" && line.size() == 2) answer.trouble = line[1];
  }
  if (!probe.trouble.empty()) answer.trouble = "loading it failed: " + probe.trouble;
  return answer;
}

size_t ProbePlan(const CuptiSearch& search, const std::string& chip,
                 const std::vector<std::string>& sets, std::string& reason) {
  const ProbeAnswer probe = RunApart([&](const ProbeReport& report) {
    Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(search);
    if (!host.ok()) return report.Line({"trouble", host.status().message()});
    Result<ChosenPlan> plan = PlanSets(**host, chip, {}, sets);
    if (!plan.ok()) return report.Line({"trouble", plan.status().message()});
    report.Line({"passes", std::to_string(plan->configuration.passes)});
  });
  size_t passes = 0;
  for (const std::vector<std::string>& line : probe.lines) {
    if (line.size() != 2) continue;
    if (line[0] == "passes") passes = Parsed<size_t>(line[1]);
    if (line[0] == "trouble") reason = line[1];
  }
  if (!probe.trouble.empty()) reason = "planning failed: " + probe.trouble;
  return passes;
}

std::string CuptiVersionText(uint32_t version) {
  // cupti_version.h: 130001 is CUDA 13.0 with its first update; CUDA 12 and before count
  // their releases one by one.
  if (version < 100000) return "of CUDA 12 or before (" + std::to_string(version) + ")";
  std::string text = std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
  if (version % 100 != 0) text += " Update " + std::to_string(version % 100);
  return text + " (" + std::to_string(version) + ")";
}

int CuptiCudaMajor(uint32_t version) {
  return version < 100000 ? 0 : static_cast<int>(version / 10000);
}

std::string CudaVersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace rafter
