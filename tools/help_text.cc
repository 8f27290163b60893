#include "tools/help_text.h"

#include <algorithm>

namespace rafter {
namespace {

// Where texts begin beside names; further left on a narrow terminal, where too
// little would be left of it.
constexpr size_t kTextColumn = 34;
constexpr size_t kLeastText = 24;

std::string ShownHelp(const DeclaredOption& option) {
  return option.variable.empty() ? option.help : option.help + " [" + option.variable + "]";
}

// "  NAME      text", or the text below a name that is too long for that.
void AppendEntry(const std::string& name, const std::string& text, size_t text_column,
                 size_t columns, std::string& lines) {
  std::string head = "  " + name;
  if (head.size() + 1 > text_column) {
    lines += head + "\n";
    head.clear();
  }
  head.resize(text_column, ' ');
  lines += head;
  AppendWrapped(text, text_column, text_column, columns, lines);
}

// As wide as the longest name, for lists of short ones.
template <typename Entries, typename Name>
size_t NarrowColumn(const Entries& entries, const Name& name) {
  size_t widest = 0;
  for (const auto& entry : entries) widest = std::max(widest, std::string(name(entry)).size());
  return widest + 4;
}

void AppendOptions(const char* title, const std::vector<DeclaredOption>& options,
                   size_t text_column, size_t columns, std::string& lines) {
  if (options.empty()) return;
  lines += std::string("\n") + title + ":\n";
  for (const DeclaredOption& option : options) {
    const std::string value = option.placeholder.empty() ? "" : " " + option.placeholder;
    AppendEntry(option.names + value, ShownHelp(option), text_column, columns, lines);
  }
}

void AppendVerbs(const std::vector<DeclaredVerb>& verbs, size_t columns, std::string& lines) {
  if (verbs.empty()) return;
  lines += "\nCommands:\n";
  const size_t column = NarrowColumn(verbs, [](const DeclaredVerb& verb) { return verb.name; });
  for (const DeclaredVerb& verb : verbs) {
    AppendEntry(verb.name, verb.summary, column, columns, lines);
  }
}

void AppendStatuses(const ManualText& manual, size_t columns, std::string& lines) {
  if (manual.statuses.empty()) return;
  lines += "\nExit status:\n";
  const size_t column =
      NarrowColumn(manual.statuses, [](const NamedText& status) { return status.name; });
  for (const NamedText& status : manual.statuses) {
    AppendEntry(std::string(status.name), std::string(status.text), column, columns, lines);
  }
}

}  // namespace

void AppendWrapped(std::string_view text, size_t at, size_t indent, size_t columns,
                   std::string& lines) {
  bool is_first = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!is_first && at + 1 + word.size() > columns) {
      lines += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!is_first) {
      lines += " ";
      ++at;
    }
    lines += word;
    at += word.size();
    is_first = false;
  }
  lines += "\n";
}

std::string HelpText(const DeclaredCommand& command, const ManualText& manual, size_t columns) {
  const CommandDescription& description = command.description;
  const size_t text_column = columns >= kTextColumn + kLeastText ? kTextColumn : 8;
  std::string lines;
  AppendWrapped(description.summary, 0, 0, columns, lines);
  AppendWrapped("Usage: " + TypedName(description) + " " + description.usage, 0, 4, columns, lines);
  AppendVerbs(command.verbs, columns, lines);
  AppendOptions("Arguments", command.arguments, text_column, columns, lines);
  AppendOptions("Options", command.options, text_column, columns, lines);
  AppendStatuses(manual, columns, lines);
  lines += "\nExample:\n" + description.example + "\n";
  if (manual.note.empty()) return lines;
  lines += "\n";
  AppendWrapped(manual.note, 0, 0, columns, lines);
  return lines;
}

}  // namespace rafter
