#include "tests/fakes/likwid_counters.h"

#include <cstdlib>
#include <utility>

namespace rafter::fakes {
namespace {

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == at) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

// One unit is what shared/data/likwid/README.md says.
double PerUnit(const std::string& event) {
  constexpr std::pair<const char*, double> kKnown[] = {
      {"OP_FADD", 524288}, {"OP_FMUL", 262144}, {"OP_FFMA", 1048576}, {"DRAM_BYTES", 67108864}};
  for (const auto& [name, number] : kKnown) {
    if (event.find(name) != std::string::npos) return number;
  }
  return 1;
}

}  // namespace

void LikwidCounters::Define(const std::string& events, const std::string& gpus) {
  groups_.clear();
  gpus_.clear();
  for (const std::string& group : Split(events, '|')) {
    groups_.emplace_back();
    for (const std::string& event : Split(group, ',')) {
      const std::string name = Split(event, ':').front();
      groups_.back().events.push_back({name, PerUnit(name)});
    }
  }
  for (const std::string& gpu : Split(gpus, ',')) {
    LikwidGpu& added = gpus_.emplace_back();
    added.ordinal = std::atoi(gpu.c_str());
    for (const LikwidGroup& group : groups_) {
      const std::vector<double> zeros(group.events.size());
      added.images.push_back({.sum = zeros, .sessions = 0, .last = zeros, .running = zeros});
    }
  }
}

void LikwidCounters::SetUp(int group) {
  active_group_ = group;
  for (LikwidGpu& gpu : gpus_) {
    LikwidImage& image = gpu.images[static_cast<size_t>(group)];
    image.sum.assign(image.sum.size(), 0);
    image.sessions = 0;
  }
}

void LikwidCounters::Start() {
  counting_ = true;
  // As LIKWID would be if its fault were mended.
  if (std::getenv("RAFTER_FAKE_LIKWID_MENDED") != nullptr) SetUp(active_group_);
  for (LikwidGpu& gpu : gpus_) gpu.session_units = std::exchange(stray_units_, 0);
}

void LikwidCounters::Stop() {
  if (!counting_) return;
  counting_ = false;
  for (LikwidGpu& gpu : gpus_) {
    LikwidImage& image = gpu.images[static_cast<size_t>(active_group_)];
    const auto& events = groups_[static_cast<size_t>(active_group_)].events;
    ++image.sessions;
    for (size_t at = 0; at < events.size(); ++at) {
      image.sum[at] += gpu.session_units * events[at].per_unit;
      image.last[at] = image.sum[at] / image.sessions;
      image.running[at] += image.last[at];
    }
  }
}

void LikwidCounters::Work(size_t gpu, double units) {
  if (counting_ && gpu < gpus_.size()) gpus_[gpu].session_units += units;
}

}  // namespace rafter::fakes
