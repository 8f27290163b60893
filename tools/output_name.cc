#include "tools/output_name.h"

namespace rafter {
namespace {

constexpr const char* kMacros = "the macros are %h, %p, %r, %j, %q{NAME} and %%";

Result<std::string> Quoted(std::string_view pattern, size_t& position, const Variables& variables) {
  const size_t close = pattern.find('}', position);
  if (position >= pattern.size() || pattern[position] != '{' || close == std::string_view::npos) {
    return Status::Failed("%q: it needs the name of a variable in braces; write %q{NAME}");
  }
  const std::string name(pattern.substr(position + 1, close - position - 1));
  position = close + 1;
  const std::string value = ValueOf(variables, name);
  if (value.empty()) {
    return Status::Failed("%q{" + name + "}: the variable " + name +
                          " is not set; set it or choose another name");
  }
  return value;
}

Result<std::string> Required(const char* macro, const std::string& value, const char* next_step) {
  if (value.empty()) return Status::Failed(std::string(macro) + ": " + next_step);
  return value;
}

Result<std::string> Macro(std::string_view pattern, size_t& position,
                          const LaunchIdentity& identity, const Variables& variables) {
  if (position >= pattern.size()) {
    return Status::Failed(std::string("%: the name ends after it; write %% for a percent sign, ") +
                          kMacros);
  }
  const char letter = pattern[position++];
  switch (letter) {
    case '%':
      return std::string("%");
    case 'h':
      return identity.host;
    case 'p':
      return identity.pid;
    case 'r':
      return Required(
          "%r", identity.rank,
          "no launcher's variable gives a rank; start it under the launcher or name the "
          "variable in RAFTER_RANK_VARIABLE");
    case 'j':
      return Required("%j", identity.job,
                      "no batch system's variable gives a job; use %q{NAME} with one that does");
    case 'q':
      return Quoted(pattern, position, variables);
    default:
      return Status::Failed(std::string("%") + letter + ": there is no such macro; " + kMacros);
  }
}

}  // namespace

Result<std::string> ExpandOutputName(std::string_view pattern, const LaunchIdentity& identity,
                                     const Variables& variables) {
  std::string name;
  size_t position = 0;
  while (position < pattern.size()) {
    const char character = pattern[position++];
    if (character != '%') {
      name += character;
      continue;
    }
    Result<std::string> value = Macro(pattern, position, identity, variables);
    if (!value.ok()) return value.status();
    name += *value;
  }
  if (name.empty()) return Status::Failed("the name is empty; name a file");
  return name;
}

std::string DefaultOutputPattern(std::string_view program) {
  const size_t slash = program.find_last_of('/');
  if (slash != std::string_view::npos) program.remove_prefix(slash + 1);
  std::string pattern;
  for (const char character : program)
    pattern += character == '%' ? "%%" : std::string(1, character);
  return (pattern.empty() ? "program" : pattern) + ".%h.%p.rafter";
}

}  // namespace rafter
