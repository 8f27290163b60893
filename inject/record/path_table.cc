#include "inject/record/path_table.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "inject/health.h"

namespace rafter {
namespace {

constexpr std::string_view kOther = "(other regions)";

// FNV-1a over eight bytes at a time; a hash table needs no more.
uint64_t HashBytes(uint64_t hash, const char* data, size_t size) {
  constexpr uint64_t kPrime = 1099511628211ull;
  while (size >= 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
    data += 8;
    size -= 8;
  }
  for (; size > 0; --size) hash = (hash ^ static_cast<unsigned char>(*data++)) * kPrime;
  return hash ^ (hash >> 29);
}

uint64_t HashPath(PathId parent, uint32_t domain, std::string_view name) {
  const uint64_t seed = 14695981039346656037ull ^ (static_cast<uint64_t>(parent) << 32 | domain);
  return HashBytes(seed * 1099511628211ull, name.data(), name.size());
}

}  // namespace

PathEntry* PathTable::Entry(PathId id) noexcept {
  const auto number = static_cast<uint32_t>(id);
  if (number == 0 || number > kMaxPaths) return nullptr;
  return by_id_[number].load(std::memory_order_acquire);
}

PathEntry* PathTable::Lookup(uint64_t hash, PathId parent, uint32_t domain, std::string_view name,
                             std::span<const PathId> members) noexcept {
  for (size_t i = 0; i < kBuckets; ++i) {
    PathEntry* entry = buckets_[(hash + i) % kBuckets].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    if (entry->hash == hash && entry->parent == parent && entry->domain == domain &&
        entry->name_size == name.size() && entry->member_count == members.size() &&
        std::memcmp(entry->name, name.data(), name.size()) == 0 &&
        std::equal(members.begin(), members.end(), entry->members)) {
      return entry;
    }
  }
  return nullptr;
}

void* PathTable::Allocate(size_t bytes) noexcept {
  constexpr size_t kChunkBytes = 256u << 10;
  bytes = (bytes + 15) & ~size_t{15};
  if (bytes > chunk_left_) {
    const size_t size = std::max(bytes, kChunkBytes);
    void* fresh = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) return nullptr;
    chunk_ = static_cast<char*>(fresh);
    chunk_left_ = size;
  }
  void* taken = chunk_;
  chunk_ += bytes;
  chunk_left_ -= bytes;
  return taken;
}

// Launches and marks go with what they are inside of.
bool PathTable::IsChosen(const PathEntry& entry) noexcept {
  const PathEntry* const parent = Entry(entry.parent);
  if (entry.member_count > 0) return true;
  if (entry.domain >= kLaunchDomain) return parent == nullptr || parent->chosen;
  const auto size_of = [this](const PathEntry& each) {  // "name", "domain:name"
    return each.name_size + (each.domain == 0 ? 0 : DomainName(each.domain).size() + 1);
  };
  size_t size = size_of(entry);
  const PathEntry* top = &entry;
  for (const PathEntry* above = parent; above != nullptr; above = Entry(above->parent)) {
    if (size + size_of(*above) + 1 > kMaxChosenText) break;
    size += size_of(*above) + 1;
    top = above;
  }
  auto* const text = static_cast<char*>(std::malloc(size + 1));
  if (text == nullptr) return false;
  text[size] = '\0';
  char* end = text + size;
  const auto put = [&end](std::string_view part) {
    end -= part.size();
    std::memcpy(end, part.data(), part.size());
  };
  for (const PathEntry* each = &entry;; each = Entry(each->parent)) {
    put({each->name, each->name_size});
    if (each->domain != 0) {
      put(":");
      put(DomainName(each->domain));
    }
    if (each == top) break;
    put("/");
  }
  const bool chosen = choice_->Chosen({text, size});
  std::free(text);
  return chosen;
}

PathEntry* PathTable::Insert(uint64_t hash, PathId parent, uint32_t domain, std::string_view name,
                             std::span<const PathId> members) noexcept {
  const uint32_t number = count_.load(std::memory_order_relaxed) + 1;
  // The last places belong to "(other regions)", and the very last to that of the
  // top level, so that folding cannot fail; nor does it ask for name memory.
  const bool other = name == kOther;
  const size_t limit = !other                    ? kMaxPaths - 256
                       : parent != PathId::kNone ? kMaxPaths - 1
                                                 : kMaxPaths;
  const size_t member_bytes = members.size() * sizeof(PathId);
  const size_t bytes = sizeof(PathEntry) + member_bytes + name.size();
  if (number > limit || (!other && name_memory_ + bytes > kMaxNameMemory)) return nullptr;
  void* memory = Allocate(bytes);
  if (memory == nullptr) return nullptr;
  name_memory_ += bytes;
  auto* entry = new (memory) PathEntry;
  auto* member_copy = reinterpret_cast<PathId*>(entry + 1);
  std::copy(members.begin(), members.end(), member_copy);
  char* text = reinterpret_cast<char*>(member_copy + members.size());
  std::memcpy(text, name.data(), name.size());
  entry->id = static_cast<PathId>(number);
  entry->parent = parent;
  entry->domain = domain;
  entry->name = text;
  entry->name_size = static_cast<uint32_t>(name.size());
  entry->members = member_copy;
  entry->member_count = static_cast<uint32_t>(members.size());
  entry->hash = hash;
  if (choice_ != nullptr) entry->chosen = IsChosen(*entry);
  size_t bucket = hash % kBuckets;
  while (buckets_[bucket].load(std::memory_order_relaxed) != nullptr)
    bucket = (bucket + 1) % kBuckets;
  by_id_[number].store(entry, std::memory_order_release);
  buckets_[bucket].store(entry, std::memory_order_release);
  count_.store(number, std::memory_order_release);
  return entry;
}

PathId PathTable::FindHashed(uint64_t hash, PathId parent, uint32_t domain, std::string_view name,
                             std::span<const PathId> members) noexcept {
  PathEntry* entry = Lookup(hash, parent, domain, name, members);
  if (entry != nullptr) return entry->id;
  const std::lock_guard<std::mutex> lock(mutex_);
  entry = Lookup(hash, parent, domain, name, members);
  if (entry == nullptr) entry = Insert(hash, parent, domain, name, members);
  if (entry != nullptr) return entry->id;
  Health().Lost(Loss::kNamesFolded);
  for (const PathId where : {parent, PathId::kNone}) {
    const uint64_t other = HashPath(where, domain, kOther);
    entry = Lookup(other, where, domain, kOther, {});
    if (entry == nullptr) entry = Insert(other, where, domain, kOther, {});
    if (entry != nullptr) return entry->id;
  }
  return static_cast<PathId>(count_.load(std::memory_order_relaxed));  // kMaxPaths is not 0
}

PathId PathTable::Find(PathId parent, uint32_t domain, std::string_view name) noexcept {
  return FindHashed(HashPath(parent, domain, name), parent, domain, name, {});
}

PathId PathTable::FindOverlap(std::span<const PathId> members) noexcept {
  const uint64_t hash = HashBytes(0x6f7665726c617073, reinterpret_cast<const char*>(members.data()),
                                  members.size() * sizeof(PathId));
  return FindHashed(hash, PathId::kNone, 0, "", members);
}

PathId PathTable::FindLaunch(PathId parent, std::string_view symbol,
                             const LaunchKind& kind) noexcept {
  char name[kMaxSymbolBytes + sizeof kind];
  symbol = symbol.substr(0, kMaxSymbolBytes);
  std::memcpy(name, symbol.data(), symbol.size());
  std::memcpy(name + symbol.size(), &kind, sizeof kind);
  return Find(parent, kLaunchDomain, {name, symbol.size() + sizeof kind});
}

bool PathTable::ReadLaunch(const PathEntry& entry, std::string_view& symbol, LaunchKind& kind) {
  if (entry.domain != kLaunchDomain || entry.name_size < sizeof kind || entry.member_count > 0) {
    return false;
  }
  symbol = {entry.name, entry.name_size - sizeof kind};
  std::memcpy(&kind, entry.name + symbol.size(), sizeof kind);
  return true;
}

uint32_t PathTable::FindDomain(std::string_view name) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint32_t count = domain_count_.load(std::memory_order_relaxed);
  for (uint32_t i = 1; i < count; ++i) {
    if (std::string_view(domains_[i].name, domains_[i].size) == name) return i;
  }
  if (count == kMaxDomains) return kMaxDomains;  // tracked by nobody
  char* copy = static_cast<char*>(Allocate(name.size() + 1));
  if (copy == nullptr) return kMaxDomains;
  std::memcpy(copy, name.data(), name.size());
  domains_[count] = {copy, name.size()};
  domain_count_.store(count + 1, std::memory_order_release);
  return count;
}

std::string_view PathTable::DomainName(uint32_t domain) const noexcept {
  if (domain == 0 || domain >= domain_count_.load(std::memory_order_acquire)) return "";
  return {domains_[domain].name, domains_[domain].size};
}

void PathTable::Forget() {
  new (&mutex_) std::mutex;
  for (auto& bucket : buckets_) bucket.store(nullptr, std::memory_order_relaxed);
  for (auto& entry : by_id_) entry.store(nullptr, std::memory_order_relaxed);
  count_.store(0, std::memory_order_relaxed);
  chunk_ = nullptr;  // a thread of the parent may have been taking from it
  chunk_left_ = 0;
  name_memory_ = 0;  // domains stay: the program holds their handles
}

}  // namespace rafter
