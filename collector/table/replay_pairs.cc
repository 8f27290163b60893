#include "collector/table/replay_pairs.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "collector/table/region_tree.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

constexpr size_t kMostNameCharacters = 200;

std::string Quoted(std::string_view text) { return OneLine(text, kMostNameCharacters); }

std::string Count(uint64_t count, const char* one, const char* many) {
  return count == 0 ? "none" : std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Says of a run of a replay which one it is: "run 3 (set flop)".
class RunNames {
 public:
  explicit RunNames(const Run& run) {
    for (const ProgramRun& each : run.program_runs) sets_[each.run] = each.sets;
  }
  std::string Of(uint32_t replay) const {
    const auto sets = sets_.find(replay);
    const std::string name = "run " + std::to_string(replay);
    return sets == sets_.end() || sets->second.empty() ? name
                                                       : name + " (set " + sets->second + ")";
  }

 private:
  std::map<uint32_t, std::string> sets_;
};

using ProcessKey = std::tuple<std::string, std::optional<uint32_t>, std::string>;

// By what they are, in the order in which they came. Processes that marked no
// region have nothing to give and may come and go.
std::map<ProcessKey, std::map<uint32_t, Partners>> ByIdentity(const Run& run) {
  std::map<ProcessKey, std::map<uint32_t, Partners>> found;
  for (const RunProcess& process : run.processes) {
    if (process.replay == 0 || !CalledAny(process)) continue;
    found[{process.executable, process.rank, process.host}][process.replay].push_back(&process);
  }
  return found;
}

std::string NameOf(const ProcessKey& key) {
  const auto& [executable, rank, host] = key;
  std::string name = Quoted(BaseName(executable));
  if (rank) name += ", rank " + std::to_string(*rank);
  return host.empty() ? name : name + " on " + Quoted(host);
}

// Empty when every run of the program ended as the first did.
std::string EndingsDiffer(const Run& run, const RunNames& names) {
  const ProgramRun* first = nullptr;
  for (const ProgramRun& each : run.program_runs) {
    if (each.run == 0) continue;
    if (first == nullptr) first = &each;
    if (each.exit_status == first->exit_status) continue;
    return names.Of(each.run) + " ended with status " + std::to_string(each.exit_status) + ", " +
           names.Of(first->run) + " with " + std::to_string(first->exit_status);
  }
  return "";
}

// Launches can be held against each other where both runs watched as many calls,
// or where all calls launched the same.
bool LaunchesDiffer(const RegionPath& a, const RegionPath& b) {
  if (a.watched_calls == 0 || b.watched_calls == 0) return false;
  if (a.watched_calls == b.watched_calls) return a.launches != b.launches;
  const auto even = [](const RegionPath& path) {
    return path.least_launches == path.most_launches;
  };
  return even(a) && even(b) && a.least_launches != b.least_launches;
}

uint64_t CallsOn(const RegionPath& path, uint32_t device) {
  const auto found = path.by_device.find(device);
  return found == path.by_device.end() ? 0 : found->second.calls;
}

// How often the top region around a region was called in either run. A program that
// repeats itself until some time has passed calls it as often as there is time for;
// what a call of it does must be the same.
struct Rounds {
  uint64_t of_a = 1;
  uint64_t of_b = 1;

  // Whether these are as many calls for each round.
  bool Agree(uint64_t calls_a, uint64_t calls_b) const {
    // Exact: 64 bits of mantissa, and no count reaches 2^32.
    return static_cast<long double>(calls_a) * static_cast<long double>(of_b) ==
           static_cast<long double>(calls_b) * static_cast<long double>(of_a);
  }
};

// A device, by its number plus one, on which the region was called more often in one
// run than in the other; both must name devices.
std::optional<uint32_t> DeviceWithOtherCalls(const RegionPath& a, const RegionPath& b,
                                             const Rounds& rounds) {
  if (a.by_device.empty() || b.by_device.empty()) return std::nullopt;
  for (const RegionPath* path : {&a, &b}) {
    for (const auto& [device, sums] : path->by_device) {
      if (device != 0 && !rounds.Agree(CallsOn(a, device), CallsOn(b, device))) return device;
    }
  }
  return std::nullopt;
}

// Tells kinds of launch of one kernel apart.
std::string KindText(const LaunchKind& kind) {
  std::string text;
  for (const uint32_t size : {kind.grid[0], kind.grid[1], kind.grid[2], kind.block[0],
                              kind.block[1], kind.block[2], kind.dynamic_shared_bytes}) {
    text += std::to_string(size) + ',';
  }
  return text;
}

const RegionPath& TopOf(const RegionPath& path, const std::map<uint32_t, const RegionPath*>& all) {
  const RegionPath* top = &path;
  while (top->parent != 0) {
    const auto parent = all.find(top->parent);
    if (parent == all.end()) break;
    top = parent->second;
  }
  return *top;
}

// How `b` did something else than `a`, its partner; empty: it did not. The first
// region at the top that was called more often in one than in the other goes to
// `other_calls`.
std::string RegionsDiffer(const RunProcess& a, const RunProcess& b, const RunNames& names,
                          std::string& other_calls) {
  const RegionKeys keys_a(a);
  const RegionKeys keys_b(b);
  std::set<RegionKey> seen;
  std::string difference;
  const auto compare = [&](const RunProcess& process, const RegionKeys& keys) {
    const RegionTree tree(process);
    std::map<uint32_t, const RegionPath*> by_number;
    for (const RegionPath& path : process.paths) by_number[path.path] = &path;
    for (const RegionPath& path : process.paths) {
      const RegionKey& key = keys.Of(path.path);
      // When threads meet is a matter of chance.
      if (!path.members.empty() || !difference.empty() || !seen.insert(key).second) continue;
      static const RegionPath never;
      const RegionPath* in_a = keys_a.Find(key);
      const RegionPath* in_b = keys_b.Find(key);
      if (in_a == nullptr) in_a = &never;
      if (in_b == nullptr) in_b = &never;
      const auto text = [&](uint64_t of_a, uint64_t of_b, const char* one, const char* many) {
        return "region " + Quoted(tree.Name(path.path)) + ": " + Count(of_a, one, many) + " in " +
               names.Of(a.replay) + ", " + Count(of_b, one, many) + " in " + names.Of(b.replay);
      };
      const auto say = [&](uint64_t of_a, uint64_t of_b, const char* one, const char* many) {
        difference = text(of_a, of_b, one, many);
      };
      const RegionKey& top = keys.Of(TopOf(path, by_number).path);
      const RegionPath* top_a = keys_a.Find(top);
      const RegionPath* top_b = keys_b.Find(top);
      Rounds rounds;
      if (top_a != nullptr && top_b != nullptr && top_a->calls > 0 && top_b->calls > 0) {
        rounds = {top_a->calls, top_b->calls};
      }
      if (in_a->calls != in_b->calls && path.parent == 0 && other_calls.empty()) {
        other_calls = text(in_a->calls, in_b->calls, "call", "calls");
      }
      if (!rounds.Agree(in_a->calls, in_b->calls)) {
        say(in_a->calls, in_b->calls, "call", "calls");
      } else if (const auto device = DeviceWithOtherCalls(*in_a, *in_b, rounds)) {
        say(CallsOn(*in_a, *device), CallsOn(*in_b, *device), "call", "calls");
        difference += " on device " + std::to_string(*device - 1);
      } else if (LaunchesDiffer(*in_a, *in_b)) {
        const bool same_number = in_a->watched_calls == in_b->watched_calls;
        say(same_number ? in_a->launches : in_a->least_launches,
            same_number ? in_b->launches : in_b->least_launches,
            same_number ? "launch" : "launch a call", same_number ? "launches" : "launches a call");
      }
    }
  };
  compare(a, keys_a);
  compare(b, keys_b);
  return difference;
}

const CounterSet* FindSet(const RunDevice& device, const std::string& name) {
  for (const CounterSet& set : device.sets) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

// Numbers of different GPUs, or of unlike sets of one name, do not belong into
// one row.
std::string DevicesDiffer(const RunProcess& a, const RunProcess& b, const RunNames& names) {
  for (const RunDevice& device : a.devices) {
    for (const RunDevice& other : b.devices) {
      if (device.device != other.device) continue;
      const std::string name = "device " + std::to_string(device.device);
      if (device.uuid != other.uuid) {
        return name + ": " + device.uuid + " in " + names.Of(a.replay) + ", " + other.uuid +
               " in " + names.Of(b.replay);
      }
      for (const CounterSet& set : other.sets) {
        const CounterSet* known = FindSet(device, set.name);
        if (known == nullptr || known->counters == set.counters) continue;
        return name + ": set " + Quoted(set.name) + " has other counters in " + names.Of(a.replay) +
               " than in " + names.Of(b.replay);
      }
    }
  }
  return "";
}

std::string PartnersDiffer(const Partners& partners, const RunNames& names,
                           std::string& other_calls) {
  for (const RunProcess* partner : partners) {
    if (std::string text = DevicesDiffer(*partners.front(), *partner, names); !text.empty()) {
      return text;
    }
    std::string text = RegionsDiffer(*partners.front(), *partner, names, other_calls);
    if (!text.empty()) return text;
  }
  return "";
}

// One list of partners for each process, in the order of the first run.
std::string FindPartners(const Run& run, const std::set<uint32_t>& replays, const RunNames& names,
                         ReplayPairs& pairs) {
  for (const auto& [key, by_replay] : ByIdentity(run)) {
    const auto of = [&found = by_replay](uint32_t replay) {
      const auto processes = found.find(replay);
      return processes == found.end() ? Partners() : processes->second;
    };
    const Partners first = of(*replays.begin());
    std::vector<Partners> alike(first.size());
    for (const uint32_t replay : replays) {
      const Partners these = of(replay);
      if (these.size() != first.size()) {
        return NameOf(key) + ": " + Count(first.size(), "process", "processes") + " in " +
               names.Of(*replays.begin()) + ", " + Count(these.size(), "process", "processes") +
               " in " + names.Of(replay);
      }
      for (size_t i = 0; i < these.size(); ++i) alike[i].push_back(these[i]);
    }
    for (const Partners& partners : alike) {
      std::string text = PartnersDiffer(partners, names, pairs.other_calls);
      if (!text.empty()) return text;
    }
    pairs.partners.insert(pairs.partners.end(), alike.begin(), alike.end());
  }
  return "";
}

}  // namespace

RegionKeys::RegionKeys(const RunProcess& process) {
  std::map<std::string, size_t> seen;
  for (const RegionPath& path : process.paths) {  // a parent comes before what is in it
    std::string text = path.parent == 0 ? "" : Text(path.parent) + '\x1d';
    if (path.members.empty()) {
      text += path.domain + '\x1e' + path.name;
      if (path.launch) text += '\x1b' + KindText(*path.launch);
    } else {
      std::set<std::string> members;
      for (const uint32_t member : path.members) members.insert(Text(member));
      for (const std::string& member : members) text += '\x1c' + member;
    }
    const RegionKey key = {text, seen[text]++};
    texts_[path.path] = text + (key.second == 0 ? "" : '\x1f' + std::to_string(key.second));
    keys_[path.path] = key;
    paths_[key] = &path;
  }
}

bool CalledAny(const RunProcess& process) {
  return std::any_of(process.paths.begin(), process.paths.end(),
                     [](const RegionPath& path) { return path.calls > 0; });
}

std::set<uint32_t> ReplaysOf(const Run& run) {
  std::set<uint32_t> replays;
  for (const RunProcess& process : run.processes) replays.insert(process.replay);
  if (replays.empty() || *replays.rbegin() == 0) return {};
  for (const ProgramRun& each : run.program_runs) replays.insert(each.run);
  replays.erase(0);
  return replays;
}

ReplayPairs PairReplays(const Run& run, const std::set<uint32_t>& replays) {
  const RunNames names(run);
  ReplayPairs pairs;
  pairs.difference = EndingsDiffer(run, names);
  if (pairs.difference.empty()) {
    pairs.difference = FindPartners(run, replays, names, pairs);
  }
  return pairs;
}

}  // namespace rafter
