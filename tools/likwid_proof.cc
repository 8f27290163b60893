#include "tools/likwid_proof.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "collector/ingest/scale_proof.h"
#include "collector/plan/likwid_events.h"
#include "tools/known_kernel.h"
#include "tools/message.h"

namespace rafter {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "rafter-known-kernel";

// It takes some seconds, most of them CUDA's start and the patching of kernels.
constexpr double kProofDeadline_s = 120;

// Bytes are those of the whole device, and others may move some. Instructions are the
// kernel's alone, and have one try.
constexpr int kTriesOfBytes = 3;

Result<std::string> FindKnownKernel() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  const fs::path path = executable.parent_path() / kProgram;
  if (!error && fs::is_regular_file(path, error)) return path.string();
  return Status::Failed(path.string() +
                        ": not there; install Rafter again, or give the factor with "
                        "--counter-scale N");
}

std::string FileText(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string HowItEnded(const Ending& ending) {
  if (ending.timed_out) return "was still at work after two minutes";
  if (ending.signal != 0) return "was ended by signal " + std::to_string(ending.signal);
  return "ended with status " + std::to_string(ending.exit_status);
}

// What LIKWID and the program itself say of the program's work with one group.
Result<ScaleProof> ProveGroup(const LikwidTarget& target, const std::string& program,
                              const LikwidGroup& group, const std::string& name,
                              const HeldSignals& signals, const std::vector<int>& inherited) {
  const std::string account = target.PathOf(name + ".truth");
  const Spawned spawned = Spawn({program, account}, target.EnvironmentOf(name, group), signals,
                                inherited, {true, true, false});
  if (spawned.error != 0) {
    return Status::Failed(program + ": cannot be started (" + ErrnoText(spawned.error) + ")");
  }
  const Ending ending = Await(spawned.pid, signals, kProofDeadline_s);
  const LikwidTarget::Written written = target.Read(name);
  if (ending.exit_status != 0) {
    return Status::Failed("the known kernel " + HowItEnded(ending) + "; what it said is above");
  }
  for (const std::string& trouble : written.troubles) return Status::Failed(trouble);
  if (written.results.size() != 1) {
    return Status::Failed("the known kernel left " +
                          CountText(written.results.size(), "result", "results") + ", not one");
  }
  for (const std::string& trouble : written.results[0].troubles) {
    return Status::Failed("LIKWID: " + trouble);
  }
  Result<std::vector<KnownAmount>> truth = ReadKnownAmounts(FileText(account));
  if (!truth.ok()) return truth.status();
  return ProveScale(*truth, group.events, written.results[0]);
}

bool CountsBytesAlone(const LikwidGroup& group) {
  return std::none_of(group.events.begin(), group.events.end(), CountsInstructions);
}

// `lines` says what came of tries that failed.
Result<ScaleProof> ProveInTries(const LikwidTarget& target, const std::string& program,
                                const LikwidGroup& group, const std::string& name,
                                const HeldSignals& signals, const std::vector<int>& inherited,
                                std::vector<std::string>& lines) {
  const int tries = CountsBytesAlone(group) ? kTriesOfBytes : 1;
  for (int number = 1;; ++number) {
    const std::string place = number == 1 ? name : name + "-" + std::to_string(number);
    Result<ScaleProof> proof = ProveGroup(target, program, group, place, signals, inherited);
    if (proof.ok() || number == tries) return proof;
    lines.push_back("counter scale: try " + std::to_string(number) + " of " +
                    std::to_string(tries) + ": " + proof.status().message());
  }
}

std::string ProofText(const LikwidGroup& group, const ScaleProof& proof) {
  char text[128];
  std::snprintf(text, sizeof(text), "%.9g over %zu readings, none farther than %.2g %% from %g",
                proof.mean, proof.compared, 100 * proof.worst_share, kKeptScale);
  return "counter scale: " + (group.title.empty() ? LikwidEventsText(group) : group.title) +
         ": true value / reading = " + text;
}

// The known kernel tells its own events; those of HFMA are none of them.
bool HasKnownEvent(const LikwidGroup& group) {
  return std::any_of(group.events.begin(), group.events.end(), [](const std::string& event) {
    if (event == kReadEvent) return true;
    return std::any_of(ArithmeticKernels().begin(), ArithmeticKernels().end(),
                       [&](const ArithmeticKernel& kernel) { return event == kernel.event; });
  });
}

}  // namespace

Result<LikwidScale> ProveLikwidScale(const LikwidTarget& target,
                                     const std::vector<LikwidGroup>& groups,
                                     const HeldSignals& signals,
                                     const std::vector<int>& inherited) {
  Result<std::string> program = FindKnownKernel();
  if (!program.ok()) return program.status();
  LikwidScale found;
  size_t compared = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!HasKnownEvent(groups[i])) {
      found.lines.push_back("counter scale: " + LikwidEventsText(groups[i]) +
                            ": the known kernel has none of these; the factor is that of the other "
                            "groups");
      continue;
    }
    Result<ScaleProof> proof =
        ProveInTries(target, *program, groups[i], "proof-" + std::to_string(i + 1), signals,
                     inherited, found.lines);
    if (!proof.ok()) return proof.status();
    found.lines.push_back(ProofText(groups[i], *proof));
    compared += proof->compared;
  }
  if (compared == 0) {
    return Status::Failed(
        "no group has an event of the known kernel's; add DRAM_BYTES_SUM in a "
        "group of its own");
  }
  found.scale = kKeptScale;
  return found;
}

}  // namespace rafter
