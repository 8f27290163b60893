// ThreadTable keeps the stack of open regions of each thread of the target.
//
//   Threads   Mine: any; the record it returns belongs to the calling thread.
//   Blocking  a short lock at a thread's first region and at its end.
//   Memory    about 4 KiB a thread, given back when the thread ends; at most
//             kMaxThreads at once.
//   Lifetime  a member of the session, which is never destroyed.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <mutex>

#include "inject/record/path_table.h"
#include "inject/record/region_ring.h"

namespace rafter {

struct OpenRegion {
  PathId path = PathId::kNone;
  uint64_t start_ns = 0;
  uint64_t launches_at_start = 0;
  uint32_t watch_generation = 0;
  uint32_t epoch = 0;
  uint32_t overlaps_at_start = 0;  // of the borders' counters
  uint32_t gaps_at_start = 0;
  uint32_t left_out_at_start = 0;
  uint32_t foreign_at_start = 0;
  Uncounted uncounted = Uncounted::kCounted;
  bool borders = false;  // takes part in the range borders
  bool aside = false;    // works on the GPU beside them, not named by them
};

struct ThreadRecord {
  // Real programs nest a dozen deep; recursion can go anywhere. Deeper regions
  // are counted as lost, their levels still returned.
  static constexpr uint32_t kMaxDepth = 64;

  uint32_t thread = 0;  // operating-system thread id
  uint32_t depth = 0;   // open regions of the counted domain, also beyond kMaxDepth
  uint32_t other_depth[PathTable::kMaxDomains] = {};  // levels in domains that are not counted
  OpenRegion open[kMaxDepth];
  ThreadRecord* next_free = nullptr;
};

class ThreadTable {
 public:
  // 10,000 threads is the largest count in a public report; 8,192 records are
  // 32 MiB, taken only when used.
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
