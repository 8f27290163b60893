#include "inject/counters/scheduler.h"

#include <algorithm>

namespace rafter {

uint8_t Scheduler::QuotaOf(const std::string& set) {
  if (set == "time") return 8;
  if (set == "memory") return 3;
  return 2;
}

void Scheduler::Start(std::vector<ScheduledPass> passes) {
  for (ScheduledPass& pass : passes) {
    pass.given_up =
        pass.given_up || std::any_of(passes_.begin(), passes_.end(), [&](const auto& old) {
          return old.given_up && old.set == pass.set;
        });
  }
  passes_ = std::move(passes);
  if (passes_.size() > kMaxPasses) passes_.resize(kMaxPasses);
  for (auto& row : attempts_) row.fill(0);
}

bool Scheduler::Lacks(PathId path, size_t pass) const {
  if (passes_[pass].given_up) return false;
  const auto& row = attempts_[static_cast<uint32_t>(path)];
  if (row[pass] >= passes_[pass].quota) return false;
  if (row[pass] == 0) return true;
  for (size_t other = 0; other < passes_.size(); ++other) {
    if (!passes_[other].given_up && row[other] == 0) return false;  // rule 3
  }
  return true;
}

Scheduler::Decision Scheduler::AtBegin(PathId path, const Situation& now) const {
  if (!now.paused && now.has_room && Lacks(path, now.pass)) return {Action::kCount, now.pass};
  const size_t count = passes_.size();
  for (size_t step = 1; step <= count; ++step) {
    const size_t pass = (now.pass + step) % count;
    if (Lacks(path, pass)) return {Action::kRotate, pass};
  }
  const bool can_rest = !passes_[0].given_up;
  if (now.paused) {
    const bool over = can_rest && now.age_ns > kPauseNs;
    return over ? Decision{Action::kRotate, 0} : Decision{Action::kSkip, now.pass};
  }
  if (now.pass == 0 && can_rest && now.has_room && now.has_share) return {Action::kCount, 0};
  const bool idle = passes_[now.pass].given_up || now.skips >= kSkipsBeforeEnd;
  if (!idle) return {Action::kSkip, now.pass};
  return now.pass == 0 ? Decision{Action::kPause, 0} : Decision{Action::kRotate, 0};
}

void Scheduler::Attempted(PathId path, size_t pass) {
  uint8_t& attempts = attempts_[static_cast<uint32_t>(path)][pass];
  if (attempts < 255) ++attempts;
}

void Scheduler::GiveUp(const std::string& set) {
  for (ScheduledPass& pass : passes_) {
    if (pass.set == set) pass.given_up = true;
  }
}

}  // namespace rafter
