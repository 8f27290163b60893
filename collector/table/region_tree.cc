#include "collector/table/region_tree.h"

#include <set>

#include "collector/table/launch_kinds.h"

namespace rafter {
namespace {

std::string NameWithDomain(const RegionPath& path) {
  if (path.launch && path.name.empty()) return LaunchName(*path.launch);
  return path.domain.empty() ? path.name : path.domain + ":" + path.name;
}

const std::vector<uint32_t>& Listed(const std::map<uint32_t, std::vector<uint32_t>>& lists,
                                    uint32_t path) {
  static const auto* const none = new std::vector<uint32_t>;
  const auto found = lists.find(path);
  return found == lists.end() ? *none : found->second;
}

}  // namespace

RegionTree::RegionTree(const RunProcess& process) {
  for (const RegionPath& path : process.paths) {
    paths_[path.path] = &path;
    children_[path.parent].push_back(path.path);
    for (const uint32_t member : path.members) overlaps_[member].push_back(path.path);
  }
}

const RegionPath* RegionTree::Find(uint32_t path) const {
  const auto found = paths_.find(path);
  return found == paths_.end() ? nullptr : found->second;
}

std::vector<uint32_t> RegionTree::WithAncestors(uint32_t path) const {
  std::vector<uint32_t> line;
  for (const RegionPath* at = Find(path); at != nullptr && line.size() < kMostDepth;
       at = Find(at->parent)) {
    line.push_back(at->path);
  }
  return line;
}

std::vector<uint32_t> RegionTree::Subtree(uint32_t path) const {
  std::vector<uint32_t> below = {path};
  std::set<uint32_t> seen = {path};
  for (size_t i = 0; i < below.size(); ++i) {
    for (const uint32_t child : Children(below[i])) {
      if (seen.insert(child).second) below.push_back(child);
    }
  }
  return below;
}

std::string RegionTree::Name(uint32_t path) const {
  const std::vector<uint32_t> line = WithAncestors(path);
  std::string name;
  for (size_t i = line.size(); i-- > 0;) {
    const RegionPath& at = *Find(line[i]);
    std::string part = NameWithDomain(at);
    // Members carry their own full names, so what stands above is dropped.
    if (!at.members.empty()) {
      part.clear();
      name.clear();
      for (const uint32_t member : at.members) {
        const RegionPath* region = Find(member);
        const bool plain = region != nullptr && region->members.empty();
        part += (part.empty() ? "" : " | ") + (plain ? Name(member) : "?");
      }
    }
    name += (name.empty() ? "" : "/") + part;
  }
  return name;
}

const std::vector<uint32_t>& RegionTree::Children(uint32_t path) const {
  return Listed(children_, path);
}

const std::vector<uint32_t>& RegionTree::OverlapPathsOf(uint32_t path) const {
  return Listed(overlaps_, path);
}

std::vector<std::string> RegionTree::OverlapsOf(uint32_t path) const {
  std::vector<std::string> names;
  for (const uint32_t overlap : OverlapPathsOf(path)) names.push_back(Name(overlap));
  return names;
}

}  // namespace rafter
