#include "inject/record/identity.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <charconv>

#include "inject/clock.h"

namespace rafter {
namespace {

// A command line can be 2 MiB; what is beyond says little more.
constexpr size_t kMaxProcFileBytes = 256u << 10;

std::string ReadSmallFile(const char* path) {
  std::string text;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char buffer[4096];
  ssize_t got;
  while (text.size() < kMaxProcFileBytes && (got = read(file, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(got));
  }
  close(file);
  return text;
}

// Field 22 of /proc/self/stat; the fields are counted after the name, which may
// hold blanks and parentheses.
uint64_t StartTicks() {
  const std::string stat = ReadSmallFile("/proc/self/stat");
  size_t at = stat.rfind(')');
  if (at == std::string::npos) return 0;
  for (int field = 2; field < 22; ++field) {
    at = stat.find(' ', at + 1);
    if (at == std::string::npos) return 0;
  }
  uint64_t ticks = 0;
  std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), ticks);
  return ticks;
}

}  // namespace

Identity ReadIdentity() {
  Identity identity;
  char host[HOST_NAME_MAX + 1] = {};
  gethostname(host, HOST_NAME_MAX);
  identity.host = host;
  identity.pid = static_cast<uint32_t>(getpid());
  identity.start_ticks = StartTicks();
  identity.boot_id = ReadSmallFile("/proc/sys/kernel/random/boot_id");
  while (!identity.boot_id.empty() && identity.boot_id.back() == '\n') identity.boot_id.pop_back();
  char executable[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", executable, sizeof executable);
  if (size > 0) identity.executable.assign(executable, static_cast<size_t>(size));
  const std::string arguments = ReadSmallFile("/proc/self/cmdline");
  for (size_t at = 0; at < arguments.size();) {
    const size_t end = arguments.find('\0', at);
    identity.arguments.push_back(arguments.substr(at, end - at));
    at = end == std::string::npos ? arguments.size() : end + 1;
  }
  identity.monotonic_ns = NowNs();
  identity.realtime_ns = ClockNs(CLOCK_REALTIME);
  return identity;
}

}  // namespace rafter
