#include "marker/nvmarker/region_times.h"

namespace rafter {
namespace {

// How far from its first place an entry may lie.
constexpr size_t kReach = 64;

constinit thread_local char t_thread = 0;  // its address tells live threads apart

// FNV-1a, whose low bits are then mixed; never 0.
uint64_t HashOf(std::string_view name) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
  }
  hash = (hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15;
  hash ^= hash >> 29;
  return hash == 0 ? 1 : hash;
}

// Addresses have 47 bits and a name's place 10, so that a key is unique.
uint64_t KeyOf(size_t name) { return (reinterpret_cast<uintptr_t>(&t_thread) << 10 | name) + 1; }

size_t PlaceOf(uint64_t key, size_t size) { return (key * 0x9E3779B97F4A7C15 >> 40) % size; }

}  // namespace

size_t RegionTimes::Find(uint64_t hash) const noexcept {
  for (size_t step = 0; step < kMaxNames; ++step) {
    const size_t place = (hash + step) % kMaxNames;
    const uint64_t present = names_[place].hash.load(std::memory_order_acquire);
    if (present == hash) return place;
    if (present == 0) break;  // names are never taken out
  }
  return kMaxNames;
}

size_t RegionTimes::FindOrTake(uint64_t hash) noexcept {
  for (size_t step = 0; step < kMaxNames; ++step) {
    Name& name = names_[(hash + step) % kMaxNames];
    uint64_t present = 0;
    if (name.hash.compare_exchange_strong(present, hash, std::memory_order_acq_rel) ||
        present == hash) {
      return (hash + step) % kMaxNames;
    }
  }
  return kMaxNames;
}

RegionTimes::Open* RegionTimes::FindOpen(uint64_t key) noexcept {
  const size_t first = PlaceOf(key, kMaxOpen);
  for (size_t step = 0; step < kReach; ++step) {
    Open& open = open_[(first + step) % kMaxOpen];
    if (open.key.load(std::memory_order_acquire) == key) return &open;
  }
  return nullptr;
}

void RegionTimes::Opened(std::string_view name, uint64_t now_ns) noexcept {
  const size_t place = FindOrTake(HashOf(name));
  if (place == kMaxNames) return;
  const uint64_t key = KeyOf(place);
  // There already: of a thread that ended inside the region, at the same address.
  Open* open = FindOpen(key);
  const size_t first = PlaceOf(key, kMaxOpen);
  for (size_t step = 0; open == nullptr && step < kReach; ++step) {
    Open& free_one = open_[(first + step) % kMaxOpen];
    uint64_t none = 0;
    if (free_one.key.compare_exchange_strong(none, key, std::memory_order_acq_rel)) {
      open = &free_one;
    }
  }
  if (open != nullptr) open->since_ns.store(now_ns, std::memory_order_relaxed);
}

void RegionTimes::Closed(std::string_view name, uint64_t now_ns) noexcept {
  const size_t place = Find(HashOf(name));
  if (place == kMaxNames) return;
  Open* open = FindOpen(KeyOf(place));
  if (open == nullptr) return;
  const uint64_t since_ns = open->since_ns.load(std::memory_order_relaxed);
  open->key.store(0, std::memory_order_release);
  names_[place].time_ns.fetch_add(now_ns - since_ns, std::memory_order_relaxed);
  names_[place].calls.fetch_add(1, std::memory_order_relaxed);
}

void RegionTimes::Reset(std::string_view name) noexcept {
  const size_t place = Find(HashOf(name));
  if (place == kMaxNames) return;
  names_[place].calls.store(0, std::memory_order_relaxed);
  names_[place].time_ns.store(0, std::memory_order_relaxed);
}

RegionTimes::Sum RegionTimes::Of(std::string_view name) const noexcept {
  const size_t place = Find(HashOf(name));
  if (place == kMaxNames) return {};
  return {.calls = names_[place].calls.load(std::memory_order_relaxed),
          .time_ns = names_[place].time_ns.load(std::memory_order_relaxed)};
}

}  // namespace rafter
