// Pattern is one POSIX extended regular expression, the kind that `--region` of
// `rafter run` takes (docs/decisions/0014-where-regions-come-from.md).
//
//   Threads   Finds: any.
//   Blocking  never.
//   Memory    what the C library compiles of the expression; copies share it.
//   Lifetime  plain value.
#pragma once

#include <absl/status/statusor.h>
#include <regex.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rafter {

class Pattern {
 public:
  // Fails with the cause, without the expression itself.
  static absl::StatusOr<Pattern> Compile(const std::string& text);

  // Whether it is found anywhere in `text`.
  bool Finds(std::string_view text) const;
  const std::string& text() const { return text_; }

 private:
  Pattern(std::string text, std::shared_ptr<const regex_t> compiled)
      : text_(std::move(text)), compiled_(std::move(compiled)) {}

  std::string text_;
  std::shared_ptr<const regex_t> compiled_;
};

// Whether any of them is found.
bool AnyFinds(const std::vector<Pattern>& patterns, std::string_view text);

}  // namespace rafter
