#include "tests/nvmarker/marked_run.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace rafter::survival {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::string LibraryPath(const std::string& name) { return RAFTER_BINARY_DIR "/lib/" + name; }

void GiveLikwid(ProgramRun& run, const std::string& folder) {
  const bool old = folder == "likwid-old";
  run.Set("LD_LIBRARY_PATH", FakesPath() + "/" + folder)
      .Set(old ? "LIKWID_GEVENTS" : "LIKWID_NVMON_EVENTS", kThreeEvents)
      .Set(old ? "LIKWID_GPUS" : "LIKWID_NVMON_GPUS", "0")
      .Set(old ? "LIKWID_GPUFILEPATH" : "LIKWID_NVMON_FILEPATH", run.folder() + "/marker");
}

void PutShimBefore(ProgramRun& run) {
  run.Set("LD_PRELOAD", LibraryPath("libnvmarker.so"))
      .Set("RAFTER_NVMARKER", "likwid")
      .Set("RAFTER_NVMARKER_RESULT", run.folder() + "/%p.result");
}

std::string PlaceBesideSink(const ProgramRun& run, const std::string& library,
                            const std::string& sink) {
  const std::string placed = run.folder() + "/" + library;
  fs::copy_file(LibraryPath(library), placed);
  if (!sink.empty()) {
    fs::copy_file(FakesPath() + "/" + sink + "/libinject.so", run.folder() + "/libinject.so");
  }
  return placed;
}

std::string SinkLog(const ProgramRun& run) { return ReadText(run.folder() + "/sink.log"); }

std::string MarkerText::Fact(const std::string& name) const {
  std::string found = "(none)";
  for (const auto& words : lines) {
    if (words.front() != name) continue;
    if (found != "(none)") return "(several)";
    found.clear();
    for (size_t at = 1; at < words.size(); ++at) found += (at == 1 ? "" : " ") + words[at];
  }
  return found;
}

std::map<std::string, double> MarkerText::Ratios(const std::map<std::string, double>& units) const {
  std::map<std::string, double> ratios;
  for (const auto& words : lines) {
    if (words.front() != "reading" || words.size() < 7 || !units.contains(words[1])) continue;
    const double done = units.at(words[1]) * kAddsPerUnit;
    const double reported = std::strtod(words[6].c_str(), nullptr);
    ratios[words[1]] = done == 0 ? reported : reported / done;
  }
  return ratios;
}

MarkerText ReadMarkerText(const ProgramRun& run) {
  MarkerText marker;
  const std::vector<std::string> files = run.FilesEndingIn(".result");
  if (files.size() != 1) return marker;
  marker.text = ReadText(files.front());
  std::istringstream lines(marker.text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    marker.lines.emplace_back();
    for (std::string word; words >> word;) marker.lines.back().push_back(word);
  }
  return marker;
}

}  // namespace rafter::survival
