// AlignedRows is a Markdown table that can be read on a terminal as well.
//
//   Threads   pure functions; one object a thread.
//   Blocking  never.
//   Memory    keeps all cells until the text is made.
//   Lifetime  plain value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rafter {

// Text that Markdown would take for markup stays text. An underscore inside a
// word is none, and commands are easier to copy without backslashes. At most
// `most_characters`, in one line.
std::string MarkdownText(std::string_view text, size_t most_characters);

// The text of all cells, each column as wide as its widest. The first row that is
// added is the header.
class AlignedRows {
 public:
  // By column: whether it is of numbers, which stand to the right.
  explicit AlignedRows(std::vector<bool> is_number) : is_number_(std::move(is_number)) {}

  // As many cells as there are columns.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  std::string Text() const;

 private:
  std::string Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) const;
  std::string Rule(const std::vector<size_t>& widths) const;

  std::vector<bool> is_number_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace rafter
