#include "marker/nvtx_handles.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "marker/handle_map.h"

namespace rafter {
namespace {

// A string's handle too is the address of a byte.
unsigned char g_string_handles[kMaxStrings];

// A registered string. The text follows.
struct KeptString {
  size_t size;
  char text[1];
};

std::atomic<size_t> g_string_bytes{0};
std::atomic<uint32_t> g_strings_made{1};  // handle 0 stands for the refused ones
std::atomic<const KeptString*> g_strings[kMaxStrings];
std::atomic<uint64_t> g_refused_strings{0};

HandleMap<kMaxTheirDomains> g_their_domains;
HandleMap<kMaxTheirStrings> g_their_strings;

template <typename Handle>
uint64_t KeyOf(Handle handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

// The place of a string's handle, or something larger than all places.
size_t PlaceOf(nvtxStringHandle_t handle) {
  return KeyOf(handle) - reinterpret_cast<uintptr_t>(g_string_handles);
}

nvtxStringHandle_t StringHandle(size_t place) {
  return reinterpret_cast<nvtxStringHandle_t>(g_string_handles + place);
}

nvtxStringHandle_t RefuseString() {
  g_refused_strings.fetch_add(1, std::memory_order_relaxed);
  Note(
      "NVTX: more than 16 MiB, or 131,071, of registered strings; regions named by later ones "
      "are all called \"(more registered strings than are kept)\"; register each name once");
  return StringHandle(0);
}

// --- pairs

struct PairPlace {
  std::atomic<uint64_t> id{0};  // 0 free, 1 taken, else the id of an open pair
  RangePair pair;
};
PairPlace g_pairs[kMaxPairs];
std::atomic<uint64_t> g_pair_serial{0};

// The upper bits of an id for a pair: no address and no count has them.
constexpr uint64_t kPairTag = 0x5246u;
constexpr int kPairTagShift = 48;
constexpr int kPairSerialShift = 10;
static_assert(kMaxPairs == size_t{1} << kPairSerialShift);

}  // namespace

void Note(const char* sentence) { Sink().note({sentence, std::strlen(sentence)}); }

// --- domains

nvtxDomainHandle_t HandleOf(uint32_t domain) {
  if (domain == 0) return nullptr;
  const size_t place = domain < kMaxDomainHandles ? domain : kMaxDomainHandles - 1;
  return reinterpret_cast<nvtxDomainHandle_t>(g_domain_handles + place);
}

uint32_t DomainOfTheirs(nvtxDomainHandle_t handle) {
  if (IsOurs(handle)) return kUntrackedDomain;  // the last place is for all that have none
  // Numbers are kept plus one: 0 says that there is none.
  return g_their_domains.Find(KeyOf(handle)) - 1;
}

void CallDomain(nvtxDomainHandle_t theirs, uint32_t domain) {
  if (g_their_domains.Put(KeyOf(theirs), domain + 1)) return;
  Note(
      "NVTX: the program has made more than 1,024 domains beside another tool; the regions of "
      "later ones reach that tool only; make each domain once");
}

// --- registered strings

nvtxStringHandle_t KeepString(NameBytes name) {
  const size_t bytes = sizeof(KeptString) + name.size;
  if (g_string_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes > kMaxRegisteredBytes) {
    g_string_bytes.fetch_sub(bytes, std::memory_order_relaxed);
    return RefuseString();
  }
  if (g_strings_made.load(std::memory_order_relaxed) >= kMaxStrings) return RefuseString();
  auto* kept = static_cast<KeptString*>(std::malloc(bytes));
  if (kept == nullptr) return RefuseString();
  kept->size = name.size;
  std::memcpy(kept->text, name.data, name.size);
  const uint32_t place = g_strings_made.fetch_add(1, std::memory_order_relaxed);
  if (place >= kMaxStrings) {
    std::free(kept);
    return RefuseString();
  }
  g_strings[place].store(kept, std::memory_order_release);
  return StringHandle(place);
}

bool IsOurs(nvtxStringHandle_t handle) { return PlaceOf(handle) < kMaxStrings; }

NameBytes NameOf(nvtxStringHandle_t handle) {
  if (handle == nullptr) return {"", 0};
  size_t place = PlaceOf(handle);
  if (place >= kMaxStrings) {
    const uint32_t found = g_their_strings.Find(KeyOf(handle));
    if (found == 0) return {kUnknownName, sizeof kUnknownName - 1};
    place = found - 1;
  }
  const KeptString* kept = g_strings[place].load(std::memory_order_acquire);
  if (kept == nullptr) return {kRefusedName, sizeof kRefusedName - 1};
  return {kept->text, kept->size};
}

void CallString(nvtxStringHandle_t theirs, nvtxStringHandle_t ours) {
  const auto place = static_cast<uint32_t>(PlaceOf(ours));
  if (g_their_strings.Put(KeyOf(theirs), place + 1)) return;
  Note(
      "NVTX: the program has registered more than 65,536 strings beside another tool; regions "
      "named by later ones are all called \"(unknown registered string)\"; register each name "
      "once");
}

uint64_t RefusedStrings() { return g_refused_strings.load(std::memory_order_relaxed); }

// --- pairs

int TakePair() {
  const uint64_t first = g_pair_serial.load(std::memory_order_relaxed);
  for (size_t i = 0; i < kMaxPairs; ++i) {
    const size_t place = (first + i) % kMaxPairs;
    uint64_t free = 0;
    if (g_pairs[place].id.load(std::memory_order_relaxed) == 0 &&
        g_pairs[place].id.compare_exchange_strong(free, 1, std::memory_order_acquire)) {
      return static_cast<int>(place);
    }
  }
  return -1;
}

void DropPair(int place) { g_pairs[place].id.store(0, std::memory_order_release); }

nvtxRangeId_t OpenPair(int place, RangePair pair) {
  const uint64_t serial = g_pair_serial.fetch_add(1, std::memory_order_relaxed) + 1;
  const uint64_t id = kPairTag << kPairTagShift |
                      (serial << kPairSerialShift & ((uint64_t{1} << kPairTagShift) - 1)) |
                      static_cast<uint64_t>(place);
  g_pairs[place].pair = pair;
  g_pairs[place].id.store(id, std::memory_order_release);
  return id;
}

bool IsPair(nvtxRangeId_t id) { return id >> kPairTagShift == kPairTag; }

bool ClosePair(nvtxRangeId_t id, RangePair& pair) {
  PairPlace& place = g_pairs[id % kMaxPairs];
  uint64_t open = id;
  if (!place.id.compare_exchange_strong(open, 1, std::memory_order_acquire)) return false;
  pair = place.pair;
  place.id.store(0, std::memory_order_release);
  return true;
}

}  // namespace rafter
