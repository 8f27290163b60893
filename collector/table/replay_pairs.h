// ReplayPairs finds what belongs together in the runs of an application replay,
// or how the runs differ.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    pointers into the run; names of regions.
//   Lifetime  must not outlive the run that was looked at.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collector/store/run.h"

namespace rafter {

// What a region is called in every run: domains and names from the top. Of
// several places with one name the order of appearance tells which is which.
using RegionKey = std::pair<std::string, size_t>;

class RegionKeys {
 public:
  explicit RegionKeys(const RunProcess& process);

  const RegionKey& Of(uint32_t path) const { return keys_.at(path); }
  const RegionPath* Find(const RegionKey& key) const {
    const auto found = paths_.find(key);
    return found == paths_.end() ? nullptr : found->second;
  }

 private:
  std::string Text(uint32_t path) const {
    const auto found = texts_.find(path);
    return found == texts_.end() ? "?" : found->second;
  }

  std::map<uint32_t, std::string> texts_;
  std::map<uint32_t, RegionKey> keys_;
  std::map<RegionKey, const RegionPath*> paths_;
};

// Whether it marked a region at all.
bool CalledAny(const RunProcess& process);

// The numbers of the runs that were made, or that processes are of; empty: it is
// no replay.
std::set<uint32_t> ReplaysOf(const Run& run);

// One process of every run, the first run's first.
using Partners = std::vector<const RunProcess*>;

struct ReplayPairs {
  std::vector<Partners> partners;  // of processes that marked a region
  std::string difference;          // between the runs; empty: they did the same
  std::string other_calls;  // a region that some runs called more often; empty: there is none
};

ReplayPairs PairReplays(const Run& run, const std::set<uint32_t>& replays);

}  // namespace rafter
