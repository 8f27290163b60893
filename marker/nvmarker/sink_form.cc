#include "marker/nvmarker/sink_form.h"

#include <dlfcn.h>
#include <errno.h>

#include <algorithm>
#include <climits>
#include <string>

#include "marker/nvmarker/clock.h"
#include "marker/nvmarker/say.h"

namespace rafter {
namespace {

constexpr std::string_view kResetNote =
    "the program resets NvMarker regions; the calls before that stay in the numbers: leave them "
    "out with --skip";
constexpr std::string_view kFileNote =
    "the program asks for LIKWID's marker file; it is not written: the numbers are in the run "
    "file";

// The sink of the libinject.so beside us, or null and the reason in `problem`.
const RegionSink* FindSink(std::string& problem) {
  const std::string self = OwnLibraryPath();
  const std::string path = self.substr(0, self.rfind('/') + 1) + "libinject.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* reason = dlerror();
    problem = reason == nullptr ? path + " cannot be loaded" : reason;
    return nullptr;
  }
  const auto ask = reinterpret_cast<const void* (*)(uint32_t)>(dlsym(library, "RafterRegionSink"));
  const auto* sink =
      ask == nullptr ? nullptr : static_cast<const RegionSink*>(ask(kRegionSinkVersion));
  if (sink == nullptr) problem = path + " is of another version than " + self;
  return sink;
}

NameBytes BytesOf(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

SinkForm::SinkForm(const MarkerEnvironment& environment) : quiet_(environment.quiet) {
  std::string problem;
  sink_ = FindSink(problem);
  if (sink_ == nullptr && !quiet_) {
    Say("NvMarker regions are not counted: " + problem +
        "; use the libraries of one installation together");
  }
}

void SinkForm::NoteOnce(std::atomic<bool>& noted, std::string_view text) {
  if (noted.exchange(true, std::memory_order_relaxed)) return;
  if (sink_ != nullptr) sink_->note(BytesOf(text));
}

void SinkForm::NoteUncounted(std::string_view text) { NoteOnce(uncounted_noted_, text); }

int SinkForm::Register(const char* tag) {
  return tag == nullptr || sink_ == nullptr ? kMarkerFault : 0;
}

// Hot path. One load when off; when on: the sink's cost, one clock read.
int SinkForm::Start(const char* tag) {
  if (tag == nullptr || sink_ == nullptr) return kMarkerFault;
  const std::string_view name = tag;
  if (!sink_->open_named(BytesOf(name))) return kMarkerFault;
  times_.Opened(name, MarkerNowNs());
  return 0;
}

// Hot path, as Start.
int SinkForm::Stop(const char* tag) {
  if (tag == nullptr || sink_ == nullptr) return kMarkerFault;
  const uint64_t now_ns = MarkerNowNs();
  const std::string_view name = tag;
  if (!sink_->close_named(BytesOf(name))) return kMarkerFault;
  times_.Closed(name, now_ns);
  return 0;
}

int SinkForm::Reset(const char* tag) {
  if (tag == nullptr || sink_ == nullptr) return kMarkerFault;
  times_.Reset(tag);
  NoteOnce(reset_noted_, kResetNote);
  return 0;
}

// Calls and time are the process's, so there is one answer, not one for each GPU.
void SinkForm::Get(const char* tag, const RegionAnswer& answer) {
  if (answer.events != nullptr) *answer.events = 0;
  if (answer.gpus == nullptr) return;
  *answer.gpus = tag == nullptr || sink_ == nullptr ? 0 : std::clamp(*answer.gpus, 0, 1);
  if (*answer.gpus == 0) return;
  const RegionTimes::Sum sum = times_.Of(tag);
  if (answer.time_s != nullptr) answer.time_s[0] = static_cast<double>(sum.time_ns) * 1e-9;
  if (answer.count != nullptr) {
    answer.count[0] = static_cast<int>(std::min<uint64_t>(sum.calls, INT_MAX));
  }
}

int SinkForm::WriteFile(const char* path) {
  if (path == nullptr || sink_ == nullptr) return kMarkerFault;
  NoteOnce(file_noted_, kFileNote);
  return -ENOSYS;
}

}  // namespace rafter
