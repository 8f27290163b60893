#include "marker/nvmarker/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>

namespace rafter {
namespace {

// A process's line in /proc is much shorter.
constexpr size_t kMaxProcBytes = 4096;

std::string ReadSmall(const char* path) {
  char buffer[kMaxProcBytes];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  const ssize_t size = read(file, buffer, sizeof buffer);
  close(file);
  return std::string(buffer, size < 0 ? 0 : static_cast<size_t>(size));
}

// Field 22 of /proc/self/stat, counted from behind the name in parentheses.
uint64_t StartTicks() {
  const std::string stat = ReadSmall("/proc/self/stat");
  size_t at = stat.rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
  uint64_t ticks = 0;
  if (at != std::string::npos) {
    std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), ticks);
  }
  return ticks;
}

std::string Percent(std::string_view text, bool blanks_too) {
  std::string encoded;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = byte > ' ' && byte < 0x7F && byte != '%' ? true : byte == ' ' && !blanks_too;
    if (plain) {
      encoded += letter;
      continue;
    }
    constexpr char kDigits[] = "0123456789ABCDEF";
    encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return encoded;
}

std::string WordOrDash(const std::string& text) { return text.empty() ? "-" : Encoded(text); }
std::string NumberOrDash(uint64_t number) { return number == 0 ? "-" : std::to_string(number); }

// 17 digits bring every double back as it was. The program's locale may have
// another decimal point.
std::string Digits(double value) {
  char text[64];
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, 17);
  return error == std::errc() ? std::string(text, end) : "nan";
}

std::string LineOf(const GpuDriver::Gpu& gpu) {
  const bool known = gpu.major > 0;
  return "gpu " + std::to_string(gpu.ordinal) + " " + WordOrDash(gpu.uuid) + " " +
         WordOrDash(gpu.pci) + " " + NumberOrDash(gpu.sm_count) + " " +
         NumberOrDash(gpu.memory_bytes) + " " + (known ? std::to_string(gpu.major) : "-") + " " +
         (known ? std::to_string(gpu.minor) : "-") + " " + NumberOrDash(gpu.sm_clock_hz) + " " +
         WordOrDash(gpu.name) + "\n";
}

std::string LineOf(const MarkerReading& reading) {
  std::string line = "reading";
  for (const std::string& word :
       {Encoded(reading.region), std::to_string(reading.gpu), std::to_string(reading.calls),
        std::to_string(reading.time_ns), Digits(reading.likwid_time_s)}) {
    line.append(1, ' ').append(word);
  }
  for (const double value : reading.reported) line.append(1, ' ').append(Digits(value));
  return line.append(1, '\n');
}

std::string WithPid(std::string path) {
  for (size_t at = 0; (at = path.find("%p", at)) != std::string::npos;) {
    const std::string pid = std::to_string(getpid());
    path.replace(at, 2, pid);
    at += pid.size();
  }
  return path;
}

bool WriteAll(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(file, text.data() + done, text.size() - done);
    if (wrote < 0 && errno != EINTR) return false;
    if (wrote > 0) done += static_cast<size_t>(wrote);
  }
  return true;
}

}  // namespace

std::string Encoded(std::string_view text) { return text.empty() ? "%" : Percent(text, true); }

void Identify(MarkerResult& result) {
  result.pid = static_cast<uint64_t>(getpid());
  char host[HOST_NAME_MAX + 1] = {};
  gethostname(host, HOST_NAME_MAX);
  result.host = host;
  char executable[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", executable, sizeof executable);
  if (size > 0) result.executable.assign(executable, static_cast<size_t>(size));
  result.start_ticks = StartTicks();
  result.boot_id = ReadSmall("/proc/sys/kernel/random/boot_id");
  while (!result.boot_id.empty() && result.boot_id.back() == '\n') result.boot_id.pop_back();
}

std::string TextOf(const MarkerResult& result) {
  std::string text = "rafter-nvmarker 1\npid " + std::to_string(result.pid) + "\nhost " +
                     WordOrDash(result.host) + "\nexecutable " + WordOrDash(result.executable) +
                     "\nstart_ticks " + std::to_string(result.start_ticks) + "\nboot_id " +
                     WordOrDash(result.boot_id) + "\nlikwid " + WordOrDash(result.likwid) + "\n";
  if (!result.rank.empty()) text += "rank " + result.rank + "\n";
  for (const GpuDriver::Gpu& gpu : result.gpus) text += LineOf(gpu);
  for (const std::string& region : result.regions) text += "region " + Encoded(region) + "\n";
  for (const MarkerReading& reading : result.readings) text += LineOf(reading);
  for (const auto& [region, calls] : result.ignored) {
    text += "ignored " + Encoded(region) + " " + std::to_string(calls) + "\n";
  }
  for (const std::string& trouble : result.troubles) {
    text += "trouble " + Percent(trouble, false) + "\n";
  }
  return text + "end\n";
}

std::string WriteResult(const std::string& pattern, const std::string& text) {
  const std::string path = WithPid(pattern);
  const std::string unfinished = path + "." + std::to_string(getpid()) + ".part";
  const int file = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool written = file >= 0;
  if (written) {
    written = WriteAll(file, text);
    written = close(file) == 0 && written;
  }
  if (written && rename(unfinished.c_str(), path.c_str()) == 0) return "";
  const std::string reason = std::strerror(errno);
  if (file >= 0) unlink(unfinished.c_str());
  return path + " cannot be written (" + reason + ")";
}

}  // namespace rafter
