// What programs hold of NVTX: handles of domains and of registered strings, ids of
// ranges. When another tool is there as well, a program holds that tool's handles
// and ours are found by them.
//
//   Threads   any.
//   Blocking  never.
//   Memory    strings are copied and kept for good: at most kMaxRegisteredBytes and
//             kMaxStrings. Of another tool: kMaxTheirDomains, kMaxTheirStrings
//             and kMaxPairs, 2 MiB touched as used.
//   Lifetime  static; a handle is good until the process ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "marker/nvtx_abi.h"
#include "marker/nvtx_limits.h"
#include "marker/region_sink.h"

namespace rafter {

// The sink of this process. Set before the first callback can come.
inline constinit std::atomic<const RegionSink*> g_sink{nullptr};
inline const RegionSink& Sink() { return *g_sink.load(std::memory_order_relaxed); }
void Note(const char* sentence);

// --- domains: null is the default one. A handle of ours is never an address that
// another tool can give, that of a byte which nobody reads.
inline constinit unsigned char g_domain_handles[kMaxDomainHandles] = {};
nvtxDomainHandle_t HandleOf(uint32_t domain);
inline size_t PlaceOf(nvtxDomainHandle_t handle) {
  return reinterpret_cast<uintptr_t>(handle) - reinterpret_cast<uintptr_t>(g_domain_handles);
}
inline bool IsOurs(nvtxDomainHandle_t handle) { return PlaceOf(handle) < kMaxDomainHandles; }
uint32_t DomainOfTheirs(nvtxDomainHandle_t handle);
// Hot path: a subtraction for a handle of ours, a look into a table for others.
// kUntrackedDomain for one that we have not seen made.
inline uint32_t DomainOf(nvtxDomainHandle_t handle) {
  if (handle == nullptr) return 0;
  const size_t place = PlaceOf(handle);
  if (place >= kMaxDomainHandles - 1) return DomainOfTheirs(handle);
  return static_cast<uint32_t>(place);
}
// From here on the program calls the domain by this handle of the other tool.
void CallDomain(nvtxDomainHandle_t theirs, uint32_t domain);

// --- registered strings. Never null: what finds no room has the name kRefusedName.
inline constexpr char kRefusedName[] = "(more registered strings than are kept)";
inline constexpr char kUnknownName[] = "(unknown registered string)";
nvtxStringHandle_t KeepString(NameBytes name);
bool IsOurs(nvtxStringHandle_t handle);
NameBytes NameOf(nvtxStringHandle_t handle);
void CallString(nvtxStringHandle_t theirs, nvtxStringHandle_t ours);
// How many strings found no room.
uint64_t RefusedStrings();

// --- ranges that two tools know: the program gets an id of its own for both.
struct RangePair {
  uint64_t ours = 0;
  uint64_t theirs = 0;
};
// A place for a pair, or a negative value when all are taken.
int TakePair();
void DropPair(int place);
// Puts the pair there; returns the program's id.
nvtxRangeId_t OpenPair(int place, RangePair pair);
bool IsPair(nvtxRangeId_t id);
// Takes the pair out; false when it has been already.
bool ClosePair(nvtxRangeId_t id, RangePair& pair);

}  // namespace rafter
