#include "cupti/library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace rafter {
namespace {

namespace fs = std::filesystem;

// Newest first: CUPTI 13 counts what 12 does, and more chips.
constexpr const char* kSonames[] = {"libcupti.so.13", "libcupti.so.12"};

// Below the folder of a toolkit, in the order in which NVIDIA used them.
constexpr const char* kToolkitFolders[] = {"extras/CUPTI/lib64", "lib64", "lib",
                                           "targets/x86_64-linux/lib"};

void Add(std::vector<CuptiCandidate>& list, const fs::path& path, const char* origin) {
  const std::string text = path.string();
  const bool known = std::any_of(list.begin(), list.end(), [&](const CuptiCandidate& candidate) {
    return candidate.path == text && candidate.origin == origin;
  });
  if (!known) list.push_back({text, origin, ""});
}

void AddFolder(std::vector<CuptiCandidate>& list, const fs::path& folder, const char* origin) {
  for (const char* soname : kSonames) Add(list, folder / soname, origin);
}

// Folders of the libraries that this process has mapped and whose file name
// begins with `prefix`.
std::vector<fs::path> MappedFolders(const char* prefix) {
  struct Search {
    const char* prefix;
    std::vector<fs::path> folders;
  } search{prefix, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* found = static_cast<Search*>(data);
        const fs::path path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        if (path.filename().string().starts_with(found->prefix)) {
          found->folders.push_back(path.parent_path());
        }
        return 0;
      },
      &search);
  return search.folders;
}

// pip puts CUPTI beside the CUDA runtime: nvidia/cuda_runtime/lib and
// nvidia/cuda_cupti/lib, or nvidia/cu13/lib for both.
void AddBesideRuntime(std::vector<CuptiCandidate>& list) {
  for (const fs::path& folder : MappedFolders("libcudart.so")) {
    AddFolder(list, folder, "beside the CUDA runtime");
    AddFolder(list, folder / "../extras/CUPTI/lib64", "beside the CUDA runtime");
    AddFolder(list, folder / "../../cuda_cupti/lib", "pip's nvidia/cuda_cupti");
  }
}

void AddPip(std::vector<CuptiCandidate>& list) {
  for (const fs::path& folder : MappedFolders("libtorch")) {
    const fs::path packages = folder / "../..";
    AddFolder(list, packages / "nvidia/cu13/lib", "pip's nvidia/cuda_cupti");
    AddFolder(list, packages / "nvidia/cuda_cupti/lib", "pip's nvidia/cuda_cupti");
  }
}

}  // namespace

std::vector<CuptiCandidate> CuptiCandidates(const CuptiSearch& search) {
  std::vector<CuptiCandidate> list;
  if (search.reuse_mapped) {
    for (const char* soname : kSonames) Add(list, soname, "already mapped");
  }
  if (!search.override_path.empty()) {
    std::error_code ignored;
    if (fs::is_directory(search.override_path, ignored)) {
      AddFolder(list, search.override_path, "RAFTER_CUPTI_PATH");
    } else {
      Add(list, search.override_path, "RAFTER_CUPTI_PATH");
    }
    return list;
  }
  AddBesideRuntime(list);
  if (!search.cuda_home.empty()) {
    for (const char* folder : kToolkitFolders) {
      AddFolder(list, fs::path(search.cuda_home) / folder, "the toolkit in CUDA_HOME");
    }
  }
  for (const char* toolkit : {"/usr/local/cuda", "/usr/local/cuda-13.0", "/opt/cuda"}) {
    for (const char* folder : kToolkitFolders) {
      AddFolder(list, fs::path(toolkit) / folder, "the toolkit");
    }
  }
  AddPip(list);
  for (const char* soname : kSonames) Add(list, soname, "ld.so");
  return list;
}

}  // namespace rafter
