#include "tools/manual_page.h"

#include <algorithm>

#include "tools/roff_text.h"

namespace rafter {
namespace {

void Section(const char* title, std::string& page) { page += std::string(".SH ") + title + "\n"; }

// A tag and what stands beside it.
void Item(const std::string& tag, const std::string& text, std::string& page) {
  page += ".TP\n" + tag + "\n" + text + "\n";
}

// "Count one command." -> "count one command", as NAME sections have it.
std::string ShortSummary(const std::string& summary) {
  std::string text = summary.substr(0, summary.find_last_not_of('.') + 1);
  const bool is_word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';
  if (is_word && text[0] >= 'A' && text[0] <= 'Z') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

void AppendHead(const DeclaredCommand& command, const std::string& version, std::string& page) {
  const CommandDescription& description = command.description;
  std::string title = PageName(description);
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  page += ".\\\" Made by \"" + TypedName(description) + " --man\".\n";
  page += ".TH " + RoffLiteral(title) + " 1 \"\" \"Rafter " + version + "\" \"Rafter\"\n";
  Section("NAME", page);
  page += RoffLiteral(PageName(description)) + " \\- " +
          RoffLiteral(ShortSummary(description.summary)) + "\n";
  Section("SYNOPSIS", page);
  page += RoffBold(TypedName(description)) + " " + RoffLiteral(description.usage) + "\n";
}

void AppendDescription(const DeclaredCommand& command, const ManualText& manual,
                       std::string& page) {
  Section("DESCRIPTION", page);
  bool is_first = true;
  for (const std::string_view paragraph : manual.description) {
    page += (is_first ? "" : ".PP\n") + RoffProse(paragraph) + "\n";
    is_first = false;
  }
  if (!manual.note.empty()) page += ".PP\n" + RoffProse(manual.note) + "\n";
  for (const DeclaredOption& argument : command.arguments) {
    Item(RoffItalic(argument.names), RoffProse(argument.help) + ".", page);
  }
  if (command.verbs.empty()) return;
  Section("COMMANDS", page);
  for (const DeclaredVerb& verb : command.verbs) {
    Item("\\fB" + RoffLiteral(PageName(command.description) + "-" + verb.name) + "\\fR(1)",
         RoffProse(verb.summary), page);
  }
}

// "-o,--output" "FILE" -> bold names, each with the value in italics behind the last.
std::string OptionTag(const DeclaredOption& option) {
  std::string tag;
  std::string names = option.names;
  while (!names.empty()) {
    const size_t end = std::min(names.find(','), names.size());
    tag += (tag.empty() ? "" : ", ") + RoffBold(names.substr(0, end));
    names.erase(0, end + 1);
  }
  return option.placeholder.empty() ? tag : tag + " " + RoffItalic(option.placeholder);
}

void AppendOptions(const std::vector<DeclaredOption>& options, std::string& page) {
  Section("OPTIONS", page);
  for (const DeclaredOption& option : options) {
    std::string text = RoffProse(option.help) + ".";
    if (!option.variable.empty()) {
      text += "\nThe variable " + RoffBold(option.variable) + " stands for it.";
    }
    Item(OptionTag(option), text, page);
  }
}

void AppendNamed(const char* title, const std::vector<NamedText>& entries, bool is_italic,
                 std::string& page) {
  if (entries.empty()) return;
  Section(title, page);
  for (const NamedText& entry : entries) {
    Item(is_italic ? RoffItalic(entry.name) : RoffBold(entry.name), RoffProse(entry.text), page);
  }
}

std::string LongName(const std::string& names) {
  return names.substr(std::min(names.find("--"), names.size() - 1));
}

void AppendEnvironment(const DeclaredCommand& command, const ManualText& manual,
                       std::string& page) {
  const auto has_variable = [](const DeclaredOption& option) { return !option.variable.empty(); };
  if (std::none_of(command.options.begin(), command.options.end(), has_variable) &&
      manual.variables.empty()) {
    return;
  }
  Section("ENVIRONMENT", page);
  for (const DeclaredOption& option : command.options) {
    if (option.variable.empty()) continue;
    const bool is_switch = option.placeholder.empty();
    Item(RoffBold(option.variable),
         (is_switch ? "1 stands for " : "Stands for ") + RoffBold(LongName(option.names)) +
             (is_switch ? ", 0 for leaving it out." : ", which wins."),
         page);
  }
  for (const NamedText& variable : manual.variables) {
    Item(RoffBold(variable.name), RoffProse(variable.text), page);
  }
}

void AppendExamples(const std::string& example, std::string& page) {
  Section("EXAMPLES", page);
  page += ".nf\n";
  for (size_t start = 0; start < example.size();) {
    const size_t end = std::min(example.find('\n', start), example.size());
    const std::string line = example.substr(start, end - start);
    page +=
        RoffLiteral(line.substr(std::min<size_t>(line.find_first_not_of(' '), line.size()))) + "\n";
    start = end + 1;
  }
  page += ".fi\n";
}

void AppendSeeAlso(const std::vector<std::string_view>& pages, std::string& page) {
  if (pages.empty()) return;
  Section("SEE ALSO", page);
  std::string list;
  for (const std::string_view name : pages) {
    list += (list.empty() ? "" : ",\n") + RoffBold(name) + "(1)";
  }
  page += list + "\n";
}

}  // namespace

std::string ManualPage(const DeclaredCommand& command, const ManualText& manual,
                       const std::string& version) {
  std::string page;
  AppendHead(command, version, page);
  AppendDescription(command, manual, page);
  AppendOptions(command.options, page);
  AppendNamed("EXIT STATUS", manual.statuses, false, page);
  AppendEnvironment(command, manual, page);
  AppendNamed("FILES", manual.files, true, page);
  AppendExamples(command.description.example, page);
  AppendSeeAlso(manual.see_also, page);
  return page;
}

}  // namespace rafter
