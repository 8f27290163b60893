#include "tools/likwid_target.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>
#include <utility>

#include "tools/injection.h"

namespace rafter {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libnvmarker.so";
constexpr const char* kResultEnd = ".result";

// `first` in front of a list of paths that is there.
void PutInFront(Variables& variables, const char* name, const std::string& first) {
  std::string& list = variables[name];
  list = list.empty() ? first : first + ":" + list;
}

// LD_PRELOAD without a marker library that is there already.
std::string WithoutMarkerLibrary(const std::string& preload) {
  std::string kept;
  std::string word;
  for (const char c : preload + ":") {
    if (c != ':' && c != ' ') {
      word += c;
      continue;
    }
    if (!word.empty() && fs::path(word).filename() != kLibrary) {
      kept += (kept.empty() ? "" : ":") + word;
    }
    word.clear();
  }
  return kept;
}

// LIKWID's list of GPUs, as it reads it.
std::string GpusText(const std::vector<unsigned>& gpus) {
  std::string text;
  for (const unsigned gpu : gpus) text += (text.empty() ? "" : ",") + std::to_string(gpu);
  return text;
}

Result<MarkerResult> ReadResult(const fs::path& path) {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(path, error);
  if (error) return Status::Failed("cannot be read (" + error.message() + ")");
  if (bytes > kMaxMarkerResultBytes) return Status::Failed("is too large to be a result");
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return ReadMarkerResult(text.str());
}

}  // namespace

Result<LikwidTarget> LikwidTarget::Make(const RunRequest& request, const Variables& variables) {
  Result<std::string> library = FindOwnLibrary(kLibrary);
  if (!library.ok()) return library.status();
  Result<PrivateFolder> folder = PrivateFolder::Make(variables);
  if (!folder.ok()) return folder.status();
  // Ours would hold the counters that LIKWID needs.
  Variables target = WithoutInjection(variables);
  // Ours to read, once: a `rafter run` inside this one has files of its own.
  target.erase("RAFTER_OUTPUT");
  target["LD_PRELOAD"] = WithoutMarkerLibrary(ValueOf(target, "LD_PRELOAD"));
  PutInFront(target, "LD_PRELOAD", *library);
  target["RAFTER_NVMARKER"] = "likwid";
  if (request.quiet) target["RAFTER_QUIET"] = "1";
  for (const char* name : {"LIKWID_NVMON_GPUS", "LIKWID_GPUS"}) {
    target[name] = GpusText(request.likwid.gpus);
  }
  if (const auto& likwid = request.likwid.library.value; likwid.has_value()) {
    target["RAFTER_LIKWID_PATH"] = *likwid;
    // For a program that links it without a path of its own.
    const fs::path path = *likwid;
    PutInFront(target, "LD_LIBRARY_PATH",
               fs::is_directory(path) ? path.string() : path.parent_path().string());
  }
  return LikwidTarget(std::move(*folder), std::move(target));
}

Variables LikwidTarget::EnvironmentOf(const std::string& name, const LikwidGroup& group) const {
  Variables environment = environment_;
  environment["RAFTER_NVMARKER_RESULT"] = PathOf(name + ".%p" + kResultEnd);
  for (const char* variable : {"LIKWID_NVMON_EVENTS", "LIKWID_GEVENTS"}) {
    environment[variable] = LikwidEventsText(group);
  }
  // LIKWID does not start without; nobody reads it.
  for (const char* variable : {"LIKWID_NVMON_FILEPATH", "LIKWID_GPUFILEPATH"}) {
    environment[variable] = PathOf(name + ".marker");
  }
  return environment;
}

LikwidTarget::Written LikwidTarget::Read(const std::string& name) const {
  Written written;
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_.path(), error)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(name + ".") && file.ends_with(kResultEnd)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    Result<MarkerResult> result = ReadResult(path);
    if (result.ok()) {
      written.results.push_back(*std::move(result));
      continue;
    }
    const std::string file = path.filename().string();
    const std::string pid = file.substr(
        name.size() + 1, file.size() - name.size() - 1 - std::string(kResultEnd).size());
    written.troubles.push_back("what LIKWID counted in process " + pid + " " +
                               result.status().message());
  }
  std::sort(written.results.begin(), written.results.end(),
            [](const MarkerResult& a, const MarkerResult& b) {
              return std::tie(a.start_ticks, a.pid) < std::tie(b.start_ticks, b.pid);
            });
  return written;
}

}  // namespace rafter
