#include "tools/injection.h"

#include <unistd.h>

#include <filesystem>

namespace rafter {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libinject.so";
constexpr const char* kEntries[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};
constexpr const char* kNextTool = "RAFTER_NVTX_NEXT";

// Whether `value`, of an injection variable, leads to something that is not `library`.
bool NamesAnother(const std::string& value, const std::string& library) {
  if (value.empty() || value == "none" || value == kLibrary || value == library) return false;
  std::error_code ignored;
  return !fs::equivalent(value, library, ignored);
}

bool IsOurs(const std::string& value) { return fs::path(value).filename() == kLibrary; }

}  // namespace

Result<std::string> FindOwnLibrary(const std::string& name) {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    return Status::Failed("/proc/self/exe: cannot be read (" + error.message() +
                          "); mount /proc, " + name + " is found beside the executable");
  }
  const fs::path folder = executable.parent_path();
  std::string tried;
  for (const fs::path& candidate : {folder / ".." / "lib" / name,
                                    folder / ".." / RAFTER_INSTALL_LIBDIR / name, folder / name}) {
    const fs::path path = candidate.lexically_normal();
    if (fs::is_regular_file(path, error)) return path.string();
    const std::string text = path.string();
    if (tried.find(text) == std::string::npos) tried += (tried.empty() ? "" : ", ") + text;
  }
  return Status::Failed(name + ": not there (looked for " + tried +
                        "); build it or install Rafter again");
}

Result<std::string> FindInjectLibrary() { return FindOwnLibrary(kLibrary); }

InjectionPlan PlanInjection(const std::string& library, const Variables& environment) {
  InjectionPlan plan;
  for (const char* const variable : kEntries) {
    const std::string named = ValueOf(environment, variable);
    const bool is_other = NamesAnother(named, library);
    const bool is_nvtx = std::string_view(variable) == "NVTX_INJECTION64_PATH";
    // Without the CUDA entry regions still come through NVTX, and are counted where
    // that tool does not hold the counters itself. There is no way to call it as the
    // driver would.
    if (is_other && !is_nvtx && !IsOurs(named)) {
      plan.notes.push_back(std::string(variable) + ": already names " + named +
                           ", which stays; if it holds the GPU's counters, regions get times "
                           "only: unset it to count");
      continue;
    }
    plan.set[variable] = library;
    if (!is_other) continue;
    if (IsOurs(named)) {
      plan.notes.push_back(std::string(variable) + ": names " + named + ", of another Rafter; " +
                           library + " takes its place");
      continue;
    }
    plan.set[kNextTool] = named;
    plan.notes.push_back(std::string(variable) + ": already names " + named +
                         ", which sees the same calls: Rafter passes them on (" + kNextTool + ")");
  }
  return plan;
}

Variables WithoutInjection(Variables environment) {
  for (const char* const variable : kEntries) {
    if (IsOurs(ValueOf(environment, variable))) environment.erase(variable);
  }
  const std::string next = ValueOf(environment, kNextTool);
  if (!next.empty()) environment.try_emplace("NVTX_INJECTION64_PATH", next);
  return environment;
}

}  // namespace rafter
