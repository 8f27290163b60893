// rafter-cases tells one story of regions and known work and prints what was
// done as JSON, for check_cases.py to hold a Rafter report against.
#include <cstdio>
#include <string>
#include <vector>

#include "tests/gpu/cases.h"
#include "tests/gpu/cuda_check.h"
#include "tests/gpu/options.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-cases --case NAME [options]\n"
    "  --list           names of the cases, and what they do\n"
    "  --instances N    passes through each region (default 20)\n"
    "  --seconds N      length of cases that last a given time (default 5)\n"
    "  --names N        regions of case `names` (default 10000)\n"
    "  --truth FILE     writes the truth there instead of to standard output\n";

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const auto& list :
       {NestingCases(), ThreadCases(), LaunchCases(), TrafficCases(), LastingCases()}) {
    cases.insert(cases.end(), list.begin(), list.end());
  }
  return cases;
}

int RunCase(const Case& story, const CaseSettings& settings, const std::string& truth_file) {
  cudaDeviceProp device{};
  if (!story.starts_cuda) device = RequireDevice();
  Tally tally;
  const std::string facts = story.run(settings, tally);
  Check(cudaDeviceSynchronize(), "waiting for the case");
  Check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  WriteText(tally.ToJson("rafter-cases", device, facts), truth_file);
  return 0;
}

int Main(int argc, char** argv) {
  CaseSettings settings;
  std::string name;
  std::string truth_file;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--case")) {
      name = options.Value();
    } else if (options.Is("--instances")) {
      settings.instances = options.Number();
    } else if (options.Is("--seconds")) {
      settings.seconds = options.Number();
    } else if (options.Is("--names")) {
      settings.names = options.Number();
    } else if (options.Is("--truth")) {
      truth_file = options.Value();
    } else if (options.Is("--list")) {
      for (const Case& story : AllCases()) {
        std::printf("%-16s %s\n", story.name, story.description);
      }
      return 0;
    } else {
      options.Unknown();
    }
  }
  for (const Case& story : AllCases()) {
    if (name == story.name) return RunCase(story, settings, truth_file);
  }
  std::fprintf(stderr, "\"%s\" is not a case; rafter-cases --list names them\n%s", name.c_str(),
               kUsage);
  return 2;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
