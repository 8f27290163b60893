// ManualText is what a command's manual page says beside its options: paragraphs,
// exit statuses, variables, files, pages to read next. --help shows the statuses and
// the note.
//
//   Threads   constants.
//   Blocking  never.
//   Memory    made on first use, never destroyed.
//   Lifetime  of the process.
#pragma once

#include <string_view>
#include <vector>

namespace rafter {

struct NamedText {
  std::string_view name;
  std::string_view text;
};

struct ManualText {
  std::string_view page;                      // "rafter-run"
  std::vector<std::string_view> description;  // paragraphs
  std::vector<NamedText> statuses;
  std::vector<NamedText> variables;  // those that stand for no option
  std::vector<NamedText> files;
  std::string_view note;                   // what its options have in common
  std::vector<std::string_view> see_also;  // pages of section 1
};

// All pages that there are.
const std::vector<ManualText>& ManualTexts();

// Nothing for a page that is not among them.
const ManualText* FindManualText(std::string_view page);

}  // namespace rafter
