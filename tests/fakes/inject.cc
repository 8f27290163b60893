// A fake libinject.so: a region sink that keeps what it is told, one line each, in
// the file named by RAFTER_FAKE_SINK_LOG.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "marker/region_sink.h"

namespace rafter::fakes {
namespace {

void Write(const std::string& line) {
  const char* path = std::getenv("RAFTER_FAKE_SINK_LOG");
  const int file = open(path == nullptr ? "/dev/null" : path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  [[maybe_unused]] const ssize_t written = write(file, line.data(), line.size());
  close(file);
}

std::string Text(NameBytes name) { return std::string(name.data, name.size); }

std::mutex g_mutex;
std::set<std::pair<long, std::string>>& Open() {
  static auto* const open = new std::set<std::pair<long, std::string>>;
  return *open;
}

bool OpenNamed(NameBytes name) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  const bool fits = Open().insert({syscall(SYS_gettid), Text(name)}).second;
  Write("open " + Text(name) + (fits ? "\n" : " again\n"));
  return fits;
}

bool CloseNamed(NameBytes name) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  const bool fits = Open().erase({syscall(SYS_gettid), Text(name)}) == 1;
  Write("close " + Text(name) + (fits ? "\n" : " not open\n"));
  return fits;
}

void Note(NameBytes text) { Write("note " + Text(text) + "\n"); }

const RegionSink kSink = {.push = nullptr,
                          .pop = nullptr,
                          .start = nullptr,
                          .end = nullptr,
                          .mark = nullptr,
                          .domain = nullptr,
                          .category = nullptr,
                          .open_named = OpenNamed,
                          .close_named = CloseNamed,
                          .note = Note};

#ifdef RAFTER_FAKE_SINK_VERSION
constexpr uint32_t kVersion = RAFTER_FAKE_SINK_VERSION;
#else
constexpr uint32_t kVersion = kRegionSinkVersion;
#endif

}  // namespace
}  // namespace rafter::fakes

extern "C" __attribute__((visibility("default"))) const void* RafterRegionSink(uint32_t version) {
  return version == rafter::fakes::kVersion ? &rafter::fakes::kSink : nullptr;
}
