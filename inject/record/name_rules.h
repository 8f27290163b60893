// NameRules are what the user asked of the names of regions: which ones are to be
// counted, and which parts of names are written as "*" so that regions that only
// differ there are one.
//
//   Threads   Set: before regions begin. The rest: any.
//   Blocking  Grouped and Chosen search a name that is new to them; what Grouped has
//             met before costs a look-up without a lock.
//   Memory    at most kMaxRemembered names of kMaxRememberedBytes, kept for good.
//   Lifetime  a member of the session, which is never destroyed.
#pragma once

#include <regex.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inject/record/path_table.h"

namespace rafter {

class NameRules final : public RegionChoice {
 public:
  // Names whose grouped form is remembered. A program has hundreds of names, or no
  // end of them; those are searched each time (1 to 10 us).
  static constexpr size_t kMaxRemembered = 4096;
  static constexpr size_t kMaxRememberedBytes = 512;

  // Longer names are searched up to here, and cut here where a pattern is found.
  static constexpr size_t kMaxGroupedBytes = 4096;

  // Again in a forked child, where a thread of the parent may have been searching.
  // POSIX extended regular expressions, matched byte by byte as in the C locale,
  // whatever the program's. Returns a sentence for each that is none; it has no effect.
  std::vector<std::string> Set(const std::vector<std::string>& chosen,
                               const std::vector<std::string>& grouped);

  bool chooses() const { return !chosen_.empty(); }
  bool groups() const { return !grouped_.empty(); }

  // Whether some pattern is found in `path`.
  bool Chosen(std::string_view path) const noexcept override;

  // The name with every match of a pattern replaced by "*": `name` itself where there
  // is none, else text that is remembered or in `buffer`.
  using Buffer = std::array<char, kMaxGroupedBytes + 1>;  // and a zero, for regexec's sake
  std::string_view Grouped(std::string_view name, uint64_t hash, Buffer& buffer) noexcept;

 private:
  struct Remembered {
    uint64_t hash = 0;
    uint32_t size = 0;
    uint32_t grouped_size = 0;
    const char* text = nullptr;     // `size` bytes, as given
    const char* grouped = nullptr;  // null: it stays as it is
  };

  static void Compile(const std::vector<std::string>& patterns, const char* variable,
                      std::vector<regex_t>& compiled, std::vector<std::string>& wrong);
  size_t Replace(std::string_view name, Buffer& buffer, bool& replaced) const noexcept;
  const Remembered* Lookup(std::string_view name, uint64_t hash) const noexcept;
  void Remember(std::string_view name, uint64_t hash, const char* grouped, size_t size) noexcept;

  std::vector<regex_t> chosen_;
  std::vector<regex_t> grouped_;
  std::array<std::atomic<const Remembered*>, kMaxRemembered * 2> remembered_{};
  std::atomic<size_t> remembered_count_{0};
};

// Of a name as the program gave it, FNV-1a over words.
uint64_t HashName(std::string_view name) noexcept;

}  // namespace rafter
