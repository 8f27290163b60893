// ThreadTable keeps the stack of open regions of each thread of the target.
//
//   Threads   Mine: any; the record it returns belongs to the calling thread.
//   Blocking  a short lock at a thread's first region and at its end.
//   Memory    22 KiB a thread, of which what is nested deep is touched only when
//             used; given back when the thread ends; at most kMaxThreads at once.
//   Lifetime  a member of the session, which is never destroyed.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "inject/record/path_table.h"
#include "inject/record/region_ring.h"

namespace rafter {

// What one counted context knows of an open region.
struct RegionShare {
  static constexpr uint8_t kNoContext = 0xff;

  PathId below = PathId::kNone;  // what its stack in the borders showed before it
  uint32_t pins = 0;             // of the borders, when it began
  uint32_t overlaps = 0;         // the borders' counters when it began
  uint32_t gaps = 0;
  uint32_t left_out = 0;
  uint32_t foreign = 0;
  uint32_t armings = 0;   // of the context, when it began
  uint32_t begins = 0;    // regions begun on the context, with this one
  uint32_t launches = 0;  // on the context when it began
  uint8_t context = kNoContext;
  Uncounted uncounted = Uncounted::kCounted;
  bool borders = false;      // takes part in the range borders
  bool pinned = false;       // is being measured as a whole
  bool aside = false;        // works on the GPU beside the borders, not named by them
  bool aside_below = false;  // a region around it does
  bool suspends = false;     // stays uncounted inside a counted region, whose range it ended
};

struct OpenRegion {
  // Contexts that one region can work on at once and be counted: the GPUs of a
  // large node.
  static constexpr size_t kMaxShares = 8;

  PathId path = PathId::kNone;
  uint64_t start_ns = 0;
  uint64_t launches_at_start = 0;
  uint32_t watch_generation = 0;
  std::atomic<uint32_t> elsewhere{0};  // contexts without a share that it launched on, as bits
  const OpenRegion* around = nullptr;  // on the same stack
  enum class Standing : uint8_t {
    kOpen,      // takes part in counting, as far as its shares say
    kUnchosen,  // not among the regions to count: what it does belongs to what is around it
    kCrossed,   // a region around it has ended before it, which ended its counting
    kJoined,    // names the region around it a second time, through another source
    kClosed,    // has ended below others that are open
  };
  Standing standing = Standing::kOpen;
  bool before_cuda = false;  // it began before cuInit
  uint16_t source = 0;       // number of an NVTX domain, or kNvMarkerSource, or kLaunchSource
  uint32_t category = 0;
  uint64_t name_hash = 0;  // of the name as the program gave it
  Payload payload = {};
  uint8_t share_count = 0;
  std::array<RegionShare, kMaxShares> shares;

  static constexpr uint16_t kNvMarkerSource = PathTable::kMaxDomains;
  static constexpr uint16_t kLaunchSource = kNvMarkerSource + 1;
  static constexpr uint16_t kSources = kLaunchSource;  // that a program opens and closes regions of

  const RegionShare* ShareOf(uint8_t context) const {
    for (size_t i = 0; i < share_count; ++i) {
      if (shares[i].context == context) return &shares[i];
    }
    return nullptr;
  }

  // The nearest of `open` and the regions around it that has a share of a context.
  static const OpenRegion* NearestOn(uint8_t context, const OpenRegion* open) {
    while (open != nullptr && open->ShareOf(context) == nullptr) open = open->around;
    return open;
  }
};

struct ThreadRecord {
  // Real programs nest a dozen deep; recursion can go anywhere. Deeper regions
  // are counted as lost, their levels still returned.
  static constexpr uint32_t kMaxDepth = 64;

  uint32_t thread = 0;           // operating-system thread id
  uint32_t depth = 0;            // places of `open` in use
  uint32_t deep = 0;             // regions that found no place in `open`, over all sources
  bool in_launch = false;        // the innermost open region is a launch
  uint8_t replayed_context = 0;  // index plus one of the context that it is repeated on
  uint32_t levels[PathTable::kMaxDomains] = {};  // open regions of each NVTX domain, wanted or not
  uint32_t deep_of[OpenRegion::kSources] = {};
  OpenRegion open[kMaxDepth];
  ThreadRecord* next_free = nullptr;

  // The region that whatever begins now is inside of, or null.
  OpenRegion* Innermost() {
    for (uint32_t place = depth; place > 0; --place) {
      const OpenRegion::Standing standing = open[place - 1].standing;
      if (standing <= OpenRegion::Standing::kUnchosen) return &open[place - 1];
    }
    return nullptr;
  }
  bool has_room() const { return depth < kMaxDepth && deep == 0; }

  // Place plus one of the innermost region of `source` that is open, with this name
  // where one is asked for; 0: there is none.
  uint32_t Find(uint16_t source, const uint64_t* name_hash) const {
    for (uint32_t place = depth; place > 0; --place) {
      const OpenRegion& candidate = open[place - 1];
      if (candidate.source != source || candidate.standing == OpenRegion::Standing::kClosed)
        continue;
      if (name_hash == nullptr || candidate.name_hash == *name_hash) return place;
    }
    return 0;
  }
  void DropClosed() {
    while (depth > 0 && open[depth - 1].standing == OpenRegion::Standing::kClosed) --depth;
  }
};

class ThreadTable {
 public:
  // 10,000 threads is the largest count in a public report; 8,192 records with a
  // dozen levels in use are 32 MiB.
  static constexpr uint32_t kMaxThreads = 8192;

  // Called on a thread that ends with regions open.
  using OnThreadEnd = void (*)(ThreadRecord&);
  void Start(OnThreadEnd on_thread_end);

  // The calling thread's record, or null when there are too many threads.
  ThreadRecord* Mine() noexcept;

  // In a forked child, where only the calling thread lives on.
  void Forget();

 private:
  static void Release(void* record);

  std::mutex mutex_;
  ThreadRecord* free_ = nullptr;
  uint32_t made_ = 0;
  pthread_key_t key_ = 0;
  bool started_ = false;
  OnThreadEnd on_thread_end_ = nullptr;
};

}  // namespace rafter
