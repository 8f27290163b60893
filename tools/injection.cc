#include "tools/injection.h"

#include <unistd.h>

#include <filesystem>

namespace rafter {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libinject.so";

// Whether `value`, of an injection variable, leads to a tool that is not us.
bool NamesAnotherTool(const std::string& value, const std::string& library) {
  if (value.empty() || value == "none" || value == kLibrary || value == library) return false;
  std::error_code ignored;
  return !fs::equivalent(value, library, ignored);
}

}  // namespace

Result<std::string> FindInjectLibrary() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    return Status::Failed("/proc/self/exe: cannot be read (" + error.message() +
                          "); mount /proc, libinject.so is found beside the executable");
  }
  const fs::path folder = executable.parent_path();
  std::string tried;
  for (const fs::path& candidate :
       {folder / ".." / "lib" / kLibrary, folder / ".." / RAFTER_INSTALL_LIBDIR / kLibrary,
        folder / kLibrary}) {
    const fs::path path = candidate.lexically_normal();
    if (fs::is_regular_file(path, error)) return path.string();
    const std::string text = path.string();
    if (tried.find(text) == std::string::npos) tried += (tried.empty() ? "" : ", ") + text;
  }
  return Status::Failed("libinject.so: not there (looked for " + tried +
                        "); build it or install Rafter again");
}

InjectionPlan PlanInjection(const std::string& library, const Variables& environment) {
  InjectionPlan plan;
  const auto name_us = [&](const char* variable, const std::string& what_then) {
    const std::string named = ValueOf(environment, variable);
    if (!NamesAnotherTool(named, library)) {
      plan.set[variable] = library;
      return true;
    }
    plan.notes.push_back(std::string(variable) + ": already names " + named + ", which stays; " +
                         what_then);
    return false;
  };
  // Without the CUDA entry regions still come through NVTX, and are counted where
  // that tool does not hold the counters itself.
  name_us("CUDA_INJECTION64_PATH",
          "if it holds the GPU's counters, regions get times only: unset it to count");
  plan.counters =
      name_us("NVTX_INJECTION64_PATH", "no NVTX region reaches Rafter then: unset it to count");
  return plan;
}

}  // namespace rafter
