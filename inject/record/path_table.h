// PathTable numbers the places in the tree of regions: a name below a parent,
// or a set of regions open at once on several threads. Numbers start at 1 and
// never change.
//
//   Threads   Find and the getters: any, without a lock once a path is known.
//   Blocking  a short lock when a path is seen for the first time.
//   Memory    about 100 bytes and the name for each path, at most kMaxPaths and
//             kMaxNameMemory; names are kept whole up to 1 MiB.
//   Lifetime  a member of the session; entries are never freed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

namespace rafter {

// A place in the tree. Zero means "no region".
enum class PathId : uint32_t { kNone = 0 };

// What makes launches of one kernel one kind, beside its symbol.
struct LaunchKind {
  uint32_t grid[3] = {0, 0, 0};   // blocks
  uint32_t block[3] = {0, 0, 0};  // threads
  uint32_t dynamic_shared_bytes = 0;
  uint32_t static_shared_bytes = 0;
  uint32_t registers = 0;  // per thread
};

struct PathEntry {
  PathId id = PathId::kNone;
  PathId parent = PathId::kNone;
  uint32_t domain = 0;
  uint32_t name_size = 0;
  uint32_t member_count = 0;  // not 0: an overlap
  const char* name = nullptr;
  const PathId* members = nullptr;
  uint64_t hash = 0;
  // Records of this path that found the ring full. They are not in any batch,
  // so without this number the calls would be wrong.
  std::atomic<uint64_t> dropped_instances{0};
  // Counted contexts that instances of this path work on beside the one that is
  // current when they begin, as bits: learned from their launches.
  std::atomic<uint32_t> contexts{0};
  // An instance outgrew what a chain of epochs holds: the next ones are not
  // measured as a whole, and what is inside them is scheduled by itself.
  std::atomic<bool> outgrown{false};
  bool chosen = true;  // among the regions to count
};

// Which regions are to be counted: NameRules says it.
class RegionChoice {
 public:
  // `path`: names from the top, joined by "/", as tables show a region.
  virtual bool Chosen(std::string_view path) const noexcept = 0;

 protected:
  ~RegionChoice() = default;
};

class PathTable {
 public:
  // PyTorch programs that put a sequence number into every name reach any
  // limit; beyond this one names are folded into one per parent and counted.
  static constexpr size_t kMaxPaths = 16384;
  static constexpr size_t kMaxNameMemory = 64u << 20;

  // The path of `name` below `parent`. Never kNone: past a limit it is the
  // parent's "(other regions)", or the top level's.
  PathId Find(PathId parent, uint32_t domain, std::string_view name) noexcept;

  // The path of a mark of this name inside `parent`.
  PathId FindMark(PathId parent, uint32_t domain, std::string_view name) noexcept {
    return Find(parent, kFirstMarkDomain + domain, name);
  }
  static bool IsMark(const PathEntry& entry) { return entry.domain >= kFirstMarkDomain; }

  // Paths that are made from now on are chosen by `choice`; null: all are.
  void Choose(const RegionChoice* choice) { choice_ = choice; }

  // The path that stands for these paths open at once on several threads.
  // `members` must be sorted.
  PathId FindOverlap(std::span<const PathId> members) noexcept;

  // The path of launches of one kind inside `parent`; `symbol` is empty for a graph.
  PathId FindLaunch(PathId parent, std::string_view symbol, const LaunchKind& kind) noexcept;
  // Whether a path is one of those, and of what.
  static bool ReadLaunch(const PathEntry& entry, std::string_view& symbol, LaunchKind& kind);

  // Number of a domain by name: 0 for the default one. At most kMaxDomains.
  uint32_t FindDomain(std::string_view name) noexcept;
  std::string_view DomainName(uint32_t domain) const noexcept;

  // Null for a number that was never given out.
  PathEntry* Entry(PathId id) noexcept;

  // Paths known so far: 1 to count().
  uint32_t count() const { return count_.load(std::memory_order_acquire); }

  // After fork: the child starts with an empty tree.
  void Forget();

  static constexpr size_t kMaxDomains = 32;
  // Where the paths of launches are; their names hold symbol and kind.
  static constexpr uint32_t kLaunchDomain = kMaxDomains;
  // Where marks are: the number of their domain behind this.
  static constexpr uint32_t kFirstMarkDomain = kMaxDomains + 1;
  // Text of a path that is compared with the patterns of a choice; names above that are left out.
  static constexpr size_t kMaxChosenText = 64u << 10;
  // Mangled names of templates reach 64 KiB in the wild; what is beyond is cut, since a
  // launch may come on a small stack.
  static constexpr size_t kMaxSymbolBytes = 16u << 10;

 private:
  static constexpr size_t kBuckets = kMaxPaths * 2;

  PathId FindHashed(uint64_t hash, PathId parent, uint32_t domain, std::string_view name,
                    std::span<const PathId> members) noexcept;
  PathEntry* Lookup(uint64_t hash, PathId parent, uint32_t domain, std::string_view name,
                    std::span<const PathId> members) noexcept;
  PathEntry* Insert(uint64_t hash, PathId parent, uint32_t domain, std::string_view name,
                    std::span<const PathId> members) noexcept;
  void* Allocate(size_t bytes) noexcept;
  bool IsChosen(const PathEntry& entry) noexcept;

  std::mutex mutex_;
  const RegionChoice* choice_ = nullptr;
  std::array<std::atomic<PathEntry*>, kBuckets> buckets_{};
  std::array<std::atomic<PathEntry*>, kMaxPaths + 1> by_id_{};
  std::atomic<uint32_t> count_{0};
  size_t name_memory_ = 0;
  char* chunk_ = nullptr;
  size_t chunk_left_ = 0;
  struct Domain {
    const char* name = nullptr;
    size_t size = 0;
  };
  std::array<Domain, kMaxDomains> domains_{};
  std::atomic<uint32_t> domain_count_{1};
};

}  // namespace rafter
