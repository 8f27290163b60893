// DeclaredCommand is what a command says of itself, once: --help and the manual
// page are both made of it.
//
//   Threads   values.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <vector>

namespace rafter {

struct CommandDescription {
  std::string name;     // "run"; empty: `rafter` itself
  std::string summary;  // one sentence
  std::string usage;    // "[options] -- APP [ARG...]"
  std::string example;  // one or more lines
  std::string program = "rafter";
};

struct DeclaredOption {
  std::string names;        // "-o,--output"; of an argument without a dash "APP"
  std::string placeholder;  // "FILE"; empty: a switch, or an argument
  std::string help;
  std::string variable;  // stands for the option; empty: none does
};

// A command of `rafter`.
struct DeclaredVerb {
  std::string name;
  std::string summary;
};

struct DeclaredCommand {
  CommandDescription description;
  std::vector<DeclaredVerb> verbs;  // of `rafter` itself
  std::vector<DeclaredOption> arguments;
  std::vector<DeclaredOption> options;
};

// "rafter run", "rafter", "rafter-collector": what is typed.
inline std::string TypedName(const CommandDescription& command) {
  return command.name.empty() ? command.program : command.program + " " + command.name;
}

// "rafter-run", "rafter", "rafter-collector": the name of the manual page.
inline std::string PageName(const CommandDescription& command) {
  return command.name.empty() ? command.program : command.program + "-" + command.name;
}

}  // namespace rafter
