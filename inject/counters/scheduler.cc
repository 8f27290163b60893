#include "inject/counters/scheduler.h"

#include <algorithm>
#include <cstdio>

namespace rafter {
namespace {

constexpr uint8_t kMostAttempts = 255;

// A long call is believed less with each one after it, by this part.
constexpr uint64_t kForget = 16;

// A running mean that follows changes: the newest counts for a quarter.
uint64_t Towards(uint64_t mean, uint64_t newest) {
  return mean == 0 ? newest : mean - mean / 4 + newest / 4;
}

unsigned long long Milliseconds(uint64_t ns) { return ns / 1'000'000; }

}  // namespace

uint8_t Scheduler::QuotaOf(const std::string& set) {
  if (set == "time") return 8;
  if (set == "memory" || set.starts_with("memory.")) return 3;
  return 2;
}

void Scheduler::Start(std::vector<ScheduledPass> passes, const SchedulerPolicy& policy,
                      uint64_t now_ns) {
  for (ScheduledPass& pass : passes) {
    pass.given_up =
        pass.given_up || std::any_of(passes_.begin(), passes_.end(), [&](const auto& old) {
          return old.given_up && old.set == pass.set;
        });
  }
  passes_ = std::move(passes);
  if (passes_.size() > kMaxPasses) passes_.resize(kMaxPasses);
  policy_ = policy;
  if (!started_) start_ns_ = now_ns;
  const bool same = started_ && attempts_.size() == (PathTable::kMaxPaths + 1) * passes_.size();
  started_ = true;
  if (same) return;  // a new turn on the same GPU
  const size_t places = (PathTable::kMaxPaths + 1) * passes_.size();
  attempts_.assign(places, 0);
  mean_ns_.assign(places, 0);
  longest_ns_.assign(PathTable::kMaxPaths + 1, 0);
  spoiled_.assign(places, 0);
  mandatory_.assign(PathTable::kMaxPaths + 1, false);
  pass_ns_.assign(passes_.size(), 0);
  border_mean_ns_.assign(passes_.size(), 0);
}

uint64_t Scheduler::AllowedNs(uint64_t now_ns) const {
  if (now_ns <= start_ns_) return 0;
  return (now_ns - start_ns_) / 1'000 * policy_.overhead_ppm / 1'000;
}

// The present pass is stopped, those between are passed through, the wanted one
// is started: half of its Start and Stop for each end.
uint64_t Scheduler::ChangeNs(size_t from, size_t to) const {
  const auto took = [&](size_t pass) {
    return pass_ns_[pass] == 0 ? kUnknownChangeNs / passes_.size() : pass_ns_[pass];
  };
  uint64_t sum = took(from) / 2 + took(to) / 2;
  for (size_t pass = (from + 1) % passes_.size(); pass != to; pass = (pass + 1) % passes_.size()) {
    sum += took(pass);
    if (pass == from) break;
  }
  return sum;
}

bool Scheduler::Affordable(PathId path, size_t pass, const Situation& now) const {
  uint64_t cost_ns = border_mean_ns_[pass];
  const bool stays = !now.paused && pass == now.pass && now.has_room;
  if (!stays) cost_ns += ChangeNs(now.pass, pass);
  const uint64_t undisturbed_ns = mean_ns_[Place(path, 0)];
  const uint64_t disturbed_ns = mean_ns_[Place(path, pass)];
  if (disturbed_ns > undisturbed_ns) cost_ns += disturbed_ns - undisturbed_ns;
  return cost_ns <= kFreeNs || spent_ns_ + cost_ns <= AllowedNs(now.now_ns);
}

bool Scheduler::Lacks(PathId path, size_t pass, const Situation& now) const {
  if (passes_[pass].given_up) return false;
  const uint8_t* row = &attempts_[Place(path, 0)];
  const bool mandatory = mandatory_[static_cast<size_t>(path)];
  if (row[pass] == 0) return mandatory || Affordable(path, pass, now);  // rule 1
  const uint64_t grown =
      now.now_ns > start_ns_ && pass != 0 ? (now.now_ns - start_ns_) / kRefreshNs : 0;  // rule 5
  if (row[pass] >= std::min<uint64_t>(passes_[pass].quota + grown, kMostAttempts)) return false;
  for (size_t other = 0; other < passes_.size(); ++other) {
    if (!passes_[other].given_up && row[other] == 0) return false;
  }
  if (pass == 0 && row[0] == 1 && mandatory) return true;
  return Affordable(path, pass, now);  // rule 2
}

Scheduler::Decision Scheduler::AtBegin(PathId path, const Situation& now) const {
  if (policy_.skip > 0 && seen_[static_cast<size_t>(path)] <= policy_.skip) {
    return {Action::kSkipped, now.pass};
  }
  if (policy_.exact) return Exact(now);
  if (!now.paused && now.has_room && Lacks(path, now.pass, now)) return {Action::kCount, now.pass};
  const size_t count = passes_.size();
  for (size_t step = 1; step <= count; ++step) {
    const size_t pass = (now.pass + step) % count;
    if (Lacks(path, pass, now)) return {Action::kRotate, pass};
  }
  return Rest(now);
}

// In each pass in turn, for as long as an epoch holds.
Scheduler::Decision Scheduler::Exact(const Situation& now) const {
  if (!now.paused && now.has_room && !passes_[now.pass].given_up) return {Action::kCount, now.pass};
  for (size_t step = 1; step <= passes_.size(); ++step) {
    const size_t pass = (now.pass + step) % passes_.size();
    if (!passes_[pass].given_up) return {Action::kRotate, pass};
  }
  return now.paused ? Decision{Action::kSkip, now.pass} : Decision{Action::kPause, now.pass};
}

Scheduler::Decision Scheduler::Rest(const Situation& now) const {
  const bool can_rest = !passes_[0].given_up;
  if (now.paused) {
    const bool over = can_rest && now.age_ns >= kLeastPauseNs &&
                      spent_ns_ + ChangeNs(now.pass, 0) <= AllowedNs(now.now_ns);
    return over ? Decision{Action::kRotate, 0} : Decision{Action::kSkip, now.pass};
  }
  if (now.pass == 0 && can_rest && now.has_room && now.has_share) return {Action::kCount, 0};
  const bool idle = passes_[now.pass].given_up || now.skips >= kSkipsBeforeEnd;
  return {idle ? Action::kPause : Action::kSkip, now.pass};
}

void Scheduler::Seen(PathId path, uint64_t now_ns) {
  uint32_t& seen = seen_[static_cast<size_t>(path)];
  if (seen < UINT32_MAX) ++seen;
  if (passes_.empty()) {
    last_lacking_ns_ = now_ns;
    return;
  }
  if (!mandatory_[static_cast<size_t>(path)] && mandatory_count_ < kMostMandatory) {
    mandatory_[static_cast<size_t>(path)] = true;
    ++mandatory_count_;
  }
  if (seen > policy_.skip && LacksFirst(path)) last_lacking_ns_ = now_ns;
}

bool Scheduler::LacksFirst(PathId path) const {
  for (size_t pass = 0; pass < passes_.size(); ++pass) {
    if (!passes_[pass].given_up && attempts_[Place(path, pass)] == 0) return true;
  }
  return false;
}

void Scheduler::Excuse(PathId path) {
  for (size_t pass = 0; pass < passes_.size(); ++pass) {
    attempts_[Place(path, pass)] = std::max<uint8_t>(attempts_[Place(path, pass)], 1);
  }
}

void Scheduler::Attempted(PathId path, size_t pass, uint64_t host_ns, bool in_one_pass,
                          bool useful) {
  uint8_t& attempts = attempts_[Place(path, pass)];
  uint8_t& spoiled = spoiled_[Place(path, pass)];
  if (!useful && in_one_pass && ++spoiled % kMostSpoiled != 0) {
    // Not an attempt yet.
  } else if (attempts < kMostAttempts) {
    ++attempts;
  }
  if (!in_one_pass) return;
  uint64_t& mean_ns = mean_ns_[Place(path, pass)];
  // The first instance of a process says little: its code is still being loaded.
  const bool second = pass == 0 && attempts == 2;
  mean_ns = second ? host_ns : Towards(mean_ns, host_ns);
  if (pass != 0) return;
  uint64_t& longest_ns = longest_ns_[static_cast<size_t>(path)];
  longest_ns = second ? host_ns : std::max(host_ns, longest_ns - longest_ns / kForget);
}

void Scheduler::Slowed(PathId path, size_t pass, uint64_t host_ns, uint64_t charged_ns) {
  const uint64_t undisturbed_ns = longest_ns_[static_cast<size_t>(path)];
  if (pass == 0 || undisturbed_ns == 0 || host_ns <= undisturbed_ns + charged_ns) return;
  const uint64_t slowed_ns = host_ns - undisturbed_ns - charged_ns;
  slowed_ns_ += slowed_ns;
  spent_ns_ += slowed_ns;
}

void Scheduler::PassTook(size_t pass, uint64_t start_and_stop_ns) {
  if (pass >= pass_ns_.size()) return;
  uint64_t& mean = pass_ns_[pass];
  // The first Start after Enable takes 0.2 s, and says nothing of the later ones.
  mean = start_and_stop_ns < mean / 4 ? start_and_stop_ns : Towards(mean, start_and_stop_ns);
}

void Scheduler::BorderTook(size_t pass, uint64_t ns) {
  border_ns_ += ns;
  if (pass < border_mean_ns_.size()) border_mean_ns_[pass] = Towards(border_mean_ns_[pass], ns);
  spent_ns_ += ns;
}

void Scheduler::GiveUp(const std::string& set) {
  for (ScheduledPass& pass : passes_) {
    if (pass.set == set) pass.given_up = true;
  }
}

std::string Scheduler::Explain(PathId path, const Situation& now, const Decision& decision) const {
  char text[256];
  const unsigned long long spent = Milliseconds(spent_ns_);
  const unsigned long long allowed = Milliseconds(AllowedNs(now.now_ns));
  if (decision.action != Action::kRotate) {
    std::snprintf(text, sizeof text,
                  "counting pauses: the regions at hand lack nothing that the budget has room for; "
                  "it has added %llu ms, of %llu ms allowed so far",
                  spent, allowed);
    return text;
  }
  const ScheduledPass& pass = passes_[decision.pass];
  const unsigned had = attempts(path, decision.pass);
  const char* const why = had == 0                            ? "the region has no instance in it"
                          : had < pass.quota || policy_.exact ? "the region lacks instances in it"
                                                              : "to see whether the work changes";
  std::snprintf(
      text, sizeof text,
      "set %s next: %s (%u so far); counting has added %llu ms, of %llu ms allowed so far, "
      "and the change is expected to take %llu ms",
      pass.set.c_str(), why, had, spent, allowed, Milliseconds(ChangeNs(now.pass, decision.pass)));
  return text;
}

}  // namespace rafter
