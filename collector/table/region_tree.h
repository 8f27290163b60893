// RegionTree answers who is whose parent among the regions of one process, and
// what a region is called from the top.
//
//   Threads   const after construction.
//   Blocking  never.
//   Memory    keeps indices; names stay in the process.
//   Lifetime  must not outlive the RunProcess it was made from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collector/store/run.h"

namespace rafter {

class RegionTree {
 public:
  explicit RegionTree(const RunProcess& process);

  // Null for a number that no region has.
  const RegionPath* Find(uint32_t path) const;

  // The path itself, its parent, and so on up to the top. Stops after
  // kMostDepth steps, so that a run file with a circle cannot hang anyone.
  std::vector<uint32_t> WithAncestors(uint32_t path) const;

  // The path itself and everything below it.
  std::vector<uint32_t> Subtree(uint32_t path) const;

  // The regions, and the launches of one kind, directly below; 0: the top.
  const std::vector<uint32_t>& Children(uint32_t path) const;

  // "solve/smooth"; for a stretch in which regions were open on several
  // threads, the names of those joined by " | ". A domain other than the
  // default one stands before the name: "domain:name".
  std::string Name(uint32_t path) const;

  // The overlapped stretches that `path` takes part in, and their names.
  const std::vector<uint32_t>& OverlapPathsOf(uint32_t path) const;
  std::vector<std::string> OverlapsOf(uint32_t path) const;

 private:
  // The injected library bounds its stack far below this.
  static constexpr size_t kMostDepth = 65536;

  std::map<uint32_t, const RegionPath*> paths_;
  std::map<uint32_t, std::vector<uint32_t>> children_;
  std::map<uint32_t, std::vector<uint32_t>> overlaps_;  // member -> overlapped paths
};

}  // namespace rafter
