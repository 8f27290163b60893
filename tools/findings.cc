#include "tools/findings.h"

#include <algorithm>
#include <cstdlib>

#include "collector/store/utf8.h"

namespace rafter {
namespace {

// Numbers of capabilities, from linux/capability.h.
constexpr int kSysAdmin = 21;
constexpr int kPerfmon = 38;

bool Has(uint64_t set, int capability) { return (set >> capability & 1) != 0; }

// The text after "NAME:" on its line, or empty.
std::string Field(const std::string& text, const std::string& name) {
  const std::string key = name + ":";
  size_t start = text.starts_with(key) ? 0 : text.find("\n" + key);
  if (start == std::string::npos) return "";
  start = text.find(':', start) + 1;
  const std::string line = text.substr(start, text.find('\n', start) - start);
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos ? "" : line.substr(first);
}

std::string CapabilityText(const char* name, int capability, uint64_t effective,
                           uint64_t bounding) {
  std::string text = std::string(name) + " ";
  if (Has(effective, capability)) return text + "effective";
  return text + (Has(bounding, capability) ? "not effective (but in the bounding set)"
                                           : "outside the bounding set");
}

constexpr const char* kVerdicts[] = {"ok     ", "note   ", "problem"};

}  // namespace

uint64_t CapabilitySet(const std::string& proc_status, const std::string& name) {
  return std::strtoull(Field(proc_status, name).c_str(), nullptr, 16);
}

Finding CheckRights(const std::string& driver_parameters, const std::string& proc_status) {
  const uint64_t effective = CapabilitySet(proc_status, "CapEff");
  const uint64_t bounding = CapabilitySet(proc_status, "CapBnd");
  const std::string capabilities = CapabilityText("CAP_SYS_ADMIN", kSysAdmin, effective, bounding) +
                                   ", " +
                                   CapabilityText("CAP_PERFMON", kPerfmon, effective, bounding);
  Finding finding{Verdict::kOk, "rights", "", ""};
  const std::string restricted = Field(driver_parameters, "RmProfilingAdminOnly");
  if (restricted.empty()) {
    finding.verdict = Verdict::kNote;
    finding.text =
        "/proc/driver/nvidia/params does not say whether counters are for "
        "administrators only; " +
        capabilities;
    return finding;
  }
  if (restricted == "0") {
    finding.text = "counters are open to every user (RmProfilingAdminOnly: 0); " + capabilities;
    return finding;
  }
  finding.text = "counters are for administrators only (RmProfilingAdminOnly: " + restricted +
                 " in /proc/driver/nvidia/params); " + capabilities;
  if (Has(effective, kSysAdmin) || Has(effective, kPerfmon)) return finding;
  finding.verdict = Verdict::kProblem;
  finding.remedy =
      "let the administrator set \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" in "
      "/etc/modprobe.d and load the driver again, or run with CAP_PERFMON or CAP_SYS_ADMIN "
      "(container: --cap-add=PERFMON or --cap-add=SYS_ADMIN)";
  return finding;
}

std::vector<std::string> ChipsOfCompute(int major, int minor) {
  switch (major * 10 + minor) {
    case 75:
      return {"TU102", "TU104", "TU106", "TU116", "TU117"};
    case 80:
      return {"GA100"};
    case 86:
      return {"GA102", "GA103", "GA104", "GA106", "GA107"};
    case 87:
      return {"GA10B"};
    case 89:
      return {"AD102", "AD103", "AD104", "AD106", "AD107"};
    case 90:
      return {"GH100"};
    case 100:
      return {"GB100"};
    case 103:
      return {"GB110"};
    case 120:
      return {"GB202", "GB203", "GB205", "GB206", "GB207"};
    case 121:
      return {"GB20B"};
    default:
      return {};
  }
}

std::string ToText(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += std::string(kVerdicts[static_cast<int>(finding.verdict)]) + "  " + finding.about +
            ": " + OneLine(finding.text) + "\n";
    if (!finding.remedy.empty()) text += "         do: " + OneLine(finding.remedy) + "\n";
  }
  return text;
}

size_t CountProblems(const std::vector<Finding>& findings) {
  return static_cast<size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [](const Finding& finding) { return finding.verdict == Verdict::kProblem; }));
}

}  // namespace rafter
