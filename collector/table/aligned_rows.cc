#include "collector/table/aligned_rows.h"

#include <algorithm>

#include "collector/table/utf8.h"

namespace rafter {
namespace {

bool IsWordPart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Characters, not bytes: "µ" is one.
size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
  }));
}

}  // namespace

std::string MarkdownText(std::string_view text, size_t most_characters) {
  const std::string line = OneLine(text, most_characters);
  std::string escaped;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool inside =
        i > 0 && i + 1 < line.size() && IsWordPart(line[i - 1]) && IsWordPart(line[i + 1]);
    const bool markup = std::string_view("\\`*_|<>[]").find(line[i]) != std::string_view::npos;
    if (markup && !(line[i] == '_' && inside)) escaped += '\\';
    escaped += line[i];
  }
  return escaped;
}

std::string AlignedRows::Text() const {
  std::vector<size_t> widths(is_number_.size(), 4);  // "---:"
  for (const auto& cells : rows_) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], WidthOf(cells[i]));
  }
  std::string text;
  for (size_t row = 0; row < rows_.size(); ++row) {
    text += Line(rows_[row], widths);
    if (row == 0) text += Rule(widths);
  }
  return text;
}

std::string AlignedRows::Line(const std::vector<std::string>& cells,
                              const std::vector<size_t>& widths) const {
  std::string text = "|";
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - WidthOf(cells[i]), ' ');
    text += " " + (is_number_[i] ? padding + cells[i] : cells[i] + padding) + " |";
  }
  return text + "\n";
}

std::string AlignedRows::Rule(const std::vector<size_t>& widths) const {
  std::string text = "|";
  for (size_t i = 0; i < widths.size(); ++i) {
    text += " " + std::string(widths[i] - (is_number_[i] ? 1 : 0), '-') +
            (is_number_[i] ? ":" : "") + " |";
  }
  return text + "\n";
}

}  // namespace rafter
