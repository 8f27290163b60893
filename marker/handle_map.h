// HandleMap finds a number of ours by what somebody else calls the same thing.
//
//   Threads   any.
//   Blocking  never.
//   Memory    16 bytes for each place, touched when used; nothing is removed.
//   Lifetime  static.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rafter {

template <size_t kPlaces>
class HandleMap {
 public:
  static_assert((kPlaces & (kPlaces - 1)) == 0, "a power of two");

  // Keeps `number`, not 0, for `key`, not 0; a later one replaces it. False when
  // there is no room.
  bool Put(uint64_t key, uint32_t number) noexcept {
    for (size_t i = 0; i < kMostSteps; ++i) {
      Place& place = places_[(Start(key) + i) % kPlaces];
      uint64_t there = place.key.load(std::memory_order_acquire);
      if (there == 0 && place.key.compare_exchange_strong(there, key)) there = key;
      if (there != key) continue;
      place.number.store(number, std::memory_order_release);
      return true;
    }
    return false;
  }

  // Hot path. 0 for a key that was never put.
  uint32_t Find(uint64_t key) const noexcept {
    for (size_t i = 0; i < kMostSteps; ++i) {
      const Place& place = places_[(Start(key) + i) % kPlaces];
      const uint64_t there = place.key.load(std::memory_order_acquire);
      if (there == key) return place.number.load(std::memory_order_acquire);
      if (there == 0) return 0;
    }
    return 0;
  }

 private:
  // So far a key may lie from where it belongs: half full, one in a million does.
  static constexpr size_t kMostSteps = kPlaces < 64 ? kPlaces : 64;

  struct Place {
    std::atomic<uint64_t> key{0};
    std::atomic<uint32_t> number{0};
  };

  // Handles are often addresses, alike in their low bits.
  static size_t Start(uint64_t key) { return static_cast<size_t>(key * 0x9E3779B97F4A7C15u >> 32); }

  Place places_[kPlaces];
};

}  // namespace rafter
