// `rafter env`: the exports for running by hand.
#include "tools/command_line.h"
#include "tools/exit_status.h"
#include "tools/injection.h"
#include "tools/message.h"
#include "tools/shell_quote.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

// `folder` in front of `path`, once.
std::string Prepended(const std::string& folder, const std::string& path) {
  if (path.empty()) return folder;
  if ((":" + path + ":").find(":" + folder + ":") != std::string::npos) return path;
  return folder + ":" + path;
}

}  // namespace

int VerbEnv(Words words) {
  CommandLine line({"env", "Print the exports for running a program by hand.", "",
                    "  eval \"$(rafter env)\" && ./bench && rafter ingest *.spool -o run.rafter"});
  if (const auto status = line.Parse(words); status.has_value()) return *status;
  const Variables variables = CurrentVariables();
  for (const std::string& unknown : UnknownVariables(variables)) Say(unknown);
  Result<std::string> library = FindInjectLibrary();
  if (!library.ok()) {
    Say("env: " + library.status().message());
    return kIncomplete;
  }
  InjectionPlan plan = PlanInjection(*library, variables);
  for (const std::string& note : plan.notes) Say(note);
  const std::string folder = library->substr(0, library->find_last_of('/'));
  plan.set["LD_LIBRARY_PATH"] = Prepended(folder, ValueOf(variables, "LD_LIBRARY_PATH"));
  std::string text;
  for (const auto& [name, value] : plan.set) {
    text += "export " + name + "=" + ShellQuote(value) + "\n";
  }
  if (!Print(text)) return kIncomplete;
  return plan.counters ? kDone : kIncomplete;
}

}  // namespace rafter
