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

  // The path that stands for these paths open at once on several threads.
  // `members` must be sorted.
  PathId FindOverlap(std::span<const PathId> members) noexcept;

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

 private:
  static constexpr size_t kBuckets = kMaxPaths * 2;

  PathId FindHashed(uint64_t hash, PathId parent, uint32_t domain, std::string_view name,
                    std::span<const PathId> members) noexcept;
  PathEntry* Lookup(uint64_t hash, PathId parent, uint32_t domain, std::string_view name,
                    std::span<const PathId> members) noexcept;
  PathEntry* Insert(uint64_t hash, PathId parent, uint32_t domain, std::string_view name,
                    std::span<const PathId> members) noexcept;
  void* Allocate(size_t bytes) noexcept;

  std::mutex mutex_;
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
