// `rafter doctor`: can counters be read here; if not, why, and what to do.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cupti/sets.h"
#include "tools/apart.h"
#include "tools/command_line.h"
#include "tools/cupti_probe.h"
#include "tools/driver_probe.h"
#include "tools/exit_status.h"
#include "tools/findings.h"
#include "tools/injection.h"
#include "tools/message.h"
#include "tools/private_folder.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

using Findings = std::vector<Finding>;

std::string FileText(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

void CheckDriver(const DriverAnswer& driver, Findings& findings) {
  const std::string module = KernelModuleVersion();
  const std::string kernel = module.empty()
                                 ? "no kernel module (/proc/driver/nvidia/version is not there)"
                                 : "kernel module " + module;
  if (driver.initialised) {
    findings.push_back(
        {Verdict::kOk, "driver",
         kernel + ", CUDA " + CudaVersionText(driver.cuda_version) + ", " + driver.path, ""});
    return;
  }
  const bool stub = driver.path.find("stubs") != std::string::npos;
  const std::string what = driver.loaded || !module.empty() ? "" : "no NVIDIA driver here: ";
  Finding finding{Verdict::kProblem, "driver", what + driver.trouble + "; " + kernel, ""};
  if (stub) {
    finding.remedy = "take the folder of " + driver.path +
                     " out of LD_LIBRARY_PATH: it is a stub for linking, not the driver";
  } else if (module.empty()) {
    finding.remedy =
        "run on a machine with an NVIDIA GPU and its driver (container: start it with "
        "--gpus all); without one, ingest, report, roofline and metrics work";
  } else {
    finding.remedy =
        "see that the user-space driver matches the kernel module (\"nvidia-smi\" "
        "tells) and that /dev/nvidia* can be opened";
  }
  findings.push_back(finding);
}

void CheckDevices(const DriverAnswer& driver, Findings& findings) {
  if (!driver.initialised) return;
  if (driver.devices.empty()) {
    findings.push_back({Verdict::kProblem, "devices", "the driver shows no GPU",
                        "look at CUDA_VISIBLE_DEVICES and at what the batch system gave"});
  }
  for (const DriverDevice& device : driver.devices) {
    findings.push_back({Verdict::kOk, "device",
                        device.name + ", " + device.uuid + ", compute capability " +
                            std::to_string(device.compute_major) + "." +
                            std::to_string(device.compute_minor),
                        ""});
  }
}

// "CUPTI (libcupti.so.13 or .12) was not found" under the heading "CUPTI".
std::string WithoutName(const std::string& trouble) {
  constexpr std::string_view kName = "CUPTI (";
  if (!trouble.starts_with(kName)) return trouble;
  std::string text = trouble.substr(kName.size());
  if (const size_t end = text.find(')'); end != std::string::npos) text.erase(end, 1);
  return text;
}

void CheckCupti(const CuptiAnswer& cupti, const DriverAnswer& driver, Findings& findings) {
  for (const CuptiCandidate& candidate : cupti.candidates) {
    const std::string& verdict = candidate.verdict;
    const bool is_plain =
        verdict.empty() || verdict == "used" || verdict == "not there" || verdict == "not mapped";
    if (is_plain) continue;
    findings.push_back({Verdict::kNote, "CUPTI",
                        candidate.path + " (" + candidate.origin + "): " + candidate.verdict, ""});
  }
  if (cupti.path.empty()) {
    findings.push_back(
        {Verdict::kProblem, "CUPTI", WithoutName(cupti.trouble),
         "install the CUDA toolkit or \"pip install nvidia-cuda-cupti\", or name the "
         "library in RAFTER_CUPTI_PATH"});
    return;
  }
  Finding finding{Verdict::kOk, "CUPTI",
                  CuptiVersionText(cupti.version) + ", " + cupti.path + ", " +
                      std::to_string(cupti.chips.size()) + " chips known",
                  ""};
  const int driver_major = driver.cuda_version / 1000;
  if (driver_major > 0 && CuptiCudaMajor(cupti.version) > driver_major) {
    finding.verdict = Verdict::kProblem;
    finding.text = CuptiVersionText(cupti.version) + " is newer than the driver (CUDA " +
                   CudaVersionText(driver.cuda_version) + "); " + cupti.path;
    finding.remedy = "update the driver, or name a CUPTI of CUDA " + std::to_string(driver_major) +
                     " in RAFTER_CUPTI_PATH";
  } else if (!cupti.trouble.empty()) {
    finding.verdict = Verdict::kProblem;
    finding.text += "; " + cupti.trouble;
    finding.remedy = "install libnvperf_host.so beside it: both come with the CUDA toolkit";
  }
  findings.push_back(finding);
}

// All the places, for -v.
std::string SearchText(const CuptiAnswer& cupti) {
  std::string text = "CUPTI was looked for at:\n";
  for (const CuptiCandidate& candidate : cupti.candidates) {
    const std::string verdict = candidate.verdict.empty() ? "not reached" : candidate.verdict;
    text += "         " + candidate.path + " (" + candidate.origin + "): " + verdict + "\n";
  }
  return text;
}

void CheckPlan(const CuptiAnswer& cupti, const DriverAnswer& driver, const CuptiSearch& search,
               Findings& findings) {
  if (cupti.chips.empty()) return;
  std::vector<std::string> planned;
  for (const DriverDevice& device : driver.devices) {
    std::string chip;
    for (const std::string& name : ChipsOfCompute(device.compute_major, device.compute_minor)) {
      const bool known =
          std::find(cupti.chips.begin(), cupti.chips.end(), name) != cupti.chips.end();
      if (chip.empty() && known) chip = name;
    }
    if (std::find(planned.begin(), planned.end(), chip) != planned.end()) continue;
    planned.push_back(chip);
    if (chip.empty()) {
      findings.push_back({Verdict::kProblem, "plan",
                          "this CUPTI knows no chip of compute capability " +
                              std::to_string(device.compute_major) + "." +
                              std::to_string(device.compute_minor) + " (" + device.name + ")",
                          "install a newer CUDA toolkit; Turing and later can be counted"});
      continue;
    }
    std::string reason;
    const size_t passes = ProbePlan(search, chip, DefaultSets(), reason);
    if (passes > 0) {
      findings.push_back(
          {Verdict::kOk, "plan",
           "default sets for chip " + chip + ": " + std::to_string(passes) + " passes", ""});
    } else {
      findings.push_back({Verdict::kProblem, "plan", "chip " + chip + ": " + reason,
                          "try \"rafter metrics --chip " + chip + " --plan time\""});
    }
  }
}

void CheckLibrary(Findings& findings) {
  Result<std::string> library = FindInjectLibrary();
  if (!library.ok()) {
    findings.push_back(
        {Verdict::kProblem, "library", library.status().message(),
         "build it: it needs the CUDA toolkit's CUPTI and NVTX headers (CUDA_HOME)"});
    return;
  }
  const ProbeAnswer probe = RunApart([&](const ProbeReport& report) {
    void* const handle = dlopen(library->c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return report.Line({"trouble", dlerror()});
    for (const char* name : {"InitializeInjection", "InitializeInjectionNvtx2"}) {
      if (dlsym(handle, name) == nullptr) {
        report.Line({"trouble", std::string("it has no ") + name});
      }
    }
  });
  std::string trouble = probe.trouble.empty() ? "" : "loading it failed: " + probe.trouble;
  if (!probe.lines.empty() && probe.lines[0].size() == 2) trouble = probe.lines[0][1];
  if (trouble.empty()) {
    findings.push_back({Verdict::kOk, "library", *library, ""});
  } else {
    findings.push_back({Verdict::kProblem, "library", *library + ": " + trouble,
                        "install Rafter again, built for this system"});
  }
}

// Tools that would take the injection entry, the counters or both.
void CheckOtherTools(const Variables& variables, Findings& findings) {
  Result<std::string> library = FindInjectLibrary();
  const InjectionPlan plan = PlanInjection(library.ok() ? *library : "", variables);
  for (const std::string& note : plan.notes) {
    const bool is_cuda = note.starts_with("CUDA_");
    findings.push_back({is_cuda ? Verdict::kProblem : Verdict::kNote, "other tools", note,
                        is_cuda ? "unset CUDA_INJECTION64_PATH" : ""});
  }
  for (const auto& [name, value] : variables) {
    const bool is_other = name.starts_with("NSYS_") || name.starts_with("NV_COMPUTE_PROFILER") ||
                          name.starts_with("NV_NSIGHT") || name.starts_with("NV_TPS") ||
                          name == "COMPUTE_PROFILE" || name == "CUDBG_USE_LEGACY_DEBUGGER";
    if (!is_other) continue;
    findings.push_back({Verdict::kNote, "other tools",
                        name + " is set: another profiler may hold the counters", ""});
  }
}

void CheckSurroundings(const Variables& variables, Findings& findings) {
  std::string pipes = ValueOf(variables, "CUDA_MPS_PIPE_DIRECTORY");
  if (pipes.empty()) pipes = "/tmp/nvidia-mps";  // NVIDIA's default
  if (Exists(pipes + "/control")) {
    findings.push_back({Verdict::kProblem, "MPS",
                        "its daemon is at " + pipes + ", and CUPTI cannot count under MPS",
                        "stop it (echo quit | nvidia-cuda-mps-control), or run the program with "
                        "CUDA_MPS_PIPE_DIRECTORY naming an empty folder"});
  }
  if (ValueOf(variables, "CUDA_VISIBLE_DEVICES").find("MIG-") != std::string::npos) {
    findings.push_back({Verdict::kNote, "MIG",
                        "a slice is chosen; counters of shared units (DRAM, L2) are missing there",
                        ""});
  }
  if (FileText("/proc/version").find("icrosoft") != std::string::npos || Exists("/dev/dxg")) {
    findings.push_back(
        {Verdict::kNote, "WSL",
         "the Windows driver decides who may count: NVIDIA Control Panel, Developer, "
         "Manage GPU Performance Counters",
         ""});
  }
  const std::string groups = FileText("/proc/1/cgroup");
  const bool container = Exists("/.dockerenv") || Exists("/run/.containerenv") ||
                         groups.find("docker") != std::string::npos ||
                         groups.find("kubepods") != std::string::npos ||
                         groups.find("containerd") != std::string::npos;
  if (container) {
    findings.push_back({Verdict::kNote, "container",
                        "this is one: the GPU and capabilities are what it was given", ""});
  }
}

void CheckRuntimeFolder(const Variables& variables, Findings& findings) {
  Result<PrivateFolder> folder = PrivateFolder::Make(variables);
  if (folder.ok()) {
    const std::string& path = folder->path();
    findings.push_back(
        {Verdict::kOk, "sockets", path.substr(0, path.find_last_of('/')) + " can hold them", ""});
  } else {
    findings.push_back({Verdict::kProblem, "sockets", folder.status().message(),
                        "make XDG_RUNTIME_DIR a folder that you may write to"});
  }
}

int Conclude(const Findings& findings) {
  const size_t problems = CountProblems(findings);
  if (problems == 0) {
    return Print("counters can be read here\n") ? kDone : kIncomplete;
  }
  std::string about;
  for (const Finding& finding : findings) {
    if (finding.verdict != Verdict::kProblem) continue;
    if (!about.empty()) about += ", ";
    about += finding.about;
  }
  Print("counters cannot be read here: " + CountText(problems, "problem", "problems") + " (" +
        about + "), see above\n");
  return kIncomplete;
}

}  // namespace

int VerbDoctor(Words words) {
  bool verbose = false;
  CommandLine line({"doctor", "Can counters be read here; if not, why, and what to do.",
                    "[options]", "  rafter doctor"});
  line.Flag("-v,--verbose", &verbose, "Also list every place where CUPTI was looked for");
  if (const auto status = line.Parse(words); status.has_value()) return *status;

  const Variables variables = CurrentVariables();
  const CuptiSearch search = CuptiSearchOf(variables);
  const DriverAnswer driver = ProbeDriver();
  const CuptiAnswer cupti = ProbeCupti(search);
  Findings findings;
  CheckDriver(driver, findings);
  CheckDevices(driver, findings);
  if (driver.initialised) {
    findings.push_back(
        CheckRights(FileText("/proc/driver/nvidia/params"), FileText("/proc/self/status")));
  } else {
    Finding rights = CheckRights("", FileText("/proc/self/status"));
    rights.text = rights.text.substr(rights.text.find("; ") + 2);
    findings.push_back(rights);
  }
  CheckCupti(cupti, driver, findings);
  CheckPlan(cupti, driver, search, findings);
  CheckLibrary(findings);
  CheckOtherTools(variables, findings);
  CheckSurroundings(variables, findings);
  CheckRuntimeFolder(variables, findings);
  for (const std::string& unknown : UnknownVariables(variables)) {
    findings.push_back({Verdict::kNote, "variables", unknown, ""});
  }
  if (!Print(ToText(findings))) return kIncomplete;
  if ((verbose || cupti.path.empty()) && !Print(SearchText(cupti))) return kIncomplete;
  return Conclude(findings);
}

}  // namespace rafter
