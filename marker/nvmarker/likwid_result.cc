// LikwidForm's other half: what LIKWID says at the end, and what became of it.
#include <sys/syscall.h>
#include <unistd.h>

#include "marker/nvmarker/likwid_form.h"
#include "marker/nvmarker/say.h"

namespace rafter {
namespace {

std::string Count(uint64_t number, const char* what) { return std::to_string(number) + " " + what; }

}  // namespace

// On INIT's thread.
void LikwidForm::ReadAll() {
  read_ = true;
  const int gpus = likwid_.gpus();
  const int events = likwid_.events(group_);
  if (gpus <= 0 || events <= 0) {
    Trouble("LIKWID has lost its events; its numbers cannot be read");
    return;
  }
  for (const std::string* name : order_) ReadOne(*name, regions_.find(*name)->second, gpus, events);
}

void LikwidForm::ReadOne(const std::string& name, const Region& region, int gpus, int events) {
  constexpr int kUntouched = -1;
  const auto width = static_cast<size_t>(events);
  std::vector<double> values(static_cast<size_t>(gpus) * width);
  std::vector<double*> rows(static_cast<size_t>(gpus));
  for (size_t at = 0; at < rows.size(); ++at) rows[at] = &values[at * width];
  std::vector<double> times_s(static_cast<size_t>(gpus));
  std::vector<int> counts(static_cast<size_t>(gpus), kUntouched);
  int got_gpus = gpus;
  int got_events = events;
  likwid_.get_region(name.c_str(), &got_gpus, &got_events, rows.data(), times_s.data(),
                     counts.data());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    result_.regions.push_back(name);
  }
  if (region.open) {
    Trouble("region \"" + name + "\" was still open at the end; that call is not in its numbers");
  }
  for (int gpu = 0; gpu < got_gpus; ++gpu) {
    const auto at = static_cast<size_t>(gpu);
    if (counts[at] == kUntouched) continue;
    const auto calls = static_cast<uint64_t>(counts[at]);
    if (calls != region.calls) {
      Trouble("LIKWID has " + Count(calls, "calls of region \"") + name + "\" where " +
              std::to_string(region.calls) + " were made");
    }
    MarkerReading reading{.region = name,
                          .gpu = at < environment_.gpus.size() ? environment_.gpus[at] : gpu,
                          .calls = calls,
                          .time_ns = region.time_ns,
                          .likwid_time_s = times_s[at],
                          .reported = {rows[at], rows[at] + got_events}};
    const std::lock_guard<std::mutex> lock(mutex_);
    result_.readings.push_back(std::move(reading));
  }
}

// With the lock held.
std::vector<std::string> LikwidForm::AllTroubles() const {
  std::vector<std::string> troubles = result_.troubles;
  const auto add = [&troubles](uint64_t number, const std::string& text) {
    if (number != 0) troubles.push_back(Count(number, text.c_str()));
  };
  add(spoilt_borders_, "of " + std::to_string(borders_) +
                           " region borders had work of other threads between the switch and the "
                           "read; the counts there may be too high or too low");
  add(early_, "region calls came before INIT and are not counted");
  add(late_, "region calls came after CLOSE or WRITE_FILE and are not counted");
  add(refused_, "region calls are beyond the first " + std::to_string(kMaxRegions) +
                    " regions, or 64 MiB of names, and are not counted");
  add(ignored_unnamed_, "region calls on other threads are of regions beyond the first " +
                            std::to_string(kMaxRegions));
  add(group_changes_,
      "switches to the next group of events were kept from LIKWID, which would "
      "have read zeros from then on; all regions are of the first group");
  return troubles;
}

void LikwidForm::Publish() {
  if (environment_.result.empty()) return;
  std::string problem;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    MarkerResult result = result_;
    Identify(result);
    result.troubles = AllTroubles();
    result.ignored.assign(ignored_.begin(), ignored_.end());
    std::string text = TextOf(result);
    if (text == published_) return;
    problem = WriteResult(environment_.result, text);
    published_ = std::move(text);
  }
  if (!problem.empty() && !environment_.quiet) {
    Say("the numbers of LIKWID are lost: " + problem);
  }
}

// Without CLOSE the numbers are still to be had; after it, something may have come.
void LikwidForm::AtExit() {
  try {
    if (getpid() != process_) return;
    if (stage_ == Stage::kActive && !read_) {
      if (static_cast<int>(syscall(SYS_gettid)) == thread_) {
        ReadAll();
      } else {
        Trouble(
            "the program ended on another thread than INIT's, without CLOSE; LIKWID gives "
            "its numbers to INIT's thread only");
      }
    }
    Publish();
  } catch (...) {
    // Out of memory while the program exits: there is no result.
  }
}

}  // namespace rafter
