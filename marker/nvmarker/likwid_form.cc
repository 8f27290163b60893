#include "marker/nvmarker/likwid_form.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include "marker/nvmarker/clock.h"
#include "marker/nvmarker/say.h"

namespace rafter {
namespace {

// For the handler of exit, which gets no argument.
std::atomic<LikwidForm*> g_form = nullptr;

int ThreadId() { return static_cast<int>(syscall(SYS_gettid)); }

}  // namespace

LikwidForm::LikwidForm(MarkerEnvironment environment)
    : environment_(std::move(environment)), process_(getpid()) {
  likwid_.Load(environment_.likwid_path);
  result_.likwid = likwid_.path;
  result_.rank = environment_.rank;
  if (!likwid_.problem.empty()) Trouble("regions are not counted: " + likwid_.problem);
  g_form.store(this, std::memory_order_release);
  std::atexit([] { g_form.load(std::memory_order_acquire)->AtExit(); });
}

// Said at once, and kept for whoever reads the numbers.
void LikwidForm::Trouble(const std::string& text) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::string>& known = result_.troubles;
    if (std::find(known.begin(), known.end(), text) != known.end()) return;
    known.push_back(text);
  }
  if (!environment_.quiet) Say(text);
}

void LikwidForm::NoteUncounted(std::string_view text) { Trouble(std::string(text)); }

void LikwidForm::Init() {
  if (!likwid_.problem.empty() || stage_ != Stage::kIdle) return;
  asked_ = true;
  process_ = getpid();
  thread_ = ThreadId();
  const std::vector<int>& gpus = environment_.gpus;
  const bool entered = driver_.Load() && !gpus.empty() && driver_.Enter(gpus.front());
  likwid_.init();
  if (entered) driver_.Leave();
  group_ = likwid_.active_group();
  if (likwid_.gpus() <= 0 || group_ < 0) {
    Trouble(
        "regions are not counted: LIKWID did not start; what it said is above this line, "
        "LIKWID_DEBUG=1 makes it say more");
    return;
  }
  driver_.Hold(gpus);
  for (int event = 0; likwid_.event_name != nullptr && event < likwid_.events(group_); ++event) {
    const char* name = likwid_.event_name(group_, event);
    if (name != nullptr && std::string_view(name).find("_SASS_") != std::string_view::npos) {
      exact_events_.push_back(event);
    }
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const int gpu : gpus) result_.gpus.push_back(driver_.Describe(gpu));
  }
  stage_ = Stage::kActive;
}

// LIKWID answers other threads with 0, and calls without INIT with a fault. After
// CLOSE it would use what it has freed, so nothing reaches it then.
LikwidForm::Way LikwidForm::WayOf(const char* tag) {
  if (tag == nullptr || !likwid_.problem.empty()) return Way::kFault;
  const Stage stage = stage_;
  if (stage == Stage::kIdle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!asked_) ++early_;
    return Way::kPassOn;
  }
  if (getpid() != process_) return Way::kIgnore;
  if (ThreadId() == thread_) {
    if (stage == Stage::kActive) return Way::kMeasure;
    const std::lock_guard<std::mutex> lock(mutex_);
    ++late_;
    return Way::kFault;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  auto known = ignored_.find(std::string_view(tag));
  if (known == ignored_.end() && ignored_.size() < kMaxRegions) {
    known = ignored_.emplace(tag, 0).first;
  }
  ++(known == ignored_.end() ? ignored_unnamed_ : known->second);
  return Way::kIgnore;
}

LikwidForm::Region* LikwidForm::Find(std::string_view name) {
  const auto known = regions_.find(name);
  return known == regions_.end() ? nullptr : &known->second;
}

LikwidForm::Region* LikwidForm::FindOrAdd(std::string_view name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Region* known = Find(name)) return known;
  if (regions_.size() == kMaxRegions || name_bytes_ + name.size() > kMaxNameBytes) {
    ++refused_;
    return nullptr;
  }
  const auto added = regions_.try_emplace(std::string(name)).first;
  order_.push_back(&added->first);
  name_bytes_ += name.size();
  return &added->second;
}

// Ends the stretch that was counted, and makes the next session the first of an
// image that holds nothing.
void LikwidForm::FreshImage() {
  const int group = likwid_.active_group();
  if (group >= 0) likwid_.switch_group(group);
}

// LIKWID has just ended the session that should be empty. Other threads' launches
// may have come between; instruction counts show it.
void LikwidForm::ProveEmpty() {
  ++borders_;
  if (likwid_.last_result == nullptr) return;
  for (int gpu = 0; gpu < likwid_.gpus(); ++gpu) {
    for (const int event : exact_events_) {
      if (likwid_.last_result(group_, event, gpu) == 0) continue;
      ++spoilt_borders_;
      return;
    }
  }
}

// That LIKWID takes means is its fault, and faults get mended. Once, behind a reading
// of some size and with no region open: one more session, empty, makes a mean of two
// sessions two thirds of itself, and a LIKWID that is mended reads nothing.
void LikwidForm::ProveMean() {
  constexpr double kSize = 1e6;  // far above the bytes that an idle GPU moves
  constexpr double kLeast = 0.6;
  constexpr double kMost = 0.75;
  constexpr double kNothing = 0.1;
  if (mean_proven_ || likwid_.last_result == nullptr || likwid_.read_counters == nullptr) return;
  const double before = likwid_.last_result(group_, 0, 0);
  if (!(before >= kSize)) return;
  mean_proven_ = true;
  likwid_.read_counters();
  const double share = likwid_.last_result(group_, 0, 0) / before;
  if (share >= kLeast && share <= kMost) return;
  Trouble(share < kNothing
              ? "this LIKWID takes no means over sessions, so its numbers are whole, not "
                "halves: use --counter-scale 1"
              : "LIKWID's numbers may not be halves: an empty session after a region left " +
                    std::to_string(share) + " of its reading, not two thirds");
}

int LikwidForm::Register(const char* tag) {
  const Way way = WayOf(tag);
  if (way == Way::kFault) return kMarkerFault;
  if (way == Way::kIgnore) return 0;
  if (way == Way::kMeasure && FindOrAdd(tag) == nullptr) return 0;
  return likwid_.register_region(tag);
}

int LikwidForm::Start(const char* tag) {
  const Way way = WayOf(tag);
  if (way == Way::kFault) return kMarkerFault;
  if (way == Way::kIgnore) return 0;
  if (way == Way::kPassOn) return likwid_.start_region(tag);
  Region* region = FindOrAdd(tag);
  if (region == nullptr) return 0;
  driver_.Settle();
  const uint64_t settled_ns = MarkerNowNs();
  FreshImage();
  const int answer = likwid_.start_region(tag);
  ProveEmpty();
  const uint64_t now_ns = MarkerNowNs();
  borders_ns_ += now_ns - settled_ns;
  if (answer != 0 || region->open) return answer;
  region->open = true;
  ++open_regions_;
  region->since_ns = now_ns;
  region->borders_before_ns = borders_ns_;
  return answer;
}

int LikwidForm::Stop(const char* tag) {
  const Way way = WayOf(tag);
  if (way == Way::kFault) return kMarkerFault;
  if (way == Way::kIgnore) return 0;
  if (way == Way::kPassOn) return likwid_.stop_region(tag);
  driver_.Settle();
  const uint64_t now_ns = MarkerNowNs();
  Region* region = Find(tag);
  const bool open = region != nullptr && region->open;
  // The last region to close needs no fresh image: nobody reads what follows it.
  const bool stretch_follows = open_regions_ > (open ? 1u : 0u);
  if (stretch_follows) FreshImage();
  const int answer = likwid_.stop_region(tag);
  if (stretch_follows) {
    ProveEmpty();
  } else {
    ProveMean();
  }
  const uint64_t inside_ns = borders_ns_;
  borders_ns_ += MarkerNowNs() - now_ns;
  if (answer != 0 || !open) return answer;
  region->open = false;
  --open_regions_;
  // Borders of other regions are LIKWID's work, and not the program's.
  region->time_ns += now_ns - region->since_ns - (inside_ns - region->borders_before_ns);
  ++region->calls;
  return answer;
}

int LikwidForm::Reset(const char* tag) {
  const Way way = WayOf(tag);
  if (way == Way::kFault) return kMarkerFault;
  if (way == Way::kIgnore) return 0;
  const int answer = likwid_.reset_region(tag);
  Region* region = Find(tag);
  if (way == Way::kMeasure && answer == 0 && region != nullptr) {
    region->calls = 0;
    region->time_ns = 0;
  }
  return answer;
}

void LikwidForm::Get(const char* tag, const RegionAnswer& answer) {
  int none = 0;
  int* gpus = answer.gpus == nullptr ? &none : answer.gpus;
  int* events = answer.events == nullptr ? &none : answer.events;
  const bool measured =
      tag != nullptr && stage_ == Stage::kActive && getpid() == process_ && ThreadId() == thread_;
  if (measured) {
    likwid_.get_region(tag, gpus, events, answer.values, answer.time_s, answer.count);
    return;
  }
  *gpus = 0;
  *events = 0;
}

// LIKWID's own switch leaves its regions at the first group, whose totals stand
// still from then on.
void LikwidForm::NextGroup() {
  if (!environment_.several_sets) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  ++group_changes_;
}

void LikwidForm::Close() {
  if (stage_ != Stage::kActive || getpid() != process_) return;
  if (ThreadId() != thread_) {
    Trouble("CLOSE came from another thread than INIT, and LIKWID ignores that");
    return;
  }
  ReadAll();
  stage_ = Stage::kClosed;
  Publish();
  likwid_.close();
}

// LIKWID frees its regions here, so this is the end of them as CLOSE is.
int LikwidForm::WriteFile(const char* path) {
  if (path == nullptr || stage_ != Stage::kActive) return kMarkerFault;
  if (getpid() != process_ || ThreadId() != thread_) return kMarkerFault;
  if (likwid_.write_file == nullptr) return -ENOSYS;
  ReadAll();
  stage_ = Stage::kClosed;
  Publish();
  return likwid_.write_file(path);
}

}  // namespace rafter
