#include "tools/needed_libraries.h"

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fstream>

#include "tools/message.h"

namespace rafter {
namespace {

using Clock = std::chrono::steady_clock;

// Program headers are few; a file that says otherwise is no program.
constexpr size_t kMostHeaders = 512;

bool IsProgram(const std::string& path) {
  struct stat found = {};
  return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

// The file that a word of a command names; empty: none.
std::string ProgramOf(const std::string& word, const std::string& search_path) {
  if (word.empty() || word.size() >= PATH_MAX) return "";
  if (word.find('/') != std::string::npos) return IsProgram(word) ? word : "";
  for (size_t start = 0; start <= search_path.size();) {
    const size_t end = std::min(search_path.find(':', start), search_path.size());
    const std::string folder = search_path.substr(start, end - start);
    const std::string path = (folder.empty() ? "." : folder) + "/" + word;
    if (IsProgram(path)) return path;
    start = end + 1;
  }
  return "";
}

// What glibc's loader prints in place of starting the program, where the variable
// kTrace is set. Its option --list would stop at the first library that is missing.
// Another loader may not know the variable and start the program.
constexpr const char* kTrace = "LD_TRACE_LOADED_OBJECTS";
constexpr const char* kLoaderOfGlibc = "ld-linux";

bool CanBeAsked(const std::string& loader) {
  return loader.substr(loader.rfind('/') + 1).starts_with(kLoaderOfGlibc);
}

// What the loader printed before `deadline`.
Result<std::string> AskLoader(const std::string& loader, const std::string& program,
                              const Variables& environment, Clock::time_point deadline) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Status::Failed("no pipe (" + ErrnoText(errno) + ")");
  std::vector<std::string> settings;
  for (const auto& [name, value] : environment) {
    // Would write what we did not ask for.
    const bool is_asked = !name.starts_with("LD_DEBUG") && name != kTrace;
    if (is_asked) settings.push_back(name + "=" + value);
  }
  settings.push_back(std::string(kTrace) + "=1");
  std::vector<char*> variables;
  for (std::string& setting : settings) variables.push_back(setting.data());
  variables.push_back(nullptr);
  std::string words[] = {loader, program};
  char* const arguments[] = {words[0].data(), words[1].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, loader.c_str(), &actions, nullptr, arguments, variables.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  bool ended = error != 0;
  while (!ended && text.size() < kMaxLoaderBytes) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) break;
    pollfd ready = {ends[0], POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(left)) <= 0) continue;
    char buffer[4096];
    const ssize_t count = read(ends[0], buffer, sizeof(buffer));
    if (count > 0) text.append(buffer, static_cast<size_t>(count));
    ended = count == 0 || (count < 0 && errno != EINTR);
  }
  close(ends[0]);
  if (error != 0) return Status::Failed("it cannot be started (" + ErrnoText(error) + ")");
  if (!ended) kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (ended) return text;
  return Status::Failed("it gave no answer within " + std::to_string(kLoaderPatience.count()) +
                        " ms");
}

// "\tNAME => not found" of what the loader prints.
std::vector<std::string> NotFound(const std::string& text, const std::string& prefix) {
  constexpr std::string_view kNotFound = " => not found";
  std::vector<std::string> names;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    std::string line = text.substr(start, end - start);
    start = end + 1;
    line.erase(0, line.find_first_not_of(" \t"));
    if (!line.starts_with(prefix) || !line.ends_with(kNotFound)) continue;
    line.resize(line.size() - kNotFound.size());
    if (line.find('/') == std::string::npos) names.push_back(line);
  }
  return names;
}

}  // namespace

std::string LoaderOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr start = {};
  file.read(reinterpret_cast<char*>(&start), sizeof(start));
  if (!file.good() || std::memcmp(start.e_ident, ELFMAG, SELFMAG) != 0 ||
      start.e_ident[EI_CLASS] != ELFCLASS64 || start.e_phentsize != sizeof(Elf64_Phdr) ||
      start.e_phnum > kMostHeaders) {
    return "";
  }
  file.seekg(static_cast<std::streamoff>(start.e_phoff));
  for (size_t i = 0; i < start.e_phnum; ++i) {
    Elf64_Phdr header = {};
    file.read(reinterpret_cast<char*>(&header), sizeof(header));
    if (!file.good()) return "";
    if (header.p_type != PT_INTERP) continue;
    if (header.p_filesz == 0 || header.p_filesz > PATH_MAX) return "";
    std::string name(header.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(header.p_offset));
    file.read(name.data(), static_cast<std::streamsize>(name.size()));
    return file.good() ? name.substr(0, name.find('\0')) : "";
  }
  return "";
}

NeededLibraries FindMissingLibraries(const std::vector<std::string>& command,
                                     const Variables& environment, const std::string& prefix) {
  const Clock::time_point deadline = Clock::now() + kLoaderPatience;
  const std::string own_loader = LoaderOf("/proc/self/exe");
  std::string search_path = ValueOf(environment, "PATH");
  if (search_path.empty()) search_path = "/bin:/usr/bin";  // as for execvp
  std::vector<std::string> programs;
  std::string first_loader;
  NeededLibraries needed;
  for (const std::string& word : command) {
    const bool is_first = &word == &command.front();
    const std::string program = ProgramOf(word, search_path);
    if (program.empty() || programs.size() >= kMostPrograms) continue;
    if (std::find(programs.begin(), programs.end(), program) != programs.end()) continue;
    const std::string loader = LoaderOf(program);
    if (is_first) first_loader = loader;
    // A later word may be data: a loader that only it names is not run.
    if (!is_first && loader != own_loader && loader != first_loader) continue;
    if (!CanBeAsked(loader)) continue;
    programs.push_back(program);
    const Result<std::string> answer = AskLoader(loader, program, environment, deadline);
    if (!answer.ok()) {
      needed.trouble = program + ": its loader was asked which libraries it lacks, and " +
                       answer.status().message();
      continue;
    }
    for (const std::string& library : NotFound(*answer, prefix)) {
      const bool is_known = std::any_of(
          needed.missing.begin(), needed.missing.end(),
          [&](const NeededLibraries::Missing& known) { return known.library == library; });
      if (!is_known) needed.missing.push_back({program, library});
    }
  }
  return needed;
}

}  // namespace rafter
