#include "tools/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "tools/exit_status.h"
#include "tools/help_text.h"
#include "tools/manual_page.h"
#include "tools/manual_text.h"
#include "tools/message.h"
#include "tools/nearest.h"

namespace rafter {
namespace {

std::string LongName(const std::string& names) {
  const size_t dashes = names.find("--");
  if (dashes == std::string::npos) return names;
  return names.substr(dashes, names.find(',', dashes) - dashes);
}

std::string Joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

Result<double> PositiveNumber(const std::string& name, const std::string& text,
                              const std::string& example) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number) || number <= 0) {
    return Status::Failed(name + " " + text + ": not a number above zero; write it like " +
                          example);
  }
  return number;
}

}  // namespace

Status CheckChoice(const TextOption& option, const std::vector<std::string>& allowed) {
  if (!option.value.has_value()) return Status::Ok();
  if (std::find(allowed.begin(), allowed.end(), *option.value) != allowed.end()) {
    return Status::Ok();
  }
  return Status::Failed(option.origin + " " + *option.value + ": not known" +
                        DidYouMean(*option.value, allowed) + "; choose one of " +
                        Joined(allowed, ", "));
}

struct CommandLine::State {
  DeclaredCommand declared;
  CLI::App app;
  bool wants_manual = false;
  std::vector<std::function<Status()>> checks;  // after CLI11 has taken the words apart
  std::vector<std::string> flags;

  std::string help_command() const { return "\"" + TypedName(declared.description) + " --help\""; }
  std::vector<std::string> OptionNames() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
  }
  const ManualText& Manual() const {
    static const ManualText* const nothing = new ManualText();
    const ManualText* const found = FindManualText(PageName(declared.description));
    return found == nullptr ? *nothing : *found;
  }
  std::string MismatchLine(const std::string& what) const;
  std::optional<std::string> ExtraLine() const;
};

// "--output: 1 required TEXT missing" and the like, in our form.
std::string CommandLine::State::MismatchLine(const std::string& what) const {
  const std::string name = what.substr(0, what.find(':'));
  if (what.find("At Most") != std::string::npos) {
    return name + ": given more than once; give it once";
  }
  if (what.find("missing") != std::string::npos || what.find("At least") != std::string::npos) {
    return name + ": its value is missing; run " + help_command();
  }
  return what + "; run " + help_command();
}

std::optional<std::string> CommandLine::State::ExtraLine() const {
  for (const std::string& extra : app.remaining()) {
    if (extra == "--") continue;
    const std::string word = extra.substr(0, extra.find('='));
    if (word.size() > 1 && word[0] == '-') {
      return word + ": no such option" + DidYouMean(word, OptionNames()) + "; run " +
             help_command();
    }
    return "\"" + extra + "\": not expected here; run " + help_command();
  }
  return std::nullopt;
}

CommandLine::CommandLine(CommandDescription description) : state_(std::make_unique<State>()) {
  state_->declared.description = std::move(description);
  state_->app.allow_extras();
  state_->app.set_help_flag("-h,--help");
  state_->declared.options.push_back({"-h,--help", "", "Print this and exit", ""});
  Flag("--man", &state_->wants_manual, "Print the manual page, as \"man -l -\" takes it, and exit");
}

CommandLine::~CommandLine() = default;

void CommandLine::Flag(const std::string& names, bool* value, const std::string& help,
                       const std::string& variable) {
  state_->declared.options.push_back({names, "", help, variable});
  state_->app.add_flag_callback(names, [value] { *value = true; });
  state_->flags.push_back(LongName(names));
}

void CommandLine::Text(const std::string& names, TextOption* value, const std::string& placeholder,
                       const std::string& help, const std::string& variable) {
  const std::string name = LongName(names);
  state_->declared.options.push_back({names, placeholder, help, variable});
  auto text = std::make_shared<std::string>();
  CLI::Option* const option = state_->app.add_option(names, *text)->type_name(placeholder);
  state_->checks.push_back([=] {
    if (option->count() > 0) {
      if (text->empty()) return Status::Failed(name + ": its value is empty; give one");
      *value = {*text, name};
      return Status::Ok();
    }
    const char* const given = variable.empty() ? nullptr : std::getenv(variable.c_str());
    if (given != nullptr && *given != '\0') *value = {given, variable};
    return Status::Ok();
  });
}

void CommandLine::Texts(const std::string& names, std::vector<std::string>* values,
                        const std::string& placeholder, const std::string& help,
                        const std::string& variable) {
  state_->declared.options.push_back({names, placeholder, help, variable});
  state_->app.add_option(names, *values)
      ->type_name(placeholder)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      // Else it would take the inputs that follow it, too.
      ->allow_extra_args(false);
}

void CommandLine::Lists(const std::string& names, std::vector<std::string>* values,
                        const std::string& placeholder, const std::string& help) {
  state_->declared.options.push_back({names, placeholder, help, ""});
  state_->app.add_option(names, *values)
      ->type_name(placeholder)
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void CommandLine::Number(const std::string& names, std::optional<double>* value,
                         const std::string& placeholder, const std::string& help) {
  const std::string name = LongName(names);
  state_->declared.options.push_back({names, placeholder, help, ""});
  auto text = std::make_shared<std::string>();
  CLI::Option* const option = state_->app.add_option(names, *text)->type_name(placeholder);
  state_->checks.push_back([=] {
    if (option->count() == 0) return Status::Ok();
    Result<double> number =
        PositiveNumber(name, *text, placeholder == "S" ? "30 or 0.5" : "1.5e12");
    if (!number.ok()) return number.status();
    *value = *number;
    return Status::Ok();
  });
}

void CommandLine::Choice(const std::string& names, TextOption* value,
                         const std::vector<std::string>& allowed, const std::string& help) {
  Text(names, value, Joined(allowed, "|"), help);
  state_->checks.push_back([=] { return CheckChoice(*value, allowed); });
}

void CommandLine::Inputs(const std::string& placeholder, std::vector<std::string>* values,
                         const std::string& help) {
  state_->declared.arguments.push_back({placeholder, "", help, ""});
  state_->app.add_option(placeholder, *values)->type_name("")->expected(0, -1);
}

void CommandLine::Verb(const std::string& name, const std::string& summary) {
  state_->declared.verbs.push_back({name, summary});
}

std::optional<int> CommandLine::Parse(std::span<const std::string> arguments) {
  // CLI11 would read "--quiet=5" as --quiet.
  for (const std::string& word : arguments) {
    for (const std::string& flag : state_->flags) {
      if (word.starts_with(flag + "=")) return Refuse(flag + ": takes no value; leave it out");
    }
  }
  // CLI11 takes its words in reverse.
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());
  try {
    state_->app.parse(words);
  } catch (const CLI::CallForHelp&) {
    return PrintHelp();
  } catch (const CLI::ParseError& error) {
    if (const auto extra = state_->ExtraLine(); extra.has_value()) return Refuse(*extra);
    return Refuse(state_->MismatchLine(error.what()));
  }
  if (const auto extra = state_->ExtraLine(); extra.has_value()) return Refuse(*extra);
  if (state_->wants_manual) return PrintManual();
  for (const auto& check : state_->checks) {
    if (const Status status = check(); !status.ok()) return Refuse(status.message());
  }
  return std::nullopt;
}

int CommandLine::Refuse(const std::string& line) const {
  const std::string& name = state_->declared.description.name;
  return SayWrongUse(name.empty() ? line : name + ": " + line);
}

int CommandLine::PrintHelp() const {
  const ManualText& manual = state_->Manual();
  const std::string text = HelpText(state_->declared, manual, TerminalColumns(STDOUT_FILENO));
  return Print(text) ? kDone : kIncomplete;
}

int CommandLine::PrintManual() const {
  const std::string page = ManualPage(state_->declared, state_->Manual(), RAFTER_VERSION);
  return Print(page) ? kDone : kIncomplete;
}

}  // namespace rafter
