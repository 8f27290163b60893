#include "inject/record/name_rules.h"

#include <locale.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace rafter {
namespace {

// The C locale for as long as it lives: regcomp takes over what is current.
class InCLocale {
 public:
  InCLocale() : locale_(newlocale(LC_ALL_MASK, "C", nullptr)) {
    if (locale_ != nullptr) before_ = uselocale(locale_);
  }
  ~InCLocale() {
    if (locale_ == nullptr) return;
    uselocale(before_);
    freelocale(locale_);
  }
  InCLocale(const InCLocale&) = delete;
  InCLocale& operator=(const InCLocale&) = delete;

 private:
  locale_t locale_ = nullptr;
  locale_t before_ = nullptr;
};

// The first match in `text` from `from` on.
bool Search(const regex_t& pattern, std::string_view text, size_t from, regmatch_t& match) {
  match.rm_so = static_cast<regoff_t>(from);
  match.rm_eo = static_cast<regoff_t>(text.size());
  const int flags = REG_STARTEND | (from > 0 ? REG_NOTBOL : 0);
  return regexec(&pattern, text.data(), 1, &match, flags) == 0;
}

}  // namespace

uint64_t HashName(std::string_view name) noexcept {
  constexpr uint64_t kPrime = 1099511628211ull;
  uint64_t hash = 14695981039346656037ull ^ name.size();
  const char* data = name.data();
  size_t left = name.size();
  for (; left >= 8; left -= 8, data += 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  }
  for (; left > 0; --left) hash = (hash ^ static_cast<unsigned char>(*data++)) * kPrime;
  return hash ^ (hash >> 29);
}

void NameRules::Compile(const std::vector<std::string>& patterns, const char* variable,
                        std::vector<regex_t>& compiled, std::vector<std::string>& wrong) {
  for (const std::string& pattern : patterns) {
    regex_t one;
    const int failed = regcomp(&one, pattern.c_str(), REG_EXTENDED);
    if (failed == 0) {
      compiled.push_back(one);
      continue;
    }
    char why[128];
    regerror(failed, &one, why, sizeof why);
    wrong.push_back(std::string(variable) + "=" + pattern + " is no regular expression (" + why +
                    "); it has no effect");
  }
}

std::vector<std::string> NameRules::Set(const std::vector<std::string>& chosen,
                                        const std::vector<std::string>& grouped) {
  const InCLocale locale;
  std::vector<std::string> wrong;
  // What was compiled before stays: a thread of a parent may have held its lock.
  new (&chosen_) std::vector<regex_t>;
  new (&grouped_) std::vector<regex_t>;
  Compile(chosen, "RAFTER_REGION", chosen_, wrong);
  Compile(grouped, "RAFTER_GROUP_NAMES", grouped_, wrong);
  return wrong;
}

bool NameRules::Chosen(std::string_view path) const noexcept {
  return std::any_of(chosen_.begin(), chosen_.end(), [&](const regex_t& pattern) {
    regmatch_t match;
    return Search(pattern, path, 0, match);
  });
}

// One pattern after the other, each on what the last has left.
size_t NameRules::Replace(std::string_view name, Buffer& buffer, bool& replaced) const noexcept {
  size_t size = std::min(name.size(), kMaxGroupedBytes);
  std::memcpy(buffer.data(), name.data(), size);
  buffer[size] = '\0';
  for (const regex_t& pattern : grouped_) {
    size_t from = 0;
    regmatch_t match;
    while (from < size && Search(pattern, {buffer.data(), size}, from, match)) {
      const auto start = static_cast<size_t>(match.rm_so);
      const auto end = static_cast<size_t>(match.rm_eo);
      if (end == start) {  // nothing is no part of a name
        from = end + 1;
        continue;
      }
      replaced = true;
      buffer[start] = '*';
      std::memmove(buffer.data() + start + 1, buffer.data() + end, size - end + 1);
      size -= end - start - 1;
      from = start + 1;
    }
  }
  return size;
}

const NameRules::Remembered* NameRules::Lookup(std::string_view name,
                                               uint64_t hash) const noexcept {
  for (size_t i = 0; i < remembered_.size(); ++i) {
    const Remembered* const known =
        remembered_[(hash + i) % remembered_.size()].load(std::memory_order_acquire);
    if (known == nullptr) return nullptr;
    if (known->hash == hash && known->size == name.size() &&
        std::memcmp(known->text, name.data(), name.size()) == 0) {
      return known;
    }
  }
  return nullptr;
}

void NameRules::Remember(std::string_view name, uint64_t hash, const char* grouped,
                         size_t size) noexcept {
  if (name.size() > kMaxRememberedBytes) return;
  if (remembered_count_.fetch_add(1, std::memory_order_relaxed) >= kMaxRemembered) {
    remembered_count_.store(kMaxRemembered, std::memory_order_relaxed);
    return;
  }
  void* const memory = std::malloc(sizeof(Remembered) + name.size() + size);
  if (memory == nullptr) return;
  auto* const entry = new (memory) Remembered;
  char* const text = reinterpret_cast<char*>(entry + 1);
  std::memcpy(text, name.data(), name.size());
  entry->hash = hash;
  entry->size = static_cast<uint32_t>(name.size());
  entry->text = text;
  if (grouped != nullptr) {
    std::memcpy(text + name.size(), grouped, size);
    entry->grouped = text + name.size();
    entry->grouped_size = static_cast<uint32_t>(size);
  }
  for (size_t i = 0; i < remembered_.size(); ++i) {
    const Remembered* expected = nullptr;
    if (remembered_[(hash + i) % remembered_.size()].compare_exchange_strong(
            expected, entry, std::memory_order_release)) {
      return;
    }
  }
}

std::string_view NameRules::Grouped(std::string_view name, uint64_t hash, Buffer& buffer) noexcept {
  if (grouped_.empty()) return name;
  const Remembered* const known = Lookup(name, hash);
  if (known != nullptr) {
    if (known->grouped == nullptr) return name;
    return {known->grouped, known->grouped_size};
  }
  bool replaced = false;
  const size_t size = Replace(name, buffer, replaced);
  Remember(name, hash, replaced ? buffer.data() : nullptr, replaced ? size : 0);
  return replaced ? std::string_view(buffer.data(), size) : name;
}

}  // namespace rafter
