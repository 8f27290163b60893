#include "tools/batch_programs.h"

#include <elf.h>
#include <regex.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string_view>

#include "tools/message.h"

namespace rafter {
namespace {

namespace fs = std::filesystem;

// What only Google Benchmark has: the name of its option in a program that holds the
// library, else the library among those that the program needs, or its functions.
constexpr std::string_view kBenchmarkMarks[] = {"benchmark_out_format", "libbenchmark",
                                                "_ZN9benchmark10Initialize"};
constexpr size_t kBlockBytes = 1 << 20;

class Patterns {
 public:
  static Result<Patterns> Make(const char* option, const std::vector<std::string>& texts) {
    Patterns patterns;
    for (const std::string& text : texts) {
      auto expression = std::make_unique<regex_t>();
      const int error = regcomp(expression.get(), text.c_str(), REG_EXTENDED | REG_NOSUB);
      if (error != 0) {
        char why[256];
        regerror(error, expression.get(), why, sizeof(why));
        return Status::Failed(std::string(option) + " " + text + ": no regular expression (" + why +
                              "); it is an extended one, as of grep -E");
      }
      patterns.expressions_.emplace_back(expression.release());
    }
    return patterns;
  }
  bool Match(const std::string& name) const {
    return std::any_of(expressions_.begin(), expressions_.end(), [&](const auto& expression) {
      return regexec(expression.get(), name.c_str(), 0, nullptr, 0) == 0;
    });
  }

 private:
  struct Free {
    void operator()(regex_t* expression) const {
      regfree(expression);
      delete expression;
    }
  };
  std::vector<std::unique_ptr<regex_t, Free>> expressions_;
};

struct Selection {
  Patterns wanted;
  Patterns excluded;
  bool Match(const std::string& name) const { return wanted.Match(name) && !excluded.Match(name); }
};

Result<Selection> SelectionOf(const BatchRequest& request) {
  Result<Patterns> wanted = Patterns::Make("--regex", request.patterns);
  if (!wanted.ok()) return wanted.status();
  Result<Patterns> excluded = Patterns::Make("--exclude", request.excluded);
  if (!excluded.ok()) return excluded.status();
  return Selection{std::move(*wanted), std::move(*excluded)};
}

bool HasInterpreter(std::ifstream& file, const Elf64_Ehdr& header) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment = {};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof(segment)));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof(segment))) return false;
    if (segment.p_type == PT_INTERP) return true;
  }
  return false;
}

// A script, or what the kernel starts as a program; a shared library is executable
// too, but has no interpreter.
bool IsProgram(const fs::path& path) {
  if (access(path.c_str(), X_OK) != 0) return false;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header = {};
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  const auto bytes = static_cast<size_t>(file.gcount());
  if (bytes >= 2 && header.e_ident[0] == '#' && header.e_ident[1] == '!') return true;
  const std::string_view magic(reinterpret_cast<const char*>(header.e_ident), SELFMAG);
  if (bytes < sizeof(header) || magic != ELFMAG) return false;
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return true;
  return header.e_type == ET_EXEC || (header.e_type == ET_DYN && HasInterpreter(file, header));
}

bool HasBenchmarkMark(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string block;
  size_t kept = 0;  // of the block before, where a mark may begin
  while (true) {
    block.resize(kept + kBlockBytes);
    file.read(block.data() + kept, kBlockBytes);
    const auto read = static_cast<size_t>(file.gcount());
    if (read == 0) return false;
    block.resize(kept + read);
    for (const std::string_view mark : kBenchmarkMarks) {
      if (block.find(mark) != std::string::npos) return true;
    }
    kept = std::min<size_t>(block.size(), 64);
    block.erase(0, block.size() - kept);
  }
}

// Programs below one folder. Links to files are followed, so a program may be met twice;
// its own name then goes before that of a link.
void Search(const fs::path& folder, const Selection& selection,
            std::map<std::string, std::string>& found, std::vector<std::string>& notes) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) {
    notes.push_back(folder.string() + ": not searched (" + error.message() + "); check its rights");
    return;
  }
  for (; entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path& path = entries->path();
    std::error_code unknown;
    if (entries->is_directory(unknown)) {
      if (entries->is_symlink(unknown) || path.filename() == "CMakeFiles") continue;
      Search(path, selection, found, notes);
    } else if (entries->is_regular_file(unknown) && selection.Match(path.filename().string()) &&
               IsProgram(path)) {
      const auto [known, is_new] =
          found.emplace(fs::canonical(path, unknown).string(), path.string());
      if (!is_new && !entries->is_symlink(unknown)) known->second = path.string();
    }
    if (error) break;
  }
  if (error) notes.push_back(folder.string() + ": searched in part (" + error.message() + ")");
}

Status NothingMatches(const BatchRequest& request, const std::string& what,
                      const std::string& where) {
  std::string text = "--regex";
  for (const std::string& pattern : request.patterns) text += " " + pattern;
  return Status::Failed(text + ": no " + what + " below " + where + " matches" +
                        (request.excluded.empty() ? "" : " and is not excluded") +
                        "; check the folder and the expression");
}

bool IsBelow(const fs::path& folder, const fs::path& top) {
  std::error_code unknown;
  const fs::path place = fs::absolute(folder, unknown)
                             .lexically_normal()
                             .lexically_relative(fs::absolute(top, unknown).lexically_normal());
  return !place.empty() && *place.begin() != "..";
}

Result<std::vector<fs::path>> FoldersOf(const BatchRequest& request) {
  std::vector<fs::path> folders;
  const fs::path build(*request.build_dir.value);
  if (request.paths.empty()) folders.push_back(build);
  for (const std::string& path : request.paths) folders.push_back(build / path);
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (!IsBelow(folder, build)) {
      return Status::Failed("--path " + folder.string() + ": is not below --build-dir " +
                            build.string() + "; give a folder inside it");
    }
    if (fs::is_directory(folder, error)) continue;
    return Status::Failed((request.paths.empty() ? "--build-dir " : "--path ") + folder.string() +
                          ": no folder" + (error ? " (" + error.message() + ")" : "") +
                          "; give one that is there");
  }
  return folders;
}

}  // namespace

Result<std::vector<BatchProgram>> FindPrograms(const BatchRequest& request,
                                               std::vector<std::string>& notes) {
  Result<Selection> selection = SelectionOf(request);
  if (!selection.ok()) return selection.status();
  Result<std::vector<fs::path>> folders = FoldersOf(request);
  if (!folders.ok()) return folders.status();
  std::map<std::string, std::string> found;  // real path -> path as found
  for (const fs::path& folder : *folders) Search(folder, *selection, found, notes);
  if (found.empty()) return NothingMatches(request, "program", *request.build_dir.value);
  std::vector<BatchProgram> programs;
  programs.reserve(found.size());
  for (const auto& [real, path] : found) {
    programs.push_back({path, fs::path(path).filename().string(), HasBenchmarkMark(path)});
  }
  std::sort(programs.begin(), programs.end(),
            [](const auto& one, const auto& other) { return one.path < other.path; });
  std::map<std::string, std::string> paths;
  for (const BatchProgram& program : programs) {
    const auto [other, is_new] = paths.emplace(program.name, program.path);
    if (is_new) continue;
    return Status::Failed(program.name + ": is there twice, " + other->second + " and " +
                          program.path +
                          ", and both reports would be one file; choose one with --path");
  }
  return programs;
}

Result<std::vector<BatchProgram>> FindReported(const BatchRequest& request) {
  Result<Selection> selection = SelectionOf(request);
  if (!selection.ok()) return selection.status();
  std::error_code error;
  fs::directory_iterator entries(*request.report_dir.value, error);
  if (error) {
    return Status::Failed("--report-dir " + *request.report_dir.value + ": cannot be read (" +
                          error.message() + "); --skip-profile needs reports that are there");
  }
  std::vector<BatchProgram> programs;
  for (const fs::directory_entry& entry : entries) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(kReportEnding) || name.ends_with(kFailedEnding)) continue;
    name.resize(name.size() - std::string_view(kReportEnding).size());
    if (!name.empty() && selection->Match(name)) programs.push_back({"", name, false});
  }
  if (programs.empty()) return NothingMatches(request, "report", *request.report_dir.value);
  std::sort(programs.begin(), programs.end(),
            [](const auto& one, const auto& other) { return one.name < other.name; });
  return programs;
}

}  // namespace rafter
