// CommandLine declares the options of one command and reads them. Every error
// is one line that names the thing, the cause and the next step.
//
//   Threads   one.
//   Blocking  never.
//   Memory    writes into the caller's variables.
//   Lifetime  the variables named must outlive Parse.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cupti/status.h"
#include "tools/declared_command.h"

namespace rafter {

// A text that was given on the command line or by its variable.
struct TextOption {
  std::optional<std::string> value;
  std::string origin;  // "--output" or "RAFTER_OUTPUT"
};

// Whether its value, where there is one, is one of `allowed`; the failure names
// the nearest.
Status CheckChoice(const TextOption& option, const std::vector<std::string>& allowed);

class CommandLine {
 public:
  explicit CommandLine(CommandDescription description);
  ~CommandLine();

  // `variable` is named in the help; the caller reads it.
  void Flag(const std::string& names, bool* value, const std::string& help,
            const std::string& variable = "");
  // `variable` stands in when the option is not given; an empty one counts as
  // unset.
  void Text(const std::string& names, TextOption* value, const std::string& placeholder,
            const std::string& help, const std::string& variable = "");
  // `variable` is named in the help; the caller reads it.
  void Texts(const std::string& names, std::vector<std::string>* values,
             const std::string& placeholder, const std::string& help,
             const std::string& variable = "");
  // As Texts, with one or more values each time: "--from-csv a.csv b.csv".
  void Lists(const std::string& names, std::vector<std::string>* values,
             const std::string& placeholder, const std::string& help);
  // A finite number above zero.
  void Number(const std::string& names, std::optional<double>* value,
              const std::string& placeholder, const std::string& help);
  // One of `allowed`.
  void Choice(const std::string& names, TextOption* value, const std::vector<std::string>& allowed,
              const std::string& help);
  // Arguments without a dash.
  void Inputs(const std::string& placeholder, std::vector<std::string>* values,
              const std::string& help);

  // A command of `rafter`, of whose own line this is.
  void Verb(const std::string& name, const std::string& summary);

  // Reads the arguments. Returns the exit status where the command ends here:
  // help or the manual page was asked for, or the use was wrong.
  std::optional<int> Parse(std::span<const std::string> arguments);

  // Says "run: LINE" and returns the exit status of wrong use.
  int Refuse(const std::string& line) const;

  // Print what --help and --man do; return the exit status.
  int PrintHelp() const;
  int PrintManual() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rafter
