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
  const std::string cuda = ValueOf(environment, "CUDA_INJECTION64_PATH");
  if (NamesAnotherTool(cuda, library)) {
    plan.counters = false;
    plan.notes.push_back("CUDA_INJECTION64_PATH: already names " + cuda +
                         ", so that tool is loaded and counters are off; unset it to count");
  } else {
    plan.set["CUDA_INJECTION64_PATH"] = library;
  }
  const std::string nvtx = ValueOf(environment, "NVTX_INJECTION64_PATH");
  plan.set["NVTX_INJECTION64_PATH"] = library;
  if (NamesAnotherTool(nvtx, library)) {
    plan.set["RAFTER_NVTX_CHAIN"] = nvtx;
    plan.notes.push_back("NVTX_INJECTION64_PATH: already names " + nvtx +
                         ", which is called as well");
  }
  return plan;
}

}  // namespace rafter
