#include "tools/apart.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "collector/store/utf8.h"
#include "tools/message.h"

namespace rafter {
namespace {

using Clock = std::chrono::steady_clock;

// Fields are parted by tabs, lines by newlines; OneLine takes both out of them.
std::vector<std::vector<std::string>> TakeApart(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  size_t start = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    std::vector<std::string> fields;
    for (size_t tab = text.find('\t', start); tab < end; tab = text.find('\t', start)) {
      fields.push_back(text.substr(start, tab - start));
      start = tab + 1;
    }
    fields.push_back(text.substr(start, end - start));
    lines.push_back(std::move(fields));
    start = end + 1;
  }
  return lines;
}

// Everything that comes out of `descriptor`; false when the deadline came first.
bool ReadUntilEnd(int descriptor, std::string& text) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(kProbeDeadline_s);
  char buffer[4096];
  while (text.size() < kMaxProbeBytes) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready = {descriptor, POLLIN, 0};
    const int polled = poll(&ready, 1, static_cast<int>(left));
    if (polled < 0 && errno != EINTR) return true;
    if (polled <= 0) continue;
    const ssize_t count = read(descriptor, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(buffer, static_cast<size_t>(count));
  }
  return true;
}

[[noreturn]] void ProbeProcess(const std::function<void(const ProbeReport&)>& probe, int out) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);  // a crash here is an answer, not an accident
  probe(ProbeReport(out));
  _exit(0);
}

}  // namespace

void ProbeReport::Line(const std::vector<std::string>& fields) const {
  std::string text;
  for (const std::string& field : fields) text += (text.empty() ? "" : "\t") + OneLine(field);
  WriteAll(descriptor_, text + "\n");
}

ProbeAnswer RunApart(const std::function<void(const ProbeReport&)>& probe) {
  ProbeAnswer answer;
  int ends[2];
  if (pipe(ends) != 0) {
    answer.trouble = "no pipe to it could be made (" + ErrnoText(errno) + ")";
    return answer;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    ProbeProcess(probe, ends[1]);
  }
  close(ends[1]);
  if (pid < 0) {
    answer.trouble = "no process could be made (" + ErrnoText(errno) + ")";
    close(ends[0]);
    return answer;
  }
  std::string text;
  const bool ended = ReadUntilEnd(ends[0], text);
  close(ends[0]);
  if (!ended) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  answer.lines = TakeApart(text);
  if (!ended) {
    answer.trouble = "it hung for " + std::to_string(kProbeDeadline_s) + " s";
  } else if (WIFSIGNALED(status)) {
    answer.trouble = std::string("it crashed (") + strsignal(WTERMSIG(status)) + ")";
  } else if (WEXITSTATUS(status) != 0) {
    answer.trouble = "it ended with status " + std::to_string(WEXITSTATUS(status));
  }
  return answer;
}

}  // namespace rafter
