// PlanCacheFile is the name of a cached plan, so that the collector and the
// injected library look for the very same file. Includes nothing of ours and
// no protobuf.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rafter {

// FNV-1a 64 (offset basis and prime of its authors), going on from `hash`.
inline uint64_t PlanHash(const void* data, size_t size, uint64_t hash = 14695981039346656037ull) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}

// Raised whenever a set's metrics change: plans of an older Rafter must not be
// taken for ours.
inline constexpr int kPlanRevision = 2;

// "GH100-130001-r1-0123456789abcdef.plan". The hash runs over the availability
// image and then the text of the wanted sets ("time,memory"). Characters of
// `chip` that do not belong in a file name become '_', and at most
// kMaxChipCharacters are used; whoever reads the file compares its content.
inline std::string PlanCacheFile(std::string_view chip, uint32_t cupti_version,
                                 const void* availability, size_t size, std::string_view sets) {
  constexpr size_t kMaxChipCharacters = 32;
  std::string name;
  for (const char c : chip.substr(0, kMaxChipCharacters)) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    name += plain ? c : '_';
  }
  name += '-' + std::to_string(cupti_version) + "-r" + std::to_string(kPlanRevision) + '-';
  const uint64_t hash = PlanHash(sets.data(), sets.size(), PlanHash(availability, size));
  for (int shift = 60; shift >= 0; shift -= 4) name += "0123456789abcdef"[hash >> shift & 15];
  return name + ".plan";
}

// The folder of cached plans: rafter/plans below `xdg_cache_home`, else below
// .cache in `home`; empty when neither is an absolute path (XDG base directories
// ignore others).
inline std::string PlanCacheFolder(std::string_view xdg_cache_home, std::string_view home) {
  if (xdg_cache_home.starts_with('/')) return std::string(xdg_cache_home) + "/rafter/plans";
  if (home.starts_with('/')) return std::string(home) + "/.cache/rafter/plans";
  return "";
}

}  // namespace rafter
